"""What came through the network to be kept: read in full before it is kept, or nobody could read the table any more.

A store takes bytes and texts as they are. Programs are not read here: they may be of a learner that only the job has,
and those that cannot be read are learned again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from byhistory.alarms import causes_from_json
from byhistory.errors import ByHistoryError
from byhistory.history import Run, Setting
from byhistory.history.record import digest_of
from byhistory.metrics import Measures
from byhistory.profile import TableProfile, from_bytes
from byhistory.profile.look import look_of
from byhistory.profile.unzip import DAMAGE
from byhistory.validator.budgets import BUDGET, parsed_budget
from byhistory.validator.override_codec import checked_overrides, is_of_overrides
from byhistory.verdict.codec import from_json

_SAME = "use the same version on both sides"


def received(value: Any) -> Any:
    """The value as it may be kept; an error for a run or a setting that could not be read back."""
    if isinstance(value, Run):
        return _run(value)
    if isinstance(value, Setting):
        _setting(value)
    return value


def _run(run: Run) -> Run:
    """The run, with an id and a digest of our own: a decision on another record, or on other data, is not for it."""
    asked = f"record the run {run.run!r} of {run.table!r}"
    try:
        profile = _profile(run)
        if run.measures:
            _measures(Measures.from_bytes(run.measures), profile)
        if run.verdict:
            found = from_json(run.verdict)
            if (found.table, found.run) != (run.table, run.run):
                raise ValueError(f"a verdict on the run {found.run!r} of {found.table!r}")
        causes_from_json(run.causes)
        is_plain = run.digest == digest_of(run.rows, run.columns)  # as of releases before 0.1, and of what they kept
        return replace(run, id="", digest=run.digest if is_plain else look_of(profile))
    except ByHistoryError as why:
        raise ByHistoryError(asked, f"what cannot be read back ({why.asked}: {why.found})", _SAME) from why
    except DAMAGE as why:
        raise ByHistoryError(asked, f"what cannot be read back ({type(why).__name__}: {why})", _SAME) from why


def _profile(run: Run) -> TableProfile:
    columns = {name: from_bytes(data) for name, data in run.columns.items()}
    for name, column in columns.items():
        if (column.name, column.rows) != (name, run.rows):
            raise ValueError(f"a profile of {column.rows:,} rows of {column.name!r} as that of {name!r}")
    return TableProfile(run.run, run.rows, columns)


def _measures(measures: Measures, profile: TableProfile) -> None:
    measured: Mapping[str, tuple[object, object]] = {n: (measures.kinds[n], measures.types[n]) for n in measures.kinds}
    if measured != {name: (profile[name].kind, profile[name].type) for name in profile}:
        raise ValueError("measures of other columns than it has")
    if not all(isinstance(metric, str) for metric in measures.metrics):
        raise ValueError("measures of metrics without a name")


def _setting(setting: Setting) -> None:
    if setting.name == BUDGET:
        parsed_budget(setting.table, setting.text)
    if is_of_overrides(setting.name):
        checked_overrides(setting.name, setting.text)
