"""The state of all tables, as metrics for Prometheus."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response

from byhistory.report.prometheus import family
from byhistory.validator.standing import STATES
from byhistory.web.asking import Asked

_KIND = "text/plain; version=0.0.4; charset=utf-8"


def metrics(asked: Asked) -> Response:
    """One sample per table: its state, its runs, how many of the last were stopped, and the age of the last one."""
    found = sorted(asked.console.watch.standings().values(), key=lambda s: s.table)
    now = asked.guard.now()
    of = [({"table": s.table}, s) for s in found]
    states = [(labels | {"state": state}, float(s.state == state)) for labels, s in of for state in STATES]
    ages = [
        (labels, (now - s.last.at).total_seconds()) for labels, s in of if s.last is not None and s.last.at is not None
    ]
    families = [
        family("byhistory_table_state", "1 for how the table stands, 0 for the others.", states),
        family("byhistory_runs", "Runs that are kept.", [(labels, float(s.runs)) for labels, s in of]),
        family("byhistory_runs_stopped", "Of the last runs, those stopped.", [(la, float(s.stopped)) for la, s in of]),
        family("byhistory_alarms_waiting", "Alarms to answer.", [(la, float(len(s.waiting))) for la, s in of]),
        family("byhistory_last_run_age_seconds", "Seconds since the last run was recorded.", ages),
        family("byhistory_tables", "Tables that are watched.", [({}, float(len(found)))]),
    ]
    return PlainTextResponse("".join(families), media_type=_KIND)
