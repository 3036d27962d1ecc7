"""What went wrong, and what can the reader do about it?

Every error has one shape: what was asked, what was found, and what to do next, each a
sentence. Data is never an error: an empty column is `nan`, a bad column is a finding.
"""

from __future__ import annotations

from collections.abc import Iterable


class ByHistoryError(Exception):
    """Any error that byhistory raises on purpose; `is_transient` means that trying again later may help.

    >>> print(ByHistoryError("open the store sales.db", "a file that is no database", "give another path"))
    Asked: open the store sales.db. Found: a file that is no database. To go on: give another path.
    """

    def __init__(self, asked: str, found: str, todo: str, *, is_transient: bool = False) -> None:
        # All arguments go to Exception, so that the error survives pickling on its way back from a Spark worker.
        super().__init__(asked, found, todo)
        self.asked = asked
        self.found = found
        self.todo = todo
        self.is_transient = is_transient

    def __str__(self) -> str:
        return (
            f"Asked: {_as_sentence(self.asked)} Found: {_as_sentence(self.found)} To go on: {_as_sentence(self.todo)}"
        )


class JavaNotFound(ByHistoryError):  # noqa: N818 - named for what happened; the base class says that it is an error
    """No Java on this machine that the installed Spark accepts."""


class BadInput(ByHistoryError):  # noqa: N818 - as above
    """A column, or a table, that cannot be read as asked; `column` is left out if the sentences name it already.

    >>> print(BadInput("profile numbers", "values of type map", "exclude it", column="price"))
    Column 'price'. Asked: profile numbers. Found: values of type map. To go on: exclude it.
    """

    def __init__(self, asked: str, found: str, todo: str, column: str = "") -> None:
        super().__init__(asked, found, todo)
        self.args = (asked, found, todo, column)
        self.column = column

    def __str__(self) -> str:
        return f"Column {self.column!r}. {super().__str__()}" if self.column else super().__str__()


class BadProfile(ByHistoryError):  # noqa: N818 - as above
    """Stored bytes that are not a profile, are damaged, or come from a later version."""


class JudgedBefore(ByHistoryError):  # noqa: N818 - as above
    """The last commit of a table has its verdict, under the label `run`; there is none since."""

    def __init__(self, asked: str, found: str, todo: str, run: str) -> None:
        super().__init__(asked, found, todo)
        self.args = (asked, found, todo, run)
        self.run = run


class StoreError(ByHistoryError):
    """A history that cannot be read or written."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A question to append to an error when an unknown name looks like one that exists; otherwise empty.

    >>> did_you_mean("maen", ["mean", "max"]), did_you_mean("colour", ["mean", "max"])
    (' (did you mean mean?)', '')
    """
    from difflib import get_close_matches

    close = get_close_matches(name, list(names), 3)
    return f" (did you mean {' or '.join(close)}?)" if close else ""


def _as_sentence(words: str) -> str:
    """The words with a full stop, unless they already end in a punctuation mark."""
    return words if words.endswith((".", "!", "?")) else words + "."
