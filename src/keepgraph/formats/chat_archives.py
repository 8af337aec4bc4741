"""Files of chat exports: a JSON array of conversations, or a zip file with such arrays, read within limits."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import IO, Any

from keepgraph import errors
from keepgraph.formats import json_arrays, text_streams

MAX_UNPACKED_BYTES = 8_000_000_000
"""Bytes of all conversations of a zip file when unpacked, at most."""

_MAX_COMPRESSION_RATIO = 200
_MIN_CHECKED_BYTES = 100_000_000
"""A member that unpacks to more than these bytes and to more than this multiple of its packed size is a zip bomb."""

_MEMBER_NAME = re.compile(r"(?:[^/]+/)*conversations(?:[-_]\d+)?\.json")
_ZIP_SIGNATURE = b"PK\x03\x04"


def is_zip(start: bytes) -> bool:
    return start.startswith(_ZIP_SIGNATURE)


@contextmanager
def open_conversations(file: IO[bytes]) -> Iterator[Iterator[json_arrays.Element]]:
    """The conversations of a file in order, numbered through all members of a zip file.

    Raises:
        errors.InvalidArguments: a zip file that is damaged, encrypted, unpacks to too much, or has no conversations.
    """
    file.seek(0)
    if not is_zip(file.read(4)):
        with text_streams.open_text(file) as source:
            yield json_arrays.read_elements(source)
        return
    with _translate_zip_errors():
        archive = zipfile.ZipFile(file)
    with archive, closing(_zip_elements(archive)) as elements:
        yield elements


@contextmanager
def _translate_zip_errors() -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise errors.InvalidArguments(f"the zip file is damaged: {error}", hint="Download it once more.") from error
    except (RuntimeError, NotImplementedError) as error:
        raise errors.InvalidArguments(
            f"the zip file cannot be opened: {error}", hint="Unpack it, and import its conversations.json."
        ) from error


def _zip_elements(archive: zipfile.ZipFile) -> Generator[json_arrays.Element, None, None]:
    members = sorted(
        (entry for entry in archive.infolist() if _MEMBER_NAME.fullmatch(entry.filename)), key=_member_order
    )
    if not members:
        raise errors.InvalidArguments(
            "there is no conversations.json in the zip file", hint="Claude and ChatGPT send one by mail."
        )
    number = unpacked_bytes = 0
    with _translate_zip_errors():
        for member in members:
            with archive.open(member) as stream:
                limited = _LimitedReader(stream, bytes_before=unpacked_bytes, packed_bytes=member.compress_size)
                with text_streams.open_text(io.BufferedReader(limited)) as source:
                    before = number
                    for element in json_arrays.read_elements(source):
                        number = before + element.number
                        yield element._replace(number=number)
                unpacked_bytes = limited.unpacked_bytes


def _member_order(member: zipfile.ZipInfo) -> tuple[str, int]:
    """By folder, then by number: conversations.json, conversations-2.json, conversations-10.json."""
    numbers = re.findall(r"\d+", member.filename.rsplit("/", 1)[-1])
    return member.filename.rsplit("/", 1)[0], int(numbers[0]) if numbers else -1


class _LimitedReader(io.RawIOBase):
    """Reads a member of a zip file, and refuses to unpack more of it than is allowed."""

    def __init__(self, stream: IO[bytes], *, bytes_before: int, packed_bytes: int) -> None:
        self._stream, self._bytes_before, self._packed_bytes = stream, bytes_before, packed_bytes
        self.unpacked_bytes = bytes_before

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """
        Raises:
            errors.InvalidArguments: it unpacks to too much, or was compressed more than conversations can be.
        """
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.unpacked_bytes += len(data)
        member_bytes = self.unpacked_bytes - self._bytes_before
        max_member_bytes = max(_MIN_CHECKED_BYTES, self._packed_bytes * _MAX_COMPRESSION_RATIO)
        if self.unpacked_bytes > MAX_UNPACKED_BYTES or member_bytes > max_member_bytes:
            raise errors.InvalidArguments(
                "the zip file unpacks to more than conversations can be",
                hint="If it is what the service sent you, unpack it, and import its conversations.json.",
            )
        return len(data)
