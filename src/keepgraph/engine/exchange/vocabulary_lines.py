"""The lines of an export for the vocabulary: its sets, its words, and labels that words were given later.

A word of the core is in every graph, and a word that a new graph has is left out as long as nothing uses it and it is
as the program ships it: what remains is what another graph may lack. The line of a set names the words of it that this
graph has no more. A word comes after those that it refers to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from keepgraph import store
from keepgraph.engine.exchange.import_state import IMPORTED
from keepgraph.engine.vocabulary import definitions, graph_vocabulary, sets
from keepgraph.engine.vocabulary.definitions import PredicateDefinition, StoredWord, TypeDefinition
from keepgraph.model import PREDICATE_FLAGS, Predicate, VocabularySet
from keepgraph.store.transactions import Tx

_Key: TypeAlias = tuple[str, str]
"""The kind of a word and its name."""


def write(tx: Tx) -> Iterator[dict[str, Any]]:
    """The lines of sets, words and labels, in this order; each by kind and name, after what it refers to."""
    words = definitions.read(tx)
    carried = _with_references(words, _carried_words(tx, words))
    ordered = list(_in_order_of_reference(words, carried))
    yield from _set_lines(tx, {words[key].term.set for key in ordered}, words)
    yield from _word_lines(graph_vocabulary.read(tx).sets, words, ordered)
    yield from _label_lines(words, ordered)


def _carried_words(tx: Tx, words: Mapping[_Key, StoredWord]) -> set[_Key]:
    """The words that another graph may lack, or need for the recorded facts."""
    used = store.vocabulary.used_words(tx)
    return {
        key
        for key, word in words.items()
        if word.term.set != sets.CORE
        and (
            word.term.set not in sets.IN_NEW_GRAPHS
            or not word.is_as_shipped
            or word.added_labels
            or (word.term.kind, word.term.row) in used
        )
    }


def _with_references(words: Mapping[_Key, StoredWord], carried: set[_Key]) -> set[_Key]:
    """These words, all that they refer to, and the inverses that came with them; those of the core apart."""
    inverses: dict[_Key, list[_Key]] = {}
    for key, word in words.items():
        if isinstance(word.term, Predicate) and word.term.inverse_of is not None:
            inverses.setdefault((word.term.kind, word.term.inverse_of), []).append(key)
    complete: set[_Key] = set()
    pending = list(carried)
    while pending:
        key = pending.pop()
        if key not in complete and words[key].term.set != sets.CORE:
            complete.add(key)
            pending += _references(words[key])
            pending += [other for other in inverses.get(key, ()) if words[other].term.set == words[key].term.set]
    return complete


def _references(word: StoredWord) -> list[_Key]:
    """The words that a word refers to."""
    definition, kind = word.definition, word.term.kind
    references = [(kind, word.term.replaced_by)] if word.term.replaced_by else []
    if isinstance(definition, TypeDefinition):
        return [*references, *((kind, name) for name in (*definition.parents, *definition.disjoint))]
    types = (*definition.sources, *definition.targets)
    references += [(kind, definition.inverse_of)] if definition.inverse_of else []
    return [*references, *((store.vocabulary.ENTITY_TYPE, name) for name in types)]


def _in_order_of_reference(words: Mapping[_Key, StoredWord], carried: set[_Key]) -> Iterator[_Key]:
    """These words by kind and name, each after those that it refers to; disjoint types in either order."""
    written: set[_Key] = set()
    for first in sorted(carried):
        pending = [first]
        while pending:
            key = pending[-1]
            missing = [
                other
                for other in sorted(_references(words[key]), reverse=True)
                if other in carried
                and other not in written
                and other not in pending
                and not _is_disjoint(words[key], other)
            ]
            if missing:
                pending += missing
                continue
            pending.pop()
            if key not in written:
                written.add(key)
                yield key


def _is_disjoint(word: StoredWord, other: _Key) -> bool:
    definition = word.definition
    if not isinstance(definition, TypeDefinition) or other[0] != word.term.kind:
        return False
    return other[1] in definition.disjoint and other[1] not in (*definition.parents, word.term.replaced_by)


def _set_lines(tx: Tx, names: set[str], words: Mapping[_Key, StoredWord]) -> Iterator[dict[str, Any]]:
    """The lines of these sets, and of those that a new graph has and that are not whole or retired in this one."""
    details = store.vocabulary.set_details(tx)
    for of_set in sorted(graph_vocabulary.read(tx).sets, key=lambda of_set: of_set.name):
        is_in_new, is_retired = of_set.name in sets.IN_NEW_GRAPHS, of_set.retired_at is not None
        without = _absent_words(of_set.name, words) if is_in_new and not is_retired else {}
        is_unlike_new = bool(without) or (is_in_new and is_retired)
        if (of_set.name in names or is_unlike_new) and of_set.name not in (sets.CORE, IMPORTED):
            yield _without_empty(
                {
                    "kind": "set",
                    "name": of_set.name,
                    "version": of_set.version,
                    "uri": of_set.uri,
                    "retired_at": of_set.retired_at,
                    "without": without,
                    "details": details.get(of_set.row),
                }
            )


def _absent_words(set_name: str, words: Mapping[_Key, StoredWord]) -> dict[str, list[str]]:
    """The names of the words that a set has as the program ships it and this graph lacks, by kind."""
    shipped = definitions.shipped(set_name)
    by_kind: dict[str, Sequence[TypeDefinition | PredicateDefinition]] = {
        store.vocabulary.ENTITY_TYPE: shipped.types,
        store.vocabulary.PREDICATE: shipped.predicates,
    }
    absent = {
        kind: sorted(word.name for word in of_kind if (kind, word.name) not in words)
        for kind, of_kind in by_kind.items()
    }
    return {kind: names for kind, names in absent.items() if names}


def _word_lines(
    known: Iterable[VocabularySet], words: Mapping[_Key, StoredWord], ordered: Sequence[_Key]
) -> Iterator[dict[str, Any]]:
    versions = {of_set.name: of_set.version for of_set in known}
    types = store.vocabulary.ENTITY_TYPE
    # The type that comes later says that two are disjoint.
    written = {name for (kind, name), word in words.items() if kind == types and word.term.set == sets.CORE}
    for key in ordered:
        word = words[key]
        term, definition = word.term, word.definition
        line: dict[str, Any] = {
            "kind": "word",
            "word_kind": term.kind,
            "name": term.name,
            "description": term.description,
        }
        values: dict[str, Any] = {
            "set": term.set if term.set != IMPORTED else None,
            "version": term.version if term.version != versions.get(term.set) else None,
            "retired_at": term.retired_at,
            "replaced_by": term.replaced_by,
        }
        if isinstance(definition, TypeDefinition):
            values |= {
                "style": definition.style,
                "abstract": definition.is_abstract,
                "parents": sorted(definition.parents),
                "disjoint": sorted(written.intersection(definition.disjoint)),
            }
            written.add(term.name)
        else:
            values |= {
                "role": definition.role,
                "sources": sorted(definition.sources),
                "targets": sorted(definition.targets),
                "inverse_of": definition.inverse_of,
                "flags": [flag for flag in PREDICATE_FLAGS if flag in definition.flags],
                "literal": definition.literal_kind,
                "sentence": definition.sentence,
                "ends_are_advice": isinstance(term, Predicate) and not term.has_binding_ends,
            }
        values |= {
            "labels": [[label.language, label.status, label.text] for label in definition.labels],
            "details": definition.details,
        }
        yield {**line, **_without_empty(values)}


def _label_lines(words: Mapping[_Key, StoredWord], ordered: Sequence[_Key]) -> Iterator[dict[str, Any]]:
    """Labels that were given to words later, those of the core too."""
    core = sorted(key for key, word in words.items() if word.term.set == sets.CORE)
    for key in [*core, *ordered]:
        for label in words[key].added_labels:
            yield {
                "kind": "label",
                "word_kind": key[0],
                "name": key[1],
                "language": label.language,
                "status": label.status,
                "label": label.text,
            }


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", [], {}, False)}
