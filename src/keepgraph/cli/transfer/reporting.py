"""Progress and refusals of an import, for lines of Keepgraph and for files of other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import click

from keepgraph import errors
from keepgraph.cli.output import terminal

_MAX_REFUSALS_SHOWN = 20


def refusal(kind: str, position: int, error: errors.KeepgraphError, *, note: str = "") -> dict[str, Any]:
    """A refusal for the report; `kind` names what the position counts: "line" or "conversation"."""
    answer = {kind: position, "error": error.code, "message": error.message.rstrip(".") + note}
    if error.hint and error.hint != error.default_hint:
        answer["hint"] = error.hint
    return answer


def show_refusals(refusals: list[dict[str, Any]], kind: str) -> None:
    """Show what was refused, with its position in the file and the reason."""
    for refused in refusals[:_MAX_REFUSALS_SHOWN]:
        reason = f"{kind} {refused[kind]}: {terminal.printable(refused['message'])} ({refused['error']})"
        click.secho(reason, fg="red", err=True)
        if hint := refused.get("hint"):
            click.echo(f"        {terminal.printable(hint)}", err=True)
    if len(refusals) > _MAX_REFUSALS_SHOWN:
        click.echo(f"… and {len(refusals) - _MAX_REFUSALS_SHOWN} more; --json lists them all", err=True)


class ReadProgress:
    """A progress bar on the terminal that follows the position in a file; silent where there is no terminal."""

    def __init__(self, file: str, stream: IO[bytes], *, quiet: bool, label: str = "Recording") -> None:
        self._stream = stream
        is_shown = not quiet and file != "-" and sys.stderr.isatty()
        size = Path(file).stat().st_size if is_shown else 0
        self._bar = click.progressbar(length=size, label=label, file=sys.stderr) if is_shown and size else None

    def __enter__(self) -> Callable[[], None]:
        if self._bar:
            self._bar.__enter__()
        return self._advance

    def __exit__(self, *exception: Any) -> None:
        if self._bar:
            self._bar.__exit__(*exception)

    def _advance(self) -> None:
        if self._bar:
            self._bar.update(max(0, self._stream.tell() - self._bar.pos))
