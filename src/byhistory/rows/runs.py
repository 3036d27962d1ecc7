"""Profile the rows of many runs at once, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from byhistory.profile.past import run_key
from byhistory.rows.field import Field, Options
from byhistory.rows.fold import Fold
from byhistory.rows.sample import Sampler

BUFFERED_BYTES = 256 << 20
"""Bytes of rows of all runs together that may wait; beyond, the run that holds most is summarised at once."""
HELD_PROFILES = 8192
"""Column profiles of all runs together that may be held (up to 0.1 MB each); beyond, the oldest run is handed out."""


class Runs:
    """One fold per run, and a sample of the last run's rows. It is a class because rows come piece by piece.

    Faults are injected into the latest data, so only rows of the last run are sampled: the last of those that have come
    so far, or the one named by `sampled`, if it is known beforehand which is the last.
    """

    def __init__(
        self,
        fields: tuple[Field, ...],
        options: Options,
        sample_rows: int,
        seed: tuple[int, ...],
        sampled: str | None = None,
    ) -> None:
        self._fields, self._options, self._sample_rows, self._seed = fields, options, sample_rows, seed
        self._folds: dict[str | None, Fold] = {}
        """The folds, the least recently used first."""
        self._latest = sampled
        self._is_known = sampled is not None
        self._sampled: str | None = None
        self._sampler: Sampler | None = None
        self._schema: Any = None

    def add(self, run: str | None, rows: Any, absent: frozenset[int] = frozenset()) -> None:
        """Take some rows of a run: an Arrow batch whose columns are the fields, in order; those absent are nulls."""
        fold = self._folds.pop(run, None) or Fold(self._fields, self._options, partial(self._sample, run))
        self._folds[run] = fold
        if run is not None and not self._is_known and (self._latest is None or run_key(run) > run_key(self._latest)):
            self._latest = run
        fold.add(rows, absent)

    def _sample(self, run: str | None, batches: list[Any]) -> None:
        """Look at rows that are about to be summarised."""
        if not self._sample_rows or run is None or run != self._latest:
            return
        if run != self._sampled or self._sampler is None:
            seed = (*self._seed, len(self._folds))
            self._sampled, self._sampler, self._schema = run, Sampler(self._sample_rows, seed), batches[0].schema
        for batch in batches:
            self._sampler.add(batch)

    def beyond_bounds(self) -> Iterator[tuple[str | None, Fold]]:
        """Parts of runs that have to be handed out to keep the memory of many runs within bounds."""
        folds = self._folds
        if len(folds) < 2:
            return
        if sum(fold.waiting_bytes for fold in folds.values()) > BUFFERED_BYTES:
            max(folds.values(), key=lambda fold: fold.waiting_bytes).flush()
        room = max(1, HELD_PROFILES // max(1, len(self._fields)))
        while len(folds) > 1 and sum(fold.parts for fold in folds.values()) > room:
            most = max(folds.values(), key=lambda fold: fold.parts)
            if most.parts > 1:
                most.compact()
            else:
                oldest = next(iter(folds))
                yield oldest, folds.pop(oldest)

    def rest(self) -> Iterator[tuple[str | None, Fold]]:
        """All that is held, at the end of the rows or of all runs so far."""
        for run in list(self._folds):
            fold = self._folds.pop(run)
            fold.flush()
            yield run, fold

    def sample(self) -> tuple[str, Any] | None:
        """The run that was sampled, and its sample with the random number of each row; after `rest`."""
        if self._sampler is None or self._sampled is None or not self._fields:
            return None
        return self._sampled, self._sampler.with_priorities(self._schema)
