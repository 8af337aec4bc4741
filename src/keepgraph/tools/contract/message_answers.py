"""The answer of recall_for: what a message names and what belongs to it, within a number of tokens."""

from __future__ import annotations

from typing import Any

from keepgraph import english
from keepgraph.engine import knowledge
from keepgraph.engine.retrieval.message_context import MessageContext, OpenMatter
from keepgraph.model import Entity, Fact
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, brief_answers

_IN_ORDER = ("named", "unclear", "standing", "open")
"""The lists that are filled first, one after the other; facts and texts share the rest in turn."""

_TOKENS_OF_REST = 70
_TOKENS_OF_ENTRY = 2


def describe(tx: Tx, context: MessageContext, *, budget: int) -> dict[str, Any]:
    """The answer, cut so that it has at most `budget` tokens; `left_out` says how many entries that cost."""
    today = tx.now.astimezone(tx.zone).date().isoformat()
    lists: dict[str, list[dict[str, Any]]] = {
        "named": [
            {
                **answer_shapes.entity(each.entity),
                "words": each.words,
                "how": each.how,
                "score": round(each.score, 2),
                **answer_shapes.filled(reason=each.reason),
            }
            for each in context.names.named
        ],
        "unclear": [
            {"words": each.words, "candidates": [answer_shapes.entity(one.entity) for one in each.candidates]}
            for each in context.names.unclear
        ],
        "standing": [
            *(_fact(tx, fact) for fact in context.standing),
            *({"doc_id": episode.id, "text": text} for episode, text in context.standing_texts),
        ],
        "open": [_open(matter, today=today) for matter in context.open],
        "facts": [_fact(tx, fact) for fact in context.facts],
        "texts": [answer_shapes.quotation(tx, passage.episode, passage.quote) for passage in context.texts],
    }
    costs = {
        name: [brief_answers.count_tokens(entry) + _TOKENS_OF_ENTRY for entry in entries]
        for name, entries in lists.items()
    }
    room = budget - _TOKENS_OF_REST
    taken = {}
    for name in _IN_ORDER:
        taken[name] = brief_answers.take_in_turn({name: costs[name]}, room, skips=True)[name]
        room -= sum(costs[name][position] for position in taken[name])
    rest = {name: costs[name] for name in lists if name not in taken}
    taken |= brief_answers.take_in_turn(rest, max(room, 0), skips=True)
    shown = {name: [lists[name][position] for position in taken[name]] for name in lists}
    left_out = sum(map(len, lists.values())) - sum(map(len, shown.values()))
    answer = {
        **{name: shown[name] for name in (*_IN_ORDER, "facts")},
        **answer_shapes.filled(texts=shown["texts"], left_out=left_out),
        "message": _message(context, left_out=left_out),
    }
    return {**answer, "tokens": brief_answers.count_tokens(answer)}


def _fact(tx: Tx, fact: Fact) -> dict[str, Any]:
    return {
        "fact_id": fact.id,
        "text": knowledge.facts.sentence(fact),
        **answer_shapes.filled(
            valid_from=fact.valid_from and timestamps.local_date(fact.valid_from, tx.zone),
            scope=answer_shapes.projects_of(tx, fact),
        ),
    }


def _open(matter: OpenMatter, *, today: str) -> dict[str, Any]:
    if isinstance(matter.what, Entity):
        return {"kind": matter.kind, "text": matter.what.name, "id": matter.what.id}
    is_due = matter.kind == "due"
    text = (
        knowledge.next_steps.describe_due(matter.what, today=today) if is_due else knowledge.facts.sentence(matter.what)
    )
    return {"kind": matter.kind, "text": text, "fact_id": matter.what.id}


def _message(context: MessageContext, *, left_out: int) -> str:
    names = context.names
    if not names.named and not names.unclear:
        about = "The message names nothing known; a search may still find something."
    else:
        about = f"The message names {english.count_noun(len(names.named), 'known thing')}."
        if names.unclear:
            about += " Ask what the unclear words mean."
    if left_out:
        about += f" {left_out:,} more did not fit the budget."
    return about
