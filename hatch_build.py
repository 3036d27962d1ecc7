"""The addresses in the metadata of a release: those of the repository that it is built in.

A checkout does not know where it is published, and an address that is written down goes stale with the first fork or
move. GitHub names the repository to every job (`GITHUB_REPOSITORY`); a build elsewhere names its own with
`BYHISTORY_HOME`, or has none.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Addresses(MetadataHookInterface):
    """Called by hatchling for sdist and wheel."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the addresses, if there are any."""
        metadata["urls"] = addresses(home(os.environ))


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
