"""The answers of the context tools: pieces of texts, the context as one text, and answers cut to a number of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph.engine import knowledge
from keepgraph.engine.retrieval import fusion
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
    return _joined([text_of(passage) for passage in passages], [sentence_of(fact) for fact in facts])


def text_of(passage: ChunkResult) -> str:
    """A piece of a text as the context has it, but for its number."""
    return f"Source: {_source(passage)}\n{passage.chunk.text.strip()}"


def sentence_of(fact: Fact) -> str:
    """A fact as the context has it."""
    return knowledge.facts.sentence(fact)


def within_tokens(
    lists: Mapping[str, Sequence[Entry]], *, rest: Mapping[str, Any], texts: str, sentences: str, max_tokens: int
) -> tuple[dict[str, Any], bool]:
    """The lists and the context made of them, cut so that the answer has at most `max_tokens` tokens.

    The lists are filled in turn, an entry of each; one that is too long leaves its place to those after it.

    Args:
        rest: the rest of the answer.
        texts, sentences: which lists the context has as texts, and which as sentences.

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
    as_text = _joined([entry.line for entry in shown[texts]], [entry.line for entry in shown[sentences]])
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
