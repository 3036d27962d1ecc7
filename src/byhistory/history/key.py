"""The key of the digests in a store, which is in the store or where the environment says."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from byhistory.errors import StoreError
from byhistory.history.checksum import checksum

VALUE, FILE, COMMAND = "BYHISTORY_KEY", "BYHISTORY_KEY_FILE", "BYHISTORY_KEY_COMMAND"
SIZE = 32
"""Bytes of a key, by choice: BLAKE2b takes up to 64 as they are, and half of that is beyond guessing."""


def given_key(asked: str) -> bytes | None:
    """The key that the environment gives, as 64 hexadecimal digits: itself, in a file, or printed by a command.

    None if it gives none: then a new store keeps a key of its own.
    """
    try:
        if VALUE in os.environ:
            text, source = os.environ[VALUE], VALUE
        elif FILE in os.environ:
            text, source = Path(os.environ[FILE]).read_text(), FILE
        elif COMMAND in os.environ:
            command = shlex.split(os.environ[COMMAND])
            # The user's own command, from the environment of the user's own process.
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603
            source = COMMAND
        else:
            return None
    except (OSError, ValueError, subprocess.SubprocessError) as why:
        # Not `from why`: the command may have a secret in it.
        raise StoreError(asked, f"no key where the environment says ({type(why).__name__})", "correct it") from None
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != SIZE:
        todo = "give 64 hexadecimal digits, such as `openssl rand -hex 32` prints"
        raise StoreError(asked, f"something else than a key in {source}", todo)
    return key


def key_of(asked: str, kept: str | None, kept_checksum: str | None) -> bytes:
    """The key of a store: the one in it, or the given one if it has none; an error if that is not the right one."""
    key = given_key(asked) if not kept else _from_hex(kept)
    if key is None:
        todo = f"set {VALUE}, {FILE} or {COMMAND}, as where it was made"
        raise StoreError(asked, "a store whose key is kept elsewhere, and no key in the environment", todo)
    if kept_checksum is not None and kept_checksum != checksum(key, "key"):
        if kept:
            raise StoreError(asked, "a key whose checksum does not match", "restore the store from a backup")
        raise StoreError(asked, "another key in the environment than the store was made with", "give that one")
    return key


def _from_hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""
