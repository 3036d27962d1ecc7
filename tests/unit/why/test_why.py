"""From a change to the rows that it lives in, on tables of a shop that does not exist."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.strategies import seeded

from byhistory.rows.local import profile_table
from byhistory.why import Answer, Condition, Segment, why_table

ROWS = 4000


def shop(day: int, rows: int = ROWS) -> pa.Table:
    random = np.random.default_rng((11, day))  # noqa: TID251 - named by the day
    source = random.choice(["web", "mobile", "store"], rows, p=[0.5, 0.3, 0.2])
    seconds = 1_767_225_600 + day * 86_400 + random.integers(0, 86_400, rows)
    return pa.table(
        {
            "id": day * 10**6 + np.arange(rows),
            "at": pa.array(seconds * 10**6, pa.timestamp("us", tz="UTC")),
            "source": source,
            "version": np.round(random.integers(40, 56, rows) / 10, 1),
            "region": random.choice(["EU", "NA", "APAC"], rows, p=[0.5, 0.3, 0.2]),
            "amount": np.round(random.lognormal(3, 0.8, rows), 2),
            "note": pa.array([f"n-{k}" for k in random.integers(0, 10**6, rows)], mask=random.random(rows) < 0.2),
        }
    )


BEFORE, NOW = shop(1), shop(2)


def rows(table, **equal):
    masks = [pc.equal(table[name], value) for name, value in equal.items()]
    both = masks[0]
    for mask in masks[1:]:
        both = pc.and_(both, mask)
    return both.to_numpy(zero_copy_only=False)


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, values)


def nulled(table, name, mask):
    return with_column(table, name, pc.if_else(pa.array(mask), None, table[name]))


def columns_of(answer):
    return {c.column for s in answer.segments[:1] for c in s.conditions}


def test_new_nulls_are_found_in_the_segment_they_live_in():
    mobile = rows(NOW, source="mobile") & (NOW["version"].to_numpy() >= 5.1)
    answer = why_table(nulled(NOW, "amount", mobile), BEFORE, columns=["amount"])
    assert answer.kind == "values in a segment"
    assert sorted(map(str, answer.segment.conditions)) == ["source = 'mobile'", "version ≥ 5.1"]
    assert answer.segment.share == pytest.approx(mobile.mean())
    assert answer.segment.explained > 0.95


def test_a_unit_that_changed_after_an_hour_is_found_there():
    late = pc.greater_equal(pc.hour(NOW["at"]), 20).to_numpy(zero_copy_only=False)
    bad = with_column(NOW, "amount", pa.array(np.where(late, 100.0, 1.0) * NOW["amount"].to_numpy()))
    answer = why_table(bad, BEFORE, columns=["amount"])
    assert columns_of(answer) == {"at"}
    assert answer.segment.share == pytest.approx(late.mean(), rel=0.05)


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_a_change_that_is_spread_evenly_is_everywhere(share):
    some = np.random.default_rng(3).random(ROWS) < share  # noqa: TID251 - a fixed seed
    answer = why_table(nulled(NOW, "amount", some), BEFORE, columns=["amount"])
    assert answer.kind == "values everywhere"
    assert not answer.segments


def test_a_good_run_has_nothing_to_be_found():
    named = [why_table(shop(day), BEFORE, columns=["amount", "note"]).segments for day in range(3, 9)]
    assert not any(named)


def test_rows_that_are_gone_are_told_by_their_segment():
    answer = why_table(NOW.filter(pa.array(~rows(NOW, region="NA"))), BEFORE, columns=["amount"], is_about_rows=True)
    assert answer.kind == "rows missing in a segment"
    assert [str(c) for c in answer.segment.conditions] == ["region = 'NA'"]
    assert answer.sentence.startswith("there are no rows with region = 'NA'")


def test_a_partial_load_is_told_by_how_far_it_reaches():
    early = pc.less(pc.hour(NOW["at"]), 15)
    answer = why_table(NOW.filter(early), BEFORE, is_about_rows=True)
    assert str(answer.segment) == "hour of at is 15 to 23"


def test_rows_that_came_twice_are_told_by_their_segment():
    again = NOW.filter(pa.array(rows(NOW, source="store", region="EU")))
    answer = why_table(pa.concat_tables([NOW, again]), BEFORE, is_about_rows=True)
    assert answer.kind == "rows repeated in a segment"
    assert columns_of(answer) == {"source", "region"}


def test_fewer_rows_everywhere_are_told_as_that():
    half = NOW.filter(pa.array(np.arange(ROWS) % 2 == 0))
    assert why_table(half, BEFORE, is_about_rows=True).kind == "rows missing everywhere"


def test_a_renamed_column_is_told_by_both_names():
    renamed = NOW.rename_columns(["price" if n == "amount" else n for n in NOW.column_names])
    answer = why_table(renamed, BEFORE, columns=["amount"])
    assert (answer.kind, answer.column, answer.other) == ("column renamed", "price", "amount")


def test_swapped_columns_are_one_answer():
    swapped = with_column(with_column(NOW, "version", NOW["amount"]), "amount", NOW["version"])
    answer = why_table(swapped, BEFORE, columns=["amount", "version"])
    assert (answer.kind, {answer.column, answer.other}) == ("columns swapped", {"amount", "version"})


def test_columns_that_changed_in_the_same_rows_are_told_together():
    eu = rows(NOW, region="EU")
    answer = why_table(nulled(nulled(NOW, "amount", eu), "version", eu), BEFORE, columns=["amount", "version"])
    assert set(answer.columns) == {"amount", "version"}
    assert [str(c) for c in answer.segment.conditions] == ["region = 'EU'"]


def test_without_the_rows_before_the_stored_profile_stands_in_and_the_answer_says_so():
    known = profile_table(BEFORE)
    answer = why_table(
        nulled(NOW, "amount", rows(NOW, region="EU")), columns=["amount"], profiles=known.columns, rows_before=ROWS
    )
    assert [str(c) for c in answer.segment.conditions] == ["region = 'EU'"]
    assert "could not be read" in answer.unknown[0]


def test_values_of_masked_columns_are_neither_used_nor_told():
    bad = nulled(NOW, "amount", rows(NOW, region="EU"))
    answer = why_table(bad, BEFORE, columns=["amount"], masked=["region"])
    assert "region" not in columns_of(answer)
    upper = with_column(NOW, "region", pc.utf8_lower(NOW["region"]))
    shown = str(why_table(upper, BEFORE, columns=["region"], masked=["region"]))
    assert "eu" not in shown.replace("region", "").split("'")


def test_the_answer_is_the_same_again():
    bad = nulled(NOW, "amount", rows(NOW, region="EU"))
    first, second = (repr(why_table(bad, BEFORE, columns=["amount"])) for _ in range(2))  # nan is no nan from 3.13 on
    assert first == second


def test_tables_without_rows_have_no_answer_and_no_error():
    assert why_table(NOW.slice(0, 0), BEFORE, columns=["amount"], is_about_rows=True).kind.startswith("rows missing")
    assert why_table(NOW, BEFORE.slice(0, 0), columns=["amount"]).kind == "nothing found"


def test_a_register_without_a_key_has_not_lost_its_rare_patterns():
    """The same rows again: a pattern that one row has is no new one in the run before."""
    random = seeded(4)
    notes = ["".join(random.choice(list("a1 -"), 9)) for _ in range(1500)]
    before = {"city": random.choice(["Rome", "Oslo", "Bonn"], 1500), "note": notes}
    odd = (before["city"] == "Oslo") & (random.random(1500) < 0.2)
    now = {**before, "note": [n + " " if o else n for n, o in zip(notes, odd.tolist(), strict=True)]}
    order = random.permutation(1500)
    now = {name: np.array(values)[order] for name, values in now.items()}
    assert str(why_table(now, before, columns=["note"]).segment) == "city = 'Oslo'"


def test_an_answer_shows_no_segment_that_only_adds_to_the_best_one_or_leaves_out_of_it():
    one, two = Condition(("a",), "text", values=("x",)), Condition(("b",), "text", values=("y",))
    other = Condition(("c",), "text", values=("z",))
    segments = tuple(Segment(c, 0.1, 0.0, 1.0, 1.0) for c in ((one, two), (one,), (one, two, other), (other,)))
    answer = Answer("values in a segment", "n", ("n",), segments=segments)
    assert answer.shown == (segments[0], segments[3])
