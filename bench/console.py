"""Is the console quick when a team uses it? 1,000 tables, 20 readers and 5 deciders for a minute. `make bench-console`.

    python -m bench.console                                  # SQLite
    python -m bench.console --kind postgres                  # Debian's server, started on loopback, with fsync
    python -m bench.console --fleet 10000                    # the page of all tables alone
    python -m bench.console --pause 0 0                      # nobody pauses: how many pages a second there can be

The console is `byhistory serve` in a process of its own, with accounts. A reader walks as people do: all tables, the
day, a run that waits for an answer, its table, one of its columns; one to three seconds on each, with the news of the
page open. A decider opens a run that waits, looks at what an answer would change, answers, and reads the page again;
what was answered before is undone. Every table has its own records; there are two pasts, copied.

The bound of 200 ms is for people, who look at a page before they ask for the next. Who never pauses measures how many
pages a second the console can make, and then waits in the queue that all of them form: that figure is kept beside the
other, and has no bound. People and console share the two cores; `people_cores` and `console_cores` say who used what.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa

from byhistory.config import Config
from byhistory.history import Programs, Run, Store, open_store
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.web.accounts import Account, digest_of, write_accounts

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "console.jsonl"
RUNS, ROWS, SEED = 30, 1_000, 7
"""Runs of a table and rows of a run, by choice: a month of a small table. The last is of the made rows."""
ALARMED = 10
"""One table of this many has an alarm of last night."""
READERS, DECIDERS = 20, 5
"""People at the same time: a team of a company with a thousand tables."""
PAUSE = (1.0, 3.0)
"""Seconds on a page; a quick reader, so that the load is rather too high than too low."""
TOKEN = "bh_bench"  # noqa: S105 - of a server that lives as long as the bench


def rows(day: int, is_bad: bool) -> pa.Table:
    """8 columns: measures, counts, codes."""
    random = np.random.default_rng(SEED + day)
    numbers = {f"n{i}": random.normal(100 + i, 10, ROWS) * (100 if is_bad and i == 0 else 1) for i in range(4)}
    counts = {f"k{i}": random.integers(0, 50, ROWS) for i in range(2)}
    codes = {f"s{i}": pa.array([f"v{x}" for x in random.integers(0, 40, ROWS)]) for i in range(2)}
    return pa.table(numbers | counts | codes)


def model(key: bytes, is_bad: bool, runs: int, columns: list[str] | None) -> tuple[list[Run], Programs]:
    """The runs of one table up to last night, the last one judged, and what was learned from them."""
    first = date.today() - timedelta(days=runs - 1)  # noqa: DTZ011 - a label, and due is reckoned from today
    given: dict[str, Any] = {"options": Options(key), "include": columns}
    profiles = [
        profile_table(rows(i, is_bad and i == runs - 1), run=str(first + timedelta(days=i)), **given)
        for i in range(runs)
    ]
    with Validator("memory:", config=Config()) as guard:
        guard.remember(profiles[:-1], "model")
        judged = guard.judge(profiles[-1], "model")
        assert judged.ok is not is_bad, judged.status
        learned = guard.store.programs("model")
        assert learned is not None
        ids = {line.run: line.id for line in guard.store.runs("model")}
        kept = guard.store.load("model", [p.run for p in profiles])
        night = datetime.now(timezone.utc).replace(hour=3, minute=0)
        at = [night - timedelta(days=runs - 1 - i) for i in range(runs)]
        return [replace(run, id=ids[run.run], at=t) for run, t in zip(kept, at, strict=True)], learned


def fill(store: Store, tables: int, runs: int, columns: list[str] | None = None) -> None:
    """The tables, one of ten with an alarm."""
    good, bad = (model(store.key(), is_bad, runs, columns) for is_bad in (False, True))
    for number in range(tables):
        past, learned = good if number % ALARMED else bad
        name = f"fleet.t{number:05}"
        for run in past:
            store.record(replace(run, table=name))
        store.save_programs(replace(learned, table=name))
        if number % 100 == 0:
            print(f"filled {number:,} of {tables:,} tables", file=sys.stderr, flush=True)


@contextmanager
def store_of(kind: str, kept: Path | None) -> Iterator[str]:
    """The address of an empty store of a kind; a SQLite file that was filled before is copied from where it is kept."""
    with tempfile.TemporaryDirectory(prefix="byhistory-bench-") as folder:
        if kind == "postgres":
            from tests.e2e.postgres import running

            with running(Path(folder), is_durable=True) as url:
                yield url
            return
        file = Path(folder) / "byhistory.db"
        if kept is not None and kept.exists():
            shutil.copy(kept, file)
        yield f"sqlite:///{file}" if kind == "sqlite" else f"{folder}/history"


@contextmanager
def serving(url: str) -> Iterator[tuple[int, int]]:
    """`byhistory serve` over a store; its port and its process."""
    with tempfile.TemporaryDirectory(prefix="byhistory-bench-") as folder:
        accounts = Path(folder) / "accounts.txt"
        write_accounts(accounts, [Account("bench", "decide", digest=digest_of(TOKEN))])
        command = [
            sys.executable,
            "-c",
            "from byhistory.cli import main; main()",
            "--store",
            url,
            "serve",
            "--port",
            "0",
        ]
        server = subprocess.Popen(
            [*command, "--accounts", str(accounts)], stdout=subprocess.PIPE, text=True, cwd=folder
        )
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+)", said)
            assert found, said
            yield int(found[1]), server.pid
        finally:
            server.terminate()
            server.wait(30)


@dataclass
class Tally:
    """What was asked, how long it took, and what went wrong. Mutable, because many threads add to it."""

    took: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, what: str, seconds: float, status: int) -> None:
        with self.lock:
            self.took.setdefault(what, []).append(seconds)
            if status not in (200, 303):
                self.errors.append(f"{what}: {status}")


class Person:
    """Somebody at a browser: a connection and a cookie. A class because a browser remembers."""

    def __init__(self, port: int, tally: Tally, seed: int, pause: tuple[float, float] = PAUSE) -> None:
        self.port, self.tally, self.random, self.pause = port, tally, Random(seed), pause
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"host": f"127.0.0.1:{port}"}
        page = self.get("sign in", "/signin")
        form = {"seal": _found(r'name="seal" value="([0-9a-f]+)"', page), "token": TOKEN, "to": "/"}
        self.post("sign in", "/signin", form)

    def get(self, what: str, path: str) -> str:
        return self._ask(what, "GET", path, None)

    def post(self, what: str, path: str, form: dict[str, str]) -> str:
        return self._ask(what, "POST", path, urlencode(form))

    def _ask(self, what: str, method: str, path: str, body: str | None) -> str:
        headers = self.headers | ({"content-type": "application/x-www-form-urlencoded"} if body is not None else {})
        begin = time.perf_counter()
        try:
            self.line.request(method, path, body, headers)
            answer = self.line.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as why:
            self.line.close()
            self.tally.add(what, time.perf_counter() - begin, 0)
            self.tally.errors.append(repr(why))
            return ""
        self.tally.add(what, time.perf_counter() - begin, answer.status)
        cookie = answer.headers.get("set-cookie")
        if cookie:
            self.headers["cookie"] = cookie.partition(";")[0]
        return text

    def rest(self) -> None:
        time.sleep(self.random.uniform(*self.pause))


def read(person: Person, tables: int, until: float) -> None:
    """Walk through the console until it is time to go."""
    while time.monotonic() < until:
        name = f"fleet.t{person.random.randrange(tables):05}"
        alarmed = f"fleet.t{person.random.randrange(0, tables, ALARMED):05}"
        walk = [
            ("all tables", "/"),
            ("all tables", "/?state=stopped"),
            ("day", "/day"),
            ("run", f"/run?t={alarmed}"),
            ("table", f"/table?t={alarmed}"),
            ("column", f"/column?t={alarmed}&c=n0"),
            ("all tables", f"/?q={name}"),
            ("table", f"/table?t={name}"),
        ]
        for what, path in walk:
            if time.monotonic() >= until:
                return
            person.get(what, path)
            person.rest()


def decide(person: Person, mine: list[str], until: float) -> None:
    """Answer alarms until it is time to go."""
    turn = 0
    while time.monotonic() < until:
        name = mine[turn % len(mine)]
        page = person.get("run", f"/run?t={name}")
        run = _found(r"/decide\?t=[^&]+&amp;r=([0-9-]+)", page)
        words = ("new normal", "reject", "accept") if "Nothing was said" in page else ("undo",)
        what = words[turn % len(words)]
        person.rest()
        person.get("preview", f"/preview?{urlencode({'t': name, 'r': run, 'what': what})}")
        person.rest()
        form = {"seal": _found(r'name="seal" value="([0-9a-f]+)"', page), "what": what, "why": "a bench"}
        form["seen"] = _found(r'name="seen" value="([0-9a-f]+)"', page)
        person.post("decide", f"/decide?t={name}&r={run}", form)
        person.get("run", f"/run?t={name}&r={run}")
        person.rest()
        turn += 1


def listen(person: Person, until: float) -> None:
    """The news of a page that is open."""
    line = http.client.HTTPConnection("127.0.0.1", person.port, timeout=60)
    line.request("GET", "/events", headers=person.headers)
    answer = line.getresponse()
    while time.monotonic() < until and answer.readline():
        pass
    line.close()


def load(port: int, tables: int, seconds: float, pause: tuple[float, float]) -> Tally:
    """Everybody at once."""
    tally = Tally()
    people = [Person(port, Tally(), i, pause) for i in range(READERS + DECIDERS)]
    until = time.monotonic() + seconds
    alarmed = [f"fleet.t{i:05}" for i in range(0, tables, ALARMED)]
    work: list[threading.Thread] = []
    for i, person in enumerate(people):
        person.tally = tally
        work.append(threading.Thread(target=listen, args=(person, until), daemon=True))
        if i < READERS:
            work.append(threading.Thread(target=read, args=(person, tables, until)))
        else:
            work.append(threading.Thread(target=decide, args=(person, alarmed[i - READERS :: DECIDERS], until)))
    for thread in work:
        thread.start()
        time.sleep(0.05)  # people do not come in the same moment
    for thread in work:
        thread.join(60)
    return tally


def cpu_of(process: int) -> float:
    """Seconds of processor time that a process has used; nan where the system does not tell."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def under_load(port: int, process: int, tables: int, seconds: float, pause: tuple[float, float]) -> dict[str, Any]:
    """What everybody measured, and how much of the cores the people and the console took."""
    wait_for(port, tables)
    begin, people, console = time.perf_counter(), time.process_time(), cpu_of(process)
    tally = load(port, tables, seconds, pause)
    took = time.perf_counter() - begin
    used = {"people_cores": time.process_time() - people, "console_cores": cpu_of(process) - console}
    found = measured(tally) | {name: round(cpu / took, 2) for name, cpu in used.items()}
    return found | {"pages_a_second": round(found["requests"] / took, 1)}


def wait_for(port: int, tables: int) -> float:
    """Seconds until the console has read all tables for the first time."""
    begin = time.perf_counter()
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while True:
        line.request("GET", "/api/v1/tables?state=none", headers={"authorization": f"Bearer {TOKEN}"})
        body = json.loads(line.getresponse().read())
        line.request("GET", "/metrics", headers={"authorization": f"Bearer {TOKEN}"})
        known = re.search(r"^byhistory_tables (\d+)", line.getresponse().read().decode(), re.MULTILINE)
        if known and int(known[1]) == tables and not body["still_reading"]:
            line.close()
            return time.perf_counter() - begin
        time.sleep(0.5)


def measured(tally: Tally) -> dict[str, Any]:
    """Counts, medians and 95 of 100, of all pages and of each."""
    every = [t for times in tally.took.values() for t in times]
    found: dict[str, Any] = {"requests": len(every), "errors": len(tally.errors), "first_errors": tally.errors[:3]}
    for what, times in {"all": every, **tally.took}.items():
        found[f"{what}_p50_ms"] = round(1000 * statistics.median(times), 1)
        found[f"{what}_p95_ms"] = round(1000 * float(np.quantile(times, 0.95)), 1)
    found["over_200_ms"] = round(sum(t > 0.2 for t in every) / len(every), 4)
    return found


def fleet_page(port: int, tables: int) -> dict[str, Any]:
    """The page of all tables, each time asked anew, and how long the console reads before it knows all."""
    person = Person(port, Tally(), 0)
    early = time.perf_counter()
    person.get("while it reads", "/")
    early = time.perf_counter() - early
    seconds = wait_for(port, tables)
    person.line.close()  # the console let go of a line that was quiet for so long
    for path in ("/", "/?sort=name&p=50", "/?state=stopped", "/?q=t09", "/day") * 4:
        person.get(path, path)
    found: dict[str, Any] = {"read_all_s": round(seconds, 1), "while_reading_ms": round(1000 * early, 1)}
    found |= {f"{p}_max_ms": round(1000 * max(t), 1) for p, t in person.tally.took.items() if p.startswith("/")}
    return found | {"errors": len(person.tally.errors), "first_errors": person.tally.errors[:3]}


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[1] if found else ""


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--kind", default="sqlite", choices=("sqlite", "postgres"))
    ask.add_argument("--tables", type=int, default=1_000)
    ask.add_argument("--seconds", type=float, default=60.0)
    ask.add_argument("--pause", type=float, nargs=2, default=PAUSE, help="seconds on a page, from and to")
    ask.add_argument("--fleet", type=int, default=0, help="time the page of this many tables instead")
    ask.add_argument("--kept", type=Path, help="a filled SQLite store to begin from; made if there is none")
    asked = ask.parse_args()
    tables = asked.fleet or asked.tables
    with store_of(asked.kind, asked.kept) as url:
        if asked.kept is None or not asked.kept.exists():
            with open_store(url) as store:
                fill(store, tables, *((10, ["n0"]) if asked.fleet else (RUNS, None)))
            if asked.kept is not None:
                shutil.copy(url.removeprefix("sqlite:///"), asked.kept)
        with serving(url) as (port, process):
            if asked.fleet:
                found = fleet_page(port, tables)
            else:
                found = under_load(port, process, tables, asked.seconds, tuple(asked.pause))
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    about: dict[str, Any] = {"commit": commit.stdout.strip(), "at": f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M}"}
    about |= {"python": platform.python_version(), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    is_pausing = any(asked.pause)
    about |= {
        "what": "fleet" if asked.fleet else "people" if is_pausing else "no pause",
        "kind": asked.kind,
        "tables": tables,
    }
    with RESULTS.open("a") as file:
        file.write(json.dumps(about | found) + "\n")
    for name, value in found.items():
        print(f"{name:24} {value}")
    missed = found["errors"] or (is_pausing and found.get("all_p95_ms", 0) >= 200) or found.get("/_max_ms", 0) >= 1000
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
