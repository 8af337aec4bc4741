"""Progress and refusals of an import, for lines of Keepgraph and for files of other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import click

from keepgraph import errors
from keepgraph.cli.output import terminal
from keepgraph.engine.exchange import import_state
from keepgraph.engine.exchange.import_state import EndsWarning


def refuse(report: dict[str, Any], kind: str, position: int, error: errors.KeepgraphError, *, note: str = "") -> None:
    """Add a refusal to the report; `kind` is the unit of the position: "line" or "conversation"."""
    report["refused_total"] += 1
    if len(report["refused"]) < import_state.MAX_REFUSALS:
        answer = {kind: position, "error": error.code, "message": error.message.rstrip(".") + note}
        if error.hint and error.hint != error.default_hint:
            answer["hint"] = error.hint
        report["refused"].append(answer)


def is_hopeless(report: Mapping[str, Any]) -> bool:
    """Whether a thousand were refused and nothing was accepted: the format is wrong."""
    accepted = ("added", "merged", "updated", "waiting", "kept_as_text")
    return report["refused_total"] >= import_state.HOPELESS_AFTER and not any(report.get(name) for name in accepted)


def show_refusals(report: Mapping[str, Any], kind: str) -> None:
    """Show what was refused, with its position in the file and the reason."""
    for refused in report["refused"]:
        reason = f"{kind} {refused[kind]}: {terminal.printable(refused['message'])} ({refused['error']})"
        click.secho(reason, fg="red", err=True)
        if hint := refused.get("hint"):
            click.echo(f"        {terminal.printable(terminal.with_commands(hint))}", err=True)
    if (more := report["refused_total"] - len(report["refused"])) > 0:
        click.echo(f"… and {more:,} more", err=True)
    if is_hopeless(report):
        click.echo(
            "Stopped there: nothing was accepted. Check the format of the file, or set it with --format.", err=True
        )


def warning(kind: str, position: int, warning: EndsWarning) -> dict[str, Any]:
    """A warning for the report; `kind` as for a refusal."""
    return {kind: position, "predicate": warning.predicate, "message": warning.message}


def show_warnings(warnings: list[dict[str, Any]], kind: str) -> None:
    """Show how many facts do not fit their predicates, with the first for each predicate."""
    by_predicate: dict[str, list[dict[str, Any]]] = {}
    for given in warnings:
        by_predicate.setdefault(given["predicate"], []).append(given)
    for alike in list(by_predicate.values())[: import_state.MAX_REFUSALS]:
        first = alike[0]
        more = f", and {len(alike) - 1:,} more like it" if len(alike) > 1 else ""
        click.secho(f"{kind} {first[kind]}: {terminal.printable(first['message'])}{more}", fg="yellow", err=True)
    if warnings:
        count = "1 fact does" if len(warnings) == 1 else f"{len(warnings):,} facts do"
        click.echo(f"{count} not fit the predicate, and were imported anyway.", err=True)


class ReadProgress:
    """A progress bar that follows the position in a file; silent without a terminal."""

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
