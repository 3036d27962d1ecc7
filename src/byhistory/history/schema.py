"""The tables of a history in a database: version 1."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
)

VERSION = 1

METADATA = MetaData()
# SQLite numbers rows by itself only where the type is exactly INTEGER.
_ID = BigInteger().with_variant(Integer(), "sqlite")

# Times are ISO 8601 text in UTC: the same in every database, and sorted as they are written.
# What is large comes last in a row: SQLite then lists the rest without reading it.

FACTS = Table(
    "byhistory_store",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""The version of these tables ("version") and the key of the digests in hex ("key")."""

RUNS = Table(
    "byhistory_run",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("table_name", Text, nullable=False),
    Column("run", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("row_count", BigInteger, nullable=False),
    Column("column_count", Integer, nullable=False),
    Column("note", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("measures", LargeBinary, nullable=False),
    UniqueConstraint("table_name", "run", name="byhistory_run_once"),
    implicit_returning=False,
)

# A row a column, not a packed blob a run: one column over 60 runs of 1,000 columns is then read in 6 ms instead of
# 220 ms, at the price of 17 % of space (SQLite, pages of 4 KB); whole runs are as fast (bench/store.py).
PROFILES = Table(
    "byhistory_profile",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("run_id", _ID, ForeignKey("byhistory_run.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("profile", LargeBinary, nullable=False),
    UniqueConstraint("run_id", "name", name="byhistory_profile_once"),
    implicit_returning=False,
)

PROGRAMS = Table(
    "byhistory_programs",
    METADATA,
    Column("table_name", Text, primary_key=True),
    Column("as_of_run", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("programs", LargeBinary, nullable=False),
    implicit_returning=False,
)

DECISIONS = Table(
    "byhistory_decision",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("table_name", Text, nullable=False),
    Column("run", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("columns", Text, nullable=False),
    Index("byhistory_decision_of", "table_name", "run"),
    implicit_returning=False,
)

SETTINGS = Table(
    "byhistory_setting",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("table_name", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("at", Text, nullable=False),
    Index("byhistory_setting_of", "table_name"),
    implicit_returning=False,
)


@event.listens_for(METADATA, "after_create")
def _leave_as_it_is(_metadata: MetaData, db: Connection, **_: object) -> None:
    """What is large is compressed already: without this, PostgreSQL tries once more and gains nothing."""
    if db.dialect.name == "postgresql":
        for column in (PROFILES.c.profile, RUNS.c.measures, PROGRAMS.c.programs):
            db.exec_driver_sql(f"ALTER TABLE {column.table.name} ALTER COLUMN {column.name} SET STORAGE EXTERNAL")
