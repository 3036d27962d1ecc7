"""The tables of a history in a database: version 2."""

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

VERSION = 2

METADATA = MetaData()
# SQLite numbers rows by itself only where the type is exactly INTEGER.
_ID = BigInteger().with_variant(Integer(), "sqlite")


def _text(name: str) -> Column[str]:
    # A default, so that the column can be added to a table of version 1.
    return Column(name, Text, nullable=False, server_default="")


def _count(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False, server_default="0")


# Times are ISO 8601 text in UTC: the same in every database, and sorted as they are written.
# Large parts come last in a row, or in a table of their own: SQLite then lists the rest without reading them.
# `checksum` is that of all else in the row (byhistory.history.checksum).

FACTS = Table(
    "byhistory_store",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""The version of these tables ("version"), the key of the digests in hex ("key") and its checksum ("key_checksum"), and
the version of the order that runs are sorted by ("order")."""

TABLES = Table(
    "byhistory_table",
    METADATA,
    Column("table_name", Text, primary_key=True),
    _count("changes"),
    _text("ordered"),
    _count("runs"),
    _text("runs_checksum"),
    _count("decisions"),
    _text("decisions_checksum"),
    _count("settings"),
    _text("settings_checksum"),
    _text("checksum"),
    implicit_returning=False,
)
"""What a table has, so that the loss of a row is noticed; `changes` counts everything that ever happened to it."""

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
    _count("arrived"),
    _text("record"),
    _text("digest"),
    Column("sort_key", LargeBinary, nullable=False, server_default=""),
    _text("checksum"),
    _text("scores"),
    _text("causes"),
    UniqueConstraint("table_name", "run", name="byhistory_run_once"),
    Index("byhistory_run_in_order", "table_name", "sort_key"),
    implicit_returning=False,
)

BODIES = Table(
    "byhistory_body",
    METADATA,
    Column("run_id", _ID, ForeignKey("byhistory_run.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    _text("verdict_checksum"),
    _text("measures_checksum"),
    Column("verdict", Text, nullable=False),
    Column("measures", LargeBinary, nullable=False),
    implicit_returning=False,
)

# One row per column, not one packed blob per run: one column over 60 runs of 1,000 columns is then read in 6 ms instead
# of 220 ms, at the price of 17 % of space (SQLite, pages of 4 KB); whole runs are as fast (bench/store.py).
PROFILES = Table(
    "byhistory_profile",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("run_id", _ID, ForeignKey("byhistory_run.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("profile", LargeBinary, nullable=False),
    _text("checksum"),
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
    _text("learned_from"),
    _text("checksum"),
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
    _count("number"),
    _text("name"),
    _text("until"),
    _text("record"),
    _text("digest"),
    _text("checksum"),
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
    _count("number"),
    _text("checksum"),
    Index("byhistory_setting_of", "table_name"),
    implicit_returning=False,
)


@event.listens_for(METADATA, "after_create")
def _leave_as_it_is(_metadata: MetaData, db: Connection, **_: object) -> None:
    """Keep PostgreSQL from compressing large parts once more, which would gain nothing."""
    if db.dialect.name == "postgresql":
        for column in (PROFILES.c.profile, BODIES.c.measures, PROGRAMS.c.programs):
            db.exec_driver_sql(f"ALTER TABLE {column.table.name} ALTER COLUMN {column.name} SET STORAGE EXTERNAL")
