"""Grounds of a proposal: what it rests on, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.model import Entity
from keepgraph.store.purge import PUBLIC_ID
from keepgraph.store.review_proposals import ReviewProposal
from keepgraph.store.transactions import Tx

MAX_GROUNDS = 5
_MAX_SENTENCE = 300
_FACTS_OF_ENTITY = 2
_KIND_IN_TEXTS = {"new_entity": "entity", "new_fact": "fact"}


@dataclass(frozen=True, slots=True)
class Ground:
    """One thing that a proposal rests on; `id` is None if it is not a fact, entity or episode."""

    id: str | None
    text: str


def read(tx: Tx, proposal: ReviewProposal, *, limit: int = MAX_GROUNDS) -> list[Ground]:
    """The first things that a proposal rests on."""
    sentences = _sentences(tx, proposal) if any(each.startswith("ep_") for each in proposal.rests_on) else {}
    grounds = []
    for each in proposal.rests_on[:limit]:
        if not PUBLIC_ID.fullmatch(each):
            grounds.append(Ground(None, each))
        elif text := _describe(tx, each):
            said = f": “{sentences[each][:_MAX_SENTENCE]}”" if sentences.get(each) else ""
            grounds.append(Ground(each, text + said))
    return grounds


def _describe(tx: Tx, public_id: str) -> str | None:
    """A fact, an entity or an episode in words; None if it no longer exists."""
    if public_id.startswith("fact_"):
        fact = store.facts.by_id(tx, public_id)
        return knowledge.facts.sentence(fact) if fact else None
    if public_id.startswith("ent_"):
        entity = knowledge.entities.find_by_id(tx, public_id)
        return _describe_entity(tx, entity) if entity else None
    episode = store.episodes.by_id(tx, public_id)
    return episode.name if episode else None


def _describe_entity(tx: Tx, entity: Entity) -> str:
    """An entity with the first facts about it."""
    facts = store.facts.about(tx, entity, at=tx.at, limit=_FACTS_OF_ENTITY)
    said = "; ".join(knowledge.facts.sentence(fact) for fact in facts)
    return f"{entity.name} ({entity.type}){f': {said}' if said else ''}"


def _sentences(tx: Tx, proposal: ReviewProposal) -> dict[str, str]:
    """The sentence that a name or fact was read in, for each text, by the id of the episode."""
    kind = _KIND_IN_TEXTS.get(proposal.kind)
    found = store.proposals.by_keys(tx, kind, [proposal.key]).get(proposal.key) if kind else None
    if found is None:
        return {}
    places = store.review_proposals.of_text_proposals(tx, [found.row], limit=MAX_GROUNDS)[found.row]
    sentences: dict[str, str] = {}
    for place in places:
        if place.sentence:
            sentences.setdefault(place.episode, " ".join(place.sentence.split()))
    return sentences


# Effects of proposals: what accepting one does, in a few words, with names instead of ids.


def describe_effect(tx: Tx, proposal: ReviewProposal) -> str:
    """What accepting does, such as “merge Jon Smith into John Smith”; else the name of the tool."""
    words = _EFFECTS.get(proposal.tool)
    return words(tx, proposal.arguments) if words else proposal.tool.replace("_", " ")


def _merge(tx: Tx, arguments: Mapping[str, Any]) -> str:
    return f"merge {_entity(tx, arguments.get('absorb'))} into {_entity(tx, arguments.get('keep'))}"


def _add_alias(tx: Tx, arguments: Mapping[str, Any]) -> str:
    return f"note “{arguments.get('alias', '…')}” as another name of {_entity(tx, arguments.get('entity'))}"


def _add_entity(tx: Tx, arguments: Mapping[str, Any]) -> str:
    entity = arguments.get("entity") or {}
    return f"add the {entity.get('type', 'entity')} {_entity(tx, entity)}"


def _update_entity(tx: Tx, arguments: Mapping[str, Any]) -> str:
    entity = _entity(tx, arguments.get("entity"))
    changes = dict(arguments.get("properties") or {})
    if arguments.get("type"):
        changes["type"] = arguments["type"]
    return f"change {entity}: {', '.join(f'{name} becomes {value}' for name, value in changes.items()) or '…'}"


def _record(tx: Tx, arguments: Mapping[str, Any]) -> str:
    value = arguments.get("object")
    literal = value.get("literal") if isinstance(value, Mapping) else None
    end = f"“{literal}”" if literal is not None else _entity(tx, value)
    said = f"{_entity(tx, arguments.get('subject'))} {arguments.get('predicate', '…')} {end}"
    earlier = " and ".join(_fact(tx, id) for id in arguments.get("supersedes") or ())
    return f"replace {earlier} with “{said}”" if earlier else f"record “{said}”"


def _retract(tx: Tx, arguments: Mapping[str, Any]) -> str:
    return f"retract {_fact(tx, arguments.get('fact_id'))}"


def _end(tx: Tx, arguments: Mapping[str, Any]) -> str:
    on = f" on {arguments['valid_to'][:10]}" if arguments.get("valid_to") else " today"
    return f"end {_fact(tx, arguments.get('fact_id'))}{on}"


def _forget(tx: Tx, arguments: Mapping[str, Any]) -> str:
    return f"forget {_entity(tx, {'id': arguments.get('what', '')})}"


def _extend_vocabulary(tx: Tx, arguments: Mapping[str, Any]) -> str:
    new = [f"add the predicate {name}" for name in arguments.get("predicates") or {}]
    mapped = [_describe_mapping(mapping) for mapping in arguments.get("map_wordings") or ()]
    return " and ".join([*new, *mapped]) or "extend the vocabulary"


def _describe_mapping(mapping: Mapping[str, Any]) -> str:
    wordings = ", ".join(f"“{wording}”" for wording in mapping.get("wordings", ()))
    return f"read {wordings} as {mapping.get('predicate', '…')}"


def _change_word(tx: Tx, arguments: Mapping[str, Any]) -> str:
    return f"change the vocabulary: {', '.join(f'{name} {value}' for name, value in arguments.items())}"


_EFFECTS: Mapping[str, Callable[[Tx, Mapping[str, Any]], str]] = {
    "merge_entities": _merge,
    "add_alias": _add_alias,
    "add_entity": _add_entity,
    "update_entity": _update_entity,
    "record_fact": _record,
    "retract_fact": _retract,
    "end_fact": _end,
    "forget": _forget,
    "extend_vocabulary": _extend_vocabulary,
    "change_word": _change_word,
}


def _entity(tx: Tx, reference: object) -> str:
    """The name of an entity that a call refers to by its id or name."""
    if not isinstance(reference, Mapping):
        return "…"
    entity = knowledge.entities.find_by_id(tx, str(reference["id"])) if "id" in reference else None
    return entity.name if entity else str(reference.get("name", "…"))


def _fact(tx: Tx, public_id: object) -> str:
    fact = store.facts.by_id(tx, str(public_id)) if public_id else None
    return f"“{knowledge.facts.sentence(fact)}”" if fact else "…"
