"""Names for the array types that flow through the package."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

UNDEFINED = float("nan")
"""The one value for "this cannot be computed from these data": decided once, here."""


def weight_of_runs(sorted_keys: npt.NDArray[np.generic]) -> tuple[Ints, Ints]:
    """Starts and lengths of the runs of equal values in a sorted array.

    >>> [a.tolist() for a in weight_of_runs(np.array([1, 1, 4]))]
    [[0, 2], [2, 1]]
    """
    n = len(sorted_keys)
    if n == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    new = np.empty(n, np.bool_)
    new[0] = True
    np.not_equal(sorted_keys[1:], sorted_keys[:-1], out=new[1:])
    starts = np.flatnonzero(new).astype(np.int64, copy=False)
    return starts, lengths_of_runs(starts, n)


def lengths_of_runs(starts: Ints, end: int) -> Ints:
    """How long each of one or more runs is; `np.diff` with an end appended takes three times as long on short arrays.

    >>> lengths_of_runs(np.array([0, 2]), 3).tolist()
    [2, 1]
    """
    lengths = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1] = end - starts[-1]
    return lengths


def bit_length(words: Hashes) -> Ints:
    """How many bits each number has, like `int.bit_length`; exact for powers of two and below 2**53.

    >>> bit_length(np.array([0, 1, 255], np.uint64)).tolist()
    [0, 1, 8]
    """
    exponents = words.astype(np.float64).view(np.int64) >> 52  # np.frexp takes four times as long
    return np.asarray(np.maximum(exponents - 1022, 0))
