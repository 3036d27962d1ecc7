"""The program as a whole: options in any place, and one sentence and one exit code for every error."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from byhistory.cli._say import note, safe
from byhistory.errors import ByHistoryError

COULD_NOT_RUN = 2
"""Exit code when there is no verdict."""
INTERRUPTED = 130
"""The exit code that shells give a program ended by Ctrl-C: 128 and the number of the signal."""
_ANSWERED_AT_ONCE = ("help", "version")
"""Options that answer in place of what they stand behind."""


class CommandGroup(TyperGroup):
    """The group of all commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the program's own options wherever they stand: people write them last."""
        for arg in args:
            if any("\ud800" <= c <= "\udfff" for c in arg):  # how Python passes bytes that are no text
                raise typer.BadParameter(f"{arg!r} is no UTF-8; write it in UTF-8")
        command = self.get_command(ctx, _first_word(args, _sizes(self)) or "")
        return super().parse_args(ctx, hoisted(args, _sizes(self), _sizes(command) if command is not None else {}))

    def invoke(self, ctx: Any) -> Any:
        """Run a command. Only a verdict exits with 1, so that a crash is never taken for an alarm."""
        try:
            return super().invoke(ctx)
        except ByHistoryError as error:
            _shown(ctx, error, str(error))
        except KeyboardInterrupt:
            note("byhistory: interrupted; what was recorded before is kept")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader of our output has gone, as `| head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(COULD_NOT_RUN) from None
        except Exception as error:
            if isinstance(error, CLICKS):
                raise
            found = f"an error that was not expected ({type(error).__name__}: {str(error)[:300]})"
            todo = "run it again with --verbose, and report what it shows as a bug of byhistory"
            _shown(ctx, error, str(ByHistoryError("run this command", found, todo)))
        raise typer.Exit(COULD_NOT_RUN)


def _exceptions_of_typer() -> tuple[type[BaseException], ...]:
    """The exceptions with which typer ends a command or refuses its arguments: its own click's or the installed
    one's.
    """
    usage = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
    return typer.Exit, typer.Abort, usage


CLICKS = _exceptions_of_typer()


def _shown(ctx: Any, error: Exception, sentence: str) -> None:
    if _is_verbose(ctx):
        note(safe("".join(traceback.format_exception(error))))
    note(f"byhistory: {safe(sentence)}")


def _is_verbose(ctx: Any) -> bool:
    return bool(getattr(ctx.obj, "verbose", False) or ctx.params.get("verbose"))


def _sizes(command: Any) -> dict[str, int]:
    """The options of a command, with the number of values that each takes."""
    options = (p for p in command.params if p.param_type_name == "option" and p.name not in _ANSWERED_AT_ONCE)
    return {opt: 0 if p.is_flag else p.nargs for p in options for opt in (*p.opts, *p.secondary_opts)}


def _first_word(args: Sequence[str], own: Mapping[str, int]) -> str | None:
    """The name of the command: the first argument that is no option of the program, nor the value of one."""
    i = 0
    while i < len(args) and args[i].startswith("-"):
        i += 1 + own.get(args[i], 0)
    return args[i] if i < len(args) else None


def hoisted(args: Sequence[str], own: Mapping[str, int], others: Mapping[str, int]) -> list[str]:
    """The arguments with the program's own options first; what follows `--` stays where it is.

    What an option of the command takes is its value, whatever it looks like: a label is no way to name another store.

    >>> own, others = {"--store": 1, "-v": 0}, {"--run": 1}
    >>> hoisted(["check", "orders", "--store", "h.db", "--run", "5", "-v"], own, others)
    ['--store', 'h.db', '-v', 'check', 'orders', '--run', '5']
    >>> hoisted(["check", "orders", "--run", "--store=h.db"], own, others)
    ['check', 'orders', '--run', '--store=h.db']
    """
    first: list[str] = []
    rest: list[str] = []
    i = 0
    while i < len(args) and args[i] != "--":
        name, equals, _ = args[i].partition("=")
        size = 1 if equals else 1 + {**own, **others}.get(name, 0)
        (first if name in own else rest).extend(args[i : i + size])
        i += size
    return [*first, *rest, *args[i:]]


if TYPE_CHECKING:
    _: type[TyperGroup] = CommandGroup
