"""Entities for writers: found by id, exact name or alias, or created; never by a similar name.

A new entity that may be a duplicate is reported. Readers resolve names in engine/resolution.

The type that a new entity gets from a fact stays assumed: a later fact may change it, and an explicitly given type
decides. A person whose alias is a word for the speaker, such as "me", is the owner of the graph.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NoReturn

from keepgraph import english, errors, store
from keepgraph.command_arguments import entity_argument
from keepgraph.engine.resolution import first_person, fuzzy
from keepgraph.engine.vocabulary import graph_vocabulary, terms
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.english import with_article
from keepgraph.language import identifiers, name_shapes, name_similarity, romanisation
from keepgraph.language.first_person import is_pronoun
from keepgraph.language.normalisation import Name
from keepgraph.lazy import replace
from keepgraph.model import Candidate, Entity, EntityType, Fact, NameStyle, Ref, Resolution
from keepgraph.store.transactions import Tx

MAX_DUPLICATES = 5
LIKELY_DUPLICATE = 0.85
"""The score from which two names are likely to mean one entity; below, one is mostly a part of the other."""
_LOOKALIKE_SCORE = 0.99
_WORTH_COMPARING = 0.72  # of letters: below, a name matches from neither end
MAX_NAME = 200
MAX_KEY = 2 * MAX_NAME
"""The longest normalised name. NFKC may turn one character into eighteen, and comparing such names takes minutes."""


def find_or_create(tx: Tx, ref: Ref, *, error_class: Callable[..., errors.KeepgraphError]) -> tuple[Entity, bool]:
    """The entity with this id, identifier, exact name or alias, or a new one; and whether it was created.

    If no entity of the type has the name, the only one of its subtypes with that name is meant.

    "Me" is the owner, unless something has that name.

    Raises:
        `error_class` (SubjectRequired or ObjectRequired): the id does not exist, or neither id nor name is given.
        errors.EntityNotFound: "me" means nobody.
        errors.EntityTypeUnknown: the type is missing, not in the vocabulary, or abstract.
        errors.Ambiguous: several entities of that type, or of its subtypes, have this name or alias.
    """
    if ref.id is not None:
        return _find_by_id(tx, ref, error_class=error_class), False
    if known := tx.memo.get(("named", tx.group, ref.type, ref.name)):
        return known, False
    entity_type = assumed_type(tx, ref.type)
    name = Name(ref.name or "")
    if len(name.key) > MAX_KEY:
        raise error_class(
            f"the name has {len(name.key):,} characters when its symbols are spelled out; at most {MAX_KEY} are allowed"
        )
    memo_key = ("entity", tx.group, entity_type.name, name.key)
    if memo_key in tx.memo:
        return tx.memo[memo_key], False
    entity, created = _find_by_name_or_create(tx, entity_type, name, error_class=error_class)
    tx.memo[memo_key] = entity
    return entity, created


def read_ahead(tx: Tx, named: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Entity]:
    """Look up the names of many facts in one query, so that `find_or_create` looks up none of them.

    Identifiers are left to it: what they identify may have another name.

    Args:
        named: types, each with a name.

    Returns:
        The entities of exactly these types and names.
    """
    named = set(named)
    keys = {name: Name(name).key for _, name in named if identifiers.key_of_name(name) is None}
    by_key = {
        (entity.type, Name(entity.name).key): entity for entity in store.entities.read_ahead(tx, set(keys.values()))
    }
    types = graph_vocabulary.read(tx).type_by_name
    known = {
        (kind, name): by_key[kind, keys[name]]
        for kind, name in named
        if (kind, keys.get(name)) in by_key and types[kind].retired_at is None
    }
    tx.memo.update({("named", tx.group, *type_and_name): entity for type_and_name, entity in known.items()})
    return known


def create(tx: Tx, entity_type: str, name: str) -> Entity:
    """A new entity of a usable type, whatever else has the name as an alias; no other one of the type may have it."""
    return _insert(tx, graph_vocabulary.read(tx).type_by_name[entity_type], Name(name))


def all_named(tx: Tx, name: Name) -> list[Entity]:
    """The entities with this name, else those with this alias, else the owner for "me"."""
    if entities := store.entities.by_key(tx, name.key) or [
        entity for entity, _ in store.entities.by_alias_key(tx, name.key)
    ]:
        return entities
    speaker = first_person.resolve(tx, name, of_types=None)
    return [speaker.entity] if speaker and speaker.entity else []


def refuse_unknown_speaker(name: Name, speaker: Resolution) -> NoReturn:
    """
    Raises:
        errors.EntityNotFound: "me" means nobody, because the graph has no owner.
    """
    raise errors.EntityNotFound(f"{name.text!r} refers to nobody here", hint=speaker.hint)


def find(tx: Tx, ref: Ref) -> Entity:
    """The one entity with this id, exact name or alias, or the owner for "me".

    A type means its subtypes too. It may be retired: its entities are still found by it.

    Raises:
        errors.EntityNotFound: there is none; entities with similar names are candidates.
        errors.EntityTypeUnknown: the type is not in the vocabulary.
        errors.Ambiguous: there are several.
    """
    name = Name(ref.name or "")
    if ref.id is None and (retired := _named_of_retired_type(tx, name, ref.type)):
        return retired
    entity_type = assumed_type(tx, ref.type).name if ref.type is not None else None
    if ref.id is not None:
        return _find_by_id(tx, ref, error_class=errors.EntityNotFound)
    types = graph_vocabulary.read(tx).with_subtypes([entity_type]) if entity_type else None
    identifier = identifiers.key_of_name(name.text)
    if identifier and (bearer := store.entities.bearer(tx, identifier, of_types=types)):
        return bearer
    matches = _named(tx, name, entity_type, types)
    if len(matches) > 1:
        raise errors.Ambiguous(
            f"{len(matches)} entities are called {english.quoted(name.text)}",
            candidates=[_as_candidate(entity) for entity in matches],
        )
    if not matches:
        owner = first_person.resolve(tx, name, of_types=types)
        if owner and owner.entity:
            return owner.entity
        similar = fuzzy.rank(tx, name, of_types=types)[:MAX_DUPLICATES]
        raise errors.EntityNotFound(
            f"there is no {entity_type or 'entity'} called {english.quoted(name.text)}",
            hint=owner.hint if owner else None,
            candidates=[_as_candidate(candidate.entity) for candidate in similar],
        )
    return matches[0]


def find_by_id(tx: Tx, public_id: str) -> Entity | None:
    """The entity with this id, or the one it was merged into."""
    wanted = public_id.strip().lower()
    return store.entities.by_id(tx, wanted) or store.entities.by_former_id(tx, wanted)


def find_named(tx: Tx, text: str, entity_types_allowed: Sequence[str]) -> Entity | None:
    """The entity with this exact name or alias and one of these types or their subtypes; without types, of any.

    Raises:
        errors.Ambiguous: there are several.
    """
    name = Name(text)
    types = graph_vocabulary.read(tx).with_subtypes(entity_types_allowed) if entity_types_allowed else None
    matches = _named(tx, name, None, types) if name.key else []
    if len(matches) > 1:
        raise errors.Ambiguous(
            f"{len(matches)} entities are called {english.quoted(name.text)}",
            hint="Give the type of the one you mean, or its id.",
            candidates=[_as_candidate(entity) for entity in matches],
        )
    return matches[0] if matches else None


def is_known(tx: Tx, key: str) -> bool:
    """Whether an entity of any type has this key as that of its name or of an alias."""
    return bool(store.entities.by_key(tx, key) or store.entities.by_alias_key(tx, key))


def find_type(tx: Tx, name: str | None) -> int:
    """The row number of a named entity type, even a retired one.

    Raises:
        errors.EntityTypeUnknown: it is missing, or not in the vocabulary.
    """
    term = graph_vocabulary.read(tx).type_by_name.get(name or "")
    return term.row if term is not None else assumed_type(tx, name).row


def add_aliases(tx: Tx, entity: Entity, aliases: Sequence[str]) -> None:
    """Add other names to an entity; a person with the alias "me" becomes the owner of the graph.

    An identifier is added in its canonical spelling (ADR 0077).

    Raises:
        errors.AliasInvalid: one is empty or too long.
        errors.AliasTaken: one is the name of another entity of the same type, or identifies another entity of any.
    """
    for text in take(tx, entity, aliases):
        identifier = identifiers.canonical(text) if identifiers.may_be(text) else None
        alias = Name(identifier or text)
        if not alias.key or len(alias.text) > MAX_NAME or len(alias.key) > MAX_KEY:
            raise errors.AliasInvalid(f"an alias has 1 to {MAX_NAME} characters, but this one has {len(alias.text)}")
        if alias.key == Name(entity.name).key:
            continue
        if identifier:
            owners = [owner for owner in store.entities.bearers(tx, alias.key) if owner.row != entity.row]
        else:
            owners = store.entities.by_key(tx, alias.key, of_types=[entity.type])
        if owners:
            what = (
                f"identifies {english.quoted(owners[0].name)}"
                if identifier
                else f"is the name of another {entity.type}"
            )
            raise errors.AliasTaken(
                f"{alias.text!r} {what}, {owners[0].id}",
                hint=f"{describe_merge(owners[0], entity)} Otherwise use another alias.",
                candidates=[_as_candidate(owners[0])],
            )
        store.entities.insert_alias(
            tx,
            entity,
            alias=alias.text,
            key=alias.key,
            folded=alias.indexed_forms,
            created_at=tx.at,
        )
        tx.memo.pop(("entity", tx.group, entity.type, alias.key), None)  # the name may mean two entities now


def journal_surface(tx: Tx, ref: Ref, entity: Entity) -> None:
    """Journal the alias or former id by which a changing call named an entity.

    If that is the name of an entity merged into it, the change concerns that one: the merge stays.
    """
    key = Name(ref.name or "").key if ref.id is None else None
    store.entities.journal_surface(tx, entity.row, key=key, former_id=ref.id and ref.id.strip().lower())


def describe_merge(keep: Entity, absorb: Entity) -> str:
    """The call that merges two entities, in words for a hint."""
    words = " ".join(entity_argument(each.type, each.name, each.id) for each in (keep, absorb))
    differ = keep.type != absorb.type
    arguments = {"entity": {"id": keep.id}, "merge": {"id": absorb.id}, **({"type": keep.type} if differ else {})}
    return (
        f"If they are the same thing, merge them: change {json.dumps(arguments, ensure_ascii=False)}, "
        f"or `kg merge {words}{' --across-types' if differ else ''}`."
    )


def possible_duplicates(tx: Tx, entity: Entity) -> list[Candidate]:
    """Existing entities that may be the same as a new one: same name in any type, or a similar one in a related type.

    A name that looks the same in other characters counts as the same name.
    Related types are the supertypes and subtypes of its type; all types of people are related. Either name may be
    the mistyped or the shorter one. The likeliest come first.
    """
    name = Name(entity.name)
    vocabulary = graph_vocabulary.read(tx)
    related_types = vocabulary.related_types(entity.type)
    duplicates = {
        other.row: Candidate(other, other.name, "exact", 1.0)
        if Name(other.name).key == name.key
        else Candidate(other, other.name, "fuzzy", _LOOKALIKE_SCORE, "looks the same, in other characters")
        for other in store.entities.by_keys(tx, [name.key, *romanisation.keys(entity.name)])
        if romanisation.appearance(other.name) == romanisation.appearance(entity.name)
    }
    style = vocabulary.style(entity.type)
    for candidate in fuzzy.rank(tx, name, of_types=related_types, include_weak=False):
        likelier = _compare_from_other_end(candidate, name, style=style, type_names=related_types)
        if likelier.score >= name_similarity.MATCH_THRESHOLD:
            duplicates.setdefault(candidate.entity.row, likelier)
    is_person = style == "person"
    for other in _persons_named_by_part(tx, name, of_types=related_types) if is_person else ():
        match = name_similarity.compare(Name(other.name), name, style="person", type_names=related_types)
        if match.score >= name_similarity.MATCH_THRESHOLD:
            duplicates.setdefault(other.row, Candidate(other, other.name, "fuzzy", round(match.score, 3), match.reason))
    duplicates.pop(entity.row, None)
    return sorted(duplicates.values(), key=lambda one: (-one.score, one.entity.row))[:MAX_DUPLICATES]


def _compare_from_other_end(
    candidate: Candidate, name: Name, *, style: NameStyle, type_names: frozenset[str]
) -> Candidate:
    """The candidate as it matches, or as its name would match if that were asked for."""
    if candidate.score >= name_similarity.MATCH_THRESHOLD or candidate.score < _WORTH_COMPARING:
        return candidate
    match = name_similarity.compare(Name(candidate.entity.name), name, style=style, type_names=type_names)
    if match.score < LIKELY_DUPLICATE and style != "reference":
        return candidate
    return replace(candidate, score=round(match.score, 3), reason=match.reason)


def _persons_named_by_part(tx: Tx, name: Name, *, of_types: Collection[str]) -> list[Entity]:
    """People whose whole name is a part of this one, or an initial of it: Sarah, S. Connor, for Sarah Connor."""
    parts = name.key.split()
    if len(parts) < 2:
        return []
    shorter = [*parts, *map(" ".join, pairwise(parts))]
    shorter += [" ".join([parts[0][0] + stop, *rest]) for stop in ("", ".") for rest in (parts[1:], parts[-1:])]
    return store.entities.by_keys(tx, shorter, of_types=of_types)


def _find_by_id(tx: Tx, ref: Ref, *, error_class: Callable[..., errors.KeepgraphError]) -> Entity:
    memo_key = ("entity", ref.id or "")
    entity = tx.memo.get(memo_key) or find_by_id(tx, ref.id or "")
    if entity is None:
        raise error_class(
            f"there is no entity {english.quoted(ref.id)}", hint="Look it up by name first; ids begin with ent_."
        )
    tx.memo[memo_key] = entity
    if ref.type is not None:
        entity_type = assumed_type(tx, ref.type).name
        if not graph_vocabulary.read(tx).is_kind_of(entity.type, entity_type):
            wanted = with_article(entity_type)
            raise error_class(f"{entity.id} is {with_article(entity.type)} ({entity.name}), not {wanted}")
    return entity


def _find_by_name_or_create(
    tx: Tx, entity_type: EntityType, name: Name, *, error_class: Callable[..., errors.KeepgraphError]
) -> tuple[Entity, bool]:
    if not name.key:
        raise error_class("the name is empty")
    if len(name.text) > MAX_NAME:
        raise error_class(f"the name has {len(name.text)} characters; at most {MAX_NAME} are allowed")
    types = graph_vocabulary.read(tx).with_subtypes([entity_type.name])
    identifier = identifiers.key_of_name(name.text)
    if identifier and (bearer := store.entities.bearer(tx, identifier, of_types=types)):
        return bearer, False
    of_any_type = store.entities.by_key(tx, name.key)
    by_name = [entity for entity in of_any_type if entity.type in types]
    if matches := _best_named(tx, name, entity_type.name, types, by_name):
        if len(matches) > 1:
            is_alias = all(Name(entity.name).key != name.key for entity in matches)
            raise errors.Ambiguous(
                f"{len(matches)} entities of type {entity_type.name} have the {'alias' if is_alias else 'name'} "
                f"{name.text!r}",
                candidates=[_as_candidate(entity) for entity in matches],
            )
        return matches[0], False
    refuse_abstract(tx, entity_type)
    # Its type may only be assumed: that of a note, for example.
    if len(of_any_type) == 1 and (
        retyped := change_assumed_type(tx, of_any_type[0], entity_type.name, is_assumed=False)
    ):
        return retyped, False
    if speaker := first_person.resolve(tx, name, of_types=types):
        return speaker.entity or refuse_unknown_speaker(name, speaker), False
    return _insert(tx, entity_type, name), True


def _insert(tx: Tx, entity_type: EntityType, name: Name) -> Entity:
    public_id, created_at = tx.new_id("ent"), tx.at
    row = store.entities.insert(
        tx,
        public_id=public_id,
        type_row=entity_type.row,
        name=name.text,
        key=name.key,
        folded=name.indexed_forms,
        created_at=created_at,
    )
    entity = tx.memo["entity", public_id] = Entity(row, public_id, entity_type.name, name.text, created_at)
    own_identifier(tx, entity)
    return entity


def own_identifier(tx: Tx, entity: Entity) -> None:
    """Make an identifier that an entity is named by its alias in the canonical spelling, unless another one has it."""
    if (spelling := identifiers.spelling(entity.name)) != entity.name:
        with suppress(errors.AliasTaken, errors.AliasInvalid):
            add_aliases(tx, entity, [spelling])


def _named(tx: Tx, name: Name, entity_type: str | None, types: Sequence[str] | None) -> list[Entity]:
    """The entities with this name, else with this alias, of these types (None: of any); those of `entity_type` first.

    Only the best matches are returned: by name before alias, and of the exact type before its subtypes.
    """
    return _best_named(tx, name, entity_type, types, store.entities.by_key(tx, name.key, of_types=types))


def _best_named(
    tx: Tx, name: Name, entity_type: str | None, types: Sequence[str] | None, by_name: list[Entity]
) -> list[Entity]:
    if exact := [entity for entity in by_name if entity.type == entity_type]:
        return exact
    by_alias = [entity for entity, _ in store.entities.by_alias_key(tx, name.key, of_types=types)]
    return [entity for entity in by_alias if entity.type == entity_type] or by_name or by_alias


def _named_of_retired_type(tx: Tx, name: Name, entity_type: str | None) -> Entity | None:
    """The entity with this name that has a retired type: no new entity gets it, existing ones keep it."""
    term = graph_vocabulary.read(tx).type_by_name.get(entity_type or "")
    if term is None or term.retired_at is None:
        return None
    return next(iter(store.entities.by_key(tx, name.key, of_types=[term.name])), None)


def _as_candidate(entity: Entity) -> dict[str, str]:
    return {"id": entity.id, "type": entity.type, "name": entity.name}


GIVEN_TYPE = "entityType"
"""The entity property with the given type that is not in the vocabulary; imports have it too."""


def choose(
    vocabulary: Vocabulary, name: str, wanted: Sequence[Sequence[str]], *, named: str | None = None, is_cased: bool
) -> str | None:
    """The type for a name that satisfies most of the predicates that it is an end of; None if none suits.

    Args:
        wanted: for each of these predicates, the types that the end may have; empty for any.
        named: the type that a word of the name indicates; see `named_in`.
        is_cased: whether capital letters mean anything in names that came with it.
    """
    votes: Counter[str] = Counter()
    for allowed in wanted:
        votes.update(suitable(vocabulary, name, allowed, is_cased=is_cased))
    if not votes:
        return None
    order = {entity_type: position for position, entity_type in enumerate(votes)}

    def rank(one: str) -> tuple[int, bool, int, int]:
        is_named = named is not None and vocabulary.fits_side((one,), named)
        return -votes[one], not is_named, _strangeness(vocabulary, name, one, votes.keys() - {one}), order[one]

    return min(votes, key=rank)


def named_in(tx: Tx, name: str) -> str | None:
    """The type that the head of a name indicates: an organisation in "Harvard University", a place in "Lake Como"."""
    head = name.partition(" of ")[0] if " of " in name else name.partition(" ")[2]
    word = head.split()[-1] if head.split() else ""
    term = graph_vocabulary.find(tx, store.vocabulary.ENTITY_TYPE, word)
    is_thing = term is not None and graph_vocabulary.read(tx).style(term.name) in ("title", "reference")
    return term.name if term is not None and is_thing else None


def suitable(vocabulary: Vocabulary, name: str, allowed: Sequence[str], *, is_cased: bool) -> list[str]:
    """The types that an end may have and that suit the shape of a name; the default type first if allowed.

    Text that is not written like a name is neither a person nor a place: it gets the default type, or another type of
    terms if only those are wanted.
    """
    if not name_shapes.is_noun_phrase(name):
        return []
    default = vocabulary.default_type(graph_vocabulary.DEFAULT_STYLE)
    if not allowed:
        return [default]
    usable = usable_type(vocabulary, tuple(allowed))
    if name_shapes.is_proper(name, is_cased=is_cased):
        is_group = name_shapes.resembles_group(name)
        return [one for one in usable if not (is_group and vocabulary.style(one) == "person")]
    if vocabulary.fits_side(allowed, default):
        return [default]
    return usable if all(vocabulary.style(one) in ("term", "statement") for one in usable) else []


def first_usable(vocabulary: Vocabulary, allowed: Sequence[str]) -> str | None:
    """The first usable type that an end may have; the default type where any is allowed."""
    default = vocabulary.default_type(graph_vocabulary.DEFAULT_STYLE)
    return next(iter(usable_type(vocabulary, tuple(allowed))), None) if allowed else default


def change_assumed_type(tx: Tx, entity: Entity, entity_type: str, *, is_assumed: bool = True) -> Entity | None:
    """Change the assumed type of an entity; None if that is impossible.

    It is if the type was given, if the facts about the entity would no longer fit, or if another entity of that name
    has the new type.
    """
    vocabulary = graph_vocabulary.read(tx)
    if entity.type == entity_type or not vocabulary.is_usable_type(entity_type):
        return None
    if entity.row not in store.entities.among(tx, [entity.row]):
        return None
    if not all(_fits(vocabulary, fact, entity, entity_type) for fact in store.facts.all_about(tx, entity)):
        return None
    if store.entities.by_key(tx, Name(entity.name).key, of_types=[entity_type]):
        return None
    type_row = vocabulary.type_by_name[entity_type].row
    store.entities.replace(tx, entity.row, type_row=type_row, is_assumed=is_assumed)
    tx.memo.clear()
    return store.entities.by_rows(tx, [entity.row])[entity.row]


def keep_given(tx: Tx, entity: Entity, given_type: str) -> None:
    """Note with a new entity its given type that is not in the vocabulary; see `apply_given`."""
    properties = json.dumps({GIVEN_TYPE: given_type}, ensure_ascii=False)
    store.entities.set_particulars(tx, entity.row, summary="", properties=properties)


def apply_given(tx: Tx) -> None:
    """Give entities their given types that the vocabulary now has; in all groups.

    Entities whose facts would not fit stay unchanged.
    """
    for group, row, given_type in store.entities.with_property(tx, GIVEN_TYPE):
        try:
            entity_type = assumed_type(tx, given_type).name
        except errors.EntityTypeUnknown:
            continue
        tx_of_group = replace(tx, group=group)
        entity = store.entities.by_rows(tx_of_group, [row])[row]
        change_assumed_type(tx_of_group, entity, entity_type, is_assumed=False)


def _fits(vocabulary: Vocabulary, fact: Fact, entity: Entity, entity_type: str) -> bool:
    """Whether a fact fits its predicate when one of its ends has another type."""
    predicate = vocabulary.predicate_by_name[fact.predicate]
    if not predicate.has_binding_ends:
        return True
    is_subject = fact.subject.row == entity.row
    is_object = fact.object is not None and fact.object.row == entity.row
    return (not is_subject or vocabulary.fits_side(predicate.sources, entity_type)) and (
        not is_object or vocabulary.fits_side(predicate.targets, entity_type)
    )


def _strangeness(vocabulary: Vocabulary, name: str, entity_type: str, others: Iterable[str]) -> int:
    """How little a type suits the shape of a name, compared with the other types that it may have: 0 if it does.

    A single word that is not a known given name is rarely a person if another type is about as common.
    """
    match vocabulary.style(entity_type):
        case "person":
            is_unclear = " " not in name.strip() and not name_shapes.resembles_person(name)
            return int(
                is_unclear and any(2 * _ends(vocabulary, one) >= _ends(vocabulary, entity_type) for one in others)
            )
        case "statement":
            return 1
        case _:
            return int(name_shapes.resembles_person(name))


def _ends(vocabulary: Vocabulary, entity_type: str) -> int:
    """How many ends of predicates allow a type."""
    return sum((entity_type in term.sources) + (entity_type in term.targets) for term in vocabulary.usable_predicates)


# Entity types for writers: by name in any spelling, or by a label in any language; unknown ones are refused.


def assumed_type(tx: Tx, wording: str | None) -> EntityType:
    """The entity type that a wording or its singular means; for a retired one, its replacement.

    Raises:
        errors.EntityTypeUnknown: it is missing, not in the vocabulary, or retired without a replacement.
    """
    vocabulary = graph_vocabulary.read(tx)
    kind = store.vocabulary.ENTITY_TYPE
    terms = graph_vocabulary.find_all(tx, kind, wording or "")
    for term in terms or graph_vocabulary.find_all(tx, kind, graph_vocabulary.singular(wording or "")):
        if current := _replacement(vocabulary, vocabulary.type_by_name[term.name]):
            return current
    raise unknown(tx, wording)


def unknown(tx: Tx, wording: str | None, *, allowed: Sequence[str] = ()) -> errors.EntityTypeUnknown:
    """The refusal of a type that is missing, not in the vocabulary, or retired without a replacement.

    Args:
        allowed: the types that would fit, if limited.
    """
    kind = store.vocabulary.ENTITY_TYPE
    vocabulary = graph_vocabulary.read(tx)
    fitting = usable_type(vocabulary, allowed)
    if not wording:
        names = terms.nearest(tx, kind, "", first=fitting)
        return errors.EntityTypeUnknown("the entity type is missing", hint=terms.describe_nearest(tx, kind, names))
    alike = [name for name in terms.similar(tx, kind, wording) if not allowed or vocabulary.fits_side(allowed, name)]
    names = terms.nearest(tx, kind, wording, first=alike)
    if fitting:
        names = [name for name in names if vocabulary.fits_side(allowed, name)]
    is_retired = wording in vocabulary.type_by_name
    problem = "is a retired entity type, and nothing replaces it" if is_retired else "is not an entity type"
    addition = terms.describe_addition(tx, kind, wording, {"parents": fitting[:1]} if fitting else {"style": "term"})
    return errors.EntityTypeUnknown(
        f"{english.quoted(wording)} {problem}",
        hint=f"{terms.describe_nearest(tx, kind, names, fitting=fitting)} {addition}".strip(),
        candidates=alike,
    )


def refuse_abstract(tx: Tx, entity_type: EntityType) -> None:
    """Refuse an abstract type for a new entity.

    Raises:
        errors.EntityTypeUnknown: the type is abstract.
    """
    if not entity_type.is_abstract:
        return
    vocabulary = graph_vocabulary.read(tx)
    subtypes = usable_type(vocabulary, [entity_type.name])
    raise errors.EntityTypeUnknown(
        f"{entity_type.name!r} is an abstract type: an entity needs one of its subtypes",
        hint=f"Use one of its subtypes: {', '.join(subtypes[: terms.MAX_NEAR])}."
        if subtypes
        else f"Add a subtype first: kg vocabulary add type NAME --parent {entity_type.name}.",
        candidates=subtypes[: terms.MAX_NEAR],
    )


def usable_type(vocabulary: Vocabulary, entity_types: Sequence[str]) -> list[str]:
    """Of these types, the usable ones; in place of an abstract one, its usable subtypes."""
    names: dict[str, None] = {}
    for name in entity_types:
        term = vocabulary.type_by_name.get(name)
        if term is not None and term.retired_at is None and not term.is_abstract:
            names[name] = None
        else:
            subtypes = vocabulary.with_subtypes([name])[1:] if term is not None else ()
            names.update(dict.fromkeys(other for other in subtypes if vocabulary.is_usable_type(other)))
    return list(names)


def _replacement(vocabulary: Vocabulary, term: EntityType) -> EntityType | None:
    """A type or its replacement; None if it is retired without one."""
    passed = set()
    current: EntityType | None = term
    while current is not None and current.retired_at is not None and current.name not in passed:
        passed.add(current.name)
        current = vocabulary.type_by_name.get(current.replaced_by or "")
    return current if current is not None and current.retired_at is None else None


def take(tx: Tx, entity: Entity, aliases: Sequence[str]) -> list[str]:
    """Make a person the owner if one of these aliases is a word for the speaker; returns the other aliases.

    Anything but a person may have any alias.

    Raises:
        errors.AliasTaken: somebody else is the owner.
    """
    others = [alias for alias in aliases if not is_pronoun(alias)]
    if len(others) == len(aliases) or graph_vocabulary.read(tx).style(entity.type) != "person":
        return list(aliases)
    previous = store.groups.find(tx)
    if previous is not None and previous.row != entity.row:
        raise errors.AliasTaken(
            f"“me” is {previous.name}, the owner of this graph",
            hint=f"Ask whether {entity.name} is the owner now; then set_owner, or `kg me {entity.id}`.",
            candidates=[{"id": previous.id, "type": previous.type, "name": previous.name}],
        )
    make_owner(tx, entity)
    return others


def make_owner(tx: Tx, entity: Entity) -> None:
    """Make a person the owner; nothing is written if it already is.

    Raises:
        errors.EntityTypeUnknown: it is not a person.
    """
    refuse_other_types(tx, entity.type)
    owner = store.groups.find(tx)
    if owner is None or owner.row != entity.row:
        store.groups.put(tx, entity.row, group=tx.group, at=tx.at)


def refuse_other_types(tx: Tx, entity_type: str, *, hint: str | None = None) -> None:
    """
    Raises:
        errors.EntityTypeUnknown: it is not a type of people.
    """
    vocabulary = graph_vocabulary.read(tx)
    if vocabulary.style(entity_type) != "person":
        types = vocabulary.types_of_style("person")
        raise errors.EntityTypeUnknown(
            f"the owner of a graph is a person, not {with_article(entity_type)}",
            hint=hint or f"Name a person: {', '.join(types)}.",
            candidates=list(types),
        )


def refuse_to_make_other(tx: Tx, entity: Entity, entity_type: str) -> None:
    """Refuse to turn the owner into anything but a person, by another type or by a merge.

    Raises:
        errors.EntityTypeUnknown: the entity is the owner, and this is not a type of people.
    """
    owner = store.groups.find(tx)
    if owner is not None and owner.row == entity.row and entity_type != entity.type:
        hint = "First make somebody else the owner (set_owner, or `kg me NAME`), or nobody (`kg me --clear`)."
        refuse_other_types(tx, entity_type, hint=hint)
