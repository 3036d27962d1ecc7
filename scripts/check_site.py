"""Does every link of the built site lead somewhere, is every page reachable, and is nothing fetched from elsewhere?

    python scripts/check_site.py site docs

Exits with 1 and one line per fault. Links to other hosts are counted and not followed: the check needs no network.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
"""What a browser loads with the page, unasked."""
_TOLD = {"canonical", "next", "prev", "alternate"}
"""What a `link` element may say without anything being loaded."""


@dataclass
class Page(HTMLParser):
    """The places and the links of one page."""

    path: Path
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        for name in ("href", "src"):
            if name not in given or (tag == "link" and set(given.get("rel", "").split()) & _TOLD):
                continue
            self.links.append(given[name])
            if (tag, name) in _FETCHED:
                self.fetched.append(given[name])


def is_elsewhere(link: str) -> bool:
    return bool(urlsplit(link).netloc) or urlsplit(link).scheme not in ("", "data")


def target(page: Page, link: str, root: Path) -> Path:
    """The file that a link of a page leads to."""
    path = unquote(urlsplit(link).path)
    found = (root / path.lstrip("/")) if path.startswith("/") else (page.path.parent / path)
    return (found / "index.html" if found.is_dir() else found).resolve() if path else page.path


def faults(root: Path, sources: Path) -> Iterator[str]:
    pages = {path: Page(path) for path in sorted(root.rglob("*.html"))}
    linked = {root / "index.html"}
    for page in pages.values():
        if page.path.name != "404.html":  # served from any place, so its links are not relative to its own
            yield from of_page(page, pages, root)
            near = (target(page, link, root) for link in page.links if not is_elsewhere(link))
            linked |= {found for found in near if found != page.path}
    for source in sorted(sources.rglob("*.md")):
        relative = source.relative_to(sources)
        stem = relative.parent if relative.stem in ("index", "README") else relative.with_suffix("")
        built = root / stem / "index.html"
        if built not in pages:
            yield f"{relative}: was not built"
        elif built not in linked:
            yield f"{relative}: no page leads to it; name it in zensical.toml"


def of_page(page: Page, pages: dict[Path, Page], root: Path) -> Iterator[str]:
    shown = page.path.relative_to(root)
    yield from (f"{shown}: loads {link}" for link in page.fetched if is_elsewhere(link))
    for link in page.links:
        if is_elsewhere(link) or link.startswith("data:"):
            continue
        found, part = target(page, link, root), unquote(urlsplit(link).fragment)
        if not found.exists():
            yield f"{shown}: {link} leads nowhere"
        elif part and found in pages and part not in pages[found].ids:
            yield f"{shown}: {link} names a place that {found.relative_to(root)} does not have"


def main() -> int:
    root, sources = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    found = list(dict.fromkeys(faults(root, sources)))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(list(root.rglob('*.html')))} pages, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
