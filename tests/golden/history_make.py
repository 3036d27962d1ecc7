"""How the golden stores were made: `python -m tests.golden.history_make FOLDER`, once a version, never again.

What it wrote for version 1 is tests/golden/history-v1.db and tests/golden/history-v1: every later release loads them.
"""

import sys
from datetime import datetime, timezone
from pathlib import Path

from byhistory.history import Decision, Programs, Run, Setting, Store, open_store

AT = datetime(2026, 11, 15, 3, 12, 5, 123456, tzinfo=timezone.utc)
RUNS = [
    Run("orders", "2026-11-9", AT, "backfilled", 10, {"id": b"\x00id", "größe": b""}, b"\x00\x01", "", ""),
    Run(
        "orders", "2026-11-15", AT, "unusual", 12, {"id": b"\x01id", "größe": b"\xff" * 99}, b"m", '{"ok": false}', "n"
    ),
]
PROGRAMS = Programs("orders", "2026-11-15", AT, {"id": '{"byhistory_program": 1}', "größe": "ü"})
DECISIONS = [
    Decision("orders", "2026-11-15", "reject", "ann", AT, "half of it is missing", ("größe",)),
    Decision("orders", "2026-11-15", "new normal", "bob", AT, "it is right", ()),
]
SETTINGS = [Setting("orders", "overrides", "{}", "ann", AT), Setting("orders", "overrides", '{"id": 1}', "bob", AT)]


def fill(store: Store) -> None:
    store.record(RUNS[1])
    store.record(RUNS[0])
    store.record(RUNS[1], PROGRAMS)
    for decision in DECISIONS:
        store.decide(decision)
    for setting in SETTINGS:
        store.put_setting(setting)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for path in (folder / "history-v1.db", folder / "history-v1"):
        with open_store(str(path)) as made:
            fill(made)
