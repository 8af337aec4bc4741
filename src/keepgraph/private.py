"""Files and folders for their owner alone. Knows nothing of what is in them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write(file: Path, text: str) -> None:
    """Write a file with mode 0600; it appears whole or not at all, and is on disk when this returns."""
    make_folder(file.parent)
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(file.parent)


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, with mode 0700."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
        sync_folder(each.parent)


def sync(file: Path) -> None:
    """See that a file and its name are on disk."""
    number = os.open(file, os.O_RDWR)
    try:
        os.fsync(number)
    finally:
        os.close(number)
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """See that the names in a folder are on disk, where the platform can be told."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
