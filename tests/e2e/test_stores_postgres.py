"""What only PostgreSQL can do wrong."""

import importlib.util
import traceback
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from tests.golden import history_make as golden

from byhistory.errors import StoreError
from byhistory.history import open_store


def refused(url, found):
    with pytest.raises(StoreError, match=found) as caught:
        open_store(url)
    shown = "".join(traceback.format_exception(caught.value))
    assert "wrong word" not in shown
    assert "not a secret" not in shown
    assert quote("not a secret: /?@ÿ", safe="") not in shown


def test_a_refused_login(postgres_url):
    place = postgres_url.rpartition("@")[2]
    refused(f"postgresql://byhistory:wrong%20word@{place}", r"Found: a refused login \(.*To go on: check the user and")
    refused(f"postgresql://nobody:wrong%20word@{place}", "Found: a refused login")


def test_a_database_that_is_not_there(postgres_url):
    refused(postgres_url.replace("/postgres", "/nowhere"), r'Found: no answer from the database \(.*"nowhere" does not')


def test_a_user_without_rights(postgres_url, postgres_schema):
    import psycopg

    schema = postgres_schema.rpartition("%3D")[2]
    with psycopg.connect(postgres_url) as db:
        db.execute(f"CREATE ROLE guest_{schema} LOGIN PASSWORD 'wrong word'")
        db.execute(f"GRANT USAGE ON SCHEMA {schema} TO guest_{schema}")
    place = postgres_schema.rpartition("@")[2]
    guest = f"postgresql://guest_{schema}:wrong%20word@{place}"
    refused(guest, r"Found: missing rights \(.*To go on: grant them, or let the owner open the store once")
    with open_store(postgres_schema) as store:
        golden.fill(store)
    with psycopg.connect(postgres_url) as db:
        db.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO guest_{schema}")
    with open_store(guest) as store:
        assert store.load("orders", ["2026-11-15", "2026-11-9"]) == golden.RUNS
        with pytest.raises(StoreError, match=r"Asked: record the run .* Found: missing rights"):
            store.record(golden.RUNS[0])


def test_a_table_of_another_program(postgres_url, postgres_schema):
    import psycopg

    with psycopg.connect(postgres_schema) as db:
        db.execute("CREATE TABLE byhistory_store (theirs INT)")
    refused(postgres_schema, "Found: a table byhistory_store that is not ours")


def test_a_later_version_asks_for_an_upgrade(postgres_schema):
    import psycopg

    open_store(postgres_schema).close()
    with psycopg.connect(postgres_schema) as db:
        db.execute("UPDATE byhistory_store SET value = '3' WHERE name = 'version'")
    refused(postgres_schema, "Found: tables of version 3, newer than 2. To go on: upgrade")


def test_a_session_outlives_a_connection_that_the_server_ended(postgres_url, postgres_schema):
    import psycopg

    with open_store(postgres_schema) as store:
        golden.fill(store)
        with psycopg.connect(postgres_url) as db:
            db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        assert store.load("orders", ["2026-11-15", "2026-11-9"]) == golden.RUNS


def test_a_run_that_two_forget_at_once_is_counted_once(postgres_url, postgres_schema):
    import psycopg

    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    with open_store(postgres_schema) as one, open_store(postgres_schema) as other, ThreadPoolExecutor(2) as pool:
        golden.fill(one)
        with psycopg.connect(postgres_schema) as holding, psycopg.connect(postgres_url, autocommit=True) as looking:
            holding.execute("SELECT * FROM byhistory_table FOR UPDATE")
            both = [pool.submit(store.forget, "orders", "2026-11-15") for store in (one, other)]
            while looking.execute(waiting).fetchone() != (2,):
                pass
        assert sorted(future.result(60) for future in both) == [False, True]
        assert [line.run for line in one.runs("orders")] == ["2026-11-9"]


def test_a_missing_driver_is_named(monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "psycopg" else there(name))
    refused(
        "postgresql://ann:wrong%20word@host/db", r"Found: no driver for PostgreSQL\. To go on: install it: pip install"
    )
