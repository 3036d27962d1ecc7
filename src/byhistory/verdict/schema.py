"""What changed in the columns themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from byhistory.profile import ColumnProfile, TableProfile
from byhistory.profile.kind import is_same_type
from byhistory.verdict.verdict import Finding

Schema = Mapping[str, str]
"""Names of columns, in order, to their types."""


def schema_findings(
    profile: TableProfile, past: Sequence[Schema], before: Callable[[str], ColumnProfile | None]
) -> Iterator[Finding]:
    """Missing, retyped, added and reordered columns, compared with the last run.

    A column that some past runs did not have either may be missing: that is reported, and does not stop the run. One
    that comes back is not new. Added columns and another order are reported, too. A column without a value has no type:
    pandas writes one of only nulls as another. `before` gives the last profile of a column.
    """
    if not past:
        return
    last = past[-1]
    ever = {name for schema in past for name in schema}
    for name in sorted(ever - set(profile)):
        had = sum(name in schema for schema in past)
        if name in last:
            usual = "it has always been there" if had == len(past) else f"{had} of {len(past)} past runs had it"
            missing = f"column {name!r} is missing; {usual}"
            yield Finding("missing column", name, missing, level="stop" if had == len(past) else "as usual")
    for name in profile:
        if name not in ever:
            yield Finding("added column", name, f"column {name!r} is new", level="as usual")
        elif name in last and not is_same_type(profile[name].type, last[name]):
            if not profile[name].present or _had_no_values(before(name), profile[name].type, name, past):
                continue
            changed = f"column {name!r} changed its type from {last[name]} to {profile[name].type}"
            yield Finding("type change", name, changed)
    yield from _order(profile, last)


def _had_no_values(before: ColumnProfile | None, type_: str, name: str, past: Sequence[Schema]) -> bool:
    """Whether the run before held no value of the column, and it had this type in a run before that."""
    seen = any(is_same_type(type_, schema[name]) for schema in past if name in schema)
    return before is not None and not before.present and seen


def _order(profile: TableProfile, last: Schema) -> Iterator[Finding]:
    before = [name for name in last if name in profile.columns]
    now = [name for name in profile if name in last]
    moved = [a for a, b in zip(now, before, strict=True) if a != b]
    if moved:
        sentence = f"the columns come in another order, from {moved[0]!r} on"
        yield Finding("order change", moved[0], sentence, level="as usual")
