"""What the attacks share: stores of every kind to copy, processes to kill and to race, and a count of what was done.

BYHISTORY_SEED=… chooses other bits, other moments and other stories than those of every day.
"""

import itertools
import os
import random
import shutil
from collections import Counter

import pytest
from tests.attack import worker
from tests.e2e import postgres
from tests.integrations import seaweed
from tests.processes import processes

from byhistory.history.files import files_at

KINDS = ("history.db", "history", "postgres", "s3")
COUNT = itertools.count()
SEED = os.environ.get("BYHISTORY_SEED", "")
TALLY = pytest.StashKey[Counter[str]]()


def chances(*about):
    """Random numbers for an attack: the same every time, unless another seed is given."""
    return random.Random(" ".join(map(str, (*about, SEED))))


def marks(kind):
    """What a test on a kind of store is marked with: S3 needs a server that `make test-integrations` installs."""
    return (pytest.mark.integration,) if kind == "s3" else ()


@pytest.fixture
def tally(request):
    """How many attacks of each kind were tried."""
    return request.config.stash.setdefault(TALLY, Counter())


def pytest_terminal_summary(terminalreporter, config):
    tried = config.stash.get(TALLY, None)
    if tried:
        said = ", ".join(f"{count:,} {what}" for what, count in sorted(tried.items()))
        seed = f" (seed {SEED})" * bool(SEED)
        terminalreporter.write_line(f"attacks{seed}: {said}")


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The address of a PostgreSQL, and of a database in it without its name."""
    try:
        with postgres.running(tmp_path_factory.mktemp("postgres")) as url:
            yield url
    except LookupError as why:
        pytest.skip(f"no PostgreSQL: {why}")


@pytest.fixture(scope="session")
def bucket(tmp_path_factory):
    """The address of a new place on an S3 server, every time."""
    with seaweed.serving(tmp_path_factory.mktemp("seaweed"), "stores") as told:
        yield lambda: seaweed.address(told, f"stores/attacked-{next(COUNT)}/history")


@pytest.fixture(scope="module")
def start():
    """Start a process that runs a function of `worker`; the pipe goes both ways."""
    with processes("tests.attack.worker", both_ways=True) as begin:
        yield begin


@pytest.fixture(scope="session")
def sound(tmp_path_factory, request):
    """A store of a kind, to copy: where it is."""
    folder = tmp_path_factory.mktemp("sound")
    made = {}

    def of(kind):
        if kind not in made:
            made[kind] = str(folder / kind)
            if kind == "postgres":
                made[kind] = _database(request.getfixturevalue("server"), "postgres", "template0")
            if kind == "s3":
                made[kind] = request.getfixturevalue("bucket")()
            worker.begin(made[kind])
        return made[kind]

    return of


@pytest.fixture
def fresh(sound, tmp_path, request):
    """A new copy of a store."""

    def copied(kind):
        source = sound(kind)
        if kind == "postgres":
            return _database(request.getfixturevalue("server"), "postgres", source.rpartition("/")[2])
        if kind == "s3":
            return _objects(source, request.getfixturevalue("bucket")())
        here = tmp_path / "attacked"
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir()
        (shutil.copytree if kind == "history" else shutil.copy)(source, here / kind)
        return str(here / kind)

    return copied


@pytest.fixture
def database(server):
    """A new and empty database, every time; the one before it goes."""
    import psycopg

    made = []

    def new():
        made.append(_database(server, "postgres", "template0"))
        with psycopg.connect(server, autocommit=True) as db:
            for old in made[:-1]:
                db.execute(f"DROP DATABASE IF EXISTS {old.rpartition('/')[2]} WITH (FORCE)")
        return made[-1]

    return new


def _database(server, beside, template):
    """A new database as another is, and its address."""
    import psycopg

    name = f"attacked_{next(COUNT)}"
    with psycopg.connect(server, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        if template != "template0":
            for (old,) in db.execute("SELECT datname FROM pg_database WHERE datname ~ '^attacked_[1-9]'").fetchall():
                if old not in (name, template):  # the next copy is made of it, too
                    db.execute(f"DROP DATABASE {old} WITH (FORCE)")
    return server.replace(f"/{beside}", f"/{name}")


def _objects(source, to):
    """The objects of a store in another place, and its address."""
    there, here = files_at(source), files_at(to)
    here.each(lambda name: here.put(name, there.read(name)), there.names(deep=True))
    return to
