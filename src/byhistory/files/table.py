"""The files of a table: which columns have they, and how are these read?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from byhistory.errors import BadInput
from byhistory.files.folders import label_of
from byhistory.files.folding import Reader, parquet
from byhistory.files.here import read_here
from byhistory.files.lines import Lines, schema_of
from byhistory.files.lines import batches as read_lines
from byhistory.files.listing import Listing, listed_files
from byhistory.files.piece import Piece
from byhistory.files.reader import Reading
from byhistory.files.schemas import schemas_of
from byhistory.files.storage import Storage
from byhistory.files.types import Leaf, Struct, arrow_type, kind_of, leaves
from byhistory.rows.field import Field
from byhistory.rows.how import How
from byhistory.rows.local import checked_kind, listed, select_columns


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that are measured, how they are read, and those that this process cannot read, with their types."""

    fields: tuple[Field, ...]
    reading: Reading
    unread: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The files of a table, and the columns that make the label of a run."""

    path: str
    listing: Listing
    by: tuple[str, ...]
    storage: Storage
    lines: Lines | None
    without: tuple[str, ...] = ()
    """Columns of the files that only say again which run they are of: not measured, if all of them are there."""

    @staticmethod
    def of(path: str, by: tuple[str, ...], storage: Storage, lines: Lines | None) -> Table:
        """The files at a path, whose runs are told apart by some columns of their folders."""
        return Table(path, listed_files(path, storage), (), storage, lines).with_runs_by(by)

    def with_runs_by(self, by: tuple[str, ...]) -> Table:
        """The same files, whose runs are told apart by some columns of their folders; an error if these have none."""
        for name in by:
            if name not in self.in_path:
                raise BadInput(
                    f"take the runs from the column {name!r} of {self.path}",
                    f"folders that say {listed(list(self.in_path)) or 'nothing'}",
                    "name a column that is in the path (day=2026-05-01), or read it with Spark",
                )
        return replace(self, by=by)

    @property
    def in_path(self) -> tuple[str, ...]:
        """The columns that are in the paths of the files."""
        return tuple(name for name, _ in self.listing.columns)

    def schemas(self, pieces: Sequence[Piece]) -> list[Struct]:
        """The schemas of some Parquet files, or of the table's first if there are none."""
        return schemas_of([piece.path for piece in pieces if piece.bytes] or [self.listing.first], self.storage)

    def schema_of_all(self) -> Struct:
        """The schema of lines: the one that Spark infers from all files of the table, whichever are read."""
        if self.lines is None:
            raise ValueError("only lines have one schema")
        with read_here(self.path):
            return schema_of([piece.path for piece in self.listing.files if piece.bytes], self.lines, self.storage)

    def leaves(self, schema: Struct) -> list[Leaf]:
        """The columns of files with a schema and of their paths, without those that make the label or are left out."""
        in_path = {name.lower(): (name, type_) for name, type_ in self.listing.columns}
        # A column in both the path and the file has name, type and value of the path, and the place of the file.
        own = tuple((*in_path.get(n.lower(), (n, t)), True) for n, t, _ in schema.fields)
        there = {name.lower() for name, _, _ in own}
        whole = own + tuple((n, t, True) for n, t in self.listing.columns if n.lower() not in there)
        again = self.without if {name for name, _, _ in whole}.issuperset(self.without) else ()
        return leaves(Struct(tuple(f for f in whole if f[0] not in (*self.by, *again))))

    def reader(self) -> Reader:
        """The reader of its files."""
        lines = self.lines
        if lines is None:
            return parquet
        return lambda storage, reading: partial(read_lines, storage=storage, reading=reading, lines=lines)

    def label(self, piece: Piece) -> str | None:
        """The label of the run that a file belongs to."""
        return label_of([piece.values[self.in_path.index(name)] for name in self.by])

    def columns(self, schema: Struct, how: How, everywhere: Struct | None = None) -> Columns:
        """The columns that are measured in files with a schema; `everywhere` has those of all files of the table."""
        how = how.without((*self.by, *self.without))
        every, own = self.leaves(everywhere or schema), {_plain(leaf): leaf for leaf in self.leaves(schema)}
        at = {_plain(leaf) for leaf in every}
        every += [leaf for way, leaf in own.items() if way not in at]  # if another file has a struct of that name
        wanted = select_columns([leaf.name for leaf in every], how)
        in_path = self.in_path
        fields, from_path, unread = [], [], []
        columns: list[tuple[tuple[str, ...], str]] = []
        for position, known in enumerate(every):  # names are spelt as where they first come, and keep their places
            if _plain(known) not in own:
                continue
            leaf = replace(own[_plain(known)], name=known.name, path=known.path)
            natural = kind_of(leaf.type)
            kind = checked_kind(leaf.name, natural, how.kinds[leaf.name]) if leaf.name in how.kinds else natural
            if leaf.name not in wanted:
                continue
            if kind is None or arrow_type(leaf.type, "UTC") is None:
                unread.append((leaf.name, leaf.type))
                continue
            if len(leaf.path) == 1 and leaf.name in in_path:
                from_path.append((len(columns), in_path.index(leaf.name)))
            fields.append(Field(leaf.name, kind, leaf.type, leaf.nullable, position))
            columns.append((leaf.path, leaf.type))
        return Columns(tuple(fields), Reading(tuple(columns), tuple(from_path)), tuple(unread))


def _plain(leaf: Leaf) -> tuple[str, ...]:
    """The way to a column as Spark compares names."""
    return tuple(name.lower() for name in leaf.path)
