"""A label of any signs publishes its own run: nothing beside it is touched, and it is read back as it was given."""

from pathlib import Path

import pytest

from byhistory.config import Config
from byhistory.errors import ByHistoryError
from byhistory.integrations.publish import write_audit_publish
from byhistory.validator import Validator

pytestmark = pytest.mark.spark

LABELS = (
    *("a/../b", "%2e%2e", "a%2Fb", "x' OR '1'='1", "a\\'b", "2026-11-15 10:00", "*", "{a,b}", "価格", "run=7"),
    *("~", "a b", "é%", "[x]", '"q"', "a?b#c"),
)
REFUSED = ("../x", "..", ".", "", " ", "a/../../b", "a\nb", "/" * 100, "__HIVE_DEFAULT_PARTITION__")


def files_in(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file() and p.suffix == ".parquet"}


def test_a_run_of_any_label_is_published_beside_all_others(spark, tmp_path):
    target, staging = tmp_path / "lake" / "orders", tmp_path / "lake" / "staging"
    sibling = tmp_path / "lake" / "x"
    spark.createDataFrame([(0,)], "n int").coalesce(1).write.parquet(str(sibling))
    untouched = files_in(sibling)
    published = []
    with Validator("memory:", config=Config()) as guard:
        for number, run in enumerate((*LABELS, *REFUSED)):
            rows = spark.createDataFrame([(number,)], "n int").coalesce(1)
            try:
                done = write_audit_publish(rows, guard, "orders", run, staging=str(staging), target=str(target))
            except ByHistoryError:
                assert run in (*REFUSED, "a/../b"), run
                continue
            assert run in LABELS
            assert done.is_published
            published.append((number, run))
    assert len(published) >= len(LABELS) - 1
    read = spark.read.option("recursiveFileLookup", "false").parquet(str(target)).collect()
    assert sorted((row.n, str(row.run)) for row in read) == sorted(published)
    assert files_in(sibling) == untouched
    assert {p.name for p in (tmp_path / "lake").iterdir()} == {"orders", "staging", "x"}
    assert files_in(staging) == set(), "what was published is in staging no more"


@pytest.mark.parametrize("same", [("staging", "target"), ("staging", "quarantine"), ("target", "quarantine")])
def test_no_two_places_of_a_run_are_one(spark, tmp_path, same):
    places = {name: str(tmp_path / name) for name in ("staging", "target", "quarantine")}
    places[same[1]] = f"file:{places[same[0]]}/../{same[0]}/"
    with Validator("memory:", config=Config()) as guard, pytest.raises(ByHistoryError, match="one"):
        write_audit_publish(spark.range(3), guard, "orders", "2026-11-15", **places)
    assert list(tmp_path.iterdir()) == [], "refused before anything is written"


@pytest.mark.parametrize("by", ["", "../ds", "a/b"])
def test_the_column_of_the_runs_is_no_way_to_another_folder(spark, tmp_path, by):
    places = {name: str(tmp_path / name) for name in ("staging", "target")}
    with Validator("memory:", config=Config()) as guard, pytest.raises(ByHistoryError, match="column"):
        write_audit_publish(spark.range(3), guard, "orders", "2026-11-15", by=by, **places)
    assert list(tmp_path.iterdir()) == []
