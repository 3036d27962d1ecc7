"""The addresses in the metadata and the README of a release: those of the repository that it is built in.

A checkout does not know where it is published, and an address that is written down goes stale with the first fork or
move. GitHub names the repository to every job (`GITHUB_REPOSITORY`); a build elsewhere names its own with
`BYHISTORY_HOME`, or has none.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Addresses(MetadataHookInterface):
    """Called by hatchling for sdist and wheel."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the addresses, if there are any, and the README with them."""
        at = home(os.environ)
        metadata["urls"] = addresses(at)
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": with_addresses(text, at)}


def home(environ: Any) -> str:
    """The address of the repository; empty if nothing says it.

    >>> home({"GITHUB_REPOSITORY": "we/byhistory"}), home({"BYHISTORY_HOME": "https://git.example/b/"}), home({})
    ('https://github.com/we/byhistory', 'https://git.example/b', '')
    """
    given = str(environ.get("BYHISTORY_HOME", "")).rstrip("/")
    name = environ.get("GITHUB_REPOSITORY", "")
    return given or (f"{environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}" if name else "")


def addresses(at: str) -> dict[str, str]:
    """By the names that package indexes show with a sign of their own.

    >>> addresses("https://git.example/b")["Changelog"], addresses("")
    ('https://git.example/b/blob/main/CHANGELOG.md', {})
    """
    if not at:
        return {}
    pages = {"Documentation": "/tree/main/docs", "Changelog": "/blob/main/CHANGELOG.md", "Issues": "/issues"}
    return {"Homepage": at, "Source": at, **{name: at + page for name, page in pages.items()}}


def with_addresses(text: str, at: str) -> str:
    """The README with whole addresses for links and pictures of the repository, which nobody else can follow.

    >>> print(with_addresses("[how](docs/how.md) ![it](docs/it.png) [x](https://x.example)", "https://git.example/b"))
    [how](https://git.example/b/blob/main/docs/how.md) ![it](https://git.example/b/raw/main/docs/it.png) [x](https://x.example)
    >>> with_addresses("[how](docs/how.md)", "")
    '[how](docs/how.md)'
    """
    if not at:
        return text

    def whole(found: re.Match[str]) -> str:
        kind = "raw" if found["picture"] else "blob"
        return f"{found['picture']}[{found['title']}]({at}/{kind}/main/{found['to']})"

    return re.sub(r"(?P<picture>!?)\[(?P<title>[^\]]*)\]\((?!\w+:|#)(?P<to>[^)\s]+)\)", whole, text)
