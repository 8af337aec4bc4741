"""The answers of the context tools: what matters for a message, pieces of texts, answers cut to a number of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph import english
from keepgraph.engine import knowledge
from keepgraph.engine.retrieval import fusion
from keepgraph.engine.retrieval.message_context import MessageContext, OpenMatter
from keepgraph.engine.retrieval.search_request import ChunkResult
from keepgraph.model import Entity, Fact, Proposal
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, brief_answers

_SEPARATOR = "\n---\n"
_TOKENS_OF_SEPARATOR = 8
_TOKENS_OF_EMPTY_LISTS = 60


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list of an answer, and what stands for it in the context; an empty text where nothing does."""

    shape: Any
    line: str = ""


def chunk(tx: Tx, passage: ChunkResult) -> dict[str, Any]:
    """A piece of a text, with where it is from."""
    return {
        "id": f"{passage.episode.id}#{passage.chunk.position}",
        "text": passage.chunk.text,
        "source": _source(passage),
        "doc_id": passage.episode.id,
        "chunk_idx": passage.chunk.position,
        "score": fusion.round_score(passage.hit.score),
        "valid_at": timestamps.format_local(passage.episode.occurred_at, tx.zone),
        "project": passage.episode.group,
    }


def node(record: Entity | Proposal) -> dict[str, Any]:
    """An entity, or a name that is only proposed."""
    if isinstance(record, Entity):
        return answer_shapes.entity(record)
    return {"id": record.id, "type": record.subject_type, "name": record.subject, "proposed": True}


def context(passages: Sequence[ChunkResult], facts: Sequence[Fact]) -> str:
    """Pieces of texts, each with its source, and facts as sentences, as one text."""
    return _joined([text_of(passage) for passage in passages], list(map(knowledge.facts.sentence, facts)))


def text_of(passage: ChunkResult) -> str:
    """A piece of a text as the context has it, but for its number."""
    return f"Source: {_source(passage)}\n{passage.chunk.text.strip()}"


def within_tokens(
    lists: Mapping[str, Sequence[Entry]], *, rest: Mapping[str, Any], max_tokens: int
) -> tuple[dict[str, Any], bool]:
    """The lists and the context made of them, cut so that the answer has at most `max_tokens` tokens.

    The lists are filled in turn, an entry of each; one that is too long leaves its place to those after it.

    Args:
        lists: among them the chunks, which the context has as texts, and the facts, which it has as sentences.
        rest: the rest of the answer.

    Returns:
        the lists with `context`, and whether something was left out.
    """
    room = max_tokens - brief_answers.count_tokens(rest) - _TOKENS_OF_EMPTY_LISTS
    costs = {
        name: [brief_answers.count_tokens([entry.shape, entry.line]) + _TOKENS_OF_SEPARATOR for entry in entries]
        for name, entries in lists.items()
    }
    taken = brief_answers.take_in_turn(costs, room, skips=True)
    shown = {name: [lists[name][position] for position in positions] for name, positions in taken.items()}
    left_out = any(len(shown[name]) < len(entries) for name, entries in lists.items())
    as_text = _joined([entry.line for entry in shown["chunks"]], [entry.line for entry in shown["facts"]])
    return {
        **{name: [entry.shape for entry in entries] for name, entries in shown.items()},
        "context": as_text,
    }, left_out


def _joined(texts: Sequence[str], sentences: Sequence[str]) -> str:
    parts = [f"[{number}] {text}" for number, text in enumerate(texts, 1)]
    if sentences:
        parts.append("\n".join(["Facts", *(f"- {sentence}" for sentence in sentences)]))
    return _SEPARATOR.join(parts)


def _source(passage: ChunkResult) -> str:
    """The source of a text, or its name if it has none."""
    return passage.episode.source or passage.episode.name


# The answer of recall_for: what a message names and what belongs to it, within a number of tokens.

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
