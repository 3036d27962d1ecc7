"""Gathers the fragments of CHANGES/ into a section of CHANGELOG.md, and removes them.

    python scripts/changelog.py 0.1.0 2026-11-17           # --draft shows the section and changes nothing

Run again for the same version, it adds what has come since. A fragment is one entry, or a list of them; entries come in
the order of the names of their files.
"""

from __future__ import annotations

import argparse
import re
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
TITLE = "# Changelog\n\nWhat a user notices, release by release.\n"


def fragments(folder: Path) -> dict[Path, list[str]]:
    """The entries of every fragment, each as one line, by its file."""
    files = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    return {path: entries(path.read_text(encoding="utf-8")) for path in files}


def entries(text: str) -> list[str]:
    """The entries of a fragment.

    >>> entries("It is\\nfaster."), entries("- One.\\n- Two.\\n")
    (['It is faster.'], ['One.', 'Two.'])
    """
    return [" ".join(part.split()) for part in re.split(r"^- ", text, flags=re.MULTILINE) if part.strip()]


def with_entries(changelog: str, version: str, day: str, new: list[str]) -> str:
    """The changelog with these entries in the section of a version, which is made if it is not there.

    >>> print(with_entries("# Changelog\\n", "0.2.0", "2026-12-01", ["It is faster."]))
    # Changelog
    <BLANKLINE>
    ## 0.2.0 (2026-12-01)
    <BLANKLINE>
    - It is faster.
    <BLANKLINE>
    """
    head, *sections = re.split(r"^(?=## )", changelog, flags=re.MULTILINE)
    lines = [f"- {entry}" for entry in new]
    if sections and sections[0].startswith(f"## {version} "):
        _, *old = [line for line in sections[0].splitlines() if line]
        lines = [*old, *lines]
        sections = sections[1:]
    section = "\n".join([f"## {version} ({day})", "", *lines, "", ""])
    return head.rstrip("\n") + "\n\n" + (section + "".join(sections)).rstrip("\n") + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("day", type=date.fromisoformat)
    parser.add_argument("--draft", action="store_true", help="print the changelog, and leave all files alone")
    asked = parser.parse_args()
    found, target = fragments(ROOT / "CHANGES"), ROOT / "CHANGELOG.md"
    before = target.read_text(encoding="utf-8") if target.exists() else TITLE
    new = [entry for of in found.values() for entry in of]
    after = with_entries(before, asked.version, asked.day.isoformat(), new)
    if asked.draft:
        print(after)
        return
    target.write_text(after, encoding="utf-8")
    for path in found:
        path.unlink()
    print(f"{len(new)} entries in CHANGELOG.md, {asked.version}")


if __name__ == "__main__":
    main()
