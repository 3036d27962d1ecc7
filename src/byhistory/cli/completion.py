"""Completion for a shell."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

EXAMPLES = """
byhistory completion bash > ~/.local/share/bash-completion/completions/byhistory
byhistory completion zsh > ~/.zfunc/_byhistory
byhistory completion fish > ~/.config/fish/completions/byhistory.fish
"""


class Shell(str, Enum):
    """A shell that can complete our commands."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


def run(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh, fish or powershell.")]) -> None:
    """Print the script that lets a shell complete commands and options; nothing is written to your profile."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]  # since typer 0.12

    from byhistory.cli._say import document

    document(get_completion_script(prog_name="byhistory", complete_var="_BYHISTORY_COMPLETE", shell=shell.value))
