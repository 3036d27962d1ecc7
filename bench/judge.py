"""How unusual does a method find the cases of a table? Asked once, kept on disk."""

from __future__ import annotations

import ast
import hashlib
import pickle
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from bench.cases.build import cases_key, respond
from bench.cases.cases import WINDOW, ColumnCases, Past
from bench.corpus import Table
from bench.methods.base import Method
from bench.score import BUDGETS

import byhistory
from byhistory.inject import Responses
from byhistory.profile.arrays import Bools, Floats, Ints

GOOD, INCIDENT = "good", "incident"
BAD = ("real", "seen", "unseen")
SETS = (GOOD, *BAD, INCIDENT)
RESPONSES = 1
"""To be raised when the training faults change."""
LEARNING = ("profile", "bounds", "metrics", "series", "constraints", "inject", "learners", "verdict")
"""The folders of byhistory that a learner is made of: if one changes, its scores are made anew."""
Answers = dict[tuple[str, int], Responses]


@dataclass(frozen=True)
class Scores:
    """How unusual a method finds the cases of some columns, by set, one column after another; and its alarms."""

    scores: dict[str, Floats]
    alarms: dict[str, Bools] = field(default_factory=dict)
    """One column per budget; empty for a method without budgets."""
    failed: int = 0
    """Pasts on which it raised an error; it says nan there."""
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True)
class Question:
    """Runs that may come next after a past: their set, their places in it, and what metrics read (one row per run)."""

    set: str
    places: Ints
    now: Floats


def questions(column: ColumnCases) -> dict[int, list[Question]]:
    """All that is asked of a column, by the run to judge, so that a method learns once from each past."""
    found: dict[int, list[Question]] = {}
    for i, at in enumerate(column.windows):
        found.setdefault(at, []).append(Question(GOOD, np.array([i]), column.series[:, at][None]))
    for name in BAD:
        if name in column.bad and len(column.bad[name].names):
            values = column.bad[name].values
            found.setdefault(column.recall_at, []).append(Question(name, np.arange(len(values)), values))
    for i, at in enumerate(column.incidents_at):
        found.setdefault(at, []).append(Question(INCIDENT, np.array([i]), column.bad[INCIDENT].values[i][None]))
    return found


def count(column: ColumnCases, name: str) -> int:
    """Cases of a set."""
    if name == GOOD:
        return len(column.windows)
    return len(column.bad[name].names) if name in column.bad else 0


def judge(
    method: Method,
    columns: Sequence[ColumnCases],
    window: int = WINDOW,
    budgets: tuple[float, ...] = BUDGETS,
    responses: Answers | None = None,
) -> Scores:
    """Ask a method about every case of some columns; nan for columns of a kind that it does not judge."""
    start, failed, error = time.perf_counter(), 0, ""
    scores: dict[str, list[Floats]] = {name: [] for name in SETS}
    alarms: dict[str, list[Bools]] = {name: [] for name in SETS}
    for column in columns:
        mine = {name: np.full(count(column, name), np.nan) for name in SETS}
        stops = {name: np.zeros((count(column, name), len(budgets)), bool) for name in SETS}
        for at, asked in questions(column).items() if column.kind in method.kinds else ():
            past = column.past(at, window, (responses or {}).get((column.column, at)))
            try:
                given, stopped = _ask(method, past, np.vstack([q.now for q in asked]), budgets)
            except Exception as problem:  # a rival's library may raise anything: it is counted and reported
                failed, error = failed + 1, error or f"{column.table}.{column.column}: {problem!r}"
                continue
            ends = np.cumsum([len(q.places) for q in asked])
            for q, s, b in zip(asked, np.split(given, ends[:-1]), np.split(stopped, ends[:-1]), strict=True):
                mine[q.set][q.places], stops[q.set][q.places] = s, b
        if method.is_upper_bound:
            mine[GOOD][:] = 0.0
        for name in SETS:
            scores[name].append(mine[name])
            alarms[name].append(stops[name])
    return Scores(
        {name: np.concatenate([np.zeros(0), *parts]) for name, parts in scores.items()},
        {name: np.concatenate([np.zeros((0, len(budgets)), bool), *parts]) for name, parts in alarms.items()}
        if method.alarms
        else {},
        failed,
        time.perf_counter() - start,
        error,
    )


def _ask(method: Method, past: Past, now: Floats, budgets: tuple[float, ...]) -> tuple[Floats, Bools]:
    given = np.asarray(method.score(past, now), float)
    stopped = method.alarms(past, now, budgets) if method.alarms else np.zeros((len(now), len(budgets)), bool)
    if given.shape != (len(now),) or np.shape(stopped) != (len(now), len(budgets)):
        raise ValueError(f"{method.name} was asked about {len(now)} runs and gave {given.shape}, {np.shape(stopped)}")
    return given, np.asarray(stopped, bool)


# --- what is kept ---------------------------------------------------------------------------------------------------


def responses_of(table: Table, columns: Sequence[ColumnCases], profiles: Path, cache: Path) -> Answers:
    """What the training faults would do before each run to judge; made once for all learners and window lengths."""
    path = cache / f"{cases_key(table)}-r{RESPONSES}.responses"
    at: dict[str, Sequence[int]] = {c.column: sorted(questions(c)) for c in columns}
    kept: Answers | None = pickle.loads(path.read_bytes()) if path.exists() else None  # noqa: S301 - our own file
    if kept is None:
        kept = respond(table, profiles, columns, at)
        write_whole(path, pickle.dumps(kept, protocol=pickle.HIGHEST_PROTOCOL))
    return kept


def write_whole(path: Path, content: bytes) -> None:
    """All of it or nothing: a stopped run leaves no half file behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".partial")
    part.write_bytes(content)
    part.replace(path)


def save(path: Path, judged: Scores) -> None:
    arrays: dict[str, Any] = {f"scores_{name}": values for name, values in judged.scores.items()}
    arrays |= {f"alarms_{name}": values for name, values in judged.alarms.items()}
    file = BytesIO()
    np.savez_compressed(file, failed=judged.failed, seconds=judged.seconds, error=judged.error, **arrays)
    write_whole(path, file.getvalue())


def load_scores(path: Path) -> Scores:
    with np.load(path) as kept:
        parts = {
            kind: {name[7:]: kept[name] for name in kept.files if name.startswith(kind)}
            for kind in ("scores", "alarms")
        }
        return Scores(parts["scores"], parts["alarms"], int(kept["failed"]), float(kept["seconds"]), str(kept["error"]))


@cache
def code_of(method: Method) -> str:
    """Names the code that a method is made of, so that what is kept of an older one is not taken for it."""
    digest = hashlib.sha256()
    score = method.score.func if isinstance(method.score, partial) else method.score
    for path in sorted(_sources(score.__module__, set())):
        digest.update(without_words(path))
    if method.group == "byhistory":
        root = Path(byhistory.__file__).parent
        for path in sorted(p for folder in LEARNING for p in (root / folder).rglob("*") if p.is_file()):
            if "__pycache__" not in path.parts:
                digest.update(without_words(path))
    return digest.hexdigest()[:10]


def without_words(path: Path) -> bytes:
    """What is in a file; of Python only what is run, so that nothing is measured again for a docstring or a comment."""
    if path.suffix != ".py":
        return path.read_bytes()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [s for s in body if not _is_text(s)]  # type: ignore[attr-defined]
    return ast.dump(tree).encode()


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _sources(module: str, seen: set[str]) -> set[Path]:
    """The file of a method and those of its folder that it imports."""
    path = getattr(sys.modules.get(module), "__file__", None)
    if module in seen or path is None:
        return set()
    seen.add(module)
    found = {Path(path)}
    for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bench.methods"):
            for name in (node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)):
                if name not in ("bench.methods", "bench.methods.base"):
                    found |= _sources(name, seen)
    return found


def scores_path(method: Method, key: str, window: int, cache: Path) -> Path:
    """Where it is kept what a method says of the cases of that key."""
    return cache / "scores" / method.name / f"{key}-{window}-{code_of(method)}.npz"


def kept_scores(
    method: Method, table: Table, columns: Sequence[ColumnCases], *, window: int, cache: Path, path: Path
) -> Scores:
    """What a method says of a table: as kept at that path, or asked now."""
    if path.exists():
        return load_scores(path)
    answers = responses_of(table, columns, cache / "profiles", cache / "responses") if method.needs_responses else None
    judged = judge(method, columns, window, BUDGETS, answers)
    save(path, judged)
    return judged
