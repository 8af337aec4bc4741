"""Encrypts a graph, decrypts it, gives it another key, and puts a lost key back.

Each may be interrupted at any point. The key is kept, and read back, before anything is encrypted with it; the settings
say before and after where it is; and the graph itself changes in one step, when a checked copy takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from keepgraph import errors, keys, profile
from keepgraph.engine import backups
from keepgraph.model import Key, KeyPlace
from keepgraph.store import copies, files


@dataclass(slots=True)
class Changed:
    """What became of a graph and its backups.

    Attributes:
        place: where the key is now; None for a graph that is plain now.
        key: the key itself; None for a plain graph.
        tables: how many tables were compared row by row.
        backups: those that were given the same key.
        left: those that were not, with the reason.
    """

    place: KeyPlace | None
    key: Key | None = field(repr=False, default=None)
    tables: int = 0
    backups: list[Path] = field(default_factory=list)
    left: dict[Path, str] = field(default_factory=dict)


def place_for(graph: Path, source: str, *, file: Path | None = None) -> KeyPlace:
    """A place for a new key: one that holds no other key, which it would have to push out.

    Raises:
        errors.InvalidArguments: the file that is named is there already.
    """
    match source:
        case "file":
            if file is not None and file.exists():
                raise errors.InvalidArguments(
                    f"{file} is there already, and a key in it would be lost", hint="Name a file that is not there yet."
                )
            file = file or keys.default_file(graph)
            n = 1
            while file.exists():
                n += 1
                file = file.with_name(f"{graph.stem}-{n}.key")
            return KeyPlace(source, file=str(file))
        case "keyring":
            return KeyPlace(source, account=keys.account(graph, None))
        case "passphrase":
            return KeyPlace(source)
        case _:
            raise errors.InvalidArguments(
                f"a key cannot be kept in {source!r}", hint="Use file, keyring or passphrase."
            )


def begin(graph: Path, place: KeyPlace, *, passphrase: str | None = None) -> Key:
    """Make the key for a graph that is not there yet, keep it, and say so in the settings."""
    made = _new(place)
    place = replace(place, fingerprint=made.fingerprint)
    keys.keep(graph, place, [made], passphrase=passphrase)
    _say(graph, place, encrypted=True)
    return made


def encrypt(graph: Path, place: KeyPlace | None = None, *, passphrase: str | None = None) -> Changed:
    """Encrypt a plain graph and its backups with a new key; go on where an earlier attempt was interrupted.

    Args:
        place: where the key is to be kept; None is where an earlier attempt has kept it, or a file.
        passphrase: for a place that needs one.

    The old file is written over with zeros as well as may be; see docs/security.md for what that is worth.

    Raises:
        errors.GraphBusy: somebody has it open.
        errors.BackupFailed: the encrypted copy is not the same; the graph is as it was.
    """
    begun = profile.read(graph).key
    if begun is not None and begun.encrypted and not _is_plain(graph):
        raise errors.InvalidArguments(f"{graph} is encrypted already", hint="`kg rekey` gives it another key.")
    before = _kept(graph, begun, passphrase) if begun is not None else []
    if begun is not None and before and (place is None or not _is_plain(graph)):
        place, new = begun, next((key for key in before if copies.opens(graph, key)), before[-1])
    else:
        place = place or place_for(graph, "file")
        new = _new(place)
        place = replace(place, fingerprint=new.fingerprint)
        keys.keep(graph, place, [new], passphrase=passphrase)
        _say(graph, place, encrypted=False)
    changed = Changed(place=place, key=new)
    if _is_plain(graph):
        changed.tables = len(copies.rewrite(graph, old=None, new=new, part=files.part(graph)))
    _convert(graph, [None, *before], new, changed)
    _say(graph, place, encrypted=True)
    return changed


def decrypt(graph: Path, key: Key) -> Changed:
    """Make a plain graph of an encrypted one. Its backups and its key stay as they are: they go together."""
    place = profile.read(graph).key
    if place is not None:
        _say(graph, place, encrypted=False)
    changed = Changed(place=None)
    changed.tables = len(copies.rewrite(graph, old=key, new=None, part=files.part(graph)))
    return changed


def rekey(
    graph: Path, old: Key, place: KeyPlace | None, *, older: Sequence[Key] = (), passphrase: str | None = None
) -> Changed:
    """Give an encrypted graph and its backups a new key, kept where the old one is, or at another place.

    Args:
        old: the key that opens it.
        older: keys that backups may still have, from a change that was interrupted.
    """
    now = profile.read(graph).key
    target = place or now
    if target is None or target.source == "environment":
        raise errors.InvalidArguments(
            "the key of this graph comes from outside, so a new one would be lost",
            hint="Say where the new one is to be kept: --key file, keyring or passphrase.",
        )
    new = keys.new()
    keys.keep(graph, target, [old, new], passphrase=passphrase)
    _say(graph, replace(target, fingerprint=None), encrypted=True)
    changed = Changed(place=target, key=new)
    changed.tables = len(copies.rewrite(graph, old=old, new=new, part=files.part(graph)))
    _convert(graph, [old, *older], new, changed)
    left_to_old = [old] if changed.left else []
    keys.keep(graph, target, [new, *left_to_old], passphrase=passphrase)
    changed.place = replace(target, fingerprint=new.fingerprint)
    _say(graph, changed.place, encrypted=True)
    if now is not None and place is not None and not changed.left and not _same(graph, now, place):
        keys.forget(graph, now)
    return changed


def put_back(graph: Path, found: Sequence[Key], place: KeyPlace, *, passphrase: str | None = None) -> Key:
    """Keep a key that was exported, after seeing that it opens the graph.

    Raises:
        errors.KeyWrong: it does not; nothing was changed.
    """
    fitting = [key for key in found if copies.opens(graph, key)]
    if not fitting:
        raise errors.KeyWrong(f"{found[0].origin} does not open {graph}; nothing was changed")
    place = replace(place, fingerprint=fitting[0].fingerprint)
    keys.keep(graph, place, fitting[:1], passphrase=passphrase)
    _say(graph, place, encrypted=True)
    return fitting[0]


def found(graph: Path, *, ask: keys.Ask | None = None) -> tuple[Key, list[Key]]:
    """The key that opens an encrypted graph, and the others that are kept with it.

    Raises:
        errors.GraphNotEncrypted: it is plain.
        errors.KeyMissing, KeyWrong, KeyInvalid: there is no key, or none that opens it.
    """
    if _is_plain(graph):
        raise errors.GraphNotEncrypted(f"{graph} is not encrypted")
    others: list[Key] = []
    for key in keys.source(graph, profile.read(graph).key, ask=ask).candidates():
        if copies.opens(graph, key):
            place = profile.read(graph).key
            if place is not None and place.source == "file" and place.file and Path(place.file).exists():
                others += [other for other in keys.read_file(Path(place.file)) if other.digits != key.digits]
            return key, others
        others.append(key)
    raise errors.KeyWrong(f"{graph} is encrypted, and {others[0].origin} does not open it")


def for_restoring(graph: Path, backup: Path, *, ask: keys.Ask | None = None) -> tuple[Key | None, list[Key]]:
    """The key that a restored graph will have, and all that its backup may have been encrypted with.

    A graph keeps the key it has; of one that is lost or damaged, its settings or the backup tell what that was.
    """
    place = profile.read(graph).key
    there = files.kind(graph) if graph.exists() else files.Kind.EMPTY
    plain = there is files.Kind.PLAIN or (there is not files.Kind.ENCRYPTED and copies.opens(backup, None))
    if plain and not (place is not None and place.encrypted):
        known = [] if copies.opens(backup, None) else list(keys.source(graph, place, ask=ask).candidates())
        return None, known
    known = list(keys.source(graph, place, ask=ask).candidates())
    fitting = [
        *(key for key in known if there is files.Kind.ENCRYPTED and copies.opens(graph, key)),
        *(key for key in known if place is not None and key.fingerprint == place.fingerprint),
        *(key for key in known if copies.opens(backup, key)),
        *known,
    ]
    return fitting[0], known


def delete(graph: Path, *, forever: bool) -> None:
    """Delete a graph and its settings; with `forever` its backups and its key as well.

    Raises:
        errors.GraphBusy: somebody has it open.
    """
    import shutil

    place = profile.read(graph).key
    with files.exclusively(graph, patience=copies.PATIENCE_SECONDS):
        for beside in (files.part(graph), graph):
            files.remove_wiped(beside)
        if forever:
            shutil.rmtree(backups.folder(graph), ignore_errors=True)
            if place is not None:
                keys.forget(graph, place)
        profile.settings_path(graph).unlink(missing_ok=True)


def folder_of_backups(graph: Path) -> Path:
    return backups.folder(graph)


def _convert(graph: Path, old: Sequence[Key | None], new: Key, changed: Changed) -> None:
    for file, problem in backups.convert(graph, old=old, new=new):
        if problem is None:
            changed.backups.append(file)
        else:
            changed.left[file] = problem


def _new(place: KeyPlace) -> Key:
    """A random key; or the one in the environment, where that is to be the place."""
    given = keys.in_environment() if place.source == "environment" else None
    return given or keys.new()


def _kept(graph: Path, place: KeyPlace, passphrase: str | None) -> list[Key]:
    """The keys that an interrupted attempt, or a graph that was decrypted, has left at a place."""
    ask = (lambda _: passphrase or "") if passphrase is not None else None
    try:
        return list(keys.source(graph, place, ask=ask).candidates())
    except errors.KeyMissing:
        return []


def _say(graph: Path, place: KeyPlace, *, encrypted: bool) -> None:
    profile.change(
        graph,
        {
            ("key", "source"): place.source,
            ("key", "file"): place.file,
            ("key", "account"): place.account,
            ("key", "encrypted"): encrypted,
            ("key", "fingerprint"): place.fingerprint,
        },
    )


def _same(graph: Path, one: KeyPlace, other: KeyPlace) -> bool:
    return (one.source, one.file, one.account) == (other.source, other.file, other.account)


def _is_plain(graph: Path) -> bool:
    return copies.opens(graph, None)
