"""Name resolution: from a name to an entity, in the steps exact, alias, fuzzy, embedding. Writes nothing.

The first step that has an answer decides; how probable the candidates of the last two are is judged in `acceptance`.
Where two entities are too close in score, none is returned, and both are candidates (`abstention`), unless the context
of the conversation tells them apart. "Me" is the owner of the graph, unless something has that name or alias
(`first_person`). An identifier (e-mail address, DOI, URL) is looked up first among names, aliases and literals, then,
in other spellings, among properties and literals; nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from keepgraph import store
from keepgraph.engine import vector_backfill
from keepgraph.engine.resolution import abstention, acceptance, embedding, first_person, fuzzy
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import identifiers, referring_expressions
from keepgraph.language.normalisation import Name
from keepgraph.language.referring_expressions import Expression
from keepgraph.model import Candidate, Entity, Resolution
from keepgraph.store.transactions import Tx

_ALIAS_SCORE = 0.95
_MAX_PROBABILITY_BY_CONTEXT = 0.9
"""The highest score of a candidate that the context decided for; how often it is right was not measured."""

_SCORE_WITH_OTHER_ADDRESS = 0.5
_MAX_NEIGHBOURS = 2_000
"""At most this many facts of an entity are searched for an entity in between."""
_MIN_LETTERS_OF_IDENTIFIER = 3
_MAX_TEXTS_WITH_IDENTIFIER = 200
_IDENTIFIER_SCORE = 0.95


def resolve(
    tx: Tx, name: Name, *, of_types: Collection[str] | None = None, context: Sequence[Entity] = ()
) -> Resolution:
    """The entity that a reader means by a name, an alias, an id, or `type:name`, where a subtype is of the type too.

    Args:
        of_types: only entities of exactly these types; None for any.
        context: entities that the conversation is about. They decide only between candidates that fit equally well.
    """
    name, of_types = _split_type(tx, name, of_types)
    resolution, candidates, is_open = _by_letters(tx, name, of_types)
    if context and resolution.entity is None and (chosen := _in_context(tx, name, of_types, candidates, context)):
        return chosen
    if resolution.entity is None and (asked := _asked_about(name)):
        return _resolve_question(tx, asked, of_types, context)
    if is_open:
        resolution = embedding.resolve(tx, name, of_types=of_types, by_letters=candidates, fallback=resolution)
    resolution = abstention.tell_apart(resolution, name, threshold=tx.settings.accept)
    if tx.settings.count_unknown_names and name.key and resolution.entity is None and not resolution.is_ambiguous:
        tx.unknown_names[name.key] = name.text
    return resolution


def resolve_by_letters(tx: Tx, name: Name, *, of_types: Collection[str] | None = None) -> Resolution:
    """The entity that a reader means by a name, without the step that loads a model."""
    steps = tuple(step for step in tx.settings.steps if step != "embedding")
    return resolve(replace(tx, settings=replace(tx.settings, steps=steps)), name, of_types=of_types)


def _asked_about(name: Name) -> list[Expression]:
    """The names that a question may ask about; none if it is not a question."""
    return [asked for asked in referring_expressions.asked_about(name.text) if Name(asked.name).key]


def _resolve_question(
    tx: Tx, asked: Sequence[Expression], of_types: Collection[str] | None, context: Sequence[Entity]
) -> Resolution:
    """The first of these names that means an entity; else the candidates for the first name."""
    resolutions = []
    for each in asked:
        resolution = resolve(tx, Name(each.name), of_types=of_types, context=context)
        if resolution.entity is not None:
            return replace(resolution, reason=resolution.reason or each.reason)
        resolutions.append(resolution)
    return resolutions[0]


def resolve_context(tx: Tx, names: Sequence[str]) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
    """The entities that names of a context mean, and the names that mean none or are ambiguous."""
    resolved = {text: resolve(tx, Name(text)).entity if Name(text).key else None for text in names}
    entities = {entity.row: entity for entity in resolved.values() if entity is not None}
    return tuple(entities.values()), tuple(text for text, entity in resolved.items() if entity is None)


def _in_context(
    tx: Tx, name: Name, of_types: Collection[str] | None, by_letters: Sequence[Candidate], context: Sequence[Entity]
) -> Resolution | None:
    """The candidate that the context decides for, if it would be accepted without the others tied with it.

    Args:
        by_letters: the candidates of the fuzzy step; none if the name exactly matches one.
    """
    if by_letters:
        rows = fuzzy.tied(by_letters)
        tied = [candidate for candidate in by_letters if candidate.entity.row in rows]
    else:
        tied = _exact_name_or_alias(tx, name, of_types)
    if len(tied) < 2 or not (decided := closest_to_context(tx, tied, context)):
        return None
    chosen, reason = decided
    others = tuple(candidate for candidate in tied if candidate is not chosen)
    if by_letters:
        alone = [candidate for candidate in by_letters if candidate not in others]
        judged = acceptance.judge(tx, name, alone, ruled=fuzzy.best(alone))
        chosen = next(candidate for candidate in judged if candidate.entity.row == chosen.entity.row)
    score = min(chosen.score, _MAX_PROBABILITY_BY_CONTEXT)
    if score < tx.settings.accept:
        return None
    reason = f"{chosen.reason}; {reason}" if chosen.reason else reason
    rest = round((1 - score) / len(others), 3)
    shown = tuple(replace(candidate, score=rest) for candidate in others[: abstention.MAX_CANDIDATES])
    return Resolution(chosen.entity, chosen.method, score, shown, reason)


def needs_vectors(tx: Tx, name: Name, *, of_types: Collection[str] | None = None) -> bool:
    """Whether letters leave open what a name means, and vectors of names are missing but can be made."""
    kind = store.derived_tables.NAME_VECTORS
    # The cheapest first: mostly nothing is missing, or the name is known.
    if (
        not tx.cached(("missing", kind.prefix), lambda: store.vectors.any_missing(tx, kind))
        or _exactly(tx, name, of_types)
        or not vector_backfill.is_due(tx, [kind])
    ):
        return False
    name, of_types = _split_type(tx, name, of_types)
    _, _, is_open = _by_letters(tx, name, of_types)
    return is_open and embedding.is_comparable(tx, name, of_types=of_types)


def _split_type(tx: Tx, name: Name, of_types: Collection[str] | None) -> tuple[Name, Collection[str] | None]:
    """The name in `type:name`, and that type with its subtypes, unless something is called exactly that."""
    prefix, _, rest = name.text.partition(":")
    entity_type = prefix.strip().lower()
    if of_types is not None or not rest.strip():
        return name, of_types
    vocabulary = graph_vocabulary.read(tx)
    if entity_type not in vocabulary.type_by_name or _exactly(tx, name, None):
        return name, None
    # An entity of exactly this type comes before one of a subtype.
    own, subtypes = (entity_type,), vocabulary.with_subtypes([entity_type])
    return Name(rest), own if len(subtypes) > 1 and _exactly(tx, Name(rest), own) else subtypes


def _by_letters(tx: Tx, name: Name, of_types: Collection[str] | None) -> tuple[Resolution, Sequence[Candidate], bool]:
    """Resolve a name in the steps exact, alias and fuzzy; its candidates; and whether the embedding step is next."""
    if resolution := _exactly(tx, name, of_types):
        return resolution, (), False
    if resolution := first_person.resolve(tx, name, of_types=of_types):
        return resolution, (), False
    if with_identifier := _with_identifier(tx, name, of_types=of_types):
        return abstention.choose(with_identifier, threshold=0.0), (), False
    if "fuzzy" not in tx.settings.steps:
        return Resolution(None, "none", 0.0), (), "embedding" in tx.settings.steps
    candidates = fuzzy.rank(tx, name, of_types=of_types)
    judged = acceptance.judge(tx, name, candidates, ruled=fuzzy.best(candidates))
    if "@" in name.text and identifiers.canonical(name.text):
        judged = [_weigh_other_address(tx, candidate) for candidate in judged]
    resolution = abstention.choose(judged, threshold=tx.settings.accept)
    # If a name certainly means one of several, no vector can decide which: Sarah, of two.
    is_ambiguous = sum(candidate.score for candidate in judged[:2]) >= tx.settings.accept
    return resolution, candidates, not (resolution.entity or is_ambiguous or "embedding" not in tx.settings.steps)


def _weigh_other_address(tx: Tx, candidate: Candidate) -> Candidate:
    """A candidate for an unknown e-mail address: uncertain at most, if another address of it is known."""
    address = next((alias for alias in store.entities.aliases(tx, candidate.entity) if "@" in alias), None)
    if address is None or candidate.score <= _SCORE_WITH_OTHER_ADDRESS:
        return candidate
    return replace(candidate, score=_SCORE_WITH_OTHER_ADDRESS, reason=f"its address is {address}")


def _exactly(tx: Tx, name: Name, of_types: Collection[str] | None) -> Resolution | None:
    """Resolve an id, an identifier, a name or an alias, exactly as written."""
    if resolution := _by_id(tx, name.text.lower(), of_types):
        return resolution
    identifier = identifiers.key_of_name(name.text)
    if identifier and (bearer := store.entities.bearer(tx, identifier, of_types=of_types)):
        method = "exact" if Name(bearer.name).key == name.key else "alias"
        return abstention.choose([Candidate(bearer, bearer.name, method, 1.0)], threshold=0.0)
    candidates = _exact_name_or_alias(tx, name, of_types)
    return abstention.choose(candidates, threshold=0.0) if candidates else None


def _by_id(tx: Tx, public_id: str, of_types: Collection[str] | None) -> Resolution | None:
    if not public_id.startswith("ent_"):
        return None
    method, reason = "exact", None
    entity = store.entities.by_id(tx, public_id)
    if entity is None and (entity := store.entities.by_former_id(tx, public_id)):
        method, reason = "alias", f"{public_id} was merged into it"
    if entity is None or (of_types is not None and entity.type not in of_types):
        return None
    return Resolution(entity, method, 1.0, reason=reason)


def _exact_name_or_alias(tx: Tx, name: Name, of_types: Collection[str] | None) -> list[Candidate]:
    aliases = store.entities.by_alias_key(tx, name.key, of_types=of_types) if tx.projects else []
    if own := [(entity, alias) for entity, alias in aliases if store.scopes.of_alias(tx, entity, name.key)]:
        # In its project, an alias takes precedence over names that hold everywhere.
        return [Candidate(entity, alias, "alias", _ALIAS_SCORE) for entity, alias in own]
    if exact := store.entities.by_key(tx, name.key, of_types=of_types):
        return [Candidate(entity, entity.name, "exact", 1.0) for entity in exact]
    return [
        Candidate(entity, alias, "alias", _ALIAS_SCORE)
        for entity, alias in aliases or store.entities.by_alias_key(tx, name.key, of_types=of_types)
    ]


def _with_identifier(tx: Tx, name: Name, *, of_types: Collection[str] | None) -> list[Candidate]:
    """The entities with the identifier that the name is; of several, only the documents, if there are any.

    Empty if the name is not an identifier.
    """
    identifier = identifiers.canonical(name.text)
    letters = identifiers.letters(identifier) if identifier else ""
    if identifier is None or len(letters) < _MIN_LETTERS_OF_IDENTIFIER:
        return []
    reasons = {
        row: f"“{text}” is its {key}"
        for row, key, text in store.entities.with_letters(tx, letters, limit=_MAX_TEXTS_WITH_IDENTIFIER)
        if identifiers.canonical(text, key=key) == identifier
    }
    entities = store.entities.by_rows(tx, sorted(reasons)) if reasons else {}
    candidates = [
        Candidate(entity, entity.name, "alias", _IDENTIFIER_SCORE, reasons[row])
        for row, entity in entities.items()
        if of_types is None or entity.type in of_types
    ]
    documents = graph_vocabulary.read(tx).types_of_style("reference")
    return [each for each in candidates if each.entity.type in documents] or candidates


# Coherence with a context (Milne and Witten 2008, Hoffart et al. 2011; ADR 0067)


def closest_to_context(tx: Tx, tied: Sequence[Candidate], context: Sequence[Entity]) -> tuple[Candidate, str] | None:
    """The one candidate closest to the context, and in words what connects it; None if several are equally close.

    Closest are entities of the context itself; then those that a current fact connects with one, those that a text
    mentions together with one, and those that two current facts connect with one.
    """
    connections: tuple[Callable[[Tx, Entity, Entity], str | None], ...] = (
        _is_in_context,
        _by_fact,
        _by_text,
        _by_two_facts,
    )
    for connection in connections:
        connected = []
        for candidate in tied:
            reasons = (connection(tx, candidate.entity, entity) for entity in context)
            if reason := next(filter(None, reasons), None):
                connected.append((candidate, f"of those that fit equally well, {reason}"))
        if connected:
            return connected[0] if len(connected) == 1 else None
    return None


def _is_in_context(_: Tx, candidate: Entity, entity: Entity) -> str | None:
    return "it is the one in the context" if candidate.row == entity.row else None


def _by_fact(tx: Tx, candidate: Entity, entity: Entity) -> str | None:
    facts = store.neighbourhood.facts_between(tx, [candidate.row], [entity.row], predicates=None, limit=1)
    return f"a fact connects it with “{entity.name}”" if facts else None


def _by_text(tx: Tx, candidate: Entity, entity: Entity) -> str | None:
    chunks = store.mentions.chunks_with_both(tx, candidate, entity, limit=1)
    return f"a text mentions it together with “{entity.name}”" if chunks else None


def _by_two_facts(tx: Tx, candidate: Entity, entity: Entity) -> str | None:
    common = _neighbours(tx, candidate) & _neighbours(tx, entity)
    return f"two facts connect it with “{entity.name}”" if common else None


def _neighbours(tx: Tx, entity: Entity) -> frozenset[int]:
    key = ("neighbours", entity.id)
    if key not in tx.memo:
        rows = store.neighbourhood.neighbours(tx, [entity.row], predicates=None, limit=_MAX_NEIGHBOURS)
        tx.memo[key] = frozenset(rows)
    neighbours: frozenset[int] = tx.memo[key]
    return neighbours
