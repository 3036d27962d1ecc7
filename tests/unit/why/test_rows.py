"""Rows that are missing, too many or repeated, and answers for more than one cause."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.unit.why.test_why import BEFORE, NOW, columns_of, nulled, rows, shop, with_column

from byhistory.rows.local import profile_table
from byhistory.why import why_table
from byhistory.why.local import found_key


def test_a_partial_load_of_an_hour_is_told_by_the_minute_it_reaches():
    def hour(number: int, minutes: float = 60.0) -> pa.Table:
        random = np.random.default_rng((2, number))  # noqa: TID251 - named by the hour
        seconds = np.sort(1_767_225_600 + number * 3600 + random.uniform(0, 3600, 3000))
        table = pa.table(
            {"at": pa.array((seconds * 1e6).astype(np.int64), pa.timestamp("us")), "n": np.arange(3000) % 7}
        )
        return table.filter(pa.array(seconds < 1_767_225_600 + number * 3600 + minutes * 60))

    answer = why_table(hour(7, minutes=40), hour(6), is_about_rows=True)
    assert answer.sentence.startswith("the load is partial: it has no rows with at ≥ 2026-01-01 07:")
    (condition,), (past,) = answer.segment.conditions, answer.segment.past
    assert condition.low == pytest.approx(1_767_225_600 + 7 * 3600 + 40 * 60, abs=20)
    assert condition.low - past.low == 3600


def test_a_table_whose_rows_stay_is_told_up_to_which_key_it_reaches():
    answer = why_table(BEFORE.slice(0, 2500), BEFORE, is_about_rows=True)
    assert str(answer.segment).startswith("id ≥ ")
    assert (answer.keys.gone, answer.keys.new, answer.keys.again) == (1500, 0, 0)


def test_rows_with_a_key_that_came_twice_are_told_by_their_segment_though_they_differ():
    again = with_column(NOW, "amount", pc.add(NOW["amount"], 1.0)).filter(pa.array(rows(NOW, source="store")))
    answer = why_table(pa.concat_tables([NOW, again]), BEFORE, is_about_rows=True)
    assert (answer.kind, answer.view) == ("rows repeated in a segment", "key")
    assert str(answer.segment) == "source = 'store'"
    assert answer.keys.again == again.num_rows
    assert np.isnan(answer.keys.gone), "every run has keys of its own"


def test_a_key_may_be_of_several_columns_and_what_is_none_is_not_used():
    two = pa.table({"a": np.repeat(np.arange(200), 5), "b": np.tile(np.arange(5), 200), "v": np.arange(1000) % 3})
    more = pa.concat_tables([two, two.slice(0, 100)])
    assert why_table(more, two, is_about_rows=True, key=["a", "b"]).keys.again == 100
    assert why_table(more, two, is_about_rows=True, key=["a"]).keys is None
    assert found_key(BEFORE) == ("id",)
    assert found_key(BEFORE.drop_columns(["id"])) == ()


def test_a_sample_by_key_takes_the_same_keys_of_both_runs(monkeypatch):
    monkeypatch.setattr("byhistory.why.local.SAMPLED", 2000)
    monkeypatch.setattr("byhistory.why.local.FEWEST", 1000)
    before = shop(1, 20_000)
    answer = why_table(before.slice(0, 15_000), before, is_about_rows=True)
    assert answer.keys.is_estimate
    assert answer.keys.gone == pytest.approx(5000, rel=0.2)
    assert answer.keys.new == 0


def test_columns_that_changed_in_other_rows_get_an_answer_of_their_own():
    bad = nulled(nulled(NOW, "amount", rows(NOW, region="EU")), "note", rows(NOW, source="web"))
    answer = why_table(bad, BEFORE, columns=["amount", "note"])
    assert {str(answer.segment), *(str(a.segment) for a in answer.also)} == {"region = 'EU'", "source = 'web'"}
    assert not answer.apart
    assert len(answer.to_dict()["also"]) == 1


def test_missing_rows_and_missing_values_are_two_answers():
    bad = nulled(NOW, "amount", rows(NOW, region="EU")).filter(pa.array(~rows(NOW, source="store")))
    answer = why_table(bad, BEFORE, columns=["amount"], is_about_rows=True)
    assert [a.kind for a in (answer, *answer.also)] == ["values in a segment", "rows missing in a segment"]
    assert str(answer.also[0].segment) == "source = 'store'"


def test_rows_of_a_segment_that_was_not_there_are_told_as_new():
    extra = with_column(NOW.slice(0, 900), "region", pa.array(["MOON"] * 900))
    fresh = with_column(extra, "id", pa.array(np.arange(900) + 10**9))
    answer = why_table(pa.concat_tables([NOW, fresh]), BEFORE, is_about_rows=True)
    assert answer.kind == "rows too many in a segment"
    assert columns_of(answer) & {"region", "id"}


def test_a_column_that_is_gone_is_told_as_that():
    answer = why_table(NOW.drop_columns(["note"]), BEFORE, columns=["note", "amount"])
    assert answer.sentence == "the column 'note' is not there, and no new column has the values"
    assert answer.apart == ("amount",)


def test_numbers_that_are_text_now_are_compared_by_what_is_written():
    texts = pc.if_else(pa.array(rows(NOW, region="NA")), "n/a", NOW["version"].cast(pa.string()))
    answer = why_table(with_column(NOW, "version", texts), BEFORE, columns=["version"])
    assert str(answer.segment) == "region = 'NA'"


def test_a_unit_that_changed_everywhere_is_not_told_as_the_rows_that_show_it_best():
    def places(day: int) -> dict[str, np.ndarray]:
        random = np.random.default_rng((4, day))  # noqa: TID251 - named by the day
        cases = np.floor(random.lognormal(5, 2, 3000))
        return {"cases": cases, "deaths": random.binomial(cases.astype(np.int64), 0.05).astype(np.float64)}

    now = places(2)
    answer = why_table(now | {"deaths": now["deaths"] / 10}, places(1), columns=["deaths"])
    assert answer.kind == "values everywhere", answer


def test_values_that_are_missing_are_told_though_the_dates_moved_on():
    def sent(day: int) -> pa.Table:
        random = np.random.default_rng((6, day))  # noqa: TID251 - named by the day
        seconds = 1_767_225_600 + np.sort(random.integers(0, 40 * 86_400 + day * 7000, 3000))
        return pa.table({"kind": random.choice(["a", "b"], 3000), "at": pa.array(seconds * 10**6, pa.timestamp("us"))})

    now = sent(20)
    lost = pc.and_(pc.equal(now["kind"], "a"), pa.array(np.arange(3000) % 2 == 0))
    answer = why_table(with_column(now, "at", pc.if_else(lost, None, now["at"])), sent(1), columns=["at"])
    assert str(answer.segment) == "kind = 'a'"


def test_without_the_rows_before_the_values_that_are_gone_are_counted_by_the_profile():
    profile = profile_table(BEFORE, run="0")
    now = NOW.filter(pc.not_equal(NOW["region"], "EU"))
    answer = why_table(now, is_about_rows=True, profiles=profile.columns, rows_before=profile.rows)
    share = rows(BEFORE, region="EU").mean()
    assert f"which values of 'region' are gone that {share:.2%} of the rows had" in answer.unknown
    assert answer.also == (), "that nothing was found is not said twice"
