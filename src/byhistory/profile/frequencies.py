"""How often each value occurs: a table of hashes, exact while it is small, sampled the same way everywhere beyond."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from byhistory.profile import hll
from byhistory.profile.arrays import Bools, Bytes, Hashes, Ints, bit_length, weight_of_runs

IN_FLIGHT = 4096
"""Distinct values up to which a run is counted exactly."""
SEALED = 512
"""Entries kept of a finished run, and so the number of distinct values up to which a stored table is complete."""
SENT = 1024
"""Entries that an incomplete table needs in flight, so that its sealed form loses nothing."""
UNSAMPLED = 64
"""The level of a table of which only the most frequent values are listed: no hash of 64 bits ends in as many zeros."""
_ID_BYTES = 6
"""Bytes of a sealed digest: among 100,000 values, two share a digest in one column of 50,000."""

Labels = npt.NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class Frequencies:  # noqa: PLW1641 - compared, never looked up by
    """Counts of values by the hash of the value.

    With more distinct values than there is room for, two kinds of entry stay: the most frequent values, and all
    values whose hash ends in at least `level` zero bits. The second is a random sample of the *distinct values*
    that is the same in every run, so that two runs can be compared on it: each of its entries stands for
    2**level values, and its counts are exact. A value outside both occurs at most `missed` times, and the count
    of a frequent value may be low by that much.

    A finished run is *sealed*: the hash becomes a keyed digest, from which nobody without the key can tell the
    value, and its number of zero bits is kept beside it.

    >>> f = Frequencies.of(np.array([8, 16], np.uint64), np.array([3, 1]))
    >>> f.total, f.distinct, f.is_complete
    (4, 2.0, True)
    """

    total: int
    ids: Hashes
    counts: Ints
    zeros: Bytes
    """Trailing zero bits of the hash of each entry."""
    level: int = 0
    missed: int = 0
    is_sealed: bool = False
    distinct: float = 0.0
    """Number of distinct values: exact when complete, else an estimate with the relative error `distinct_error`."""
    distinct_error: float = 0.0
    registers: Bytes | None = None
    """HyperLogLog of all hashes, only in flight and only once the table is not complete."""
    labels: Labels | None = None
    """The plain values, only where the user asked for them (and for patterns, which are no values)."""
    room: int = IN_FLIGHT
    """Entries that a sum of this table may have."""

    @staticmethod
    def of(
        hashes: Hashes, counts: Ints, labels: Callable[[Ints], Labels] | None = None, room: int = IN_FLIGHT
    ) -> Frequencies:
        """From distinct hashes, their counts and, if wanted, a function from places in them to the plain values."""
        kept, level, missed = _kept(hashes, counts, lambda level: hashes & np.uint64((1 << level) - 1) == 0, room)
        kept = kept[np.argsort(hashes[kept])]
        return Frequencies(
            int(counts.sum()),
            hashes[kept],
            counts[kept],
            _trailing_zeros(hashes[kept]),
            level,
            missed,
            distinct=float(len(hashes)),
            registers=hll.registers_of(hashes) if len(kept) < len(hashes) else None,
            labels=None if labels is None else labels(kept),
            room=room,
        )

    @property
    def is_complete(self) -> bool:
        """Whether every value of the column is in the table, with its exact count."""
        return self.level == 0 and self.missed == 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frequencies):
            return False
        plain = ("total", "level", "missed", "is_sealed", "distinct", "distinct_error", "room")
        arrays = ("ids", "counts", "zeros", "registers", "labels")
        return all(getattr(self, f) == getattr(other, f) for f in plain) and all(
            np.array_equal(getattr(self, f), getattr(other, f)) for f in arrays
        )

    def __add__(self, other: Frequencies) -> Frequencies:
        return Frequencies.sum_of([self, other])

    @staticmethod
    def sum_of(parts: Sequence[Frequencies]) -> Frequencies:
        """The sum of one or more; faster all at once than one after another."""
        parts = [p for p in parts if p.total] or parts[:1]
        first = parts[0]
        if len(parts) == 1:
            return first
        if any(p.is_sealed != first.is_sealed for p in parts):
            raise ValueError("a sealed table and one in flight have different hashes: merge before sealing")
        ids = np.concatenate([p.ids for p in parts])
        order = np.argsort(ids, kind="stable")
        starts, _ = weight_of_runs(ids[order])
        places = order[starts]
        counts = np.add.reduceat(np.concatenate([p.counts for p in parts])[order], starts)
        zeros = np.concatenate([p.zeros for p in parts])[places]
        labels = None
        if all(p.labels is not None for p in parts):
            labels = np.concatenate([p.labels for p in parts if p.labels is not None])[places]
        level = max(p.level for p in parts)
        distinct, error = _distinct_of_union(parts, int((zeros >= level).sum()), level)
        merged = Frequencies(
            sum(p.total for p in parts),
            ids[places],
            counts,
            zeros,
            level,
            sum(p.missed for p in parts),
            first.is_sealed,
            distinct,
            error,
            _merged_registers(parts),
            labels,
            max(p.room for p in parts),
        )
        return merged.limited(merged.room)

    def limited(self, entries: int) -> Frequencies:
        """At most this many entries: up to half for the most frequent values, the rest for the sample of values."""
        if len(self.ids) <= entries:
            return self
        kept, level, missed = _kept(self.ids, self.counts, lambda level: self.zeros >= level, entries, self.level)
        needs_registers = self.registers is None and not self.is_sealed
        return replace(
            self,
            ids=self.ids[kept],
            counts=self.counts[kept],
            zeros=self.zeros[kept],
            level=level,
            missed=self.missed + missed,
            registers=hll.registers_of(self.ids) if needs_registers else self.registers,
            labels=None if self.labels is None else self.labels[kept],
        )

    def without(self, rare: int) -> Frequencies:
        """Without the values that so many rows or fewer have: of these only their number and that of their rows stay.

        >>> f = Frequencies.of(np.array([8, 16, 24], np.uint64), np.array([9, 1, 2])).without(2)
        >>> f.counts.tolist(), f.total, f.distinct, f.missed
        ([9], 12, 3.0, 2)
        """
        kept = self.counts > rare
        if kept.all():
            return self
        return replace(
            self,
            ids=self.ids[kept],
            counts=self.counts[kept],
            zeros=self.zeros[kept],
            level=UNSAMPLED,
            missed=max(self.missed, int(self.counts[~kept].max())),
            labels=None if self.labels is None else self.labels[kept],
        )

    def sealed(self, key: bytes, entries: int = SEALED) -> Frequencies:
        """The form that may be kept: few entries, hashes replaced by keyed digests, no registers."""
        if self.is_sealed:
            return self
        small = self.limited(entries)
        keyed = digests(small.ids, key)
        order = np.argsort(keyed)
        distinct = float(round(hll.estimate(self.registers))) if self.registers is not None else self.distinct
        return replace(
            small,
            ids=keyed[order],
            counts=small.counts[order],
            zeros=small.zeros[order],
            is_sealed=True,
            distinct=distinct,
            distinct_error=hll.ERROR if self.registers is not None else 0.0,
            registers=None,
            labels=None if small.labels is None else small.labels[order],
            room=2 * entries,
        )


def _kept(
    ids: Hashes, counts: Ints, sampled: Callable[[int], Bools], entries: int, level: int = 0
) -> tuple[Ints, int, int]:
    """The entries that stay, the level of the sample of values, and the largest count that is missed."""
    if len(ids) <= entries:
        return np.arange(len(ids)), level, 0
    kept = _most_frequent(ids, counts, entries // 2)
    room = entries - int(np.count_nonzero(kept))
    while np.count_nonzero(sample := sampled(level)) > room:
        level += 1
    kept |= sample
    return np.flatnonzero(kept), level, int(np.where(kept, 0, counts).max())


def digests(ids: Hashes, key: bytes) -> Hashes:
    """Keyed digests of hashes: without the key nobody can tell which value one stands for."""
    raw = ids.astype("<u8").tobytes()
    keyed = hashlib.blake2b(digest_size=_ID_BYTES, key=key)  # copied, because the key is a third of the work
    found = []
    for i in range(0, len(raw), 8):
        one = keyed.copy()
        one.update(raw[i : i + 8])
        found.append(one.digest())
    bytes_ = np.zeros((len(ids), 8), np.uint8)
    bytes_[:, :_ID_BYTES] = np.frombuffer(b"".join(found), np.uint8).reshape(len(ids), _ID_BYTES)
    return bytes_.view("<u8").ravel().astype(np.uint64)


def _most_frequent(ids: Hashes, counts: Ints, room: int) -> Bools:
    """Entries that occur more than once, by count; ties go to the smaller hash, so that runs agree."""
    repeated = np.flatnonzero(counts > 1)
    if len(repeated) > room:  # drop what cannot be among them before sorting
        floor = np.partition(counts[repeated], -room)[-room]
        repeated = repeated[counts[repeated] >= floor]
    order = repeated[np.lexsort((ids[repeated], -counts[repeated]))][:room]
    top = np.zeros(len(ids), np.bool_)
    top[order] = True
    return top


def _trailing_zeros(hashes: Hashes) -> Bytes:
    lowest = hashes & (~hashes + np.uint64(1))
    return np.maximum(bit_length(lowest) - 1, 0).astype(np.uint8)


def _merged_registers(parts: Sequence[Frequencies]) -> Bytes | None:
    if all(p.registers is None for p in parts):
        return None
    each = [hll.registers_of(p.ids) if p.registers is None else p.registers for p in parts]
    return np.asarray(np.maximum.reduce(each))


def _distinct_of_union(parts: Sequence[Frequencies], sampled: int, level: int) -> tuple[float, float]:
    """The number of distinct values in all tables together, and its relative error.

    In flight the registers will give it, so only complete tables need a number here. For sealed tables it is estimated
    from the sample that they share, whose size gives the error; it is never below the number of any one table, nor
    above the sum of all.
    """
    if all(p.is_complete for p in parts):
        return float(sampled), 0.0
    if not parts[0].is_sealed:
        return 0.0, 0.0
    each = [p.distinct for p in parts]
    union = min(max(sampled * 2.0**level, *each), sum(each))
    return float(round(union)), 1.0 / math.sqrt(max(1, sampled)) + max(p.distinct_error for p in parts)
