"""How the suite runs: on how many examples a law is tried, and which tests share a process.

`make test` spreads the tests over two processes (pytest-xdist, `--dist loadgroup`). Tests of one group run in one
process, one after the other; everything else goes wherever there is room.
"""

from __future__ import annotations

import pytest
from hypothesis import settings
from tests.strategies import THOROUGH

# The same examples in every run, so that a red suite is red again; chance belongs to the thorough runs.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("thorough" if THOROUGH else "steady")

JVM = "jvm"
"""The group of the tests that share the Spark session of their process: no second process starts a JVM for them."""
INSTALLED = "installed"
"""The group of the tests that share a PostgreSQL or a browser. Either may have to be installed first: one at a time."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "integration" not in str(config.option.markexpr):
        left_out = [item for item in items if item.get_closest_marker("integration")]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if not item.get_closest_marker("integration")]
    for item in items:
        if item.get_closest_marker("xdist_group") is None and (group := _group(item)) is not None:
            item.add_marker(pytest.mark.xdist_group(group))
    if hasattr(config, "workerinput"):  # one of several processes
        # Long ones first, so that none is left with them at the end while the others wait. Groups stay as they are:
        # what their modules share would be made twice.
        marked = (i for i in items if i.get_closest_marker("slow") or i.get_closest_marker("own_process"))
        long = {i for i in marked if not i.get_closest_marker("xdist_group")}
        items.sort(key=lambda item: item not in long)


def _group(item: pytest.Item) -> str | None:
    if item.get_closest_marker("own_process"):
        return None
    if item.get_closest_marker("spark"):
        return JVM
    return INSTALLED if "postgres" in item.nodeid or "browser" in item.nodeid else None
