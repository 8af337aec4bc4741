"""Progress and refusals of an import, for lines of Keepgraph and for files of other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import click

from keepgraph import errors
from keepgraph.cli.output import terminal
from keepgraph.engine.exchange.import_state import EndsWarning

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
            click.echo(f"        {terminal.printable(terminal.with_commands(hint))}", err=True)
    if len(refusals) > _MAX_REFUSALS_SHOWN:
        click.echo(f"… and {len(refusals) - _MAX_REFUSALS_SHOWN} more; --json lists them all", err=True)


def warning(kind: str, position: int, warning: EndsWarning) -> dict[str, Any]:
    """A warning for the report; `kind` as for a refusal."""
    return {kind: position, "predicate": warning.predicate, "message": warning.message}


def show_warnings(warnings: list[dict[str, Any]], kind: str) -> None:
    """Show how many facts do not fit their predicates, with the first of each predicate."""
    by_predicate: dict[str, list[dict[str, Any]]] = {}
    for given in warnings:
        by_predicate.setdefault(given["predicate"], []).append(given)
    for alike in list(by_predicate.values())[:_MAX_REFUSALS_SHOWN]:
        first = alike[0]
        more = f", and {len(alike) - 1:,} more like it" if len(alike) > 1 else ""
        click.secho(f"{kind} {first[kind]}: {terminal.printable(first['message'])}{more}", fg="yellow", err=True)
    if warnings:
        count = "1 fact does" if len(warnings) == 1 else f"{len(warnings):,} facts do"
        click.echo(f"{count} not fit the predicate, and came in all the same.", err=True)


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
