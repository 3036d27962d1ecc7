"""Passwords are never printed."""

import traceback

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byhistory.errors import StoreError
from byhistory.history import open_store, redacted
from byhistory.history.url import without_secrets

SECRET = "hunter2"  # noqa: S105 - the word that must not be seen

ADDRESSES = [
    f"postgresql://ann:{SECRET}@127.0.0.1:1/db?connect_timeout=2",
    f"postgres://ann:{SECRET}@127.0.0.1:1/db?connect_timeout=2",
    f"postgresql+psycopg://ann:{SECRET}@127.0.0.1:notaport/db",
    f"postgresql://ann:{SECRET}@[::1/db",
    f"postgresql://ann:a/{SECRET}@127.0.0.1:1/db?connect_timeout=2",
    f"postgresql://ann@corp:{SECRET}@127.0.0.1:1/db?connect_timeout=2",
    f"postgresql://127.0.0.1:1/db?user=ann&password={SECRET}&connect_timeout=2",
    f"postgresql:/ann:{SECRET}@127.0.0.1/db?connect_timeout=2",
    f"postgresql://ann:{SECRET}@127.0.0.1:1/db?sslpassword={SECRET}&connect_timeout=2",
    f"mysql://ann:{SECRET}@127.0.0.1/db",
    f"nosuchscheme://ann:{SECRET}@bucket/history",
    f"memory2://bucket/history?secret_key={SECRET}",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_that_does_not_open_shows_no_password(address):
    with pytest.raises(StoreError) as caught:
        open_store(address)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert caught.value.asked.startswith("open the store ")


@given(st.text(st.characters(codec="utf-8"), min_size=4), st.sampled_from(["", "/db", "/db?a=b", "?x=y@z"]))
@example("a@b:c/d", "")
def test_no_password_is_left_in_an_address(password, rest):
    shown = redacted(f"postgresql://ann:{password}@host{rest}")
    assert shown.startswith("postgresql://ann:***@")
    assert password not in shown.removeprefix("postgresql://ann:***@").removesuffix(rest)


@pytest.mark.parametrize(
    "address", ["s3://bucket/a@b", "file:///a/b:c", "abfss://box@account.dfs.core.windows.net/x", "history.db", "a:b@c"]
)
def test_an_address_without_a_password_is_shown_as_it_is(address):
    assert redacted(address) == address


def test_a_message_of_a_driver_is_cleaned():
    address = "postgresql://ann:p%40ss%2Fword@host/db?sslpassword=other"
    said = without_secrets(f"cannot use p@ss/word or p%40ss%2Fword or other in {address}", address)
    assert said == "cannot use *** or *** or *** in postgresql://ann:***@host/db?sslpassword=***"
