"""Our own lints: rules of the house that no linter knows."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import byhistory

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "byhistory"
LONGEST = 400
"""Lines of a file, by choice: one that grows further holds two things, and is two files."""
FOLDERS = sorted(init.parent for init in SRC.rglob("__init__.py"))
WITH_ALL = [folder for folder in FOLDERS if re.search(r"^ALL\b", (folder / "__init__.py").read_text(), re.MULTILINE)]


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("folder", FOLDERS, ids=relative)
def test_a_folder_says_which_question_it_answers(folder):
    documentation = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    first = documentation.partition("\n")[0]
    assert "?" in first or first.endswith("."), (
        f"{relative(folder)}/__init__.py: the first line is no question or sentence: {first!r}"
    )
    assert len(first.split()) <= 20


def test_every_folder_with_python_files_is_a_package():
    assert {file.parent for file in SRC.rglob("*.py")} <= set(FOLDERS)


def test_no_file_of_python_is_longer_than_anybody_reads():
    files = [file for folder in ("src", "tests", "bench", "scripts") for file in (ROOT / folder).rglob("*.py")]
    assert [relative(file) for file in files if len(file.read_text(encoding="utf-8").splitlines()) > LONGEST] == []


def test_every_page_is_named_in_the_navigation_of_the_site():
    named = set(re.findall(r'"([^"]+\.md)"', (ROOT / "zensical.toml").read_text(encoding="utf-8")))
    assert {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")} == named


def test_no_folder_is_a_drawer_for_the_rest():
    drawers = {"utils", "util", "common", "helpers", "core", "misc", "lib"}
    assert not [relative(path) for path in SRC.rglob("*") if path.stem in drawers]


def listed(folder: Path) -> set[str]:
    """The files that an `ALL` takes its values from, read off the source: `mean.METRIC`, `MEAN` or "mean"."""
    tree = ast.parse((folder / "__init__.py").read_text())
    origin = {
        alias.asname or alias.name: node.module.rpartition(".")[2] if alias.name.isupper() else alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    values = [
        node.value
        for node in tree.body
        if (isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "ALL")
        or (isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "ALL" for target in node.targets))
    ]
    names = {node.id for value in values for node in ast.walk(value) if isinstance(node, ast.Name)}
    texts = {
        node.value
        for value in values
        for node in ast.walk(value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {origin.get(name, name) for name in names} | texts


@pytest.mark.parametrize("folder", WITH_ALL, ids=relative)
def test_all_lists_exactly_the_files_of_its_folder(folder):
    parts = {file.stem for file in folder.glob("*.py")} | {inner.parent.name for inner in folder.glob("*/__init__.py")}
    # base.py is the contract that the listed values keep; a leading underscore marks what they share.
    values = {name for name in parts if name != "base" and not name.startswith("_")}
    assert listed(folder) == values


def imported_by(statement: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{statement}\nprint(*sys.modules, file=sys.stderr)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


def test_importing_us_imports_nothing_but_python():
    # What takes long is importing numpy and the like: the names of byhistory import them when they are first used.
    found = {name.partition(".")[0] for name in imported_by("import byhistory") - imported_by("")}
    assert not found - {"byhistory", *sys.stdlib_module_names}


def test_every_test_asserts_something():
    silent = []
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        functions = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)]
        claims = {function.name for function in functions if claims_something(function, set())}
        silent += [
            f"{relative(file)}::{function.name}"
            for function in functions
            if function.name.startswith("test_") and not claims_something(function, claims)
        ]
    assert not silent


def claims_something(function: ast.FunctionDef, helpers: set[str]) -> bool:
    """Whether it has an assertion, calls one of a library, or one of these functions of its file."""
    called = {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
    }
    has_own = any(isinstance(node, ast.Assert) for node in ast.walk(function))
    return has_own or bool(called & {"raises", *helpers}) or any("assert" in name for name in called)


def test_asking_for_help_imports_nothing_heavy():
    from_shell = (
        "from typer.testing import CliRunner\nfrom byhistory.cli import app\nCliRunner().invoke(app(), ['--help'])"
    )
    assert not {"pyspark", "pandas", "scipy", "pyarrow", "sqlalchemy"} & imported_by(from_shell)


def tracked() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout, so nothing says which files are ours")
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_this_machine_or_a_package_index():
    # Put together here, so that this file does not name them either.
    hosts = ["pypi" + ".org", "python" + "hosted.org", "ana" + "conda.org", "arti" + "factory"]
    places = ["/ro" + "ot/", "/wo" + "rk/", "/ho" + "me/", "/Us" + "ers/"]
    words = re.compile("|".join([re.escape(host) for host in hosts] + [rf"(?<![\w.}}]){place}" for place in places]))
    found = [
        f"{relative(file)}:{number}: {line.strip()}"
        for file in tracked()
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1)
        if words.search(line)
    ]
    assert not found


def test_what_other_tools_read_can_be_read_and_names_tasks_that_there_are():
    yaml = pytest.importorskip("yaml")
    files = [*ROOT.glob(".github/**/*.yml"), *ROOT.glob(".pre-commit-config.yaml"), ROOT / "CITATION.cff"]
    for file in files:
        assert isinstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict), relative(file)
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == byhistory.__version__
    tasks = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    asked = {task for file in files for task in re.findall(r"run: make ([a-z-]+)", file.read_text(encoding="utf-8"))}
    assert asked <= tasks
