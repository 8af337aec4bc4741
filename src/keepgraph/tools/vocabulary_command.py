"""The vocabulary_command toolset, for `kg vocabulary` and never listed: words and sets shown, changed and removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.knowledge.word_changes import WordMerge
from keepgraph.engine.vocabulary import changes, definitions, graph_vocabulary, sets
from keepgraph.engine.vocabulary.changes import WordChange
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.engine.vocabulary.sets import SetChange
from keepgraph.english import count_noun
from keepgraph.model import EntityType, Predicate, VocabularyTerm
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import internal_types
from keepgraph.tools.contract.catalogue import Effect, tool

MAX_EXAMPLES = 5
MAX_GROUPS = 100
MAX_ENDS = 3


@tool(Effect.READ)
def list_vocabulary(
    tx: Tx,
    *,
    set: Annotated[internal_types.Text, "Only the words of this set."] | None = None,
    only_unused: Annotated[bool, "Only words that nothing uses."] = False,
) -> internal_types.WordLists:
    """List the entity types and predicates, with how many entities or facts there are of each."""
    vocabulary = graph_vocabulary.read(tx)
    if set is not None and set not in {known.name for known in vocabulary.sets}:
        sets.find(tx, set)
    types = store.vocabulary.count_uses(tx, store.vocabulary.ENTITY_TYPE)
    predicates = store.vocabulary.count_uses(tx, store.vocabulary.PREDICATE)
    return {
        "entity_types": [
            _type_entry(vocabulary, term, types.get(term.row, 0))
            for term in vocabulary.types
            if set in (None, term.set) and not (only_unused and types.get(term.row))
        ],
        "predicates": [
            _predicate_entry(term, predicates.get(term.row, 0))
            for term in vocabulary.predicates
            if set in (None, term.set) and not (only_unused and (predicates.get(term.row) or term.inverse_of))
        ],
    }


@tool(Effect.READ)
def describe_word(
    tx: Tx, *, word: internal_types.Word, kind: internal_types.WordKind | None = None
) -> internal_types.WordDetails:
    """Tell all about a word: what it means, its labels, what it belongs to, and where it is used."""
    term = changes.find_word(tx, word, kind=kind)
    details = store.vocabulary.details(tx, term.kind, [term.row]).get(term.row, {})
    labels = store.vocabulary.labels(tx, term.kind, [term.row]).get(term.row, [])
    vocabulary = graph_vocabulary.read(tx)
    count = store.vocabulary.count_uses(tx, term.kind).get(term.row, 0)
    specific = (
        {**_type_entry(vocabulary, term, count), **_describe_type(vocabulary, term)}
        if isinstance(term, EntityType)
        else {
            **_predicate_entry(vocabulary.predicate_by_name[term.name], count),
            **_describe_predicate(tx, vocabulary, term),
        }
    )
    return {
        **specific,  # type: ignore[typeddict-item]  # a part of the answer
        "kind": term.kind,
        "version": term.version,
        "labels": [
            {"language": label.language, "status": label.status, "label": label.label, "added": label.is_added}
            for label in labels
        ],
        "examples": list(details.get("examples", ())),
        "notation": details.get("notation"),
        "uri": details.get("uri"),
        "uses": store.vocabulary.example_uses(tx, term.kind, term.row, limit=MAX_EXAMPLES),
    }


@tool(Effect.WRITE)
def change_word(
    tx: Tx,
    *,
    word: internal_types.Word,
    kind: internal_types.WordKind | None = None,
    values: internal_types.WordValues | None = None,
    removed_labels: internal_types.RemovedLabels = (),
    dry_run: internal_types.DryRun = False,
) -> internal_types.WordChange:
    """Change values of a word, and add or remove labels of it."""
    if not values and not removed_labels:
        raise errors.VocabularyInvalid(f"nothing of {word[:60]!r} is to be changed", hint="Give a value, or a label.")
    term = changes.find_word(tx, word, kind=kind)
    changed = knowledge.word_changes.change(tx, term, values or {}, removed_labels=removed_labels)
    return _answer_change(tx, changed, dry_run=dry_run)


@tool(Effect.WRITE)
def retire_word(
    tx: Tx,
    *,
    word: internal_types.WordToRetire,
    kind: internal_types.WordKind | None = None,
    replaced_by: Annotated[internal_types.Text, "The word to use instead."] | None = None,
    dry_run: internal_types.DryRun = False,
) -> internal_types.WordChange:
    """Retire a word: it can no longer be used; what was recorded with it stays."""
    term = changes.find_word(tx, word, kind=kind)
    return _answer_change(tx, changes.retire(tx, term, replaced_by=replaced_by), dry_run=dry_run)


@tool(Effect.DESTRUCTIVE)
def remove_word(
    tx: Tx,
    *,
    word: internal_types.WordToRemove,
    kind: internal_types.WordKind | None = None,
    dry_run: Annotated[bool, "Show what would be deleted, without deleting it."] = False,
) -> internal_types.WordRemoval:
    """Delete a word that nothing uses, with its inverses and what is proposed, or was dismissed, in its wordings."""
    term = changes.find_word(tx, word, kind=kind)
    removed, proposed_facts = knowledge.word_changes.remove(tx, term)
    with_it = f", with {proposed_facts:,} proposed facts" if proposed_facts else ""
    return {
        "kind": term.kind,
        "removed": list(removed),
        "proposed_facts": proposed_facts,
        "message": f"{', '.join(removed)} {'would be' if dry_run else 'is'} removed{with_it}.",
        "dry_run": dry_run,
    }


@tool(Effect.WRITE)
def restore_word(
    tx: Tx,
    *,
    word: internal_types.RetiredWord,
    kind: internal_types.WordKind | None = None,
) -> internal_types.WordChange:
    """Let a retired word be used again."""
    term = changes.find_word(tx, word, kind=kind)
    return _answer_change(tx, changes.restore(tx, term), dry_run=False)


@tool(Effect.DESTRUCTIVE)
def merge_words(
    tx: Tx,
    *,
    absorb: internal_types.AbsorbedWord,
    keep: internal_types.KeptWord,
    kind: internal_types.WordKind | None = None,
    dry_run: internal_types.DryRun = False,
) -> internal_types.WordMerge:
    """Make one word of two: what is recorded with `absorb` moves to `keep`, and its names become labels of it."""
    absorbed = changes.find_word(tx, absorb, kind=kind)
    kept = changes.find_word(tx, keep, kind=kind or absorbed.kind)
    result = knowledge.word_changes.merge(tx, keep=kept, absorb=absorbed)
    return {
        "kind": result.keep.kind,
        "keep": result.keep.name,
        "absorbed": result.absorbed.name,
        "moved": result.moved,
        "folded": result.folded,
        "reversed": result.are_reversed,
        "merged_names": list(result.merged_names),
        "outside_ends": result.outside_ends,
        "labels": list(result.labels),
        "message": _merge_message(result, dry_run=dry_run),
        "dry_run": dry_run,
    }


@tool(Effect.READ)
def list_vocabulary_sets(tx: Tx) -> internal_types.VocabularySets:
    """List the sets that the graph has, and those that come with this program."""
    vocabulary = graph_vocabulary.read(tx)
    shipped = {name: definitions.shipped(name) for name in definitions.shipped_names()}
    known = {of_set.name: of_set for of_set in vocabulary.sets}
    types = Counter(term.set for term in vocabulary.types if term.retired_at is None)
    predicates = Counter(term.set for term in vocabulary.predicates if term.retired_at is None)
    return {
        "sets": [
            {
                "name": name,
                "version": (known.get(name) or shipped[name]).version,
                "uri": (known.get(name) or shipped[name]).uri,
                "added": name in known,
                "retired": name in known and known[name].retired_at is not None,
                "shipped": name in shipped,
                "description": shipped[name].description if name in shipped else "",
                "types": types[name] if name in known else len(shipped[name].types),
                "predicates": predicates[name] if name in known else len(shipped[name].predicates),
            }
            for name in dict.fromkeys([*known, *shipped])
        ]
    }


@tool(Effect.WRITE)
def add_vocabulary_set(
    tx: Tx,
    *,
    name: Annotated[
        internal_types.SetName, internal_types.Field(example="research"), "A set that comes with this program."
    ]
    | None = None,
    definition: internal_types.SetDefinition | None = None,
    dry_run: internal_types.DryRun = False,
) -> internal_types.SetChange:
    """Add the words of a set: one that comes with this program, by its name, or one that is given."""
    if (name is None) == (definition is None):
        raise errors.VocabularyInvalid("a set is given by its name or by its definition", hint="Give one of the two.")
    set_definition = definitions.shipped(name) if name is not None else definitions.from_document(definition)

    return _answer_set_change(tx, set_definition.name, sets.add(tx, set_definition), dry_run=dry_run)


@tool(Effect.WRITE)
def remove_vocabulary_set(
    tx: Tx, *, name: internal_types.SetName, dry_run: internal_types.DryRun = False
) -> internal_types.SetChange:
    """Remove the words of a set: those that nothing uses are deleted, the others retired."""
    return _answer_set_change(tx, name, sets.remove(tx, name), dry_run=dry_run)


@tool(Effect.READ)
def export_vocabulary_set(
    tx: Tx, *, name: Annotated[internal_types.SetName, internal_types.Field(example="core")]
) -> internal_types.SetDocument:
    """Give the words of a set as schemas/v1/transfer/vocabulary_set.json describes them."""
    return {"definition": sets.write(tx, name)}


@tool(Effect.READ)
def list_proposed_wordings(
    tx: Tx, *, limit: Annotated[internal_types.Limit, internal_types.Field(maximum=1000)] = MAX_GROUPS
) -> internal_types.WordingGroups:
    """List the wordings in which facts wait, those of one meaning together, most first."""
    groups = knowledge.proposed_facts.group(tx)
    return {
        "groups": [
            {
                "count": group.count,
                "wordings": [{"wording": wording, "count": count} for wording, count in group.wordings],
                "subject_types": _distinct(end.source for end in group.ends[:MAX_ENDS]),
                "object_types": _distinct(end.target for end in group.ends[:MAX_ENDS]),
                "nearest": group.nearest,
                "score": group.score if group.nearest else None,
                "reasons": sorted(group.reasons),
                "examples": list(group.examples),
            }
            for group in groups[:limit]
        ],
        "total": sum(group.count for group in groups),
        "elsewhere": [
            {"project": name, "count": count}
            for name, count in store.proposals.counts_by_group(tx).items()
            if name != tx.group
        ],
        "truncated": len(groups) > limit,
    }


def _distinct(names: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))


def _answer_change(tx: Tx, result: WordChange, *, dry_run: bool) -> internal_types.WordChange:
    outside_ends = knowledge.word_changes.count_outside_ends(tx, result.word)
    admitted = knowledge.proposed_facts.admit_known(tx).admitted if result.fields else 0
    verb = "would be changed" if dry_run else "is changed"
    message = (
        f"{result.word.name} {verb}: {', '.join(result.fields)}." if result.fields else "There is nothing to change."
    )
    message += _admission_message(admitted, dry_run=dry_run)
    return {
        "kind": result.word.kind,
        "name": result.word.name,
        "fields": list(result.fields),
        "added": list(result.added),
        "outside_ends": outside_ends,
        "admitted": admitted,
        "message": message,
        "dry_run": dry_run,
    }


def _answer_set_change(tx: Tx, name: str, result: SetChange, *, dry_run: bool) -> internal_types.SetChange:
    admitted = knowledge.proposed_facts.admit_known(tx).admitted if result.added or result.revived else 0
    counts = [
        f"{len(words)} {participle}"
        for participle, words in (
            ("added", result.added),
            ("usable again", result.revived),
            ("deleted", result.deleted),
            ("retired", result.retired),
            ("there already", result.existing),
        )
        if words
    ]
    return {
        "name": name,
        "added": list(result.added),
        "revived": list(result.revived),
        "deleted": list(result.deleted),
        "retired": list(result.retired),
        "existing": list(result.existing),
        "message": " ".join(
            [
                f"{name}: {', '.join(counts) or 'no word'}{' (nothing was changed)' if dry_run else ''}.",
                *(_describe_separate(predicate, inverse) for predicate, inverse in result.separate),
            ]
        )
        + _admission_message(admitted, dry_run=dry_run),
        "admitted": admitted,
        "dry_run": dry_run,
    }


def _describe_separate(predicate: str, inverse: str) -> str:
    return (
        f"{inverse} is a predicate of its own in this graph, not the inverse of {predicate}: facts of the two stay "
        f"apart. To make it that, give {predicate} an inverse of another name and merge {inverse} into it: "
        f"`kg vocabulary change {predicate} --inverse NEW_NAME`, `kg vocabulary merge {inverse} NEW_NAME`."
    )


def _admission_message(admitted: int, *, dry_run: bool) -> str:
    if not admitted:
        return ""
    relations = count_noun(admitted, "waiting relation")
    return f" {relations} {'would become' if dry_run else 'became'} facts."


def _merge_message(result: WordMerge, *, dry_run: bool) -> str:
    noun = "entity" if result.keep.kind == store.vocabulary.ENTITY_TYPE else "fact"
    verb = "would become" if dry_run else "became"
    ends = " with their ends exchanged" if result.are_reversed and result.moved else ""
    return (
        f"{result.absorbed.name} {verb} {result.keep.name}: {count_noun(result.moved, noun)} moved{ends}, "
        f"{result.folded:,} made one with another."
    )


def _type_entry(vocabulary: Vocabulary, term: EntityType, count: int) -> internal_types.TypeRow:
    return {
        "name": term.name,
        "description": term.description,
        "set": term.set,
        "style": vocabulary.style(term.name),
        "parents": list(term.parents),
        "abstract": term.is_abstract,
        "retired": term.retired_at is not None,
        "replaced_by": term.replaced_by,
        "count": count,
    }


def _predicate_entry(term: Predicate, count: int) -> internal_types.PredicateRow:
    return {
        "name": term.name,
        "description": term.description,
        "set": term.set,
        "sources": list(term.sources),
        "targets": list(term.targets),
        "literal": term.literal_kind,
        "role": term.role,
        "flags": sorted(term.flags),
        "inverse_of": term.inverse_of,
        "retired": term.retired_at is not None,
        "replaced_by": term.replaced_by,
        "count": count,
    }


def _describe_type(vocabulary: Vocabulary, term: EntityType) -> internal_types.TypeDetails:
    subtypes = vocabulary.with_subtypes([term.name])[1:]
    return {
        "ancestors": list(vocabulary.ancestors(term.name)),
        "subtypes": list(subtypes),
        "disjoint": list(term.disjoint),
        "as_source_of": [
            other.name
            for other in vocabulary.predicates
            if other.sources and vocabulary.fits_side(other.sources, term.name)
        ],
        "as_target_of": [
            other.name
            for other in vocabulary.predicates
            if other.targets and vocabulary.fits_side(other.targets, term.name)
        ],
    }


def _describe_predicate(tx: Tx, vocabulary: Vocabulary, term: VocabularyTerm) -> internal_types.PredicateDetails:
    return {
        "inverses": list(vocabulary.inverses(term.name)),
        "sentence": vocabulary.predicate_by_name[term.name].sentence or None,
        "patterns": [
            {"subject": subject, "object": target, "count": count}
            for subject, target, count in store.vocabulary.count_patterns(tx, term.row)
        ],
        "outside_ends": knowledge.word_changes.count_outside_ends(tx, term),
    }
