"""The file of an export: written under another name first, so that it appears complete or not at all."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from keepgraph import errors


@contextmanager
def open_for_writing(file: str, *, graph: Path, beginning: str = '{"') -> Iterator[IO[str]]:
    """Open a file for an export, readable by its owner alone; "-" is standard output.

    Args:
        beginning: how an export of this kind begins; a file that begins otherwise is not overwritten.

    Raises:
        errors.InvalidArguments: it is a file of the graph itself, or a file that is not an export.
    """
    target = Path(file).resolve()
    if file == "-" or (target.exists() and not target.is_file()):
        with click.open_file(file, "w", encoding="utf-8") as out:
            yield out
        return
    if target in [Path(f"{graph}{suffix}") for suffix in ("", "-wal", "-shm")]:
        raise errors.InvalidArguments(f"{file} is the graph itself", hint="Name another file to export to.")
    if target.exists() and target.stat().st_size and not _begins_with(target, beginning):
        raise errors.InvalidArguments(
            f"{file} is there already, and is no export", hint="Name another file; what is in this one would be lost."
        )
    for abandoned in target.parent.glob(f"{glob.escape(target.name)}.*.part"):
        abandoned.unlink(missing_ok=True)  # of an export that was killed
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _begins_with(file: Path, beginning: str) -> bool:
    expected = beginning.encode()
    with file.open("rb") as stream:
        return stream.read(len(expected)) == expected
