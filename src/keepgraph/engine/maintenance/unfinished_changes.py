"""Unfinished changes of the key of a graph: what an interrupted encryption, decryption or rekeying has left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from keepgraph import store
from keepgraph.engine.maintenance import backups
from keepgraph.lazy import dataclass
from keepgraph.model import KeyLocation
from keepgraph.profiles import key_locations, profile, settings_file
from keepgraph.store.files import Kind

ENCRYPT, DECRYPT, REKEY = "encrypt", "decrypt", "rekey"
"""What is being done, as the settings of a graph say while it is."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What was left undone, and the command that finishes it, such as `kg rekey`."""

    message: str
    command: str


def find(graph: Path) -> list[Unfinished]:
    """What interrupted changes of the key have left, seen from outside: the graph is not opened.

    Raises:
        errors.SettingsInvalid: its settings cannot be read.
    """
    location = settings_file.read(graph).key
    is_encrypted = graph.is_file() and store.files.kind(graph) is Kind.ENCRYPTED
    unfinished = [change] if (change := find_change(location, is_encrypted=is_encrypted)) else []
    if is_encrypted and (plain := plain_backups(graph)):
        names = ", ".join(file.name for file in plain)
        unfinished.append(Unfinished(f"the graph is encrypted, and its text can be read in {names}", "kg doctor --fix"))
    return [replace(each, command=each.command.replace("kg", profile.command_prefix(graph), 1)) for each in unfinished]


def find_change(location: KeyLocation | None, *, is_encrypted: bool) -> Unfinished | None:
    """The change that was interrupted, as the settings of the graph tell."""
    match location:
        case None:
            return None
        case KeyLocation(change="rekey"):
            message = "giving the graph another key was interrupted: backups may still have the old one"
            return Unfinished(message, "kg rekey")
        case KeyLocation(change="decrypt") if is_encrypted:
            return Unfinished("decrypting the graph was interrupted: it is still encrypted", "kg decrypt")
        case KeyLocation(change="encrypt") if not is_encrypted:
            return Unfinished("encrypting the graph was interrupted: its text can still be read", "kg encrypt")
        # The file was replaced, and the settings do not say so yet.
        case KeyLocation(encrypted=False) if is_encrypted:
            return Unfinished("encrypting the graph was interrupted before its end", "kg encrypt")
    return None


def plain_backups(graph: Path) -> list[Path]:
    """The backups that are not encrypted."""
    return [file for file in backups.files(graph) if store.files.kind(file) is Kind.PLAIN]


def leftovers(graph: Path, location: KeyLocation | None) -> list[Path]:
    """Unfinished files that can be removed when nobody else has the graph open, since nobody then writes them.

    Half-made backups, which may be plain; and key files that were being written, with the keys in them.

    Args:
        location: where its key is, as its settings say.
    """
    files = backups.unfinished(graph)
    if location is not None:
        named = [Path(location.file)] if location.file else []
        for file in {*named, key_locations.default_file(graph), key_locations.wrapped_file(graph)}:
            files += key_locations.unfinished(file)
    return files
