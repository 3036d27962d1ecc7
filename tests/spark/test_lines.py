"""CSV and JSON lines read in this process give what Spark's reader gives, byte for byte, or are declined."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.spark.direct import KEYED, assert_equal
from tests.strategies import seeded

from byhistory.config import TableConfig
from byhistory.errors import ByHistoryError
from byhistory.profile import TableProfile
from byhistory.spark.files import LABEL
from byhistory.spark.profiler import profile, profile_runs
from byhistory.spark.read import Source, read, with_label
from byhistory.validator.files import profiled, profiled_runs

pytestmark = pytest.mark.spark


@pytest.fixture(autouse=True)
def _in_utc(spark):
    """As in the session that the command starts: the local engine reads a time without a zone as one of UTC."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield
    spark.conf.set("spark.sql.session.timeZone", before)


def assert_both_ways(spark, path: Path, **asked: Any) -> TableProfile:
    source = Source(path=str(path), **asked)
    mine = profiled(None, source, "", TableConfig(), {"options": KEYED})
    assert_equal(mine, profile(read(spark, source), options=KEYED), in_order=path.is_file())
    return mine


CSV = {
    "whole": ["1", "-7", "007", "", "2147483647"],
    "long": ["2147483648", "", "-1", "0", "9223372036854775807"],
    "double": ["1.5", "-0.25", "3", "", "NaN"],
    "small": ["1.5e-3", ".5", "0.10", "1E-7", "-2.0"],
    "day": ["2026-01-31", "1999-12-31", "", "2026-02-28", "0999-01-01"],
    "no_day": ["2026-01-31", "0000-00-00", "", "2026-02-28", "2026-02-28"],
    "no_time": ["2026-01-31 24:00:00", "2026-01-31 23:59:60", "", "2026-01-31 23:59:59", ""],
    "at": ["2026-01-31 10:00:00", "2026-01-31T10:00:00.5", "", "2026-01-31 10:00:00.123456", "1970-01-01 00:00:00"],
    "zoned": ["2026-01-31T10:00:00Z", "", "2026-01-31 10:00:00+01:00", "2026-01-31T10:00:00.25-08:00", ""],
    "flag": ["true", "FALSE", "", "True", "false"],
    "word": ["a", "Ä b", "", " c ", "true"],
    "odd": ["1", "true", "x", "2026-01-31", "1.5"],
    "code": ["12-345", "7/8", "1", "", "2"],
    "order": ["260901-000000", "1999-123", "", "20260131-01", "2026-012"],
    "sku": ["1234-5F", "0007-B2", "", "2026-01T", "2026-T1"],
    "slashes": ["2026/01/31", "1234_5", "", "2026#1", "2026*2"],
    "truth": ["true", "1", "", "false", "0"],
    "fruit": ["orange", "nan", "inf", "", "tomato"],
    "gone": ["", "", "", "", ""],
    "quoted": ['"a,b"', '""', "", '"c"', '" d"'],
    "slash": ["a\\b", "c\\", "", "d", "e"],
    "time": ["x 10:00", "", "y", "T-shirt", "Time"],
}


def csv_of(columns: dict[str, list[str]], end: str = "\n", sep: str = ",") -> str:
    rows = zip(*columns.values(), strict=True)
    return end.join([sep.join(columns), *(sep.join(row) for row in rows)]) + end


def test_csv_of_all_types_is_read_as_spark_reads_it(spark, tmp_path):
    plain = {name: values for name, values in CSV.items() if name != "slash"}
    (tmp_path / "a.csv").write_text(csv_of(plain), encoding="utf-8")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(csv_of(plain, "\r\n").encode()))
    (tmp_path / "_SUCCESS").touch()
    mine = assert_both_ways(spark, tmp_path)
    types = [mine[name].type for name in ("whole", "long", "double", "day", "at", "zoned", "flag", "word", "truth")]
    assert types == ["int", "bigint", "double", "date", "timestamp", "timestamp", "boolean", "string", "string"]


def test_csv_without_quotes_may_have_backslashes_and_another_separator(spark, tmp_path):
    some = {name: CSV[name] for name in ("slash", "whole", "gone")}
    (tmp_path / "x.csv.bz2").write_bytes(bz2.compress(("\ufeff" + csv_of(some, sep=";")).encode()))
    assert assert_both_ways(spark, tmp_path, options={"sep": ";"})["slash"].nulls == 1
    assert assert_both_ways(spark, tmp_path, options={"sep": ";", "inferSchema": "false"})["whole"].type == "string"


@pytest.mark.parametrize("seed", range(2))
def test_any_csv_is_read_the_same_or_declined(spark, tmp_path, seed):
    """Columns of all spellings mixed: where we give a type, it is Spark's."""
    random = seeded(seed)
    spellings = [v for values in CSV.values() for v in values if '"' not in v and "\\" not in v]
    spellings += ["1e5", "5.", "+5", "1d", " 1", "2026", "2026-01", "10:00", "T10:00", "99999999999999999999", "0x1p3"]
    columns: dict[str, list[str]] = {}
    tried = 0
    while len(columns) < 40:
        tried += 1
        values = [str(v) for v in random.choice(spellings, int(random.integers(1, 4)))]
        column = [str(v) for v in random.choice(values, 12)]
        path = tmp_path / f"try{tried}.csv"
        path.write_text(csv_of({"c": column, "n": ["x"] * 12}), encoding="utf-8")
        try:
            profiled(None, Source(path=str(path)), "", TableConfig(), {})
        except ByHistoryError as declined:
            assert "only Spark tells their type" in str(declined)  # noqa: PT017 - one of many, and not all are
            continue
        columns[f"c{len(columns)}"] = column
    assert tried < 400
    whole = tmp_path / "whole" / "x.csv"
    whole.parent.mkdir()
    whole.write_text(csv_of(columns), encoding="utf-8")
    assert_both_ways(spark, whole)


ROWS: list[dict[str, Any]] = [
    {"n": 1, "x": 1.5, "s": "a", "b": True, "at": "2026-01-01", "l": [1, 2], "o": {"z": 1, "a": "x"}, "none": None},
    {"n": None, "x": 2, "s": "", "b": None, "at": "2026-01-01T00:00:00Z", "l": [], "o": None, "empty": []},
    {"x": -0.0, "s": 'Ä\n"q"', "at": None, "l": None, "o": {"a": None, "more": [{"k": 1.5}, {"k": None}]}},
    {"n": -(2**62), "Z": 7, "o": {"z": 2.5, "a": "2026-01-01"}},
]


def test_json_lines_are_read_as_spark_reads_them(spark, tmp_path):
    for day, rows in (("01", ROWS), ("02", [*ROWS[1:], {"n": 3, "x": 7}])):
        folder = tmp_path / f"day=2026-01-{day}"
        folder.mkdir()
        text = "\n".join(json.dumps(row, ensure_ascii=day == "01") for row in rows) + "\n\n"
        (folder / "part.jsonl").write_text(text, encoding="utf-8")
    (tmp_path / "day=2026-01-02" / "nothing.jsonl").touch()
    mine = assert_both_ways(spark, tmp_path)
    assert (mine["at"].type, mine["o.more"].type, mine["o.z"].type) == ("string", "array<struct<k:double>>", "double")
    source = Source(path=str(tmp_path))
    runs = profiled_runs(None, source, ["day"], TableConfig(), {"options": KEYED})
    other = profile_runs(with_label(read(spark, source), ["day"], LABEL), LABEL, options=KEYED)
    assert list(runs) == list(other) == ["2026-01-01", "2026-01-02"]
    for run, frame in other.items():
        assert_equal(runs[run], frame, in_order=False)
