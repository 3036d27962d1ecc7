"""Tables whose rows stay from run to run are compared row by row."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.strategies import seeded

from byhistory.why import why_table
from byhistory.why.pairs import paired, same
from byhistory.why.parts import dated, plain

ROWS = 2000


def register(day: int) -> pa.Table:
    """A register of things: the same rows every day in another order, a few of them new, and a price that moves."""
    things = seeded(0)
    table = pa.table(
        {
            "code": [f"K-{i:05}" for i in range(ROWS)],
            "city": things.choice(["Rome", "Oslo", "Bonn", "Lodz"], ROWS),
            "level": things.integers(1, 9, ROWS),
            "note": [f"n{i}" for i in things.integers(0, 900, ROWS)],
            "price": np.round(things.lognormal(3, 1, ROWS) * seeded(day + 1).uniform(0.9, 1.1, ROWS), 2),
        }
    )
    return table.slice(day, ROWS - 5).take(pa.array(seeded(day).permutation(ROWS - 5)))


BEFORE, NOW = register(1), register(2)


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, values)


def test_a_row_is_paired_with_itself_by_any_column_that_tells_rows_apart():
    pairs = paired(NOW, BEFORE, without=["price"])
    mine = np.flatnonzero(pairs >= 0)
    assert len(mine) == ROWS - 6
    assert NOW["code"].take(mine).equals(BEFORE["code"].take(pairs[mine]))


def test_columns_that_may_have_changed_pair_no_rows():
    assert paired(NOW, BEFORE, without=["code", "note", "price"]) is None


def test_a_number_of_the_row_is_a_key_that_tells_nothing():
    numbered = [t.drop_columns(["code"]).append_column("n", pa.array(np.arange(t.num_rows))) for t in (NOW, BEFORE)]
    assert paired(*numbered, without=["price"], key=("n",)) is None


def test_two_columns_may_pair_rows_together():
    split = [
        t.append_column("a", pc.utf8_slice_codeunits(t["code"], 2, 5))
        .append_column("b", pc.utf8_slice_codeunits(t["code"], 5, 7))
        .drop_columns(["code", "note"])
        for t in (NOW, BEFORE)
    ]
    pairs = paired(*split, without=["price"])
    assert (pairs >= 0).sum() == ROWS - 6


def test_a_few_values_that_changed_are_found_among_hundreds_that_are_rare():
    oslo = pc.and_(pc.equal(NOW["city"], "Oslo"), pc.equal(NOW["level"], 3))
    bad = with_column(NOW, "note", pc.if_else(oslo, pa.scalar("n7"), NOW["note"]))
    answer = why_table(bad, BEFORE, columns=["note"])
    assert {str(c) for c in answer.segment.conditions} == {"city = 'Oslo'", "3 ≤ level < 4"} or {
        c.column for c in answer.segment.conditions
    } == {"city", "level"}
    assert answer.segment.share == pytest.approx(pc.sum(oslo).as_py() / NOW.num_rows, rel=0.05)


def test_prices_that_move_by_themselves_are_no_change():
    assert why_table(NOW, BEFORE, columns=["price"]).segment is None


def test_values_that_are_missing_are_found_in_a_column_that_moves_by_itself():
    rome = pc.equal(NOW["city"], "Rome")
    answer = why_table(with_column(NOW, "price", pc.if_else(rome, None, NOW["price"])), BEFORE, columns=["price"])
    assert str(answer.segment) == "city = 'Rome'"


def test_rows_that_are_gone_are_known_by_their_key_whatever_else_moved():
    dear = pc.and_(pc.equal(NOW["city"], "Bonn"), pc.greater_equal(NOW["level"], 6))
    answer = why_table(NOW.filter(pc.invert(dear)), BEFORE, is_about_rows=True)
    assert answer.kind == "rows missing in a segment"
    assert {c.column for c in answer.segment.conditions} == {"city", "level"}
    assert answer.segment.rate_now < 0.02


def test_shares_are_told_of_all_rows_and_not_only_of_those_that_changed():
    rome = pc.equal(NOW["city"], "Rome")
    bad = with_column(NOW, "note", pc.if_else(rome, pa.scalar("n7"), NOW["note"]))
    (first, *_) = why_table(bad, BEFORE, columns=["note"]).gained
    assert first.what == "'n7'"
    assert first.now == pytest.approx(pc.mean(pc.cast(pc.equal(bad["note"], "n7"), pa.float64())).as_py(), abs=0.01)


def test_nulls_are_the_same_and_what_cannot_be_compared_is_not():
    a, b = pa.array([1.0, None, None, 2.0]), pa.array([1.0, None, 3.0, 4.0])
    assert same(a, b).tolist() == [True, True, False, False]
    lists = pa.array([[1], None])
    assert same(lists, lists).tolist()[1]


@pytest.mark.parametrize(
    ("written", "are_dates"),
    [
        (["2026-01-01", "2026-02-28", None], True),
        (["2026-01-01T10:00:00Z", "2026-01-02 11:30"], True),
        ([20260101, 20261231], True),
        ([20261301, 20269999], False),
        ([1, 2, 3], False),
        (["2026-13-01", "2026-02-31"], False),
        (["a", "b"], False),
        ([None, None], False),
    ],
)
def test_dates_may_be_written_as_text_or_as_whole_numbers(written, are_dates):
    array = plain(pa.array(written))
    assert (dated(array, array) is not None) == are_dates


@pytest.mark.parametrize("write", [str, lambda d: int(d.replace("-", ""))])
def test_a_date_that_moves_on_with_every_run_hides_no_change_of_it(write):
    def day(number: int) -> pa.Table:
        parts = seeded(number).choice(["a", "b", "c", "d"], ROWS)
        return pa.table({"part": parts, "as_of": [write(f"2026-01-{number:02}")] * ROWS})

    before, now = day(4), day(5)
    c = pc.equal(now["part"], "c")
    wrong = pa.scalar(write("2026-01-05") * -1 if write is not str else " 2026-01-05", now["as_of"].type)
    bad = with_column(now, "as_of", pc.if_else(c, wrong, now["as_of"]))
    assert why_table(now, before, columns=["as_of"]).segment is None
    assert str(why_table(bad, before, columns=["as_of"]).segment) == "part = 'c'"


def test_a_condition_that_leaves_out_rows_which_changed_otherwise_is_not_told():
    random = seeded(3)
    small = random.random(ROWS) < 0.8
    size = np.where(small, random.uniform(0, 10, ROWS), random.uniform(500, 900, ROWS))
    table = pa.table(
        {"part": random.choice(["a", "b", "c"], ROWS), "size": np.round(size, 2), "net": np.round(size * 2, 2)}
    )
    before = table.take(pa.array(random.permutation(ROWS)[:1900]))
    a = pc.equal(table["part"], "a")
    bad = with_column(table, "net", pc.if_else(a, pc.round(table["net"], -2), table["net"]))
    answer = why_table(bad, before, columns=["net"])
    assert [str(c) for c in answer.segment.conditions] == ["part = 'a'"]


def test_a_column_that_no_longer_follows_another_one_has_changed_everywhere():
    def day(number: int) -> pa.Table:
        random = seeded(number)
        amount = np.round(random.lognormal(3, 1, 4000), 2)
        return pa.table({"amount": amount, "tax": np.round(amount * 0.19, 2), "n": random.integers(0, 5, 4000)})

    before, now = day(1), day(2)
    lowest = np.sort(now["tax"].to_numpy())[:400]
    bad = with_column(now, "tax", pa.array(seeded(9).choice(lowest, 4000)))
    assert why_table(bad, before, columns=["tax"]).kind == "values everywhere"


def test_rows_that_lost_what_tells_them_apart_did_not_come_twice():
    def day(number: int) -> pa.Table:
        random = seeded(number)
        parts = random.choice(["a", "b", "c"], 500)
        empty = (parts == "b") & (number == 6)
        return pa.table({"part": parts, **{f"x{i}": pa.array(random.normal(0, 1, 500), mask=empty) for i in range(6)}})

    answer = why_table(day(6), day(5), columns=["x0", "x1"])
    assert (answer.kind, str(answer.segment)) == ("values in a segment", "part = 'b'")


def test_an_alarm_that_names_nothing_is_about_all_columns():
    bad = with_column(NOW, "note", pc.if_else(pc.equal(NOW["city"], "Lodz"), pa.scalar(None, pa.string()), NOW["note"]))
    answer = why_table(bad, BEFORE)
    assert (answer.column, str(answer.segment), answer.apart) == ("note", "city = 'Lodz'", ())


def test_missing_values_that_were_filled_are_found_among_those_that_still_are_missing():
    """Rows that were and are without a value are the ones that nothing happened to: they are not left out."""
    rare = pa.array(BEFORE["note"].to_pylist(), mask=seeded(7).random(BEFORE.num_rows) < 0.97)
    before = with_column(BEFORE, "note", rare)
    kept = dict(zip(before["code"].to_pylist(), before["note"].to_pylist(), strict=True))
    filled = [
        "n/a" if city == "Oslo" else kept.get(code)
        for code, city in zip(*(NOW[c].to_pylist() for c in ("code", "city")), strict=True)
    ]
    answer = why_table(with_column(NOW, "note", pa.array(filled)), before, columns=["note"])
    assert str(answer.segment) == "city = 'Oslo'", answer


def test_nulls_everywhere_are_not_said_to_be_where_values_were():
    """A column that few rows have loses most of its values: all others could lose none."""
    here = pc.equal(BEFORE["city"], "Rome").to_numpy(zero_copy_only=False)
    has = np.where(here, seeded(8).random(len(here)) < 0.9, seeded(8).random(len(here)) < 0.1)
    before = with_column(BEFORE, "price", pa.array(BEFORE["price"], mask=~has)).drop_columns(["code", "note"])
    now = with_column(before, "price", pa.array(before["price"].to_pylist(), mask=seeded(9).random(len(here)) < 0.8))
    assert why_table(now, before, columns=["price"]).segment is None
