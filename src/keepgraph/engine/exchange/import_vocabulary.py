"""Vocabulary lines of an export, written and imported: sets, words, and labels that words were given later.

A word that the graph has stays as it is, unless nothing uses it and it is as the program ships it: then it becomes that
of the file. So the export of a new graph that took in an export is that export.

A word of the core is in every graph, and a word that a new graph has is left out as long as nothing uses it and it is
as the program ships it: what remains is what another graph may lack. The line of a set names the words of it that this
graph has no more. A word comes after those that it refers to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from keepgraph import errors, store
from keepgraph.engine.exchange.import_state import (
    IMPORTED,
    ImportState,
    Line,
    LineResult,
    import_each,
    validate_timestamp,
)
from keepgraph.engine.vocabulary import definitions, graph_vocabulary, sets, terms
from keepgraph.engine.vocabulary.definitions import LabelDefinition, PredicateDefinition, StoredWord, TypeDefinition
from keepgraph.model import EntityType, Predicate, VocabularySet, VocabularyTerm
from keepgraph.store.transactions import Tx

_Key: TypeAlias = tuple[str, str]
"""The kind of a word and its name."""

_KINDS = store.vocabulary.KINDS


def import_sets(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Sets: those that the graph lacks are added; one that is retired in the file is removed if nothing uses it.

    So are single words that the graph of the file has no more.
    """

    def import_set(line: Line) -> LineResult:
        known = {of_set.name: of_set for of_set in graph_vocabulary.read(tx).sets}
        retired_at = line.get("retired_at")
        if retired_at is not None:
            retired_at = validate_timestamp(retired_at)
        existing = known.get(line["name"])
        if existing is not None:
            if retired_at is None:
                return LineResult(created=_remove_absent_words(tx, line, state))
            if existing.retired_at is not None or not _is_untouched(tx, existing):
                return LineResult()
            sets.remove(tx, existing.name)
            store.vocabulary.update_set(tx, existing.row, version=line["version"], retired_at=retired_at)
            state.replaceable_words = None
            return LineResult(created=True)
        new = sets.find_or_insert(tx, line["name"], version=line["version"], uri=line.get("uri", ""))
        if retired_at is not None:
            store.vocabulary.update_set(tx, new.row, version=new.version, retired_at=retired_at)
        if line.get("details"):
            store.vocabulary.update_set_details(tx, new.row, line["details"])
        return LineResult(created=True)

    return import_each(lines, import_set, strict=strict)


def import_words(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Entity types and predicates: all new ones at once, or one by one if one of them is refused."""
    if state.replaceable_words is None:
        state.replaceable_words = _replaceable_words(tx)
    try:
        with tx.savepoint():
            return _import_together(tx, lines, state.replaceable_words)
    except errors.KeepgraphError:
        replaceable = state.replaceable_words

        def import_word(line: Line) -> LineResult:
            with tx.savepoint():
                return _import_together(tx, [line], replaceable)[0]

        return import_each(lines, import_word, strict=strict)


def import_labels(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Labels of words that the graph or the file has."""
    labels = {kind: store.vocabulary.labels(tx, kind) for kind in _KINDS}

    def import_label(line: Line) -> LineResult:
        term = graph_vocabulary.read(tx).term(line["word_kind"], line["name"])
        if term is None:
            error_class = errors.EntityTypeUnknown if line["word_kind"] == _KINDS[0] else errors.PredicateUnknown
            raise error_class(f"{line['name'][:60]!r}, which has the label, is not in the vocabulary")
        of_term = labels[term.kind].get(term.row, ())
        if any((label.language, label.label) == (line["language"], line["label"]) for label in of_term):
            return LineResult()
        terms.add_labels(tx, term.kind, term.row, [LabelDefinition(line["language"], line["status"], line["label"])])
        return LineResult(created=True)

    return import_each(lines, import_label, strict=strict)


def _import_together(tx: Tx, lines: Sequence[Line], replaceable: set[tuple[str, str]]) -> list[LineResult]:
    """
    Raises:
        errors.KeepgraphError: one of them cannot be imported.
    """
    vocabulary = graph_vocabulary.read(tx)
    keys = [(line["word_kind"], line["name"]) for line in lines]
    stored = definitions.read(tx) if replaceable.intersection(keys) else {}
    current = list(_word_lines(vocabulary.sets, stored, [key for key in keys if key in stored]))
    results: list[LineResult] = []
    new: dict[tuple[str, str], Line] = {}
    replaced: list[tuple[VocabularyTerm, Line]] = []
    for key, line in zip(keys, lines, strict=True):
        existing = vocabulary.term(*key)
        if existing is None and key not in new:
            new[key] = line
            results.append(LineResult(created=True))
        elif existing is not None and key in replaceable and line not in current:
            replaced.append((existing, line))
            results.append(LineResult())
        else:
            results.append(LineResult())
    _insert(tx, list(new.values()))
    for term, line in replaced:
        _replace(tx, term, line)
    return results


def _insert(tx: Tx, lines: Sequence[Line]) -> None:
    """Add words with all their values, each to its set."""
    if not lines:
        return
    of_sets = {name: _find_or_insert_set(tx, name) for name in dict.fromkeys(map(_set_name, lines))}
    for line in lines:
        _check(line)
    words = [_definition(line) for line in lines]
    terms.insert(
        tx,
        types=[word for word in words if isinstance(word, TypeDefinition)],
        predicates=[word for word in words if isinstance(word, PredicateDefinition)],
        of_set=next(iter(of_sets.values())),
    )
    vocabulary = graph_vocabulary.read(tx)
    for line in lines:
        term = vocabulary.term(line["word_kind"], line["name"])
        of_set = of_sets[_set_name(line)]
        if term is not None:
            _set_state(tx, term, line, of_set)


def _replace(tx: Tx, term: VocabularyTerm, line: Line) -> None:
    """Give a word that nothing uses the values of the file."""
    _check(line)
    vocabulary = graph_vocabulary.read(tx)
    definition = _definition(line)
    type_rows = {word.name: word.row for word in vocabulary.types}
    if isinstance(definition, TypeDefinition):
        values = terms.type_values(definition)
        store.vocabulary.set_parents(tx, term.row, _rows(type_rows, definition.parents))
        store.vocabulary.set_disjoint(tx, term.row, _rows(type_rows, definition.disjoint))
    else:
        predicate_rows = {word.name: word.row for word in vocabulary.predicates}
        inverse_of = definition.inverse_of
        values = terms.predicate_values(definition)
        values["inverse_of"] = _rows(predicate_rows, [inverse_of])[0] if inverse_of else None
        store.vocabulary.set_ends(tx, term.row, "subject", _rows(type_rows, definition.sources))
        store.vocabulary.set_ends(tx, term.row, "object", _rows(type_rows, definition.targets))
    store.vocabulary.update_term(tx, term.kind, term.row, {"description": definition.description, **values})
    terms.replace_labels(tx, term.kind, term.row, definition.labels)
    _set_state(tx, term, line, _find_or_insert_set(tx, _set_name(line)))
    if isinstance(definition, TypeDefinition):
        terms.refuse_cycles(tx, [term.name])
    else:
        terms.refuse_contradictions(tx, term.name)


def _set_state(tx: Tx, term: VocabularyTerm, line: Line, of_set: VocabularySet) -> None:
    """Set what a word has besides its definition: its set and version, whether it is retired, and what replaces it."""
    vocabulary = graph_vocabulary.read(tx)
    values: dict[str, Any] = {}
    if term.set != of_set.name:
        values["vocabulary_set"] = of_set.row
    version = line.get("version", of_set.version)
    if term.version != version:
        values["version"] = version
    if line.get("retired_at"):
        values["retired_at"] = validate_timestamp(line["retired_at"])
    if line.get("replaced_by"):
        rows = {word.name: word.row for word in vocabulary.terms(term.kind)}
        values["replaced_by"] = _rows(rows, [line["replaced_by"]])[0]
    if line.get("ends_are_advice"):
        values["has_binding_ends"] = 0
    if values:
        store.vocabulary.update_term(tx, term.kind, term.row, values)


def _check(line: Line) -> None:
    """Check the values of a word as `kg vocabulary add` does; names may be spelled as other versions allowed it.

    Raises:
        errors.VocabularyInvalid: a value does not fit the schema of sets, or a label has no letters.
    """
    kind = "type" if line["word_kind"] == store.vocabulary.ENTITY_TYPE else "predicate"
    values = {**line.get("details", {}), **line}
    definitions.check_word(kind, {name: values[name] for name in _CHECKED[kind] if values.get(name)})
    for _, _, text in line.get("labels", ()):
        if not graph_vocabulary.wording_key(text):
            raise errors.VocabularyInvalid(f"the label {text[:60]!r} of {line['name'][:60]} has no letters")


_CHECKED = {
    "type": ("description", "style", "abstract", "examples", "notation", "uri"),
    "predicate": ("description", "role", "flags", "literal", "sentence", "examples", "notation", "uri", "alias"),
}


def _definition(line: Line) -> TypeDefinition | PredicateDefinition:
    is_type = line["word_kind"] == store.vocabulary.ENTITY_TYPE
    word = (definitions.type_from if is_type else definitions.predicate_from)(line["name"], {**line, "labels": {}})
    labels = tuple(LabelDefinition(*label) for label in line.get("labels", ()))
    return replace(word, labels=labels, details=line.get("details", {}))


def _remove_absent_words(tx: Tx, line: Line, state: ImportState) -> bool:
    """Delete the words that a line says its set is without, where nothing uses them; returns whether there were any.

    Words that refer to them are deleted too, or are words that the file has otherwise: else they are kept.
    """
    absent = {(kind, name) for kind, names in line.get("without", {}).items() for name in names}
    if not absent:
        return False
    if state.replaceable_words is None:
        state.replaceable_words = _replaceable_words(tx)
    replaceable = state.replaceable_words
    words = [term for kind in _KINDS for term in graph_vocabulary.read(tx).terms(kind)]
    fixed = {
        reference for term in words if (term.kind, term.name) not in replaceable for reference in _references(term)
    }
    removed = {
        (term.kind, term.name): term
        for term in words
        if term.set == line["name"] and (term.kind, term.name) in absent & replaceable - fixed
    }
    for term in words:
        if (term.kind, term.name) not in removed and _references(term) & removed.keys():
            _remove_references(tx, term, removed)
    # Inverses first, which refer to predicates, and predicates before types, to which they refer.
    for term in sorted(removed.values(), key=lambda term: (isinstance(term, EntityType), not _is_inverse(term))):
        store.vocabulary.delete_term(tx, term.kind, term.row)
    replaceable -= removed.keys()
    return bool(removed)


def _references(term: VocabularyTerm) -> set[_Key]:
    """The words that a word refers to."""
    types: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    if isinstance(term, EntityType):
        types = (*term.parents, *term.disjoint)
    elif isinstance(term, Predicate):
        types = (*term.sources, *term.targets)
        predicates = (term.inverse_of,) if term.inverse_of else ()
    references = {*((_KINDS[0], name) for name in types), *((_KINDS[1], name) for name in predicates)}
    return references | ({(term.kind, term.replaced_by)} if term.replaced_by else set())


def _is_inverse(term: VocabularyTerm) -> bool:
    return isinstance(term, Predicate) and term.inverse_of is not None


def _remove_references(tx: Tx, term: VocabularyTerm, removed: Mapping[_Key, VocabularyTerm]) -> None:
    """Remove the references of a word to these; the file then has it without them."""
    rows = {word.name: word.row for word in graph_vocabulary.read(tx).types if (word.kind, word.name) not in removed}

    def remaining(names: Sequence[str]) -> list[int]:
        return [rows[name] for name in names if name in rows]

    if isinstance(term, EntityType):
        store.vocabulary.set_parents(tx, term.row, remaining(term.parents))
        store.vocabulary.set_disjoint(tx, term.row, remaining(term.disjoint))
    elif isinstance(term, Predicate):
        store.vocabulary.set_ends(tx, term.row, "subject", remaining(term.sources))
        store.vocabulary.set_ends(tx, term.row, "object", remaining(term.targets))
        if (term.kind, term.inverse_of) in removed:
            store.vocabulary.update_term(tx, term.kind, term.row, {"inverse_of": None})


def _replaceable_words(tx: Tx) -> set[tuple[str, str]]:
    """The words that nothing uses and that are as the program ships them, by kind and name."""
    used = store.vocabulary.used_words(tx)
    return {
        key
        for key, word in definitions.read(tx).items()
        if word.is_as_shipped and not word.added_labels and (word.term.kind, word.term.row) not in used
    }


def _is_untouched(tx: Tx, of_set: VocabularySet) -> bool:
    """Whether nothing uses the words of a set, and all are as the program ships them."""
    replaceable = _replaceable_words(tx)
    vocabulary = graph_vocabulary.read(tx)
    return all(
        (kind, term.name) in replaceable
        for kind in _KINDS
        for term in vocabulary.terms(kind)
        if term.set == of_set.name
    )


def _set_name(line: Line) -> str:
    return str(line.get("set", IMPORTED))


def _find_or_insert_set(tx: Tx, name: str) -> VocabularySet:
    for known in graph_vocabulary.read(tx).sets:
        if known.name == name:
            return known
    return sets.find_or_insert(tx, name, version=IMPORTED if name == IMPORTED else sets.OWN_VERSION)


def _rows(rows: Mapping[str, int], names: Sequence[str]) -> list[int]:
    """
    Raises:
        errors.VocabularyInvalid: one of these names belongs to no word.
    """
    for name in names:
        if name not in rows:
            raise errors.VocabularyInvalid(f"the vocabulary has no word {name[:60]!r}")
    return [rows[name] for name in names]


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
            pending += _references(words[key].term)
            pending += [other for other in inverses.get(key, ()) if words[other].term.set == words[key].term.set]
    return complete


def _in_order_of_reference(words: Mapping[_Key, StoredWord], carried: set[_Key]) -> Iterator[_Key]:
    """These words by kind and name, each after those that it refers to; disjoint types in either order."""
    written: set[_Key] = set()
    for first in sorted(carried):
        pending = [first]
        while pending:
            key = pending[-1]
            missing = [
                other
                for other in sorted(_references(words[key].term), reverse=True)
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
            yield sets.without_empty(
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
        values |= sets.values_of(definition)
        if isinstance(definition, TypeDefinition):
            values["disjoint"] = sorted(written.intersection(definition.disjoint))
            written.add(term.name)
        else:
            values["ends_are_advice"] = isinstance(term, Predicate) and not term.has_binding_ends
        values |= {
            "labels": [[label.language, label.status, label.text] for label in definition.labels],
            "details": definition.details,
        }
        yield {**line, **sets.without_empty(values)}


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
