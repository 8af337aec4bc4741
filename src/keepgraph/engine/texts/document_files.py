"""Files of documents: which paths may be ingested, how a path is written as a source, reading and decoding of files."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from keepgraph import errors, lazy, permissions
from keepgraph.command_arguments import quoted

MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdx")
SUFFIXES = (*MARKDOWN_SUFFIXES, ".txt")
MAX_BYTES = 10_000_000
"""A larger file is refused."""

_PAGES_LOOKED_AT = 20
_REVISION = lazy.compile(r"^revision: [0-9a-f]{8}-[0-9a-f]{8}$", re.M)
_ESCAPED_BYTE = re.compile(r"\\x([0-9a-f]{2})")
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def is_document(name: str) -> bool:
    """Whether a file of this name is a document: Markdown or plain text, and not hidden."""
    return name.lower().endswith(SUFFIXES) and not name.startswith(".")


def allowed_path(argument: str, *, roots: Sequence[str]) -> Path:
    """The file or folder that a tool call means, if it lies in one of these folders.

    A path without root is looked for in each of them.

    Raises:
        errors.PathNotAllowed: it does not, or there are no folders. It does not say whether the path exists.
    """
    if not roots:
        raise errors.PathNotAllowed("no folder is allowed for ingestion by a tool")
    path = permissions.expanded(argument)
    real_roots = [Path(os.path.realpath(root)) for root in roots]
    candidates = [path] if path.is_absolute() else [root / path for root in real_roots]
    real_paths = [Path(os.path.realpath(candidate)) for candidate in candidates]
    allowed = [real_path for real_path in real_paths if _is_within(real_path, real_roots)]
    if not allowed:
        raise errors.PathNotAllowed(f"{display_path(path)} is not in a folder that is allowed for ingestion")
    return next((real_path for real_path in allowed if os.path.lexists(real_path)), allowed[0])


def display_path(path: str | os.PathLike[str]) -> str:
    """A path as text: bytes of a name that are not UTF-8 as \\xNN, and a name that contains \\xNN itself as \\x5cxNN.

    That is the source of a document; no two files have the same.
    """
    escaped = _ESCAPED_BYTE.sub(lambda match: "\\x5c" + match[0][1:], os.fspath(path))
    return escaped.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def file_is_gone(source: str, *, found: str | None = None) -> bool:
    """Whether the file of a document no longer exists.

    Args:
        source: the source of the document.
        found: the source of a file that was found; the old one is also gone if it is the same file under another name.
    """
    path = _existing_path(source)
    return path is None or (found is not None and _is_same_file(path, _existing_path(found)))


def read_file(file: Path, root: Path) -> tuple[bytes, float]:
    """The content of a regular file within a folder, and when it was changed, as a POSIX timestamp.

    Raises:
        errors.DocumentUnreadable: it cannot be read, is too large or no regular file, or a link leads out of
            the folder.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(file, flags)
        with os.fdopen(descriptor, "rb") as opened:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise errors.DocumentUnreadable(f"{display_path(file)} is not a regular file")
            if not _is_within(Path(os.path.realpath(file)), [root]):
                # Between the walk and the opening, a folder may have become a link.
                raise errors.DocumentUnreadable(f"{display_path(file)} leads out of {display_path(root)}")
            content = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from error
    if len(content) > MAX_BYTES:
        raise errors.DocumentUnreadable(f"{display_path(file)} has more than {MAX_BYTES // 1_000_000} MB")
    return content, status.st_mtime


def decode(content: bytes, name: str) -> tuple[str, bool]:
    """The text of a file, and whether some of it had to be replaced: UTF-8, or UTF-16 with a byte order mark.

    Raises:
        errors.DocumentUnreadable: it is not text.
    """
    mark, encoding = next(
        ((mark, encoding) for mark, encoding in _BYTE_ORDER_MARKS if content.startswith(mark)), (b"", "utf-8")
    )
    content = content[len(mark) :]
    try:
        text, is_replaced = content.decode(encoding), False
    except UnicodeDecodeError:
        text, is_replaced = content.decode(encoding, "replace"), True
    if "\0" in text:
        raise errors.DocumentUnreadable(f"{name} is not text")
    return text, is_replaced


def is_export(folder: Path) -> bool:
    """Whether `kg export --vault` wrote a folder; as notes, its facts would be mentions and its tasks open."""
    pages = islice(folder.glob("*/*.md"), _PAGES_LOOKED_AT) if (folder / "index.md").is_file() else ()
    return any(_REVISION.search(page.read_text(encoding="utf-8", errors="replace")) for page in pages)


def refuse_export(folder: Path) -> None:
    """Refuse the pages of an exported graph.

    Raises:
        errors.DocumentUnreadable: the folder has such pages.
    """
    if is_export(folder):
        shown = display_path(folder)
        raise errors.DocumentUnreadable(
            f"{shown} holds pages of an exported graph, not notes",
            hint=f"Import them, with your edits: kg import {quoted(shown)}",
        )


def unreadable(path: Path, error: OSError | ValueError) -> errors.DocumentUnreadable:
    """The error for a file or folder that the operating system does not let us read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "this is not a path"
    return errors.DocumentUnreadable(f"{display_path(path)} cannot be read: {reason}")


def _is_within(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _existing_path(source: str) -> str | None:
    """The path of a source; None only if nothing is certainly there."""
    path = _ESCAPED_BYTE.sub(lambda match: os.fsdecode(bytes([int(match[1], 16)])), source)
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError:
        pass  # it may be there, in a folder that we may not look into
    return path


def _is_same_file(path: str, other: str | None) -> bool:
    """Whether two names are of one file, as on disks that do not distinguish upper and lower case."""
    return other is not None and path.casefold() == other.casefold() and os.path.samefile(path, other)
