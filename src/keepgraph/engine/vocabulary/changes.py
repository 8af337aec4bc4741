"""Changes of single words: adding, changing, retiring and restoring types and predicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph import english, errors, store
from keepgraph.engine.vocabulary import definitions, graph_vocabulary, sets, terms
from keepgraph.engine.vocabulary.definitions import LabelDefinition, PredicateDefinition
from keepgraph.language import inflection
from keepgraph.lazy import dataclass
from keepgraph.model import PREDICATE_FLAGS, EntityType, Predicate, VocabularySet, VocabularyTerm
from keepgraph.store.transactions import Tx

_ANY = ("any", "anything", "entity", "node")
"""Words for "any type" at the end of a predicate, where the vocabulary has no such type."""

_LABELS = frozenset({"alternative", "labels"})
_OF_CORE = _LABELS | {"inverse"}
_OF_INVERSES = _LABELS | {"description", "examples", "notation", "uri"}
_MAX_NEAR = 4


@dataclass(frozen=True, slots=True)
class Overlap:
    """A new word whose name was a wording of an existing word: from now on it means the new word."""

    name: str
    existing: str


@dataclass(frozen=True, slots=True)
class Addition:
    """The added words, inverses included, and those that the vocabulary already had in the same form."""

    types: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    existing: tuple[str, ...] = ()
    overlaps: tuple[Overlap, ...] = ()


@dataclass(frozen=True, slots=True)
class WordChange:
    """What a change did: the word, its changed fields, and words that came with it (an inverse)."""

    word: VocabularyTerm
    fields: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def add(tx: Tx, *, types: Mapping[str, Any], predicates: Mapping[str, Any]) -> Addition:
    """Add words to the set `own`, from what the schema of sets calls `types` and `predicates`.

    Names are spelled as words are; any wording may name a type.

    Raises:
        errors.VocabularyInvalid: a definition does not fit the schema, or names a type that does not exist.
        errors.VocabularyConflict: the vocabulary has one of the words, or a type would be its own supertype, or have
            the label of another in Cypher.
    """
    document = {"name": sets.OWN, "version": sets.OWN_VERSION, **_spelled(tx, types=types, predicates=predicates)}
    definitions.check(document)
    existing = _without_existing(tx, document)
    definition = definitions.from_document(document)
    _refuse_equal_labels(tx, [new.name for new in definition.types])
    overlaps = [
        Overlap(new.name, other.name)
        for kind, new in definition.words
        if (other := graph_vocabulary.find(tx, kind, new.name)) is not None
    ]
    if definition.types or definition.predicates:
        terms.insert(tx, types=definition.types, predicates=definition.predicates, of_set=_own(tx))
    return Addition(
        types=tuple(new.name for new in definition.types),
        predicates=tuple(new.name for new in definition.predicates),
        existing=tuple(existing),
        overlaps=tuple(overlaps),
    )


def change(
    tx: Tx, word: VocabularyTerm, values: Mapping[str, Any], *, removed_labels: Sequence[str] = ()
) -> WordChange:
    """Change a word: given values replace the old ones, None removes one; labels are added.

    Args:
        values: fields of what the schema of sets calls `type` or `predicate`.
        removed_labels: labels to remove.

    Raises:
        errors.VocabularyInvalid: a value does not fit the schema, or names a word that does not exist.
        errors.VocabularyConflict: the word belongs to the core, or its uses do not allow the change.
    """
    given = {name for name, value in values.items() if value is not None}
    kind = "type" if word.kind == store.vocabulary.ENTITY_TYPE else "predicate"
    spelled = _spelled_word(tx, kind, {name: values[name] for name in given})
    definitions.check_word(kind, spelled)
    _refuse_if_protected(word, {*values})
    refuse_words(tx, word, values.get("alternative") or ())
    spelled |= dict.fromkeys(values.keys() - given)
    _change_labels(tx, word, spelled, removed_labels)
    _change_columns(tx, word, spelled)
    added: tuple[str, ...] = ()
    if isinstance(word, EntityType):
        _change_hierarchy(tx, word, spelled)
    elif isinstance(word, Predicate):
        _change_ends(tx, word, spelled)
        added = _change_inverse(tx, word, spelled)
        terms.refuse_contradictions(tx, word.name)
        _refuse_facts_with_entities(tx, word.name)
    fields = [*sorted(values), *(["removed_labels"] if removed_labels else [])]
    changed = graph_vocabulary.read(tx).term(word.kind, word.name) or word
    return WordChange(changed, tuple(fields), added)


def retire(tx: Tx, word: VocabularyTerm, *, replaced_by: str | None = None) -> WordChange:
    """Retire a word and its inverses: they can no longer be used; what was recorded with them stays.

    Raises:
        errors.VocabularyConflict: it belongs to the core, or the replacement is retired, itself, its inverse, or
            takes other objects.
        errors.EntityTypeUnknown, PredicateUnknown: the vocabulary does not have the replacement.
    """
    _refuse_core(word, "retired")
    replacement = find_word(tx, replaced_by, kind=word.kind) if replaced_by is not None else None
    if replacement is not None and (replacement.retired_at is not None or replacement.name == word.name):
        problem = "the word itself" if replacement.name == word.name else "retired"
        raise errors.VocabularyConflict(
            f"{replacement.name} is {problem}", hint="Name a word that is in use, or none at all."
        )
    if isinstance(word, Predicate) and isinstance(replacement, Predicate):
        if word.name == replacement.inverse_of or replacement.name == word.inverse_of:
            raise errors.VocabularyConflict(
                f"{replacement.name} says the same as {word.name} with the ends swapped",
                hint="Name another word that says the same, or none at all.",
            )
        refuse_other_objects(tx, word, replacement)
    now = tx.at
    row = replacement.row if replacement is not None else None
    vocabulary = graph_vocabulary.read(tx)
    store.vocabulary.update_term(tx, word.kind, word.row, {"retired_at": word.retired_at or now, "replaced_by": row})
    inverses = vocabulary.inverses(word.name) if word.kind == store.vocabulary.PREDICATE else ()
    for name in inverses:
        inverse = vocabulary.predicate_by_name[name]
        store.vocabulary.update_term(tx, word.kind, inverse.row, {"retired_at": inverse.retired_at or now})
    return WordChange(graph_vocabulary.read(tx).term(word.kind, word.name) or word, ("retired", *inverses))


def restore(tx: Tx, word: VocabularyTerm) -> WordChange:
    """Restore a retired word, with the predicate that it is the inverse of, or its inverses."""
    if word.retired_at is None:
        return WordChange(word)
    related = [word]
    if isinstance(word, Predicate):
        vocabulary = graph_vocabulary.read(tx)
        names = {*vocabulary.inverses(word.name), *([word.inverse_of] if word.inverse_of else [])}
        related += [term for term in vocabulary.predicates if term.name in names]
    for term in related:
        store.vocabulary.update_term(tx, term.kind, term.row, {"retired_at": None, "replaced_by": None})
    return WordChange(graph_vocabulary.read(tx).term(word.kind, word.name) or word, ("restored",))


def remove(tx: Tx, word: VocabularyTerm) -> tuple[str, ...]:
    """Delete an unused word and its inverses; returns their names.

    Raises:
        errors.VocabularyConflict: it belongs to the core, or something is recorded with it, or another word names it.
    """
    _refuse_core(word, "removed")
    inverses = graph_vocabulary.read(tx).inverses(word.name) if isinstance(word, Predicate) else ()
    if isinstance(word, Predicate):
        _delete_inverses(tx, word)
    if store.vocabulary.is_in_use(tx, word.kind, word.row):
        raise errors.VocabularyConflict(
            f"{word.name} is in use: something is recorded with it, or another word refers to it",
            hint=f"`kg vocabulary {word.name}` shows where. Retire it instead, or merge it into another word.",
        )
    store.vocabulary.delete_term(tx, word.kind, word.row)
    return (word.name, *inverses)


def add_wordings(tx: Tx, word: VocabularyTerm, given: Sequence[str]) -> None:
    """Add wordings as alternative labels of a word.

    Raises:
        errors.VocabularyConflict: one is the name of another word, whose meaning it would keep.
        errors.VocabularyInvalid: one has neither a letter nor a digit, or is only a form of to be and the like.
    """
    refuse_words(tx, word, given)
    labels = [LabelDefinition("en", "alternative", wording.strip()) for wording in given]
    terms.add_labels(tx, word.kind, word.row, labels)


def refuse_words(tx: Tx, word: VocabularyTerm, given: Sequence[str]) -> None:
    """Check that no wording for a word is the name of another word.

    Raises:
        errors.VocabularyConflict: one is, and would keep that meaning.
        errors.VocabularyInvalid: one has neither a letter nor a digit, or is only a form of to be and the like.
    """
    for wording in given:
        if not graph_vocabulary.wording_key(wording):
            raise errors.VocabularyInvalid(
                f"the wording {english.quoted(wording)} has neither a letter nor a digit", hint="Leave it out."
            )
        if word.kind == store.vocabulary.PREDICATE and not inflection.without_auxiliaries(
            graph_vocabulary.wording_key(wording)
        ):
            raise errors.VocabularyInvalid(
                f"the wording {english.quoted(wording)} means nothing by itself",
                hint="Add what follows it: “is a member of”.",
            )
        named = graph_vocabulary.read(tx).term(word.kind, graph_vocabulary.spell(wording))
        if named is not None and named.name != word.name:
            raise errors.VocabularyConflict(
                f"{english.quoted(wording)} is a word of its own",
                hint=f"Merge the two: `kg vocabulary merge {named.name} {word.name}`.",
            )


def refuse_other_objects(tx: Tx, word: Predicate, replacement: Predicate) -> None:
    """Check that one predicate can replace another: both take entities, or both take literals.

    Raises:
        errors.VocabularyConflict: one takes literals and the other entities.
    """
    vocabulary = graph_vocabulary.read(tx)

    def has_entities(predicate: Predicate) -> bool:
        if predicate.literal_kind is not None:
            return False
        return bool(predicate.targets or predicate.inverse_of or vocabulary.inverses(predicate.name)) or bool(
            _count_with_entities(tx, predicate)
        )

    for literal, other in ((word, replacement), (replacement, word)):
        if literal.literal_kind is not None and has_entities(other):
            raise errors.VocabularyConflict(
                f"the object of {literal.name} is a literal, and that of {other.name} an entity",
                hint="Name a predicate that says the same.",
            )


def find_word(tx: Tx, wording: str, *, kind: str | None = None) -> VocabularyTerm:
    """The word for a wording: by its name, else by a label; of this kind, or of either if unambiguous.

    Raises:
        errors.EntityTypeUnknown, PredicateUnknown: there is none; similar words are candidates.
        errors.Ambiguous: an entity type and a predicate have this name.
    """
    vocabulary = graph_vocabulary.read(tx)
    kinds = store.vocabulary.KINDS if kind is None else (kind,)
    named = [
        term for of_kind in kinds if (term := vocabulary.term(of_kind, graph_vocabulary.spell(wording) or wording))
    ]
    candidates = named or [term for of_kind in kinds if (term := graph_vocabulary.find(tx, of_kind, wording))]
    if len(candidates) > 1:
        raise errors.Ambiguous(
            f"{wording[:60]!r} is an entity type and a predicate",
            hint="Say which: kind is entity_type or predicate (`--kind`).",
        )
    if candidates:
        return candidates[0]
    near = [name for of_kind in kinds for name in terms.similar(tx, of_kind, wording)]
    nearest = f"Similar: {', '.join(near)}. " if near else ""
    error_class, noun = {
        store.vocabulary.ENTITY_TYPE: (errors.EntityTypeUnknown, "entity type"),
        store.vocabulary.PREDICATE: (errors.PredicateUnknown, "predicate"),
        None: (errors.PredicateUnknown, "word"),
    }[kind]
    raise error_class(
        f"the vocabulary has no {noun} {english.quoted(wording)}",
        hint=f"{nearest}`kg vocabulary` shows them all.",
        candidates=near,
    )


def _spelled(tx: Tx, *, types: Mapping[str, Any], predicates: Mapping[str, Any]) -> dict[str, Any]:
    """The document with names spelled as words are, and types referred to by name."""
    new_types = {graph_vocabulary.spell(name) for name in types}
    return {
        "types": _by_spelled_name(tx, "type", types, new_types),
        "predicates": _by_spelled_name(tx, "predicate", predicates, new_types),
    }


def _by_spelled_name(tx: Tx, kind: str, words: Mapping[str, Any], new_types: set[str]) -> dict[str, Any]:
    spelled: dict[str, Any] = {}
    for name, values in words.items():
        word = graph_vocabulary.spell(name)
        if not word or word in spelled:
            problem = "is spelled like another one" if word else "has neither a letter nor a digit"
            raise errors.VocabularyInvalid(f"{kind} {name[:60]!r} {problem}")
        spelled[word] = _spelled_word(tx, kind, values, new_types) if isinstance(values, dict | Mapping) else values
    return spelled


def _spelled_word(tx: Tx, kind: str, values: Mapping[str, Any], new_types: set[str] | None = None) -> dict[str, Any]:
    spelled = dict(values)
    for field in ("parents", "disjoint") if kind == "type" else ("sources", "targets"):
        names = values.get(field)
        if isinstance(names, list | tuple) and all(isinstance(name, str) for name in names):
            if kind == "predicate" and any(_means_any(tx, name, new_types or set()) for name in names):
                names = []
            spelled[field] = list(dict.fromkeys(_type_name(tx, name, new_types or set()) for name in names))
    inverse = values.get("inverse")
    if isinstance(inverse, str):
        inverse = {"name": inverse}
    if isinstance(inverse, dict | Mapping) and isinstance(inverse.get("name"), str):
        spelled["inverse"] = {**inverse, "name": graph_vocabulary.spell(inverse["name"])}
    return spelled


def _means_any(tx: Tx, name: str, new_types: set[str]) -> bool:
    word = graph_vocabulary.wording_key(name)
    if name.strip() == "*":
        return True
    return word in _ANY and word not in new_types and word not in graph_vocabulary.read(tx).type_by_name


def _type_name(tx: Tx, wording: str, new_types: set[str]) -> str:
    """The name of the type that a wording means: a new one, else one of the vocabulary.

    Raises:
        errors.VocabularyInvalid: there is none.
    """
    name = graph_vocabulary.spell(wording)
    if name in new_types:
        return name
    existing = graph_vocabulary.find(tx, store.vocabulary.ENTITY_TYPE, wording)
    if existing is not None:
        return existing.name
    near = terms.nearest(tx, store.vocabulary.ENTITY_TYPE, wording, limit=_MAX_NEAR)
    such_as = f", such as {', '.join(near)}" if near else ""
    raise errors.VocabularyInvalid(
        f"there is no entity type {english.quoted(wording)}",
        hint=f"Add that type first, or in the same call; or use an existing one{such_as}.",
        candidates=near,
    )


def _without_existing(tx: Tx, document: dict[str, Any]) -> list[str]:
    """Remove the words that the vocabulary already has from a document, after adding their labels; returns their names.

    Raises:
        errors.VocabularyConflict: the vocabulary has a word, but not as in the document.
    """
    existing = []
    for kind, group in ((store.vocabulary.ENTITY_TYPE, "types"), (store.vocabulary.PREDICATE, "predicates")):
        for name, values in [*document[group].items()]:
            term = graph_vocabulary.read(tx).term(kind, name)
            if term is None:
                continue
            if term.retired_at is not None:
                raise errors.VocabularyConflict(
                    f"the vocabulary has {name!r}, which is retired",
                    hint=f"To use it again: `kg vocabulary restore {name}`.",
                )
            different = sorted(field for field, value in values.items() if not is_value_of(tx, term, field, value))
            if different:
                raise errors.VocabularyConflict(
                    f"the vocabulary already has {name!r}, with another value of {', '.join(different)}",
                    hint=f"Use it as it is, or change it: `kg vocabulary change {name} …`.",
                )
            _change_labels(tx, term, values, ())
            existing.append(name)
            del document[group][name]
    return existing


def is_value_of(tx: Tx, term: VocabularyTerm, field: str, value: Any) -> bool:
    """Whether a word has each given value; it may have more labels."""
    if field in _LABELS:
        return True
    if field in definitions.DETAILS:
        return bool(store.vocabulary.details(tx, term.kind, [term.row]).get(term.row, {}).get(field) == value)
    if field == "inverse":
        return value["name"] in graph_vocabulary.read(tx).inverses(term.name)
    if not isinstance(term, EntityType | Predicate):
        raise TypeError(term)
    current = sets.values_of(term)[field]
    return bool(set(current) == set(value) if isinstance(value, list) else current == value)


def _refuse_equal_labels(tx: Tx, new_types: Sequence[str]) -> None:
    """Check that each new type has its own label in Cypher: a query could not tell two types with one label apart.

    Sets published by others and imported graphs may bring such types.

    Raises:
        errors.VocabularyConflict: another type has the label, or it means something else.
    """
    labelled: dict[str, str] = {}
    for name in (*(term.name for term in graph_vocabulary.read(tx).types), *new_types):
        labelled.setdefault(graph_vocabulary.type_label(name), name)
    for name in new_types:
        label = graph_vocabulary.type_label(name)
        if label in graph_vocabulary.RESERVED_LABELS:
            raise errors.VocabularyConflict(
                f"a type {name!r} would have the label {label}, which means something else in Cypher",
                hint="Choose a more specific name.",
            )
        if (other := labelled[label]) != name:
            raise errors.VocabularyConflict(
                f"a type {name!r} would have the same label in Cypher as the type {other!r}: {label}",
                hint=f"Use {other}, or choose another name.",
            )


def _own(tx: Tx) -> VocabularySet:
    return sets.find_or_insert(tx, sets.OWN, version=sets.OWN_VERSION)


def _refuse_if_protected(word: VocabularyTerm, fields: set[str]) -> None:
    """Refuse to change more than the labels of a core word, or what an inverse takes from its predicate.

    Raises:
        errors.VocabularyConflict: these of its fields cannot be changed.
    """
    if word.set == sets.CORE and (protected := sorted(fields - _OF_CORE)):
        raise errors.VocabularyConflict(
            f"{word.name} belongs to the core, which never changes: not {', '.join(protected)}",
            hint="Give it labels, or add a word of your own.",
        )
    inverse_of = word.inverse_of if isinstance(word, Predicate) else None
    if inverse_of is not None and (protected := sorted(fields - _OF_INVERSES)):
        raise errors.VocabularyConflict(
            f"{word.name} is the inverse of {inverse_of}, and has no {', '.join(protected)} of its own",
            hint=f"Change {inverse_of}.",
        )


def _refuse_core(word: VocabularyTerm, participle: str) -> None:
    if word.set == sets.CORE:
        raise errors.VocabularyConflict(
            f"{word.name} belongs to the core, which is never {participle}",
            hint="Only your own words and those of other sets can be.",
        )


def _change_labels(tx: Tx, word: VocabularyTerm, values: Mapping[str, Any], removed: Sequence[str]) -> None:
    """
    Raises:
        errors.VocabularyConflict: the word has no such label, or it came with the core.
    """
    if removed:
        existing = store.vocabulary.labels(tx, word.kind, [word.row]).get(word.row, [])
        by_key = {graph_vocabulary.wording_key(label.label): label for label in existing}
        for text in removed:
            label = by_key.get(graph_vocabulary.wording_key(text))
            if label is None:
                raise errors.VocabularyConflict(
                    f"{word.name} has no label {text[:60]!r}",
                    hint=f"`kg vocabulary {word.name}` shows its labels.",
                )
            if word.set == sets.CORE and not label.is_added:
                raise errors.VocabularyConflict(
                    f"{text[:60]!r} came with the core, which never changes",
                    hint="Only added labels can be removed.",
                )
        keys = {graph_vocabulary.wording_key(text) for text in removed}
        texts = [label.label for label in existing if graph_vocabulary.wording_key(label.label) in keys]
        store.vocabulary.delete_labels(tx, word.kind, word.row, labels=texts)
    definition = definitions.type_from(word.name, {name: values[name] for name in _LABELS if values.get(name)})
    terms.add_labels(tx, word.kind, word.row, definition.labels)


def _change_columns(tx: Tx, word: VocabularyTerm, values: Mapping[str, Any]) -> None:
    """
    Raises:
        errors.VocabularyConflict: a type that has entities would be abstract.
    """
    columns: dict[str, Any] = {}
    if "description" in values:
        columns["description"] = values["description"] or ""
    if isinstance(word, EntityType):
        if "style" in values:
            columns["style"] = values["style"]
        if "abstract" in values:
            columns["is_abstract"] = int(bool(values["abstract"]))
            if values["abstract"] and store.vocabulary.has_entities(tx, word.row):
                raise errors.VocabularyConflict(
                    f"there are entities of the type {word.name}", hint="Give them other types first."
                )
    else:
        if "role" in values:
            columns["role"] = values["role"]
        if "literal" in values:
            columns["literal_kind"] = values["literal"]
        if "sentence" in values:
            columns["sentence"] = values["sentence"] or ""
        if "flags" in values:
            flags = frozenset(values["flags"] or ())
            columns |= {f"is_{flag}": int(flag in flags) for flag in PREDICATE_FLAGS}
    if any(name in values for name in definitions.DETAILS):
        details = store.vocabulary.details(tx, word.kind, [word.row]).get(word.row, {})
        details |= {name: values[name] for name in definitions.DETAILS if name in values}
        columns["details"] = {name: value for name, value in details.items() if value}
    if columns:
        store.vocabulary.update_term(tx, word.kind, word.row, columns)


def _change_hierarchy(tx: Tx, word: EntityType, values: Mapping[str, Any]) -> None:
    rows = {term.name: term.row for term in graph_vocabulary.read(tx).types}
    for field, others in (("parents", values.get("parents")), ("disjoint", values.get("disjoint"))):
        if word.name in (others or ()):
            problem = "a kind of itself" if field == "parents" else "disjoint with itself"
            raise errors.VocabularyConflict(f"{word.name} cannot be {problem}")
    if "parents" in values:
        store.vocabulary.set_parents(tx, word.row, [rows[name] for name in values["parents"] or ()])
        terms.refuse_cycles(tx, [word.name])
    if "disjoint" in values:
        store.vocabulary.set_disjoint(tx, word.row, [rows[name] for name in values["disjoint"] or ()])


def _change_ends(tx: Tx, word: Predicate, values: Mapping[str, Any]) -> None:
    """Change the types at the ends of a predicate, and swapped at those of its inverses."""
    vocabulary = graph_vocabulary.read(tx)
    rows = {term.name: term.row for term in vocabulary.types}
    inverses = [vocabulary.predicate_by_name[name].row for name in vocabulary.inverses(word.name)]
    for field, side, other_side in (("sources", "subject", "object"), ("targets", "object", "subject")):
        if field in values:
            types = [rows[name] for name in values[field] or ()]
            store.vocabulary.set_ends(tx, word.row, side, types)
            for inverse in inverses:
                store.vocabulary.set_ends(tx, inverse, other_side, types)


def _change_inverse(tx: Tx, word: Predicate, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Add an inverse to a predicate, add labels to its inverse, or remove it; returns the name of a new one.

    Raises:
        errors.VocabularyConflict: the inverse is an independent predicate, or is in use and cannot be removed.
    """
    if "inverse" not in values:
        return ()
    vocabulary = graph_vocabulary.read(tx)
    changed = vocabulary.predicate_by_name[word.name]
    inverse = values["inverse"]
    if inverse is None:
        _delete_inverses(tx, word)
        return ()
    existing = vocabulary.predicate_by_name.get(inverse["name"])
    if existing is None:
        base = PredicateDefinition(word.name, sources=changed.sources, targets=changed.targets)
        terms.insert(tx, predicates=[definitions.inverse_from(inverse, of=base)], of_set=_own(tx))
        return (inverse["name"],)
    if existing.name == word.name:
        raise errors.VocabularyConflict(
            f"{word.name} cannot be its own inverse",
            hint=f"If it says the same both ways, make it symmetric: `kg vocabulary change {word.name} --symmetric`.",
        )
    if existing.inverse_of != word.name:
        raise errors.VocabularyConflict(
            f"{existing.name} is a predicate of its own",
            hint=f"Choose another name, and merge it: `kg vocabulary merge {existing.name} NEW_NAME`.",
        )
    change(tx, existing, {name: value for name, value in inverse.items() if name != "name"})
    return ()


def _delete_inverses(tx: Tx, word: Predicate) -> None:
    """Delete the inverses of a predicate; no fact is stored under them."""
    vocabulary = graph_vocabulary.read(tx)
    for name in vocabulary.inverses(word.name):
        inverse = vocabulary.predicate_by_name[name]
        _refuse_core(inverse, "removed")
        if store.vocabulary.is_in_use(tx, inverse.kind, inverse.row):
            raise errors.VocabularyConflict(
                f"{name} is named as the replacement of a retired word",
                hint=f"Retire it instead: `kg vocabulary retire {name}`.",
            )
        store.vocabulary.delete_term(tx, inverse.kind, inverse.row)


def _refuse_facts_with_entities(tx: Tx, name: str) -> None:
    """
    Raises:
        errors.VocabularyConflict: the predicate would take literals, and has facts with entities.
    """
    predicate = graph_vocabulary.read(tx).predicate_by_name[name]
    if predicate.literal_kind is not None and (count := _count_with_entities(tx, predicate)):
        raise errors.VocabularyConflict(
            f"{count:,} {'fact' if count == 1 else 'facts'} of {name} have an entity as their object, not a literal",
            hint="Retract them first, or add a predicate of its own.",
        )


def _count_with_entities(tx: Tx, predicate: Predicate) -> int:
    patterns = store.vocabulary.count_patterns(tx, predicate.row)
    return sum(count for _, object_type, count in patterns if object_type is not None)
