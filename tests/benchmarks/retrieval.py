"""How well what was said is found again: the evidence of questions about conversations, in a file of LoCoMo's format.

    python tests/benchmarks/retrieval.py locomo10.json [--graph FILE] [--kind message|text] [--no-captions]

Every turn is remembered with add_memory, in a group for its conversation, and every question is put to search. Beside
what search finds by default stand two single sources over the same index: BM25 alone (words that only join left out),
and vectors alone. No such file is part of the project; the public ones are for evaluation only.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import measure

import keepgraph
from keepgraph import store
from keepgraph.engine import vector_backfill
from keepgraph.engine.retrieval import question_analysis
from keepgraph.engine.texts import mention_index
from keepgraph.ml import embedder
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
JUDGED = (1, 2, 3, 4)
ALL = "1 to 4"
LIMIT = 200
"""More turns than the largest budget holds."""
BUDGETS = (500, 1_500, 5_000)
"""Of an answer, in tokens: the first turns count that fit, at four characters a token."""

_CHARACTERS_PER_TOKEN = 4
LATENCY_GOAL_MS = 30.0

_AT_ONCE = 200

Ranking = Callable[[str, str], list[str]]
"""The ids of turns, best first, for a question about a conversation."""


@dataclass(frozen=True, slots=True)
class Turn:
    id: str
    text: str
    at: str | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the turns that answer it."""

    question: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    name: str
    turns: Sequence[Turn]
    asked: Sequence[Asked]


@dataclass(slots=True)
class Score:
    """The sums over some questions, and how many they are.

    Attributes:
        wholly: questions with any, or with all of their evidence in the first ten turns, by turn and by session.
        evidence, tokens: the turns of evidence, and the tokens of all turns, within each budget.
    """

    count: int = 0
    at_5: float = 0.0
    at_10: float = 0.0
    reciprocal: float = 0.0
    wholly: Counter[str] = field(default_factory=Counter)
    evidence: Counter[int] = field(default_factory=Counter)
    tokens: Counter[int] = field(default_factory=Counter)

    def add(self, found: Sequence[str], evidence: frozenset[str], sizes: Mapping[str, int]) -> None:
        """Count a question.

        Args:
            found: turns, best first.
            sizes: of each turn, in tokens.
        """
        self.count += 1
        # A session counts where any turn of it is among the first ten.
        for kind, first, wanted in (
            ("turn", set(found[:10]), evidence),
            ("session", set(map(_session, found[:10])), frozenset(map(_session, evidence))),
        ):
            self.wholly[f"{kind} any"] += not wanted.isdisjoint(first)
            self.wholly[f"{kind} all"] += wanted <= first
        for budget in BUDGETS:
            used = 0
            for turn in found:
                if used + sizes[turn] > budget:
                    break
                used += sizes[turn]
                self.evidence[budget] += turn in evidence
            self.tokens[budget] += used
        self.at_5 += len(evidence.intersection(found[:5])) / len(evidence)
        self.at_10 += len(evidence.intersection(found[:10])) / len(evidence)
        self.reciprocal += next((1 / rank for rank, each in enumerate(found, 1) if each in evidence), 0.0)

    def of_ten(self) -> str:
        """The share of questions with any, and with all of their evidence in the first ten turns."""
        return ", ".join(f"{kind} {count / max(self.count, 1):.3f}" for kind, count in self.wholly.items())

    def by_budget(self) -> str:
        """How many turns of evidence are found in 1,000 tokens, by budget."""
        rates = (f"{1_000 * self.evidence[each] / max(self.tokens[each], 1):.3f} of {each:,}" for each in BUDGETS)
        return ", ".join(rates)

    def __str__(self) -> str:
        means = (value / max(self.count, 1) for value in (self.at_5, self.at_10, self.reciprocal))
        return " ".join(f"{mean:7.3f}" for mean in means)


@dataclass(slots=True)
class Scores:
    """The scores of one way of ranking by category, and how long each question took."""

    by_category: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    by_conversation: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    times: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how well what was said is found again.")
    parser.add_argument("file", type=Path, help="conversations with questions, in LoCoMo's format")
    parser.add_argument("--graph", type=Path, help="where the graph is made, or kept from before; left out: nowhere")
    parser.add_argument("--kind", choices=["message", "text"], default="message")
    parser.add_argument("--no-captions", action="store_true", help="leave out what photos show")
    given = parser.parse_args()
    lines = measured(given.file, captions=not given.no_captions, kind=given.kind, where=given.graph)
    print("\n".join(lines))


def measured(file: Path, *, captions: bool = True, kind: str = "message", where: Path | None = None) -> Iterator[str]:
    """The lines of the table for a file of conversations.

    Args:
        where: the graph is made here, or is here from before.
    """
    conversations = read(file, captions=captions)
    with tempfile.TemporaryDirectory() as folder:
        path = where or Path(folder) / "graph.db"
        known = path.exists()
        with keepgraph.open(path) as graph:
            if not known:
                remember(graph, conversations, kind=kind)
            mention_index.backfill(graph.database)
            vector_backfill.backfill(graph.database)
            yield from table(graph, conversations)


def read(file: Path, *, captions: bool = True) -> list[Conversation]:
    """The conversations of a file, turn by turn; questions without evidence in them are left out."""
    return [_conversation(sample, captions=captions) for sample in json.loads(file.read_text(encoding="utf-8"))]


def remember(graph: keepgraph.Graph, conversations: Sequence[Conversation], *, kind: str = "message") -> None:
    """Remember every turn, each as an episode, in a group for its conversation."""
    for conversation in conversations:
        for start in range(0, len(conversation.turns), _AT_ONCE):
            graph.call(
                "add_memory",
                group_id=conversation.name,
                episodes=[
                    {"name": turn.id, "content": turn.text, "source": kind}
                    | ({"reference_time": turn.at} if turn.at else {})
                    for turn in conversation.turns[start : start + _AT_ONCE]
                ],
            )


def table(graph: keepgraph.Graph, conversations: Sequence[Conversation]) -> Iterator[str]:
    """The lines of the table: a block for each way of ranking, then times and size."""
    ways: dict[str, Ranking] = {
        "BM25 alone": lambda group, question: _by_words(graph, group, question),
        "vectors alone": lambda group, question: _by_vectors(graph, group, question),
        "search": lambda group, question: _by_search(graph, group, question),
    }
    scored = {name: score(rank, conversations) for name, rank in ways.items()}
    turns = sum(len(each.turns) for each in conversations)
    asked = sum(len(each.asked) for each in conversations)
    yield f"{len(conversations)} conversations, {turns:,} turns, {asked:,} questions"
    for name, scores in scored.items():
        yield f"\n{name:14}  questions   R@5    R@10     MRR"
        for category in (ALL, *CATEGORIES.values()):
            found = scores.by_category[category]
            yield f"  {category:12} {found.count:10,} {found}"
        for conversation, found in scores.by_conversation.items():
            yield f"  {conversation:12} {found.count:10,} {found}"
        yield f"  in the first ten: {scores.by_category[ALL].of_ten()}"
        yield f"  evidence in 1,000 tokens: {scores.by_category[ALL].by_budget()}"
    times = scored["search"].times
    size = graph.path.stat().st_size
    yield ""
    yield measure.table(
        [
            measure.at_most("a search, p50", measure.p50(times), LATENCY_GOAL_MS, "ms", f"{turns:,} turns, warm"),
            measure.for_information("a search, p95", measure.p95(times), "ms"),
            measure.for_information("the file", size / 1e6, "MB"),
            measure.for_information("the file, a turn", size / max(turns, 1) / 1000, "KB"),
        ]
    )


def score(rank: Ranking, conversations: Sequence[Conversation]) -> Scores:
    """Put every question to one way of ranking."""
    scores = Scores()
    for conversation in conversations:
        sizes = {turn.id: len(turn.text) // _CHARACTERS_PER_TOKEN + 1 for turn in conversation.turns}
        for asked in conversation.asked:
            found: list[str] = []
            scores.times.append(
                measure.milliseconds(lambda: found.extend(rank(conversation.name, asked.question)))  # noqa: B023
            )
            groups = [scores.by_category[CATEGORIES[asked.category]]]
            if asked.category in JUDGED:
                groups += [scores.by_category[ALL], scores.by_conversation[conversation.name]]
            for group in groups:
                group.add(found, asked.evidence, sizes)
    return scores


def _session(turn: str) -> str:
    return turn.partition(":")[0]


def _by_search(graph: keepgraph.Graph, group: str, question: str) -> list[str]:
    found = graph.call("search", query=question, search_mode="episodes", group_ids=[group], limit=LIMIT)
    return [each["name"] for each in found["episodes"]]


def _by_words(graph: keepgraph.Graph, group: str, question: str) -> list[str]:
    with graph.database.read("benchmark") as tx:
        filters = Filters(groups=(group,), at=timestamps.from_datetime(tx.now))
        phrases = question_analysis.phrases(question)
        return _names(tx, store.full_text.search(tx, store.full_text.CHUNKS, phrases, filters=filters, limit=LIMIT))


def _by_vectors(graph: keepgraph.Graph, group: str, question: str) -> list[str]:
    with graph.database.read("benchmark") as tx:
        asked = vector_backfill.pack(embedder.embed([question], model=tx.settings.model))[0]
        filters = Filters(groups=(group,), at=timestamps.from_datetime(tx.now))
        return _names(
            tx, store.vector_search.nearest_chunks(tx, asked, filters=filters, with_turn_before=False, limit=LIMIT)
        )


def _names(tx: Tx, chunks: list[tuple[int, float]]) -> list[str]:
    rows = [row for row, _ in chunks]
    episode_of = store.retrieval.episodes_of_chunks(tx, rows)
    episodes = store.episodes.by_rows(tx, list(episode_of.values()))
    return list(dict.fromkeys(episodes[episode_of[row]].name for row in rows))


def _conversation(sample: dict[str, Any], *, captions: bool) -> Conversation:
    said = sample["conversation"]
    sessions = sorted(
        (key for key, turns in said.items() if re.fullmatch(r"session_\d+", key) and isinstance(turns, list)),
        key=lambda key: int(key.removeprefix("session_")),
    )
    turns = [
        Turn(turn["dia_id"], _told(turn, captions=captions), _moment(said.get(f"{session}_date_time", "")))
        for session in sessions
        for turn in said[session]
    ]
    known = {turn.id for turn in turns}
    asked = []
    for each in sample["qa"]:
        named = re.findall(r"D:?(\d+):(\d+)", " ".join(each.get("evidence") or []))
        evidence = frozenset(f"D{int(session)}:{int(turn)}" for session, turn in named) & known
        if evidence:
            asked.append(Asked(each["question"], each["category"], evidence))
    return Conversation(sample["sample_id"], turns, asked)


def _told(turn: dict[str, Any], *, captions: bool) -> str:
    caption = turn.get("blip_caption") if captions else None
    return f"{turn['speaker']}: {turn['text']}" + (f" [shares a photo: {caption}]" if caption else "")


def _moment(said: str) -> str | None:
    """`1:56 pm on 8 May, 2023`, as ISO 8601 has it."""
    try:
        return datetime.strptime(said, "%I:%M %p on %d %B, %Y").isoformat()
    except ValueError:
        return None


if __name__ == "__main__":
    main()
