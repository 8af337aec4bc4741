"""What must be true of a graph that can be opened, and what may be made anew where it is not. Shows no stored text.

What is made from something else is made anew only where that is sure to be sound. A name is kept in several forms, and
in the sentences of its facts; where they speak against the name itself, it may be the name that is damaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache

from keepgraph import errors, store
from keepgraph.engine import backfill, knowledge
from keepgraph.engine.upkeep import calls
from keepgraph.language import canonical, normalisation
from keepgraph.model import Entity, Fact
from keepgraph.store.database import Database, Tx
from keepgraph.temporal import timestamps

FIX = "kg doctor --fix"
RESTORE = "kg restore"

_SHOWN = 3
_CLOCK_MAY_DIFFER = timedelta(days=1)


class State(StrEnum):
    """How a check went: all is well; worth knowing; something has to be done."""

    OK = "ok"
    NOTE = "note"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what was seen, in words, and the command or the act that mends it."""

    name: str
    state: State
    seen: str
    mend: str | None = None


@dataclass(slots=True)
class Faults:
    """What can be made anew from what is sound: whole indexes, and by their rows the forms of names and sentences.

    Attributes:
        vectors: whether some have to be made again.
        damaged: whether something is wrong that nothing can be made from; then nothing should be touched.
    """

    indexes: list[str] = field(default_factory=list)
    forms: list[tuple[str, int]] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    vectors: bool = False
    damaged: bool = False

    def __bool__(self) -> bool:
        return bool(self.indexes or self.forms or self.sentences or self.vectors)


def tables(database: Database) -> tuple[list[Check], Faults]:
    """Look at everything in a graph that is open. Nothing is changed, and others may go on writing."""
    faults = Faults()
    looks: dict[str, Callable[[Tx, Faults], Iterator[Check]]] = {
        "version": _version,
        "integrity": lambda tx, faults: _integrity(tx, faults, keyed=database.key is not None),
        "indexes": _indexes,
        "vectors": _vectors,
        "texts": _texts,
        "vocabulary": _vocabulary,
        "times": _times,
        "pending": _pending,
    }
    found: list[Check] = []
    for name, look in looks.items():
        try:
            with database.read("doctor") as tx:
                found += look(tx, faults)
        except errors.KeepgraphError as error:
            way_out = _way_out(error)
            faults.damaged |= way_out == RESTORE
            found.append(Check(name, State.WRONG, error.message, way_out))
        except UnicodeDecodeError:
            # What SQLite says is wrong has bytes in it that are no text.
            faults.damaged = True
            found.append(Check(name, State.WRONG, "it cannot be read to the end", RESTORE))
    if faults.damaged:
        found = [replace(check, mend=RESTORE) if check.mend == FIX else check for check in found]
    return found, faults


def born(database: Database) -> datetime | None:
    """When a graph was made, where that can be told."""
    try:
        with database.read("doctor") as tx:
            stamp = store.integrity.born(tx)
            return timestamps.instant(stamp) if stamp is not None else None
    except (errors.KeepgraphError, ValueError):
        return None


def mend(tx: Tx, faults: Faults) -> list[str]:
    """Make anew what can be, and say what was done."""
    done = []
    # First, for what follows changes them row by row.
    for index in faults.indexes:
        store.integrity.remake(tx, index)
        done.append(f"made the index {index} anew")
    if faults.forms or faults.sentences:
        tx = calls.begin(tx)
    for table, row in faults.forms:
        name = store.integrity.name(tx, table, row)
        if name is not None:
            store.integrity.set_forms(tx, table, row, key=normalisation.key(name), folded=normalisation.compared(name))
    if faults.forms:
        done.append(f"made the forms for comparing of {_counted(len(faults.forms), 'name')} anew")
    for fact in faults.sentences:
        if found := store.integrity.sentence(tx, fact):
            store.integrity.set_text(tx, fact, _sentence(*found[4:]))
    if faults.sentences:
        done.append(f"made the sentences of {_counted(len(faults.sentences), 'fact')} anew")
    if faults.vectors:
        store.integrity.requeue_wrong_vectors(tx)
        done.append("let what had wrong vectors wait for new ones")
    return done


def _way_out(error: errors.KeepgraphError) -> str | None:
    return RESTORE if isinstance(error, errors.GraphDamaged | errors.GraphUnavailable) else error.hint


def _version(tx: Tx, faults: Faults) -> Iterator[Check]:
    if missing := store.integrity.missing_parts(tx):
        faults.damaged = True
        seen = f"{_counted(len(missing), 'part')} of the schema missing or changed: {_some(missing)}"
        yield Check("version", State.WRONG, seen, RESTORE)
    else:
        yield Check("version", State.OK, f"schema {store.integrity.schema(tx)}, which is the newest that is known here")


def _integrity(tx: Tx, faults: Faults, *, keyed: bool) -> Iterator[Check]:
    if complaints := store.integrity.complaints(tx, keyed=keyed):
        faults.damaged = True
        yield Check("integrity", State.WRONG, f"the file is damaged: {_some(complaints)}", RESTORE)
    else:
        signed = "every page is as it was signed, " if keyed else ""
        yield Check("integrity", State.OK, f"{signed}every row can be read, and refers to rows that are there")


def _indexes(tx: Tx, faults: Faults) -> Iterator[Check]:
    disagree = "{} disagrees with the tables in {}"
    for index, what in (
        (store.integrity.TEXT, "the index of full text"),
        (store.integrity.TRIGRAMS, "the index of letters in names"),
        (store.integrity.INITIALS, "the index of initials of names"),
        (store.integrity.NAME_WORDS, "the index of words in names"),
        (store.integrity.EPISODE_WORDS, "the index of words in texts"),
    ):
        astray = (
            store.integrity.initials_astray(tx)
            if index == store.integrity.INITIALS
            else store.integrity.astray(tx, index)
        )
        if astray:
            faults.indexes.append(index)
            yield Check("indexes", State.WRONG, disagree.format(what, _counted(astray, "row")), FIX)
    doubtful = _forms_and_sentences(tx, faults)
    if faults.forms:
        seen = f"what {_counted(len(faults.forms), 'name')} is compared by is not what it should be"
        yield Check("indexes", State.WRONG, seen, FIX)
    if faults.sentences:
        seen = f"the text of {_counted(len(faults.sentences), 'fact')} is not what the fact says"
        yield Check("indexes", State.WRONG, seen, FIX)
    if doubtful.entities or doubtful.facts:
        faults.damaged = True
        ids = [
            *store.integrity.public_ids(tx, "entity", sorted(doubtful.entities)[:_SHOWN]),
            *store.integrity.public_ids(tx, "fact", doubtful.facts[:_SHOWN]),
        ]
        seen = (
            f"{_counted(len(doubtful.entities), 'name')} and {_counted(len(doubtful.facts), 'sentence')} do not fit "
            f"what was made from them, so that they may be damaged themselves: {', '.join(ids)}"
        )
        yield Check("indexes", State.WRONG, seen, RESTORE)
    if not (faults.indexes or faults.forms or faults.sentences or doubtful.entities or doubtful.facts):
        yield Check("indexes", State.OK, "words, letters, initials and sentences are those of the tables")


@dataclass(slots=True)
class _Doubtful:
    """Rows of entities and facts of which nobody can tell what in them is right."""

    entities: set[int] = field(default_factory=set)
    facts: list[int] = field(default_factory=list)


def _forms_and_sentences(tx: Tx, faults: Faults) -> _Doubtful:
    """Find names whose key or folded form, and facts whose sentence, is not what our rules make of them.

    One wrong form of a name is that form's fault, where all else agrees with the name; two are the name's.
    """
    doubtful = _Doubtful()
    suspects: set[int] = set()
    for table in (store.integrity.ENTITY, store.integrity.ALIAS):
        for row, entity, name, key, folded in store.integrity.names(tx, table):
            match (normalisation.key(name) != key) + (normalisation.compared(name) != folded):
                case 1 if table == store.integrity.ENTITY:
                    suspects.add(entity)
                case 1:
                    faults.forms.append((table, row))
                case 2:
                    doubtful.entities.add(entity)
    for row, subject, target, text, *parts in store.integrity.sentences(tx):
        sentence = _sentence(*parts)
        if text == sentence:
            continue
        # A letter of another case changes neither form of a name.
        if normalisation.key(text) == normalisation.key(sentence) or {subject, target} & (suspects | doubtful.entities):
            doubtful.entities |= {subject, target} & suspects
            doubtful.facts.append(row)
        else:
            faults.sentences.append(row)
    faults.forms += [(store.integrity.ENTITY, row) for row in sorted(suspects - doubtful.entities)]
    return doubtful


def _sentence(subject: str, predicate: str, target: str | None, literal: str | None) -> str:
    said = Fact(
        row=0,
        id="",
        subject=_named(subject),
        predicate=predicate,
        object=_named(target) if target is not None else None,
        literal=literal,
        confidence=1.0,
        recorded_at="",
        valid_from=None,
        valid_to=None,
    )
    return knowledge.facts.sentence(said)


@lru_cache(maxsize=4096)
def _named(name: str) -> Entity:
    return Entity(row=0, id="", type="", name=name, created_at="")


def _vectors(tx: Tx, faults: Faults) -> Iterator[Check]:
    if wrong := store.integrity.wrong_vectors(tx):
        faults.vectors = True
        told = ", ".join(f"{number:,} {what}" for what, number in wrong.items())
        yield Check("vectors", State.WRONG, f"there are vectors {told}", FIX)
    made_by = store.vectors.space(tx)
    on = "embedding" in tx.settings.rungs
    if made_by and on and made_by[0] != tx.settings.model:
        seen = f"the vectors are of {made_by[0]}, and the settings name {tx.settings.model}"
        yield Check("vectors", State.WRONG, seen, "kg reindex")
    elif not wrong:
        seen = f"each is of what is there, and made by {made_by[0]}" if made_by else "there are none yet"
        yield Check("vectors", State.OK, seen)


def _texts(tx: Tx, faults: Faults) -> Iterator[Check]:
    wrong = [id for id, digest, text in store.integrity.episodes(tx) if canonical.digest(text) != digest]
    if wrong:
        faults.damaged = True
        seen = f"{_counted(len(wrong), 'text')} not as it was when it came: {_some(wrong)}"
        yield Check("texts", State.WRONG, seen, RESTORE)
    else:
        yield Check("texts", State.OK, "every text is as it was when it came")


def _vocabulary(tx: Tx, faults: Faults) -> Iterator[Check]:
    wrong = [f"{number:,} {rows}" for rows, number in store.integrity.without_a_word(tx).items() if number]
    if wrong:
        faults.damaged = True
        seen = f"{' and '.join(wrong)} use words that the vocabulary does not have"
        yield Check("vocabulary", State.WRONG, seen, RESTORE)
    if missing := store.integrity.missing_words(tx):
        faults.damaged = True
        yield Check("vocabulary", State.WRONG, f"words are missing that every graph has: {_some(missing)}", RESTORE)
    if not wrong and not missing:
        yield Check("vocabulary", State.OK, "every type and every predicate is a word of it")


def _times(tx: Tx, faults: Faults) -> Iterator[Check]:
    if unreadable := store.integrity.unreadable_stamps(tx):
        faults.damaged = True
        yield Check("times", State.WRONG, f"there are times that are none: {_by_table(unreadable)}", RESTORE)
    ahead = store.integrity.done_after(tx, timestamps.stamp(tx.now + _CLOCK_MAY_DIFFER))
    if ahead:
        seen = f"the clock was wrong when these were recorded, in what is the future now: {_by_table(ahead)}"
        yield Check("times", State.NOTE, seen, "Set the clock of this machine right, if it is not.")
    if not unreadable and not ahead:
        yield Check("times", State.OK, "all can be read, and none was recorded in the future")


def _pending(tx: Tx, faults: Faults) -> Iterator[Check]:
    waiting = [
        backfill.vectors.told(number, kind.noun)
        for kind in store.vectors.KINDS
        if (number := store.vectors.waiting(tx, kind))
    ]
    if waiting and "embedding" in tx.settings.rungs:
        off = backfill.vectors.off(tx)
        seen = f"{'; '.join(waiting)}{f', and none can be made: {off}' if off else ''}"
        yield Check("pending", State.NOTE, seen, "kg reindex" if off is None else None)


def _by_table(counted: dict[str, int]) -> str:
    return ", ".join(f"{number:,} × {table}" for table, number in counted.items())


def _some(found: Sequence[str]) -> str:
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"{'; '.join(found[:_SHOWN])}{more}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
