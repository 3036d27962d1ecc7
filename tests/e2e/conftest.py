"""What the end-to-end tests share: one PostgreSQL, and a store of every kind."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e import browser, postgres
from tests.integrations import seaweed
from tests.unit.web import consoles

from byhistory.history import Store, open_store
from byhistory.validator import Validator

COUNT = itertools.count()
MISSING = "no PostgreSQL: "
STORES = ("memory", "sqlite", "directory", "fsspec", "postgres", pytest.param("s3", marks=pytest.mark.integration))


@pytest.fixture(scope="module")
def window() -> Iterator[browser.Browser]:
    """A real browser; its tests are skipped where there is none."""
    try:
        with browser.running() as opened:
            yield opened
    except LookupError as why:
        pytest.skip(f"{browser.MISSING}{why}")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Validator, str]]:
    """A console on a port of its own, and its address."""
    with consoles.served(tmp_path, every=0.2) as found:
        yield found


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    try:
        with postgres.running(tmp_path_factory.mktemp("postgres")) as url:
            yield url
    except LookupError as why:
        pytest.skip(f"{MISSING}{why}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say it loudly, also when the tests ran in other processes: only what they report comes here."""
    skipped = terminalreporter.stats.get("skipped", [])
    said = [report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple)]
    for what, mark in (("PostgreSQL", MISSING), ("Browser", browser.MISSING)):
        for why in dict.fromkeys(text.partition(mark)[2] for text in said if mark in text):
            terminalreporter.write_line(f"{what} tests were SKIPPED: {why}", red=True, bold=True)


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with seaweed.serving(tmp_path_factory.mktemp("seaweed"), "stores") as said:
        yield said


@pytest.fixture
def postgres_schema(postgres_url: str) -> str:
    """The address of an empty place in the database."""
    import psycopg

    schema = f"t{next(COUNT)}"
    with psycopg.connect(postgres_url) as db:
        db.execute(f"CREATE SCHEMA {schema}")
    return f"{postgres_url}?options=-csearch_path%3D{schema}"


def address(kind: str, request: pytest.FixtureRequest) -> str:
    """The address of a store that is not there yet."""
    if kind == "memory":
        return "memory:"
    if kind == "postgres":
        return str(request.getfixturevalue("postgres_schema"))
    if kind == "s3":
        return seaweed.address(request.getfixturevalue("s3_server"), f"stores/{next(COUNT)}/history")
    if kind == "fsspec":
        return f"memory://byhistory/{next(COUNT)}/history"
    folder = request.getfixturevalue("tmp_path")
    return f"sqlite:///{folder}/history.db" if kind == "sqlite" else f"file://{folder}/history"


@pytest.fixture(params=STORES)
def url(request: pytest.FixtureRequest) -> str:
    return address(request.param, request)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url) as opened:
        yield opened


@pytest.fixture(params=[kind for kind in STORES if kind not in ("memory", "fsspec")])
def shared_url(request: pytest.FixtureRequest) -> str:
    """The address of a store that several processes may open."""
    return address(request.param, request)
