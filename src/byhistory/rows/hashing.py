"""Sixty-four bits for every value, fast, and different for every key."""

from __future__ import annotations

import hashlib

import numpy as np

from byhistory.profile.arrays import Bytes, Hashes, Ints, weight_of_runs

LONG = 256
"""Strings longer than this (bytes) are hashed one by one; shorter ones eight bytes at a time, all together."""
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)


def seed_of(key: bytes) -> np.uint64:
    """The start value that a key gives: who does not know the key cannot say which hash a value has."""
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
        return hash_words(h, seed)  # as below: the empty string has one hash, whatever stands beside it
    padded = np.concatenate([data, np.zeros(8, np.uint8)])
    words = np.ndarray((len(padded) - 7,), "<u8", buffer=padded, strides=(1,))  # a word at every byte
    shortest = int(lengths.min())
    for offset in range(0, min(longest, LONG), 8):
        if shortest > offset:
            h = _step(h, _words_at(words, starts, lengths, offset, shortest))
        else:
            active = np.flatnonzero(lengths > offset)
            h[active] = _step(h[active], _words_at(words, starts[active], lengths[active], offset, 0))
    for i in np.flatnonzero(lengths > LONG):
        digest = hashlib.blake2b(data[starts[i] : starts[i] + lengths[i]].data, digest_size=8).digest()
        h[i] ^= np.uint64(int.from_bytes(digest, "little"))
    return hash_words(h, seed)


_MASKS = np.array([(1 << (8 * k)) - 1 for k in range(9)], np.uint64)


def _words_at(words: Hashes, starts: Ints, lengths: Ints, offset: int, shortest: int) -> Hashes:
    """The eight bytes of each string from `offset` on, with zeros behind its end."""
    word = words[starts + offset]
    if shortest < offset + 8:
        word &= _MASKS[np.minimum(lengths - offset, 8)]
    return word


def _step(h: Hashes, word: Hashes) -> Hashes:
    h = (h ^ word) * _M1
    return np.asarray(h ^ (h >> np.uint64(29)))


def group(hashes: Hashes) -> tuple[Hashes, Ints, Ints]:
    """Distinct hashes in rising order, how often each occurs, and the place of one occurrence of each."""
    if len(hashes) <= 1 << 16:
        # Sort the upper 48 bits with the place in the lower 16: three times faster than sorting places by hash.
        tagged = np.sort((hashes & ~np.uint64(0xFFFF)) | np.arange(len(hashes), dtype=np.uint64))
        order = (tagged & np.uint64(0xFFFF)).astype(np.int64)
        starts, counts = weight_of_runs(hashes[order])
        places = order[starts]
        distinct = hashes[places]
        if bool((distinct[1:] > distinct[:-1]).all()):  # else two hashes agree in 48 bits: once in 100,000 chunks
            return distinct, counts, places
    order = np.argsort(hashes)
    starts, counts = weight_of_runs(hashes[order])
    places = order[starts]
    return hashes[places], counts, places
