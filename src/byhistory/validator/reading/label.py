"""Which run does a path hold?"""

from __future__ import annotations

import re
from urllib.parse import unquote

_CALENDAR = ("year", "month", "day", "hour", "minute")


def label_in(path: str, columns: tuple[str, ...] = ()) -> str:
    """The label of the run that a path names; empty if it names none.

    It is the last `key=value` part, or the parts named by `columns`; parts of a calendar belong together. A part with
    a wildcard is no label.

    >>> label_in("lake/orders/ds=2026-11-15"), label_in("lake/orders/year=2026/month=11/day=5")
    ('2026-11-15', '2026-11-05')
    >>> label_in("lake/ds=2026-11-15/region=eu", ("ds",)), label_in("lake/orders"), label_in("lake/ds=2026-*")
    ('2026-11-15', '', '')
    """
    parts = re.findall(r"(?<![^/\\])([^/\\=]+)=([^/\\]+)(?=[/\\]|$)", path)
    found = {key: unquote(value) for key, value in parts}
    if columns and all(c in found for c in columns):
        chosen = [found[c] for c in columns]
    elif parts and parts[-1][0].lower() in _CALENDAR:
        chosen = [unquote(value) for key, value in parts if key.lower() in _CALENDAR]
    else:
        chosen = [unquote(parts[-1][1])] if parts else []
    label = chosen[0] if len(chosen) == 1 else "-".join(value.zfill(2) for value in chosen)
    return "" if re.search(r"[*?\[\]{}]", label) else label
