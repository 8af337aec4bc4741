"""Integrity checks of an open graph: what is damaged, and what can be rebuilt from sound data. Shows no stored text.

Derived data is rebuilt only if its source is certainly sound. A name has several normalised forms, and is in the
texts of its facts; where more than one of these disagrees with the name, the name itself may be damaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from keepgraph import errors, store
from keepgraph.engine import knowledge, vector_backfill
from keepgraph.english import count_noun, listed
from keepgraph.language import normalisation, utf8
from keepgraph.language.normalisation import Name
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

FIX = "kg doctor --fix"
RESTORE = "kg restore"

_MAX_EXAMPLES = 3
_CLOCK_TOLERANCE = timedelta(days=1)
"""A timestamp is of the future beyond this: graphs are copied between machines whose clocks differ."""


class State(StrEnum):
    """The result of a check: all is well; worth knowing; something has to be done."""

    OK = "ok"
    NOTE = "note"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check: a message, and the command or the act that repairs what is wrong."""

    name: str
    state: State
    message: str
    repair: str | None = None


@dataclass(slots=True)
class Faults:
    """What can be rebuilt from sound data.

    Attributes:
        indexes: full-text indexes and the index of initials.
        names: the normalised forms of names, by table (entity or alias) and row.
        fact_texts: the texts of facts, by row.
        counts: whether the kept counts of entities and facts have to be counted again.
        vectors: whether some have to be computed again.
        is_unrepairable: whether something is wrong that cannot be rebuilt; then nothing should be changed.
    """

    indexes: list[store.derived_tables.TextIndex] = field(default_factory=list)
    names: list[tuple[str, int]] = field(default_factory=list)
    fact_texts: list[int] = field(default_factory=list)
    counts: bool = False
    vectors: bool = False
    is_unrepairable: bool = False

    def __bool__(self) -> bool:
        return bool(self.indexes or self.names or self.fact_texts or self.counts or self.vectors)


def check_all(database: Database) -> tuple[list[Check], Faults]:
    """Run all checks, each in a read transaction of its own. Others may go on writing."""
    faults = Faults()
    check_functions: dict[str, Callable[[Tx, Faults], Iterator[Check]]] = {
        "version": _check_schema,
        "integrity": lambda tx, faults: _check_file(tx, faults, encrypted=database.key is not None),
        "indexes": _check_derived_data,
        "counts": _check_counts,
        "vectors": _check_vectors,
        "texts": _check_episode_texts,
        "vocabulary": _check_vocabulary,
        "times": _check_timestamps,
        "imports": _check_imports,
        "pending": _check_missing_vectors,
    }
    results: list[Check] = []
    for name, check in check_functions.items():
        try:
            with database.read("doctor") as tx:
                results += check(tx, faults)
        except errors.KeepgraphError as error:
            is_damaged = isinstance(error, errors.GraphDamaged | errors.GraphUnavailable)
            faults.is_unrepairable |= is_damaged
            results.append(Check(name, State.WRONG, error.message, RESTORE if is_damaged else error.hint))
        except UnicodeDecodeError:
            # The driver cannot decode what SQLite says is wrong: it has damaged names.
            faults.is_unrepairable = True
            results.append(Check(name, State.WRONG, "it cannot be read to the end", RESTORE))
        if name == "version" and any(result.state is State.WRONG for result in results):
            message = "the tables are checked once the schema is correct"
            return [*results, Check("integrity", State.NOTE, message)], faults
    if faults.is_unrepairable:
        results = [replace(result, repair=RESTORE) if result.repair == FIX else result for result in results]
    return results, faults


def created_at(database: Database) -> datetime | None:
    """When a graph was made; None if its migrations do not say."""
    try:
        with database.read("doctor") as tx:
            timestamp = store.integrity.created_at(tx)
            return timestamps.to_datetime(timestamp) if timestamp is not None else None
    except (errors.KeepgraphError, ValueError):
        return None


def _check_schema(tx: Tx, faults: Faults) -> Iterator[Check]:
    if differences := store.integrity.find_schema_differences(tx):
        faults.is_unrepairable |= not differences.is_repairable
        message = f"the schema differs from that of Keepgraph; {differences.describe()}"
        yield Check("version", State.WRONG, message, FIX if differences.is_repairable else RESTORE)
    else:
        version = store.migrations.schema_version(tx)
        yield Check("version", State.OK, f"schema {version}, the newest")


def _check_file(tx: Tx, faults: Faults, *, encrypted: bool) -> Iterator[Check]:
    if problems := store.integrity.find_problems(tx, encrypted=encrypted):
        faults.is_unrepairable = True
        yield Check(
            "integrity", State.WRONG, f"the file is damaged: {listed(problems, _MAX_EXAMPLES, separator='; ')}", RESTORE
        )
    else:
        signed = "every page matches its signature, " if encrypted else ""
        yield Check("integrity", State.OK, f"{signed}every row can be read, and refers to existing rows")


def _check_derived_data(tx: Tx, faults: Faults) -> Iterator[Check]:
    for index in store.derived_tables.INDEXES:
        if wrong := store.integrity.count_wrong(tx, index):
            faults.indexes.append(index)
            message = f"{index.title} disagrees with the tables in {count_noun(wrong, 'row')}"
            yield Check("indexes", State.WRONG, message, FIX)
    suspects = _check_names_and_fact_texts(tx, faults)
    if faults.names:
        message = f"the forms for comparing are wrong for {count_noun(len(faults.names), 'name')}"
        yield Check("indexes", State.WRONG, message, FIX)
    if faults.fact_texts:
        message = f"the sentence is wrong for {count_noun(len(faults.fact_texts), 'fact')}"
        yield Check("indexes", State.WRONG, message, FIX)
    if suspects.entities or suspects.facts:
        faults.is_unrepairable = True
        ids = [
            *store.derived_tables.public_ids(tx, "entity", sorted(suspects.entities)[:_MAX_EXAMPLES]),
            *store.derived_tables.public_ids(tx, "fact", suspects.facts[:_MAX_EXAMPLES]),
        ]
        message = (
            f"{count_noun(len(suspects.entities), 'name')} and {count_noun(len(suspects.facts), 'sentence')} do not "
            f"fit what was made from them, so that they may be damaged themselves: {', '.join(ids)}"
        )
        yield Check("indexes", State.WRONG, message, RESTORE)
    if not (faults.indexes or faults.names or faults.fact_texts or suspects.entities or suspects.facts):
        yield Check("indexes", State.OK, "the indexes of words, letters, initials and sentences match the tables")


@dataclass(slots=True)
class _Suspects:
    """Rows of entities and facts in which it cannot be told which of the values is wrong."""

    entities: set[int] = field(default_factory=set)
    facts: list[int] = field(default_factory=list)


def _check_names_and_fact_texts(tx: Tx, faults: Faults) -> _Suspects:
    """Find names whose key or folded form, and facts whose text, is not what is computed from them.

    If one of the two forms of a name is wrong and all else agrees with the name, the form is damaged; if both are, it
    is the name.
    """
    suspects = _Suspects()
    with_one_wrong_form: set[int] = set()
    for table in (store.derived_tables.ENTITY, store.derived_tables.ALIAS):
        for row, entity, written, key, folded in store.derived_tables.names(tx, table):
            name = normalisation.Name(written)
            match (name.key != key) + (name.indexed_forms != folded):
                case 1 if table == store.derived_tables.ENTITY:
                    with_one_wrong_form.add(entity)
                case 1:
                    faults.names.append((table, row))
                case 2:
                    suspects.entities.add(entity)
    for row, subject, target, text, *names, form in store.derived_tables.fact_texts(tx):
        expected = knowledge.facts.phrase(*names, form=form)
        if text == expected:
            continue
        # A change of case in a name changes neither its key nor its folded form: then only the fact shows it.
        if normalisation.key(text) == normalisation.key(expected) or {subject, target} & (
            with_one_wrong_form | suspects.entities
        ):
            suspects.entities |= {subject, target} & with_one_wrong_form
            suspects.facts.append(row)
        else:
            faults.fact_texts.append(row)
    faults.names += [(store.derived_tables.ENTITY, row) for row in sorted(with_one_wrong_form - suspects.entities)]
    return suspects


def _check_counts(tx: Tx, faults: Faults) -> Iterator[Check]:
    if wrong := store.cardinalities.count_wrong(tx):
        faults.counts = True
        verb = "is" if wrong == 1 else "are"
        message = f"{count_noun(wrong, 'count')} of entities and facts {verb} wrong"
        yield Check("counts", State.WRONG, message, FIX)
    else:
        yield Check("counts", State.OK, "the counts of entities and facts are correct")


def _check_vectors(tx: Tx, faults: Faults) -> Iterator[Check]:
    if wrong := store.integrity.count_wrong_vectors(tx):
        faults.vectors = True
        counts = ", ".join(f"{count:,} {problem}" for problem, count in wrong.items())
        yield Check("vectors", State.WRONG, f"there are vectors {counts}", FIX)
    vector_space = store.vectors.model_and_dimension(tx)
    is_on = "embedding" in tx.settings.steps
    if vector_space and is_on and vector_space[0] != tx.settings.model:
        message = f"the vectors are from {vector_space[0]}, but the settings name {tx.settings.model}"
        yield Check("vectors", State.WRONG, message, "kg reindex")
    elif not wrong:
        message = (
            f"each belongs to existing content, and was made by {vector_space[0]}"
            if vector_space
            else "there are none yet"
        )
        yield Check("vectors", State.OK, message)


def _check_episode_texts(tx: Tx, faults: Faults) -> Iterator[Check]:
    changed = [id for id, digest, text in store.integrity.episode_texts(tx) if utf8.digest(text) != digest]
    if changed:
        faults.is_unrepairable = True
        message = f"changed since it was stored, {count_noun(len(changed), 'text')}: {listed(changed, _MAX_EXAMPLES)}"
        yield Check("texts", State.WRONG, message, RESTORE)
    else:
        yield Check("texts", State.OK, "every text is as it was stored")


def _check_vocabulary(tx: Tx, faults: Faults) -> Iterator[Check]:
    unknown = [f"{count:,} {rows}" for rows, count in store.integrity.count_unknown_vocabulary(tx).items() if count]
    if unknown:
        faults.is_unrepairable = True
        message = f"{' and '.join(unknown)} use words that the vocabulary does not have"
        yield Check("vocabulary", State.WRONG, message, RESTORE)
    if missing := store.integrity.find_missing_vocabulary(tx):
        faults.is_unrepairable = True
        message = f"words that every graph has are missing: {listed(missing, _MAX_EXAMPLES)}"
        yield Check("vocabulary", State.WRONG, message, RESTORE)
    if not unknown and not missing:
        yield Check("vocabulary", State.OK, "every type and predicate in use is in it")


def _check_timestamps(tx: Tx, faults: Faults) -> Iterator[Check]:
    if invalid := store.integrity.count_invalid_timestamps(tx):
        faults.is_unrepairable = True
        yield Check("times", State.WRONG, f"there are invalid times: {_by_table(invalid)}", RESTORE)
    future = store.integrity.count_recorded_after(tx, timestamps.from_datetime(tx.now + _CLOCK_TOLERANCE))
    if future:
        message = f"these were recorded with a wrong clock, in the future: {_by_table(future)}"
        yield Check("times", State.NOTE, message, "If the clock of this machine is wrong, set it.")
    if not invalid and not future:
        yield Check("times", State.OK, "all can be read, and none was recorded in the future")


def _check_imports(tx: Tx, faults: Faults) -> Iterator[Check]:
    total, imported = store.transfer.count_imported_assertions(tx)
    if imported:
        message = (
            f"{imported:,} of {total:,} assertions came with imports; their times and tools are those of the files"
        )
        yield Check("imports", State.OK, message)


def _check_missing_vectors(tx: Tx, faults: Faults) -> Iterator[Check]:
    missing = [
        vector_backfill.describe_missing(count, kind.noun)
        for kind in store.derived_tables.VECTOR_KINDS
        if (count := store.vectors.count_missing(tx, kind))
    ]
    if missing and "embedding" in tx.settings.steps:
        model = tx.settings.model
        reason = vector_backfill.missing_part(model) or vector_backfill.unavailable_reason(tx)
        message = f"{'; '.join(missing)}{f', and none can be made: {reason}' if reason else ''}"
        remedy = "kg reindex" if reason is None else vector_backfill.install_hint(model)
        yield Check("pending", State.NOTE, message, remedy)


def _by_table(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} × {table}" for table, count in counts.items())


# Rebuilding of derived data that an integrity check found wrong, from data that is sound.


def rebuild(tx: Tx, faults: Faults) -> list[str]:
    """Rebuild what is wrong, in a transaction that writes; what was done, in words to show."""
    messages = []
    # First, because triggers keep the indexes in step with the changes below, row by row.
    for index in faults.indexes:
        store.integrity.rebuild(tx, index)
        messages.append(f"rebuilt the index {index.table}")
    if faults.names or faults.fact_texts:
        tx = store.journal.begin_call(tx)
    for table, row in faults.names:
        written = store.derived_tables.find_name(tx, table, row)
        if written is not None:
            name = Name(written)
            store.derived_tables.set_normalised_name(tx, table, row, key=name.key, folded=name.indexed_forms)
    if faults.names:
        messages.append(f"rebuilt the forms for comparing of {count_noun(len(faults.names), 'name')}")
    for fact in faults.fact_texts:
        if columns := store.derived_tables.find_fact_text(tx, fact):
            *names, form = columns[4:]
            store.derived_tables.set_fact_text(tx, fact, knowledge.facts.phrase(*names, form=form))
    if faults.fact_texts:
        messages.append(f"rebuilt the sentences of {count_noun(len(faults.fact_texts), 'fact')}")
    if faults.counts:
        store.cardinalities.count_again(tx)
        messages.append("recounted entities and facts")
    if faults.vectors:
        store.integrity.requeue_wrong(tx)
        messages.append("dropped the wrong vectors, to be made again")
    return messages
