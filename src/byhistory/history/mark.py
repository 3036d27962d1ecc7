"""The file that makes a directory a store: what it is, its version and its key."""

from __future__ import annotations

import json
import re
import secrets

from byhistory.errors import StoreError
from byhistory.history.checksum import checksum
from byhistory.history.files import Files
from byhistory.history.journal import VERSION
from byhistory.history.key import given_key, key_of
from byhistory.history.log import to_json

_MARK = re.compile(r"byhistory[^/]*\.json")


def opened_key(files: Files, shown: str) -> bytes:
    """The key of the store; writes the mark if there is none and nothing else is there."""
    marks = _marks(files, shown)
    if not marks:
        given = given_key(f"make the store {shown}")
        key = secrets.token_bytes(32) if given is None else given
        kept = key.hex() if given is None else ""
        made = {"byhistory_store": VERSION, "key": kept, "key_checksum": checksum(key, "key")}
        mark = to_json(made)
        if not files.put_if_absent("byhistory.json", mark):
            # Several processes may do so at once. All of them then take the oldest.
            files.put(f"byhistory-{secrets.token_hex(6)}.json", mark)
        marks = _marks(files, shown)
    try:
        body = json.loads(files.read(marks[0]))
        version, kept, made_of = int(body["byhistory_store"]), str(body["key"]), body.get("key_checksum")
        is_sound = version < 2 or isinstance(made_of, str)
        bytes.fromhex(kept)
    except (ValueError, KeyError, TypeError, RecursionError) as damage:
        raise _damaged(shown, marks[0], f"{marks[0]}, which is not ours or damaged") from damage
    if version > VERSION:
        raise _damaged(shown, marks[0], f"version {version}, newer than {VERSION}", "upgrade byhistory")
    if not is_sound:
        raise _damaged(shown, marks[0], f"a key without its checksum ({marks[0]})")
    return key_of(f"read {marks[0]} in the store {shown}", kept, made_of)


def _marks(files: Files, shown: str) -> list[str]:
    if files.is_file():
        raise _damaged(shown, "", "a file, not a directory", "give a directory, or a path that ends in .db")
    marks = sorted((at or 0.0, name) for name, at in files.names().items() if _MARK.fullmatch(name))
    others = [] if marks else [n for n in files.top() if not n.startswith(".")]
    if others and not any(map(_MARK.fullmatch, others)):  # A mark may have come since we looked.
        if "tables" in others:
            found = "tables without byhistory.json, which has their key: it is gone, or this is half a copy"
            raise _damaged(shown, "", found, "restore it from a backup; this directory was left as it is")
        found = f"a directory of something else, with {', '.join(others[:3])} in it"
        raise _damaged(shown, "", found, "give a new or an empty directory; this one was left as it is")
    return [name for _, name in marks]


def _damaged(shown: str, name: str, found: str, todo: str = "restore it from a copy, or move it away") -> StoreError:
    return StoreError(f"read {name} in the store {shown}" if name else f"open the store {shown}", found, todo)
