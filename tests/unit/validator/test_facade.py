"""The facade is the way everybody goes, and what it answers is all there is to show."""

import ast
import collections.abc
import inspect
import re
import typing
from dataclasses import is_dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.strategies import seeded

import byhistory
from byhistory import Validator
from byhistory.config import Config
from byhistory.learners import ALL as LEARNERS
from byhistory.report import to_json, to_markdown
from byhistory.rows.local import profile_table
from byhistory.validator import Decisions, Learning, Overrides, Records, Sources

SRC = Path(byhistory.__file__).parent


def day(number: int, scale: float = 1.0):
    return profile_table({"n": scale * seeded(number).normal(100.0, 5.0, 200)}, run=f"2026-10-{number + 1:02}")


def test_the_command_line_asks_the_facade_and_never_its_store():
    found = [
        f"{file.name}: {line.strip()}"
        for file in (SRC / "cli").glob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.search(r"\bguard\.store\b", line)
    ]
    assert not found


WORK = re.compile(
    r"byhistory\.(spark\.(read|files|profiler|lake|versions)|files\.(local|choice|rows|reader)|rows\.chunk|rows\.fold"
    r"|validator\.(files|labelled|versions|judging|memory|decided|programs|why|reading\.(run|rows|source)))\b"
)
"""Where rows are read and runs are judged: what only the facade calls."""


def test_the_command_line_neither_reads_rows_nor_judges_them_itself():
    found = [
        f"{file.name}: {line.strip()}"
        for file in (SRC / "cli").glob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.match(r"\s*(from|import) ", line) and WORK.search(line)
    ]
    assert not found


def test_help_names_the_arguments_and_prints_no_defaults_of_thousands_of_characters():
    assert len(str(inspect.signature(Validator))) < 600


def public(value) -> list[str]:
    return [name for name in dir(value) if not name.startswith("_")]


def test_the_facade_has_the_verbs_of_every_day_and_five_rooms():
    rooms = {"decisions", "learning", "overrides", "records", "sources"}
    verbs = {"check", "judge", "why", "backfill", "remember", "due"}
    by_where = {"check_files", "judge_table", "backfill_versions"}
    """Shorter names of what `check` and `sources` do, for jobs: one line from where the rows are."""
    assert set(public(Validator)) == rooms | verbs | by_where | {"guarded", "now", "profiling"}
    for room in (Decisions, Learning, Overrides, Records, Sources):
        assert is_dataclass(room)
        assert not set(public(room)) & set(public(Validator)) - by_where - {
            "guarded",
            "metrics",
            "check",
            "backfill",
        }, "one way to each answer"


def test_what_was_judged_is_shown_without_being_read_back():
    with Validator("memory:", config=Config()) as guard:
        guard.remember([day(number) for number in range(20)], "t")
        for number, scale in ((20, 1.0), (21, 100.0)):
            answer = guard.judge(day(number, scale), "t")
            assert answer.ok == (scale == 1.0)
            told, kept = answer.story(), guard.records.story("t", answer.run)
            assert to_json(told) == to_json(kept)
            assert [run.run for run in told.runs] == [run.run for run in kept.runs]
            assert to_markdown(told).partition("\n")[0] == to_markdown(kept).partition("\n")[0]


def test_an_answer_has_the_programs_that_judged_and_those_for_the_next_run():
    with Validator("memory:", config=Config()) as guard:
        guard.remember([day(number) for number in range(20)], "t")
        answer = guard.judge(day(20), "t")
        assert {p.runs for p in answer.programs.values()} == {20}
        assert {p.runs for p in answer.learned.values()} == {21}
        assert guard.learning.programs("t").keys() == answer.learned.keys()


def test_metrics_faults_and_learners_of_ones_own_are_used_as_they_are_given():
    metrics, faults = byhistory_parts()
    with Validator("memory:", config=Config(), metrics=metrics, faults=faults, learners=LEARNERS[:1]) as guard:
        guard.remember([day(number) for number in range(10)], "t")
        program = guard.learning.programs("t")["n"]
    assert set(program.model.metrics) <= {m.name for m in metrics}
    assert set(program.responses.faults) <= {f.name for f in faults}
    assert np.size(program.responses.values) == len(program.responses.faults) * len(program.responses.metrics)


def byhistory_parts():
    from byhistory import inject, metrics

    return metrics.ALL[:12], inject.ALL[:5]


def test_a_run_says_whether_it_replaces_a_record():
    with Validator("memory:", config=Config()) as guard:
        assert [guard.judge(day(0), "t").is_replacing for _ in range(2)] == [False, True]


def annotated(file: Path) -> set[str]:
    """The names in the annotations of what is public in a file."""
    functions = [n for n in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(n, ast.FunctionDef)]
    public_ones = [f for f in functions if not f.name.startswith("_") or f.name == "__init__"]
    given = [a.annotation for f in public_ones for a in (*f.args.args, *f.args.kwonlyargs)]
    return {
        name.id
        for annotation in (*given, *(f.returns for f in public_ones))
        if annotation is not None
        for name in ast.walk(annotation)
        if isinstance(name, ast.Name)
    }


INSIDE = {"Guarded", "Asked", "Metric", "Progress", "Step", "Tell"}
"""What the functions of `byhistory.validator` work on; short names of plain callables, mappings and unions."""


def test_whatever_the_facade_takes_and_answers_is_a_public_name():
    files = [SRC / "validator" / "validator.py", *(SRC / "validator" / "rooms").glob("*.py")]
    ours = {name for file in files for name in annotated(file) if name[0].isupper()}
    foreign = set(dir(typing)) | set(dir(collections.abc)) | {"DataFrame", "SparkSession"}
    assert ours - foreign - INSIDE <= set(byhistory.__all__)
    assert len(ours - foreign - INSIDE) > 20, "the annotations were not found"


def test_files_and_tables_in_memory_are_one_line_away(tmp_path):
    rows = pa.table({"n": [1, 2, 3]})
    (tmp_path / "ds=2026-11-15").mkdir()
    pq.write_table(rows, tmp_path / "ds=2026-11-15" / "part.parquet")
    with Validator("memory:", config=Config()) as guard:
        of_files = guard.check_files(None, str(tmp_path / "ds=2026-11-15"), "t")
        of_memory = guard.judge_table(rows, "t", "2026-11-16")
    assert (of_files.run, of_files.profile.rows) == ("2026-11-15", 3)
    assert (of_memory.run, of_memory.profile.rows) == ("2026-11-16", 3)


def test_a_table_may_come_from_files_on_one_day_and_from_memory_on_the_next(tmp_path):
    time = pa.array([0, 1, 2], pa.timestamp("us"))
    columns = {"whole": [1, 2, 3], "text": ["a", "b", "c"], "is": [True, False, None], "lists": [[1], [2], [3]]}
    others = {"time": time, "zoned": time.cast(pa.timestamp("us", "UTC")), "day": time.cast(pa.date32())}
    price = pa.array([1, 2, 3], pa.decimal128(9, 2))
    rows = pa.table({**columns, **others, "price": price, "small": pa.array([1, 2, 3], pa.uint8())})
    pq.write_table(rows, tmp_path / "part.parquet")
    with Validator("memory:", config=Config()) as guard:
        guard.check_files(None, str(tmp_path), "t", "2026-11-15")
        found = guard.judge_table(rows, "t", "2026-11-16").findings
    assert [f.sentence for f in found if f.about == "type change"] == []
