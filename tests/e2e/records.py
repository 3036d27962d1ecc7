"""A run and programs as the tests of stores record them."""

from dataclasses import replace
from datetime import datetime, timezone

from byhistory.history import Programs, Run

AT = datetime(2026, 11, 15, 3, 12, 5, 123456, tzinfo=timezone.utc)


def a_run(run="2026-11-15", table="orders", **changes):
    columns = {"price": b"P\0" + run.encode(), "id": b"I", "a b/c’ü": b"", "Price": bytes(range(256)) * 20}
    plain = Run(table, run, AT, "as usual", 1234, columns, b"\0\1measures of " + run.encode(), '{"ok": true}', "fine")
    return replace(plain, **changes)


def programs_of(table="orders", as_of="2026-11-15", text='{"byhistory_program": 1}'):
    return Programs(table, as_of, AT, {"price": text, "a b/c’ü": "ü" * 5000})
