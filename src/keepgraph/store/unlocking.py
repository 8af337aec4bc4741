"""Unlocking: tries the keys that a graph may have until one opens its file, and says why none does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.model import Key, KeySource
from keepgraph.store import files, sqlite_errors

_IF_DAMAGED_HINT = "If it is the right one, the file is damaged: `kg restore` brings a backup back."

T = TypeVar("T")


def candidates(source: KeySource) -> Iterator[Key | None]:
    """The keys to try; only None, which is no key, where nothing says that there is one."""
    if source.expected:
        yield from source.candidates()
    else:
        yield None


def unlock(path: Path, source: KeySource, keys: Iterator[Key | None], open_with: Callable[[Key | None], T]) -> T:
    """What `open_with` returns for the first of some keys that opens the file.

    A file that is still empty is opened by any key: the first one becomes its key. Where no key was expected and the
    file is encrypted, the candidates of `source` are tried after all.

    Raises:
        errors.GraphNotEncrypted, GraphDamaged, GraphUnavailable, KeyWrong: no key opens it.
        errors.KeyMissing: there is no key for an encrypted file.
    """
    tried: list[Key] = []
    while True:
        try:
            key = next(keys)
        except StopIteration:
            break
        except errors.KeyMissing:
            if files.kind(path) is files.Kind.PLAIN:
                break
            raise
        try:
            return open_with(key)
        except sqlite.DatabaseError as error:
            if sqlite_errors.result_code(error) not in sqlite_errors.NOT_A_DATABASE:
                raise
        if key is not None:
            tried.append(key)
        elif files.kind(path) is files.Kind.ENCRYPTED:
            keys = source.candidates()
        else:
            break
    raise _refusal(path, source, tried)


def _refusal(path: Path, source: KeySource, tried: list[Key]) -> errors.KeepgraphError:
    """Why the file cannot be opened, with no key or with any of those that were tried."""
    kind = files.kind(path)
    tried_right_key = any(key.fingerprint == source.fingerprint for key in tried)
    origins = " and ".join(dict.fromkeys(key.origin for key in tried))
    if kind is files.Kind.PLAIN and source.expected:
        return errors.GraphNotEncrypted(f"{path} is not encrypted, and there is a key for it")
    if kind is files.Kind.PLAIN:
        return errors.GraphDamaged(f"{path} begins as a SQLite database and cannot be read as one")
    if tried_right_key or (kind is files.Kind.JUNK and source.fingerprint):
        return errors.GraphDamaged(f"{path} was damaged, cut short or written over: its key does not open it")
    if kind is files.Kind.JUNK:
        return errors.GraphUnavailable(
            f"{path} is neither a plain nor an encrypted database: it is something else, or was cut short",
            hint="Name the graph's own file with --db or KG_DB.",
        )
    hint = None if source.fingerprint else f"{errors.KeyWrong.default_hint} {_IF_DAMAGED_HINT}"
    return errors.KeyWrong(f"{path} is encrypted, and {origins} does not open it", hint=hint)
