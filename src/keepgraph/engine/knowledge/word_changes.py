"""Changes of the vocabulary that reach what is recorded: merging two words, and reading facts aloud in another way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.knowledge import facts, merges
from keepgraph.engine.vocabulary import changes, graph_vocabulary, sets, terms
from keepgraph.engine.vocabulary.changes import WordChange
from keepgraph.engine.vocabulary.definitions import LabelDefinition
from keepgraph.model import EntityType, Fact, Predicate, VocabularyLabel, VocabularyTerm
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class WordMerge:
    """What merging a word into another did.

    Attributes:
        keep, absorbed: the words, as they were.
        moved: the entities or facts that are of the other word now; facts whose ends were exchanged are counted too.
        folded: facts that became assertions of one that said the same, or entities merged with one of the same name.
        are_reversed: whether the ends of the facts were exchanged, because the word that is kept is an inverse.
        merged_names: the names of the entities that were merged, the first hundred.
        outside_ends: the facts of the predicate that is kept whose ends do not fit it.
        labels: the labels that it was given.
    """

    keep: VocabularyTerm
    absorbed: VocabularyTerm
    moved: int = 0
    folded: int = 0
    are_reversed: bool = False
    merged_names: tuple[str, ...] = ()
    outside_ends: int = 0
    labels: tuple[str, ...] = ()


_MAX_NAMES = 100


def change(
    tx: Tx, word: VocabularyTerm, values: Mapping[str, Any], *, removed_labels: Sequence[str] = ()
) -> WordChange:
    """Change a word as `vocabulary.changes.change` does, and what its facts say: their texts, and doubles of a pair.

    Raises:
        errors.VocabularyInvalid, VocabularyConflict: it cannot be changed so.
    """
    result = changes.change(tx, word, values, removed_labels=removed_labels)
    if isinstance(word, Predicate) and isinstance(result.word, Predicate):
        if result.word.sentence != word.sentence:
            facts.rewrite(tx, store.full_text.rows_touching(tx, entities=(), predicates=[result.word.row]))
        if "symmetric" in result.word.flags - word.flags:
            _fold(tx, result.word, result.word, are_reversed=True)
    return result


def remove(tx: Tx, word: VocabularyTerm) -> tuple[tuple[str, ...], int]:
    """Delete a word that nothing uses, with what is proposed, or was dismissed, in its wordings.

    Returns:
        The names of the words that were deleted, inverses too, and how many proposed facts went with them.

    Raises:
        errors.VocabularyConflict: it cannot be deleted.
    """
    vocabulary = graph_vocabulary.read(tx)
    rows = [word.row]
    if isinstance(word, Predicate):
        rows += [vocabulary.predicate_by_name[name].row for name in vocabulary.inverses(word.name)]
    labels = [label.label for of_word in store.vocabulary.labels(tx, word.kind, rows).values() for label in of_word]
    names = changes.remove(tx, word)
    return names, store.proposals.delete_in_wordings(
        tx, {graph_vocabulary.wording_key(name) for name in (*names, *labels)}
    )


def count_outside_ends(tx: Tx, word: VocabularyTerm) -> int:
    """How many facts of a predicate connect types that do not fit it; retracted ones apart."""
    if not isinstance(word, Predicate):
        return 0
    vocabulary = graph_vocabulary.read(tx)
    term = vocabulary.predicate_by_name[word.name]
    return sum(
        count
        for subject_type, object_type, count in store.vocabulary.count_patterns(tx, term.row)
        if not vocabulary.fits(term, subject_type, object_type)
    )


def merge(tx: Tx, *, keep: VocabularyTerm, absorb: VocabularyTerm) -> WordMerge:
    """Make one word of two: what is recorded with `absorb` is moved to `keep`, and its names become labels of it.

    Entities of the same name become one, and so do facts that say the same of the same time.

    Raises:
        errors.VocabularyConflict: the one to be absorbed belongs to the core, or the two cannot be one.
    """
    if keep.kind != absorb.kind:
        raise errors.VocabularyConflict(
            f"{keep.name} and {absorb.name} are not both entity types or both predicates",
            hint="Name two words of one kind.",
        )
    if keep.row == absorb.row:
        raise errors.VocabularyConflict(f"{keep.name} is the word to keep", hint="Name two words.")
    if absorb.set == sets.CORE:
        raise errors.VocabularyConflict(
            f"{absorb.name} belongs to the core, which never changes",
            hint=f"To remove {keep.name}, swap the two: `kg vocabulary merge {keep.name} {absorb.name}`.",
        )
    if keep.retired_at is not None:
        raise errors.VocabularyConflict(
            f"{keep.name} is retired", hint=f"Restore it first: `kg vocabulary restore {keep.name}`."
        )
    if isinstance(keep, EntityType) and isinstance(absorb, EntityType):
        result = _merge_types(tx, keep, absorb)
    elif isinstance(keep, Predicate) and isinstance(absorb, Predicate):
        result = _merge_predicates(tx, keep, absorb)
    else:
        raise TypeError(absorb)
    tx.memo.clear()
    return replace(result, outside_ends=count_outside_ends(tx, keep))


def _merge_types(tx: Tx, keep: EntityType, absorb: EntityType) -> WordMerge:
    if keep.is_abstract and store.vocabulary.has_entities(tx, absorb.row):
        raise errors.VocabularyConflict(
            f"{keep.name} is abstract, and there are entities of the type {absorb.name}",
            hint=f"Merge it into a subtype of {keep.name}.",
        )
    names = _merge_entities_of_same_name(tx, keep, absorb)
    moved = store.word_references.move_entities(tx, absorb.row, keep.row)
    _inherit_parents(tx, keep, absorb)
    store.word_references.move_references_to_type(tx, absorb.row, keep.row)
    store.word_references.rename_type_in_texts(tx, absorb.name, keep.name)
    terms.refuse_cycles(tx, [keep.name])
    labels = _move_labels(tx, keep, absorb)
    store.vocabulary.delete_term(tx, absorb.kind, absorb.row)
    return WordMerge(
        keep, absorb, moved=moved, folded=len(names), merged_names=tuple(names[:_MAX_NAMES]), labels=tuple(labels)
    )


def _merge_entities_of_same_name(tx: Tx, keep: EntityType, absorb: EntityType) -> list[str]:
    names = []
    for absorbed_row, kept_row, group in store.word_references.entities_of_same_name(tx, absorb.row, keep.row):
        tx_of_group = replace(tx, group=group)
        entities = store.entities.by_rows(tx_of_group, [absorbed_row, kept_row])
        merges.merge(tx_of_group, keep=entities[kept_row], absorb=entities[absorbed_row], across_types=True)
        names.append(entities[kept_row].name)
    return names


def _inherit_parents(tx: Tx, keep: EntityType, absorb: EntityType) -> None:
    """Give a type that is merged with its own parent the parents of that one."""
    if absorb.name in keep.parents:
        rows = {term.name: term.row for term in graph_vocabulary.read(tx).types}
        parents = dict.fromkeys([*keep.parents, *absorb.parents])
        store.vocabulary.set_parents(
            tx, keep.row, [rows[name] for name in parents if name not in (absorb.name, keep.name)]
        )


def _merge_predicates(tx: Tx, keep: Predicate, absorb: Predicate) -> WordMerge:
    vocabulary = graph_vocabulary.read(tx)
    if absorb.inverse_of is not None:
        if keep.inverse_of != absorb.inverse_of:
            raise errors.VocabularyConflict(
                f"{absorb.name} is the inverse of {absorb.inverse_of}: no fact is stored in it",
                hint=f"Merge {absorb.inverse_of}, or retire {absorb.name}: `kg vocabulary retire {absorb.name}`.",
            )
        labels = _move_labels(tx, keep, absorb)
        store.vocabulary.delete_term(tx, absorb.kind, absorb.row)
        return WordMerge(keep, absorb, labels=tuple(labels))
    if keep.inverse_of == absorb.name:
        raise errors.VocabularyConflict(
            f"{keep.name} is the inverse of {absorb.name}: facts are stored in {absorb.name}",
            hint=f"To have one word, retire the inverse: `kg vocabulary retire {keep.name}`.",
        )
    changes.refuse_other_objects(tx, absorb, keep)
    are_reversed = keep.inverse_of is not None
    base = vocabulary.predicate_by_name[keep.inverse_of] if keep.inverse_of else keep
    absorbed_facts = store.facts.all_of_predicate(tx, absorb.row)
    if "symmetric" in absorb.flags - base.flags and any(fact.object is not None for fact in absorbed_facts):
        raise errors.VocabularyConflict(
            f"{absorb.name} is symmetric, and {keep.name} has a direction that its facts do not say",
            hint=f"Make {base.name} symmetric, or first say that facts of {absorb.name} have the direction in which "
            f"they were recorded: `kg vocabulary change {absorb.name} --not-symmetric`.",
        )
    if are_reversed and any(fact.object is None for fact in absorbed_facts):
        raise errors.VocabularyConflict(
            f"{absorb.name} has facts with a text as their object, and {keep.name} is stored with its ends swapped",
            hint=f"Retract those facts first, or merge it into another predicate than {keep.name}.",
        )
    folded = _fold(tx, absorb, base, are_reversed=are_reversed)
    if "symmetric" in base.flags:
        folded |= _fold(tx, absorb, base, are_reversed=not are_reversed)
    moved = [fact for fact in absorbed_facts if fact.row not in folded]
    _move_facts(tx, moved, base, are_reversed=are_reversed)
    if "symmetric" in base.flags:
        _fold(tx, base, base, are_reversed=True)
    labels = _move_inverses(tx, base, absorb, are_reversed=are_reversed)
    store.word_references.move_references_to_predicate(tx, absorb.row, keep.row)
    labels += _move_labels(tx, keep, absorb)
    store.vocabulary.delete_term(tx, absorb.kind, absorb.row)
    return WordMerge(
        keep, absorb, moved=len(moved), folded=len(folded), are_reversed=are_reversed, labels=tuple(labels)
    )


def _fold(tx: Tx, predicate: Predicate, target: Predicate, *, are_reversed: bool) -> set[int]:
    """Make one fact of two where facts of `predicate` and of `target` say the same; returns the former, by row.

    The older of the two stays, in the words of `target`, and takes over the assertions of the other.
    """
    folded: set[int] = set()
    deleted: set[int] = set()
    pairs = store.word_references.duplicate_facts(tx, predicate.row, target.row, are_reversed=are_reversed)
    by_row = {fact.row: fact for fact in store.facts.by_rows(tx, sorted({row for pair in pairs for row in pair}))}
    for fact_row, twin_row in pairs:
        if fact_row in folded or {fact_row, twin_row} & deleted:
            continue
        fact, twin = by_row[fact_row], by_row[twin_row]
        older, newer = sorted((fact, twin), key=lambda either: (either.recorded_at, either.row))
        store.provenance.move(tx, source=newer, target=older)
        store.facts.delete(tx, [newer])
        deleted.add(newer.row)
        folded.add(fact.row)
        if older.row == fact.row and predicate.row != target.row:
            _move_facts(tx, [fact], target, are_reversed=are_reversed)
    return folded


def _move_facts(tx: Tx, moved: Sequence[Fact], target: Predicate, *, are_reversed: bool) -> None:
    rows = []
    for fact in moved:
        new = replace(fact, predicate=target.name, predicate_sentence=target.sentence)
        if are_reversed and fact.object is not None:
            new = replace(new, subject=fact.object, object=fact.subject)
        object_row = new.object.row if new.object else None
        rows.append((new.subject.row, target.row, object_row, facts.sentence(new), fact.row))
    store.word_references.set_facts(tx, rows)


def _move_inverses(tx: Tx, base: Predicate, absorb: Predicate, *, are_reversed: bool) -> list[str]:
    """Give the inverses of a predicate to another; if that needs none, they become its labels.

    Returns the labels that it was given.
    """
    vocabulary = graph_vocabulary.read(tx)
    labels: list[str] = []
    for name in vocabulary.inverses(absorb.name):
        inverse = vocabulary.predicate_by_name[name]
        if are_reversed or "symmetric" in base.flags:
            labels += _move_labels(tx, base, inverse)
            store.vocabulary.delete_term(tx, inverse.kind, inverse.row)
        else:
            types = {term.name: term.row for term in vocabulary.types}
            store.vocabulary.set_ends(tx, inverse.row, "subject", [types[end] for end in base.targets])
            store.vocabulary.set_ends(tx, inverse.row, "object", [types[end] for end in base.sources])
    return labels


def _move_labels(tx: Tx, keep: VocabularyTerm, absorb: VocabularyTerm) -> list[str]:
    """Give a word the labels of another one, and its name as a label; returns them."""
    labels = store.vocabulary.labels(tx, absorb.kind, [absorb.row]).get(absorb.row, [])
    definitions = [
        LabelDefinition("en", "alternative", absorb.name.replace("_", " ")),
        *(LabelDefinition(label.language, _secondary(label), label.label) for label in labels),
    ]
    terms.add_labels(tx, keep.kind, keep.row, definitions)
    return [definition.text for definition in definitions]


def _secondary(label: VocabularyLabel) -> str:
    """The status of a label on the word that it moves to, which has a preferred one of its own."""
    return "alternative" if label.status == "preferred" else label.status
