"""Effects of proposals: what accepting one does, in a few words, with names in the place of ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.store.review_proposals import ReviewProposal
from keepgraph.store.transactions import Tx


def describe(tx: Tx, proposal: ReviewProposal) -> str:
    """What accepting does, such as “merge Jon Smith into John Smith”; the name of the tool where it has no words."""
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
    return f"let “{said}” take the place of {earlier}" if earlier else f"record “{said}”"


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
    """The name of an entity that a call names by its id or by its name."""
    if not isinstance(reference, Mapping):
        return "…"
    entity = knowledge.entities.find_by_id(tx, str(reference["id"])) if "id" in reference else None
    return entity.name if entity else str(reference.get("name", "…"))


def _fact(tx: Tx, public_id: object) -> str:
    fact = store.facts.by_id(tx, str(public_id)) if public_id else None
    return f"“{knowledge.facts.sentence(fact)}”" if fact else "…"
