"""Encrypts a graph, decrypts it, gives it another key, and puts a lost key back.

Each may be interrupted at any point. The key is kept, and read back, before anything is encrypted with it; the settings
say before and after where it is; and the graph itself changes in one step, when a checked copy takes its place. From
the first step to the last, nobody else may have the graph open.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from keepgraph import errors, store
from keepgraph.engine.upkeep import backups
from keepgraph.model import Key, KeyPlace
from keepgraph.profiles import keys, profile


@dataclass(slots=True)
class Changed:
    """What became of a graph and its backups.

    Attributes:
        place: where the key is now; None for a graph that is plain now.
        key: the key itself; None for a plain graph.
        tables: how many tables were compared row by row.
        backups: those that were given the same key.
        left: what was not done, with the reason: backups by their file, an old key by its place.
    """

    place: KeyPlace | None
    key: Key | None = field(repr=False, default=None)
    tables: int = 0
    backups: list[Path] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)


def place_for(graph: Path, source: str, *, file: Path | None = None) -> KeyPlace:
    """A place for a new key: one that holds no other key, which it would have to push out.

    Raises:
        errors.InvalidArguments: the file that is named is there already.
    """
    match source:
        case "file":
            if file is not None and file.exists() and not _has_key_of(graph, file):
                raise errors.InvalidArguments(
                    f"{file} is there already, and a key in it would be lost", hint="Name a file that is not there yet."
                )
            return KeyPlace(source, file=str(file or _free(keys.default_file(graph))))
        case "keyring":
            return KeyPlace(source, account=_free_account(keys.account(graph, None)))
        case "passphrase":
            return KeyPlace(source, file=str(_free(keys.wrapped_file(graph))))
        case _:
            raise errors.InvalidArguments(
                f"a key cannot be kept in {source!r}", hint="Use file, keyring or passphrase."
            )


def begin(graph: Path, place: KeyPlace, *, passphrase: str | None = None) -> Key:
    """Make the key for a graph that is not there yet, keep it, and write the settings that say where."""
    made = _new(place)
    place = replace(place, fingerprint=made.fingerprint)
    keys.keep(graph, place, [made], passphrase=passphrase)
    _say(graph, place, encrypted=True)
    return made


def encrypt(
    graph: Path, place: KeyPlace | None = None, *, passphrase: str | None = None, ask: keys.Ask | None = None
) -> Changed:
    """Encrypt a plain graph and its backups with a new key; go on where an earlier attempt was interrupted.

    The old file is written over with zeros as well as may be; see docs/security.md for what that is worth.

    Args:
        place: where the key is to be kept; None is where an earlier attempt has kept it, or a file.
        passphrase: for a place that needs one.
        ask: asks for the passphrase of an earlier attempt, or of a graph that was decrypted.

    Raises:
        errors.InvalidArguments: it is encrypted already.
        errors.GraphBusy: somebody has it open.
        errors.BackupFailed: the encrypted copy is not the same; the graph is as it was.
    """
    with store.files.exclusively(graph, patience=store.copies.PATIENCE_SECONDS):
        begun = profile.read(graph).key
        plain = store.files.kind(graph) is store.files.Kind.PLAIN
        # A passphrase that was given up is asked for only where something still needs it.
        known = _kept(graph, begun, ask) if place is None or not plain or backups.locked(graph) else []
        if plain and (begun is None or not known or place is not None):
            place = place or (begun if begun is not None and _is_free(begun) else place_for(graph, "file"))
            new = _new(place)
            place = replace(place, fingerprint=new.fingerprint)
            # The graph is still plain: whatever the settings say of its key does no harm yet.
            _say(graph, place, encrypted=False)
            keys.keep(graph, place, [*known, new], passphrase=passphrase)
            kept_with = known
        else:
            fitting = [key for key in known if plain or store.copies.opens(graph, key)]
            if begun is None or not fitting or (begun.encrypted and not plain):
                raise errors.InvalidArguments(
                    f"{graph} is not a plain graph: it is encrypted already, or something else",
                    hint=f"`{profile.naming(graph)} doctor` tells what it is; `rekey` gives it another key.",
                )
            place, new, kept_with = begun, fitting[-1], []
        changed = Changed(place=place, key=new)
        store.files.remove_wiped(store.files.history(graph))
        if plain:
            changed.tables = len(store.copies.rewrite(graph, old=None, new=new, part=store.files.part(graph)))
        _convert(graph, [None, *known], new, changed)
        if kept_with and not changed.left:
            keys.keep(graph, place, [new], passphrase=passphrase)
        _say(graph, replace(place, fingerprint=new.fingerprint), encrypted=True)
    return changed


def decrypt(graph: Path, key: Key) -> Changed:
    """Make a plain graph of an encrypted one. Its backups and its key stay as they are: they go together."""
    with store.files.exclusively(graph, patience=store.copies.PATIENCE_SECONDS):
        place = profile.read(graph).key
        if place is not None:
            _say(graph, place, encrypted=False)
        changed = Changed(place=None)
        try:
            changed.tables = len(store.copies.rewrite(graph, old=key, new=None, part=store.files.part(graph)))
        except (errors.KeepgraphError, OSError):
            if place is not None:
                _say(graph, place, encrypted=True)
            raise
    return changed


def rekey(
    graph: Path, old: Key, place: KeyPlace | None, *, older: Sequence[Key] = (), passphrase: str | None = None
) -> Changed:
    """Give an encrypted graph and its backups a new key, kept where the old one is, or at another place.

    Args:
        old: the key that opens it.
        older: keys that backups may still have, from a change that was interrupted.
    """
    with store.files.exclusively(graph, patience=store.copies.PATIENCE_SECONDS):
        now = profile.read(graph).key
        target = place or now
        if target is None or target.source == "environment" or (place is None and keys.in_environment() is not None):
            raise errors.InvalidArguments(
                "the key of this graph comes from the environment, where a new one cannot be kept",
                hint="Unset KG_KEY and KG_KEY_FILE, or say where it is to be kept: --key file, keyring or passphrase.",
            )
        if now is not None and place is not None:
            target = replace(target, former=now.former or f"{now.source}:{now.file or now.account or ''}")
        elif now is not None:
            target = replace(target, former=now.former)
        new, before = keys.new(), _unique([old, *older])
        keys.keep(graph, target, [*before, new], passphrase=passphrase)
        _say(graph, replace(target, fingerprint=None), encrypted=True)
        changed = Changed(place=target, key=new)
        changed.tables = len(store.copies.rewrite(graph, old=old, new=new, part=store.files.part(graph)))
        _convert(graph, [*before, None], new, changed)
        keys.keep(graph, target, [new, *(before if changed.left else [])], passphrase=passphrase)
        target = replace(target, fingerprint=new.fingerprint)
        _say(graph, target, encrypted=True)
        if target.former and not changed.left:
            target = _forget_former(graph, target, changed)
        changed.place = target
    return changed


def put_back(graph: Path, found: Sequence[Key], place: KeyPlace, *, passphrase: str | None = None) -> Key:
    """Keep a key that was exported, after seeing that it opens the graph.

    Raises:
        errors.KeyWrong: it does not; nothing was changed.
    """
    fitting = [key for key in found if store.copies.opens(graph, key)]
    if not fitting:
        raise errors.KeyWrong(f"{found[0].origin} does not open {graph}; nothing was changed")
    place = replace(place, fingerprint=fitting[0].fingerprint)
    # Others that are there, or come with it, are those of older backups.
    kept = _unique([fitting[0], *found, *_at(graph, place)])
    keys.keep(graph, place, kept, passphrase=passphrase)
    _say(graph, place, encrypted=True)
    return fitting[0]


def found(graph: Path, *, ask: keys.Ask | None = None) -> tuple[Key, list[Key]]:
    """The key that opens an encrypted graph, and the others that are kept with it.

    Raises:
        errors.GraphNotEncrypted: it is plain.
        errors.GraphUnavailable: it is neither plain nor encrypted.
        errors.KeyMissing, KeyWrong, KeyInvalid: there is no key, or none that opens it.
    """
    kind = store.files.kind(graph)
    if kind is store.files.Kind.PLAIN:
        raise errors.GraphNotEncrypted(f"{graph} is not encrypted")
    if kind is not store.files.Kind.ENCRYPTED:
        raise errors.GraphUnavailable(f"{graph} is neither a plain nor an encrypted graph, or was cut short")
    known: list[Key] = []
    candidates = keys.source(graph, profile.read(graph).key, ask=ask).candidates()
    fitting: Key | None = None
    for key in candidates:
        # Those behind it at the same place are of a change that was interrupted.
        if fitting is not None and key.origin != fitting.origin:
            break
        known.append(key)
        if fitting is None and store.copies.opens(graph, key):
            fitting = key
    if fitting is not None:
        return fitting, [other for other in _unique(known) if other.digits != fitting.digits]
    raise errors.KeyWrong(f"{graph} is encrypted, and {known[0].origin} does not open it")


def for_restoring(graph: Path, backup: Path, *, ask: keys.Ask | None = None) -> tuple[Key | None, list[Key]]:
    """The key that a restored graph will have, and all that its backup may have been encrypted with.

    A graph keeps the key it has. Of one that is lost or damaged, its settings or the backup tell what that was. A key
    from the environment may be that of the backup alone.
    """
    place = profile.read(graph).key
    there = store.files.kind(graph) if graph.exists() else store.files.Kind.EMPTY
    kept_encrypted = store.files.kind(backup) is store.files.Kind.ENCRYPTED
    was_encrypted = there is store.files.Kind.ENCRYPTED or (there is not store.files.Kind.PLAIN and kept_encrypted)
    if not was_encrypted and not kept_encrypted and not (place is not None and place.encrypted):
        return None, []
    own = list(_tried(graph, place, ask, outside=False))
    known = _unique([*own, *_tried(graph, place, None, outside=True)])
    if not known and place is None and there is store.files.Kind.PLAIN:
        raise errors.BackupFailed(
            f"{backup} is encrypted with a key that is not here, or is damaged",
            hint="Name the file with its key in KG_KEY_FILE, or restore another backup.",
        )
    if not known:
        next(keys.source(graph, place, ask=ask).candidates())  # tells where they were looked for
    if not was_encrypted and not (place is not None and place.encrypted):
        return None, known
    fitting = [
        *(key for key in known if there is store.files.Kind.ENCRYPTED and store.copies.opens(graph, key)),
        *(key for key in known if place is not None and key.fingerprint == place.fingerprint),
        *own,
        *(key for key in known if store.copies.opens(backup, key)),
        *known,
    ]
    return fitting[0], known


def delete(graph: Path, *, forever: bool) -> str | None:
    """Delete a graph and its settings; with `forever` its backups and its key as well.

    Returns:
        What could not be deleted, in words.

    Raises:
        errors.GraphBusy: somebody has it open.
    """
    import shutil

    problem = None
    with store.files.exclusively(graph, patience=store.copies.PATIENCE_SECONDS):
        place = None
        with suppress(errors.SettingsInvalid):
            place = profile.read(graph).key
        for beside in (store.files.part(graph), store.files.history(graph), graph):
            store.files.remove_wiped(beside)
        if forever:
            shutil.rmtree(backups.folder(graph), ignore_errors=True)
            try:
                if place is not None:
                    keys.forget(graph, place)
            except errors.KeyMissing as error:
                problem = error.message
        profile.settings_path(graph).unlink(missing_ok=True)
    return problem


def _convert(graph: Path, old: Sequence[Key | None], new: Key, changed: Changed) -> None:
    for file, problem in backups.convert(graph, old=old, new=new):
        if problem is None:
            changed.backups.append(file)
        else:
            changed.left[str(file)] = problem


def _kept(graph: Path, place: KeyPlace | None, ask: keys.Ask | None) -> list[Key]:
    """The keys that an interrupted attempt, or a graph that was decrypted, has left at a place."""
    return list(_tried(graph, place, ask, outside=True)) if place is not None else []


def _tried(graph: Path, place: KeyPlace | None, ask: keys.Ask | None, *, outside: bool) -> Iterator[Key]:
    """The keys of a graph, none where there are none; those in the environment too where `outside` is asked as well."""
    if not outside and not (place is not None and place.source == "environment"):
        source = keys.source(graph, place, ask=ask, environment={})
    else:
        source = keys.source(graph, place, ask=ask)
    with suppress(errors.KeyMissing):
        yield from source.candidates()


def _at(graph: Path, place: KeyPlace) -> list[Key]:
    """The keys at a place, as far as they can be had without asking."""
    with suppress(errors.KeepgraphError):
        if place.source == "file" and place.file:
            return keys.read_file(Path(place.file))
        if place.source == "keyring":
            return keys.read_keyring(keys.account(graph, place))
    return []


def _new(place: KeyPlace) -> Key:
    """A random key; or the one in the environment, where that is to be the place."""
    given = keys.in_environment() if place.source == "environment" else None
    return given or keys.new()


def _forget_former(graph: Path, place: KeyPlace, changed: Changed) -> KeyPlace:
    """Take the old key away from where it was, now that nothing has it any more."""
    source, _, where = (place.former or "").partition(":")
    kept_in_file = source in ("file", "passphrase")
    former = KeyPlace(source, file=where or None if kept_in_file else None, account=None if kept_in_file else where)
    try:
        if (former.source, former.file, former.account) != (place.source, place.file, place.account):
            keys.forget(graph, former)
    except errors.KeyMissing as error:
        changed.left["the old key"] = error.message
    place = replace(place, former=None)
    _say(graph, place, encrypted=True)
    return place


def _say(graph: Path, place: KeyPlace, *, encrypted: bool) -> None:
    profile.change(
        graph,
        {
            ("key", "source"): place.source,
            ("key", "file"): place.file,
            ("key", "account"): place.account,
            ("key", "encrypted"): encrypted,
            ("key", "fingerprint"): place.fingerprint,
            ("key", "former"): place.former,
        },
    )


def _has_key_of(graph: Path, file: Path) -> bool:
    """Whether a key file has a key of this graph: an attempt that was interrupted has made it."""
    try:
        return graph.exists() and any(store.copies.opens(graph, key) for key in keys.read_file(file))
    except errors.KeepgraphError:
        return False


def _is_free(place: KeyPlace) -> bool:
    """Whether an attempt that was interrupted has named this place, and kept nothing there yet."""
    return place.source == "file" and place.file is not None and not Path(place.file).exists()


def _free(file: Path) -> Path:
    """A file of this name, or with a number in it, that is not there yet."""
    names = (file if n == 1 else file.with_name(f"{file.stem}-{n}{file.suffix}") for n in itertools.count(1))
    return next(name for name in names if not name.exists())


def _free_account(name: str) -> str:
    """An account of this name, or with a number after it, under which the keyring has nothing yet."""
    for n in itertools.count(1):
        account = name if n == 1 else f"{name}-{n}"
        try:
            keys.read_keyring(account)
        except errors.KeyMissing:
            return account
    raise AssertionError


def _unique(known: Sequence[Key]) -> list[Key]:
    return list({key.digits: key for key in known}.values())
