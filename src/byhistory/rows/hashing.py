"""A hash of 64 bits for every value: fast, and different for every key."""

from __future__ import annotations

import hashlib

import numpy as np

from byhistory.profile.arrays import Bytes, Hashes, Ints, weight_of_runs

LONG = 256
"""Strings longer than this (bytes) are hashed one by one; shorter ones eight bytes at a time, all together."""
# The multipliers of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)


def seed_of(key: bytes) -> np.uint64:
    """The start value for a key: without the key nobody can tell the hash of a value."""
    return np.uint64(int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "little"))


def hash_words(words: Hashes, seed: np.uint64) -> Hashes:
    """Hashes of 64-bit words (a bijection for each seed, so different words never collide)."""
    h = words ^ seed
    h = (h ^ (h >> np.uint64(30))) * _M1
    h = (h ^ (h >> np.uint64(27))) * _M2
    return np.asarray(h ^ (h >> np.uint64(31)))


def hash_strings(data: Bytes, starts: Ints, lengths: Ints, seed: np.uint64) -> Hashes:
    """Hashes of byte strings that lie in one buffer at `starts`, with the given lengths in bytes."""
    h = hash_words(lengths.astype(np.uint64), seed)
    longest = int(lengths.max(initial=0))
    if longest == 0:
        return hash_words(h, seed)  # as below: the empty string has one hash, whatever the other strings are
    padded = np.concatenate([data, np.zeros(8, np.uint8)])
    words = np.ndarray((len(padded) - 7,), "<u8", buffer=padded, strides=(1,))  # a word at every byte
    shortest = int(lengths.min())
    at = _even_steps(starts) if shortest == longest else starts
    for offset in range(0, min(longest, LONG), 8):
        if shortest > offset:
            h = _step(h, _words_at(words[offset:], at, lengths - offset, shortest - offset))
        else:
            active = np.flatnonzero(lengths > offset)
            h[active] = _step(h[active], _words_at(words[offset:], starts[active], lengths[active] - offset))
    for i in np.flatnonzero(lengths > LONG):
        digest = hashlib.blake2b(data[starts[i] : starts[i] + lengths[i]].data, digest_size=8).digest()
        h[i] ^= np.uint64(int.from_bytes(digest, "little"))
    return hash_words(h, seed)


_MASKS = np.array([(1 << (8 * k)) - 1 for k in range(9)], np.uint64)


def _words_at(words: Hashes, at: Ints | slice, lengths: Ints, shortest: int = 0) -> Hashes:
    """The first eight bytes of each string, with zeros behind its end."""
    word = words[at]
    return word if shortest >= 8 else word & _MASKS.take(lengths, mode="clip")


def _even_steps(starts: Ints) -> Ints | slice:
    """The same places as a slice, if they are equally far apart: reading there is ten times faster."""
    first, last = int(starts[0]), int(starts[-1])
    step = (last - first) // max(1, len(starts) - 1)
    is_regular = step > 0 and bool((starts[1:] - starts[:-1] == step).all())
    return slice(first, last + 1, step) if is_regular else starts


def _step(h: Hashes, word: Hashes) -> Hashes:
    h = (h ^ word) * _M1
    return np.asarray(h ^ (h >> np.uint64(29)))


def group(hashes: Hashes, weights: Ints | None = None) -> tuple[Hashes, Ints, Ints]:
    """Distinct hashes in rising order, how often each occurs, and the place of one occurrence of each.

    With `weights`, each hash occurs so often at its place.
    """
    ordered, order = _sorted(hashes)
    starts, counts = weight_of_runs(ordered)
    if weights is not None and len(starts):
        counts = np.add.reduceat(weights[order], starts)
    return ordered[starts], counts, order[starts]


def _sorted(hashes: Hashes) -> tuple[Hashes, Ints]:
    """The hashes in rising order, and the place where each was."""
    if len(hashes) <= 1 << 16:
        # Sort the upper 48 bits with the place in the lower 16: three times faster than sorting places by hash.
        tagged = np.sort((hashes & ~np.uint64(0xFFFF)) | np.arange(len(hashes), dtype=np.uint64))
        order = (tagged & np.uint64(0xFFFF)).view(np.int64)
        ordered = hashes[order]
        if bool((ordered[1:] >= ordered[:-1]).all()):  # else two hashes agree in 48 bits: once in 100,000 chunks
            return ordered, order
    order = np.argsort(hashes)
    return hashes[order], order
