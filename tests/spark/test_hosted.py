"""Hosted Sparks keep their insides to themselves: no RDD, no context, nothing of Java, nothing that stays in memory.

What they refuse to everybody is refused to us here, in a session that has it all and may go on using it itself.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.learning import learning_tasks
from tests.strategies import seeded

import byhistory
from byhistory import Validator
from byhistory.config import parse_config
from byhistory.integrations import write_audit_publish
from byhistory.validator.learning import Spread

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

KEPT = ("rdd", "persist", "cache", "checkpoint", "localCheckpoint", "foreach", "foreachPartition", "storageLevel")
"""What a frame has on a Spark of one's own, and no hosted one gives out."""


class RefusedError(Exception):
    """As `Py4JSecurityException` and `JVM_ATTRIBUTE_NOT_SUPPORTED` are: of no class that we could know."""


@pytest.fixture
def asked(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names that were asked for by a module of ours, and refused."""
    names: set[str] = set()

    def guarded(holder: type[Any], name: str) -> None:
        own = getattr(holder, name)

        def get(self: object) -> Any:
            if str(sys._getframe(1).f_globals.get("__name__", "")).startswith("byhistory"):
                names.add(name)
                raise RefusedError(f"{name} is not given out here")
            return own.__get__(self, holder)

        monkeypatch.setattr(holder, name, property(get))

    for name in KEPT:
        guarded(type(spark.range(1)), name)
    guarded(type(spark), "sparkContext")
    return names


def day(number: int) -> pa.Table:
    random = seeded(number)
    amounts = random.normal(100, 10, 200) * (100 if number == 9 else 1)
    return pa.table({"amount": amounts, "country": random.choice(["DE", "FR"], 200)})


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for number in range(1, 10):
        folder = tmp_path / "orders" / f"ds=2026-01-{number:02}"
        folder.mkdir(parents=True)
        pq.write_table(day(number), folder / "part-0.parquet")
    return tmp_path / "orders"


def test_refused_context_and_rdd_change_no_verdict(
    spark: SparkSession, lake: Path, asked: set[str], frame: Callable[..., DataFrame]
) -> None:
    with Validator("memory:", config=parse_config(f'[tables.files]\npath = "{lake}"\nrun_column = "ds"')) as guard:
        whole = spark.read.parquet(str(lake))
        guard.backfill(whole.where("ds < '2026-01-09'"), "frames", by="ds")
        rows, before = (whole.where(f"ds = '{at}'").drop("ds") for at in ("2026-01-09", "2026-01-08"))
        verdict = guard.check(rows, "frames", run="2026-01-09")
        guard.why(rows, verdict, before=before)
        assert [cause.column for cause in verdict.causes] == ["amount"]
        assert verdict.level == "stop"

        to = {"staging": str(lake.parent / "staging"), "target": str(lake.parent / "published")}
        done = write_audit_publish(rows, guard, "frames", "2026-01-10", quarantine=str(lake.parent / "bad"), **to)
        assert not done.is_published

        last = (lake / "ds=2026-01-09").rename(lake.parent / "ds=2026-01-09")
        guard.sources.backfill("files", spark)
        assert guard.check_files(spark, str(last), "files").level == "stop"
    assert asked <= {"sparkContext"}, "tried, and done without"


def test_learning_on_workers_needs_no_context(spark: SparkSession, asked: set[str]) -> None:
    tasks = learning_tasks(9)
    assert [program.column for program in Spread(spark, 1)(tasks)] == [task.head.column for task in tasks]
    assert asked <= {"sparkContext"}


def test_nothing_of_java_is_asked_for_but_one_setting() -> None:
    found = [
        (file.name, name)
        for file in sorted(Path(byhistory.__file__).parent.rglob("*.py"))
        for name in re.findall(r"\._j(?:vm|sc|df|rdd|sparkSession|seq|map|catalog|conf)\b", file.read_text("utf-8"))
    ]
    assert found == [("here.py", "._jsc")], "which is tried: a session without it reads by Spark alone"
