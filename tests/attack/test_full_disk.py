"""A disk that is full at any moment: a clear error or a whole answer, nothing half, and a guard that goes on after.

BYHISTORY_ATTACKS=2000 tries every command at many sizes.
"""

import os
from pathlib import Path

import pytest
from tests.attack import worker
from tests.attack.test_kills_and_races import nothing_bad_passes, said

ATTACKS = int(os.environ.get("BYHISTORY_ATTACKS", "0"))
COMMANDS = ("check", "reject", "mute", "forget", "backfill", "backup") if ATTACKS else ("check", "backup")
SIZES = {
    "history.db": (0, 4_096, 20_000, 40_000, 70_000, 100_000, 130_000) if ATTACKS else (20_000,),
    "history": (0, 100, 200, 300, 500, 1_000, 2_000, 4_000, 8_000) if ATTACKS else (300,),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("room", [(kind, size) for kind, sizes in SIZES.items() for size in sizes])
def test_a_full_disk_leaves_a_guard_that_guards(room, command, fresh, start, tally):
    kind, size = room
    url = fresh(kind)
    copy = Path(url).parent / f"copy-{kind}"
    process, pipe = start(worker.short_of_space, url, command, size, str(copy))
    answer = said(pipe)
    process.join()
    assert answer == "done" or answer.startswith("Asked: "), answer
    assert not [path for path in Path(url).parent.rglob("*") if path.name.endswith(".tmp")]
    if command == "backup":
        assert copy.exists() == (answer == "done")
    tally["full disks"] += 1
    nothing_bad_passes(url)
