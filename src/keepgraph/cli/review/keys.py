"""Keys of a review session: from a terminal one by one, else lines that were piped in."""

from __future__ import annotations

import io
import os
import queue
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import click

MAX_WAIT = 10.0
"""So many seconds are waited for a line that is piped in; then the session ends, for there may be nobody."""

_END_KEYS = ("\x03", "\x04", "\x1b")


@dataclass(frozen=True, slots=True)
class Answer:
    """A key, in lower case, and what was given with it on the same line."""

    key: str
    text: str = ""


class Keys:
    """Reads keys; `is_terminal` says whether a person types them."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdin.isatty()
        self._lines = iter(()) if self.is_terminal else _piped_lines()

    def read(self) -> Answer | None:
        """The next key; None at the end."""
        if not self.is_terminal:
            line = next(self._lines, None)
            return None if line is None else Answer(line[:1].lower(), line[1:].strip())
        try:
            key = click.getchar()
        except (KeyboardInterrupt, EOFError):
            return None
        return None if key in _END_KEYS else Answer(key[:1].lower())

    def ask(self, question: str) -> str:
        """What a person types to a question; nothing where there is no terminal."""
        if not self.is_terminal:
            return ""
        return str(click.prompt(f"  {question}", default="", show_default=False, prompt_suffix=" ")).strip()


def _piped_lines() -> Iterator[str]:
    """The lines that are not empty of standard input, until it ends or nothing comes any more."""
    try:
        number = sys.stdin.fileno()
    except (OSError, ValueError, io.UnsupportedOperation):
        yield from (line.strip() for line in sys.stdin if line.strip())
        return
    parts: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # Not sys.stdin itself: its lock would be held at the exit of the program.
    threading.Thread(target=_read_all, args=(number, parts), daemon=True).start()
    rest = b""
    while True:
        try:
            part = parts.get(timeout=MAX_WAIT)
        except queue.Empty:
            click.echo(f"No key came within {MAX_WAIT:.0f} seconds.", err=True)
            part = b""
        *lines, rest = (rest + part).split(b"\n") if part else (rest, b"")
        yield from (text for line in lines if (text := line.decode("utf-8", "replace").strip()))
        if not part:
            return


def _read_all(number: int, parts: queue.SimpleQueue[bytes]) -> None:
    """Read a file until it ends; an empty part says so."""
    part = b"-"
    while part:
        try:
            part = os.read(number, 65536)
        except OSError:
            part = b""
        parts.put(part)
