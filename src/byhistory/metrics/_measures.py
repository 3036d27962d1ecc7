"""What every metric read in one run, packed beside its profiles, so that learning need not read them again."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from byhistory.errors import StoreError
from byhistory.metrics._measure import measure_columns
from byhistory.metrics.base import Metric, Pair
from byhistory.profile import ColumnProfile, Kind, TableProfile
from byhistory.profile.arrays import Floats
from byhistory.profile.unzip import DAMAGE, MOST_OF_TABLE, unzipped

VERSION = 1
_TABLES = 8
"""Pasts that are remembered as arrays: two of each table that is judged at the same time, of four by default."""
_KINDS = {kind.value: kind for kind in Kind}


@dataclass(frozen=True, eq=False)  # no slots: the places of the columns are remembered
class Measures:
    """One run in numbers: for each column its kind, its type and one row of `values`, with one entry per metric."""

    kinds: Mapping[str, Kind]
    types: Mapping[str, str]
    metrics: tuple[str, ...]
    values: Floats

    @staticmethod
    def of(now: TableProfile, before: Mapping[str, ColumnProfile], metrics: Sequence[Metric]) -> Measures:
        """Measure a run; distances are taken to the profiles of the run before."""
        return Measures(
            {name: now[name].kind for name in now},
            {name: now[name].type for name in now},
            tuple(m.name for m in metrics),
            measure_columns([(now[name], before.get(name)) for name in now], metrics),
        )

    def compared_anew(
        self, now: TableProfile, before: Mapping[str, ColumnProfile], metrics: Sequence[Metric]
    ) -> Measures:
        """The same run with distances taken to other profiles; what is read off the run alone is not read again."""
        anew = [i for i, m in enumerate(metrics) if isinstance(m, Pair) or m.name not in self.metrics]
        values = np.array([self.of_column(name, [m.name for m in metrics]) for name in now])
        values = values.reshape(len(now), len(metrics))
        values[:, anew] = measure_columns([(now[name], before.get(name)) for name in now], [metrics[i] for i in anew])
        return Measures(self.kinds, self.types, tuple(m.name for m in metrics), values)

    def has(self, metrics: Sequence[Metric]) -> bool:
        """Whether all of these were measured: an earlier release had fewer."""
        return {m.name for m in metrics} <= set(self.metrics)

    def of_column(self, column: str, metrics: Sequence[str]) -> Floats:
        """What these metrics read for a column; nan where the run did not have it or did not measure it."""
        row = self._rows.get(column)
        if row is None:
            return np.full(len(metrics), np.nan)
        known = np.append(self.values[row], np.nan)
        return np.asarray(known[_places(self.metrics, tuple(metrics))])

    def reads(self, column: str) -> dict[str, float]:
        """What every metric reads for a column of the run."""
        return dict(zip(self.metrics, self.values[self._rows[column]].tolist(), strict=True))

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.types)}

    def to_bytes(self) -> bytes:
        """Versioned and compressed."""
        columns = [[name, self.kinds[name].value, self.types[name]] for name in self.types]
        head = json.dumps({"metrics": self.metrics, "columns": columns}).encode()
        body = struct.pack("<BI", VERSION, len(head)) + head + self.values.astype("<f8").tobytes()
        return zlib.compress(body, 1)

    @staticmethod
    def from_bytes(data: bytes) -> Measures:
        """The same back; a clear error for bytes of a later version or none at all."""
        try:
            body = unzipped(data, MOST_OF_TABLE)
            version, size = struct.unpack_from("<BI", body)
            if version != VERSION:
                raise StoreError("read the measures of a run", f"format {version}", "upgrade byhistory")
            kinds, types, metrics = _head(body[5 : 5 + size])
            values = np.frombuffer(body, "<f8", offset=5 + size).reshape(len(kinds), len(metrics))
        except (struct.error, *DAMAGE) as why:
            raise StoreError("read the measures of a run", f"damaged bytes ({why})", "profile that run again") from why
        return Measures(kinds, types, metrics, values)


@lru_cache(maxsize=64)
def _head(data: bytes) -> tuple[Mapping[str, Kind], Mapping[str, str], tuple[str, ...]]:
    """Kinds and types by column, and metrics: they are the same in nearly all runs of a table, which share them."""
    head = json.loads(data)
    columns = head["columns"]
    kinds, types = ({name: of[i] for name, *of in columns} for i in (0, 1))
    if len(kinds) != len(columns):
        raise ValueError("a column that is there twice")
    if not all(isinstance(text, str) for text in (*types, *types.values(), *head["metrics"])):
        raise ValueError("a name or a type that is no text")
    return {name: _KINDS[kind] for name, kind in kinds.items()}, types, tuple(head["metrics"])


def over_runs(runs: tuple[Measures, ...], column: str, metrics: Sequence[str]) -> Floats:
    """What metrics (rows) read for a column in some runs (columns of the answer); nan where a run has no such value."""
    cube = _cube(runs)
    if cube is None or column not in runs[0].types:
        return np.array([run.of_column(column, metrics) for run in runs]).reshape(len(runs), len(metrics)).T.copy()
    return np.array(cube[runs[0]._rows[column], _places(runs[0].metrics, tuple(metrics))])


def not_of_kind(runs: tuple[Measures, ...], column: str, kind: Kind | None) -> list[int]:
    """The places of the runs that did not have a column, or not as of this kind (any, if None)."""
    if _are_alike(runs):
        had = runs[0].kinds.get(column) if runs else None
        return [] if had is not None and kind in (None, had) else list(range(len(runs)))
    kinds = (run.kinds.get(column) for run in runs)
    return [i for i, had in enumerate(kinds) if had is None or kind not in (None, had)]


@lru_cache(maxsize=_TABLES)
def _are_alike(runs: tuple[Measures, ...]) -> bool:
    """Whether all runs have the same columns of the same kinds."""
    return all(run.kinds is runs[0].kinds or run.kinds == runs[0].kinds for run in runs[1:])


@lru_cache(maxsize=_TABLES)
def _cube(runs: tuple[Measures, ...]) -> Floats | None:
    """Column × metric × run, with one metric more that nobody measures; None where not all runs have the same."""
    if not runs or not all(_is_laid_out_like(run, runs[0]) for run in runs[1:]):
        return None
    columns, metrics = runs[0].values.shape
    cube = np.full((columns, metrics + 1, len(runs)), np.nan)
    for i, run in enumerate(runs):
        cube[:, :metrics, i] = run.values
    return cube


def _is_laid_out_like(run: Measures, other: Measures) -> bool:
    """The same metrics of the same columns in the same order."""
    is_one = run.types is other.types or list(run.types) == list(other.types)
    return is_one and (run.metrics is other.metrics or run.metrics == other.metrics)


@lru_cache(maxsize=256)
def _places(there: tuple[str, ...], wanted: tuple[str, ...]) -> NDArray[np.intp]:
    """Where the wanted names are, and one past the end for those that are not: the same for every run and column."""
    place = {name: i for i, name in enumerate(there)}
    return np.array([place.get(name, len(there)) for name in wanted], np.intp)
