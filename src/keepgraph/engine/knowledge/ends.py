"""The ends of a fact to record: types for names without one, and the refusal of ends that do not fit.

A refusal says what the predicate connects and what would fit, with a working call as its example.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from keepgraph import english, errors
from keepgraph.engine.knowledge import entities, literals, predicates
from keepgraph.engine.knowledge.predicates import LITERAL, PredicateMatch
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.english import with_article
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Ref
from keepgraph.store.transactions import Tx

_MAX_SUGGESTED = 3
_MAX_TYPES = 8
_MAX_NAME = 200


@dataclass(frozen=True, slots=True)
class GivenFact:
    """A fact as a caller gave it: its subject, the wording of its predicate, and its object, a text for a literal."""

    subject: Ref
    predicate: str
    object: Ref | str

    def example(self, **changed: Any) -> dict[str, Any]:
        """The arguments of record_fact for it, with parts changed."""
        given = {"subject": self.subject, "predicate": self.predicate, "object": self.object, **changed}
        target = given["object"]
        return {
            "subject": _argument(given["subject"]),
            "predicate": given["predicate"],
            "object": _argument(target) if isinstance(target, Ref) else {"literal": target},
        }


def find_or_create_untyped(
    tx: Tx,
    match: PredicateMatch,
    given: GivenFact,
    role: str,
    ref: Ref,
    *,
    error_class: Callable[..., errors.KeepgraphError],
) -> tuple[Entity, bool]:
    """The entity of a name without a type, at an end of a predicate; and whether it was created.

    An existing one with this name and a fitting type; else a new one, if only one type fits.

    Args:
        role: "subject" or "object".
        ref: the name without a type.

    Raises:
        errors.EntityTypeUnknown: several types fit, or any.
        errors.Ambiguous: several entities of fitting types have this name.
    """
    allowed = match.sources if role == "subject" else match.targets
    if existing := entities.find_named(tx, ref.name or "", allowed):
        return existing, False
    vocabulary = graph_vocabulary.read(tx)
    usable = entities.usable_type(vocabulary, allowed)
    if len(usable) == 1:
        return entities.find_or_create(tx, Ref(type=usable[0], name=ref.name), error_class=error_class)
    if existing := entities.find_named(tx, ref.name or "", ()):
        return existing, False  # of an unfitting type: its refusal says more
    any_type = [vocabulary.default_type("term"), *(term.name for term in vocabulary.usable_types)]
    types = usable or list(dict.fromkeys(any_type))
    named = _named_in_part(tx, ref.name or "", allowed)
    problem = f"the {role} {english.quoted(ref.name or '')} has no type"
    hint = f'Give it one, as in {{"type": "{types[0]}", "name": …}}: {_list(types)}.'
    typed = _typed(tx, match, given)
    if named is not None:
        problem += f"; there is {with_article(named.type)} called “{named.name}”"
        hint = f"If you mean that one, give its type and its name. {hint}"
        typed[role] = Ref(type=named.type, name=named.name)
    raise errors.EntityTypeUnknown(problem, hint=hint, example=given.example(**typed), candidates=types[:_MAX_TYPES])


def _named_in_part(tx: Tx, name: str, allowed: Sequence[str]) -> Entity | None:
    """The entity that a name written as one may mean, by its letters: Ana for Ana Ruiz. No model is loaded."""
    if name.lstrip()[:1].islower():
        return None
    # Imported here, because most names are known or have a type.
    from keepgraph.engine.resolution import resolver

    types = graph_vocabulary.read(tx).with_subtypes(allowed) if allowed else None
    return resolver.resolve_by_letters(tx, Name(name), of_types=types).entity


def _typed(tx: Tx, match: PredicateMatch, given: GivenFact) -> dict[str, Ref]:
    """The ends with unknown names and no type, given a type that fits."""
    ends = (("subject", given.subject, match.sources), ("object", given.object, match.targets))
    return {
        end: Ref(type=_first_usable(tx, allowed), name=ref.name)
        for end, ref, allowed in ends
        if isinstance(ref, Ref)
        and ref.id is None
        and not ref.type
        and not entities.is_known(tx, Name(ref.name or "").key)
    }


def refusal(
    tx: Tx, match: PredicateMatch, given: GivenFact, *, subject_type: str | None, object_type: str | None
) -> errors.EndsInvalid:
    """The refusal of a fact whose ends the predicate does not connect.

    Args:
        subject_type: None if unknown.
        object_type: a type, as given where the predicate takes a literal, or `LITERAL`.
    """
    hint, example = _advise(tx, match, given, subject_type, object_type)
    return errors.EndsInvalid(describe_problem(match, subject_type, object_type), hint=hint, example=example)


def describe_problem(match: PredicateMatch, subject_type: str | None, object_type: str | None) -> str:
    """What a predicate connects, and what it was asked to connect."""
    name = match.wording_predicate
    sources = " or ".join(match.sources) or "anything"
    if match.predicate.literal_kind is not None:
        kind = literals.describe(match.predicate.literal_kind)
        subjects = with_article(sources) if match.sources else sources
        if object_type == LITERAL:
            return f"{name} describes {subjects}, not {with_article(str(subject_type))}"
        return f"{name} describes {subjects} by a literal, {kind}, not by an entity"
    targets = " or ".join(match.targets) or "anything"
    other = "a literal" if object_type == LITERAL else object_type
    return f"{name} connects {sources} → {targets}, not {subject_type} → {other}"


def _advise(
    tx: Tx, match: PredicateMatch, given: GivenFact, subject_type: str | None, object_type: str | None
) -> tuple[str, dict[str, Any] | None]:
    """What would fit, in words, and the arguments of a working call."""
    vocabulary = graph_vocabulary.read(tx)
    literal_kind = match.predicate.literal_kind
    subject = _fitting_subject(tx, match, given, subject_type)
    if literal_kind is not None and object_type != LITERAL:
        literal = _literal_of(tx, given.object, literal_kind)
        hint = f'Write {{"literal": "{literal}"}}, or ={literal} on the command line.'
        return hint, given.example(subject=subject, object=literal)
    if subject_type is None or object_type is None:
        return "", None
    names = [
        name for name in predicates.connecting(vocabulary, subject_type, object_type) if name != match.wording_predicate
    ][:_MAX_SUGGESTED]
    ends = f"{subject_type} → {'a literal' if object_type == LITERAL else object_type}"
    advice = f"{_list(names)} {'connects' if len(names) == 1 else 'connect'} {ends}." if names else ""
    if literal_kind is not None:
        return advice or f"Give a subject that fits: {_list(match.sources)}.", given.example(subject=subject)
    if isinstance(given.object, str):
        entity_type = _first_usable(tx, match.targets)
        name = given.object.strip()[:_MAX_NAME]
        hint = (
            f'Write the entity: {{"type": "{entity_type}", "name": "{name}"}}, '
            f"or {entity_type}:{name} on the command line."
        )
        return hint, given.example(subject=subject, object=Ref(type=entity_type, name=name))
    if predicates.fits(vocabulary, match, object_type, subject_type):
        hint = "The ends are swapped: exchange subject and object."
        return f"{hint} {advice}".strip(), given.example(subject=given.object, object=given.subject)
    forward = next((name for name in names if _accepts(tx, name, subject_type, object_type)), None)
    if forward is not None:
        return f"{advice} Or give other ends.", given.example(predicate=forward)
    target = given.object
    if not vocabulary.fits_side(match.targets, object_type):
        target = Ref(type=_first_usable(tx, match.targets), name=_name(tx, given.object))
    return (
        f"{advice} Give ends that fit, or record it with another predicate.".strip(),
        given.example(subject=subject, object=target),
    )


def _literal_of(tx: Tx, target: Ref | str, kind: str) -> str:
    """The literal probably meant by an entity: `https://…` looks like a type and a name, for example."""
    ref = target if isinstance(target, Ref) else Ref(name=target)
    texts = [text for text in (ref.name, f"{ref.type}:{ref.name}") if text]
    valid = [text for text in texts if literals.normalise(text, kind, tx.zone) is not None]
    return valid[0] if valid else literals.suggest(tx, ref.name or "", kind)


def _accepts(tx: Tx, predicate: str, subject_type: str, object_type: str) -> bool:
    vocabulary = graph_vocabulary.read(tx)
    matches = predicates.find_matches(tx, predicate)
    return predicates.choose(vocabulary, matches, subject_type, object_type) is not None


def _fitting_subject(tx: Tx, match: PredicateMatch, given: GivenFact, subject_type: str | None) -> Ref:
    """The subject, with another type if its own does not fit."""
    if subject_type is None or graph_vocabulary.read(tx).fits_side(match.sources, subject_type):
        return given.subject
    return Ref(type=_first_usable(tx, match.sources), name=_name(tx, given.subject))


def _first_usable(tx: Tx, allowed: tuple[str, ...]) -> str:
    vocabulary = graph_vocabulary.read(tx)
    return (entities.usable_type(vocabulary, allowed) or [vocabulary.default_type("term")])[0]


def _name(tx: Tx, ref: Ref) -> str:
    return ref.name or entities.find(tx, Ref(id=ref.id)).name


def _argument(ref: Ref) -> dict[str, str]:
    """A reference as a caller writes it."""
    if ref.id:
        return {"id": ref.id}
    return {name: value for name, value in (("type", ref.type), ("name", ref.name)) if value}


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_TYPES} more" if len(names) > _MAX_TYPES else ""
    return ", ".join(names[:_MAX_TYPES]) + more
