"""The script of the page on cron, with a mailbox that prints: a good day, a bad one, and one that cannot be judged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.integrations.lake import BAD, GOOD, ROOT, make_lake


def test_cron_publishes_a_good_day_and_mails_what_is_wrong_with_others(tmp_path: Path) -> None:
    make_lake(tmp_path, "orders")
    (tmp_path / "byhistory.toml").write_text('engine = "local"')
    page = (ROOT / "docs" / "how-to" / "schedulers.md").read_text(encoding="utf-8")
    script = "#!/bin/sh" + page.partition("```sh\n#!/bin/sh")[2].partition("```")[0]
    programs = {
        "check-orders": script,
        "mail": '#!/bin/sh\necho "MAIL $*"; cat',
        "publish_orders": "#!/bin/sh\necho OUT $1",
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    found = {}
    for day in (GOOD, BAD, "2027-01-01"):
        path = os.pathsep.join([str(tmp_path), str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            [str(tmp_path / "check-orders"), day],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        found[day] = done.stdout
    assert found[GOOD] == f"OUT {GOOD}\n"
    assert found[BAD].startswith(f"MAIL -s orders {BAD}: stop data@example.org\nstop: orders {BAD}")
    assert found["2027-01-01"].startswith(
        "MAIL -s orders 2027-01-01 could not be judged platform@example.org\nbyhistory: Asked"
    )
