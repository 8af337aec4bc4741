"""Key files: keys as lines of digits, in a file that only its owner can read."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from keepgraph import errors, permissions
from keepgraph.model import Key
from keepgraph.profiles import keys

_GROUP_AND_OTHERS = 0o077


def read(file: Path) -> list[Key]:
    """The keys in a key file; lines that begin with # are comments.

    Raises:
        errors.KeyMissing: there is no such file.
        errors.KeyInvalid: its mode lets others read it, or it has no key in it.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError as error:
        raise errors.KeyMissing(f"there is no key file {file}") from error
    except OSError as error:
        raise errors.KeyInvalid(f"the key file {file} cannot be read: {error.strerror}") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise errors.KeyInvalid(f"the key file {file} is not a file")
    with os.fdopen(descriptor, "rb") as key_file:
        if os.name == "posix" and status.st_mode & _GROUP_AND_OTHERS:
            raise errors.KeyInvalid(
                f"the key file {file} can be read by others (mode {stat.S_IMODE(status.st_mode):04o})",
                hint=f"chmod 600 {file}; and if somebody may have read it, give the graph a new key with `kg rekey`.",
            )
        return keys.parse(key_file.read(keys.MAX_FILE_BYTES), f"the key file {file}")


def write(file: Path, written: Sequence[Key], *, about: str) -> None:
    """Write keys to a file that only its owner can read, with a comment on what they open."""
    comment = "".join(character if character.isprintable() else "?" for character in about)
    lines = [
        f"# {comment}",
        "# Whoever has it can read the graph; without it nobody can.",
        *(key.digits for key in written),
    ]
    permissions.write(file, "\n".join(lines) + "\n")
