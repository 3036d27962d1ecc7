"""Count distinct values by their hashes, in 32 KB, to about 0.6 %."""

from __future__ import annotations

import math

import numpy as np

from byhistory.profile.arrays import Bytes, Hashes, bit_length

PRECISION = 15
"""Bits of a hash that choose its register: 32 KB for 0.6 %, weighed in ADR 0010."""
ERROR = 1.04 / math.sqrt(1 << PRECISION)
"""Standard error of the estimate, relative."""
_REST = 64 - PRECISION


def registers_of(hashes: Hashes) -> Bytes:
    """HyperLogLog registers of distinct (or repeated) 64-bit hashes; merge two with `numpy.maximum`."""
    registers = np.zeros(1 << PRECISION, np.uint8)
    index = (hashes >> np.uint64(_REST)).astype(np.int64)
    rest = hashes & np.uint64((1 << _REST) - 1)
    rank = (_REST + 1 - bit_length(rest)).astype(np.uint8)
    np.maximum.at(registers, index, rank)
    return registers


def estimate(registers: Bytes) -> float:
    """Number of distinct hashes, by Ertl's improved estimator (no bias at small or middle counts).

    >>> h = np.random.default_rng(0).integers(0, 2**64, 100_000, dtype=np.uint64)
    >>> abs(estimate(registers_of(h)) / 100_000 - 1) < 3 * ERROR
    True
    """
    m = len(registers)
    tally = np.bincount(registers, minlength=_REST + 2).astype(np.float64)
    z = m * _tau(1 - tally[_REST + 1] / m)
    for k in range(_REST, 0, -1):
        z = 0.5 * (z + tally[k])
    z += m * _sigma(tally[0] / m)
    return float(m * m / (2 * math.log(2) * z)) if math.isfinite(z) else 0.0


def _sigma(x: float) -> float:
    if x == 1.0:
        return math.inf
    y, z = 1.0, x
    while True:
        x *= x
        last, z = z, z + x * y
        y += y
        if z == last:
            return z


def _tau(x: float) -> float:
    if x in (0.0, 1.0):
        return 0.0
    y, z = 1.0, 1 - x
    while True:
        x = math.sqrt(x)
        y *= 0.5
        last, z = z, z - (1 - x) ** 2 * y
        if z == last:
            return z / 3
