"""Conflicts between two texts: compared by rules, with the names and words of the graph, and by a model if named.

The rules are in `language.contradictions`. A model of entailment, which the settings may name by its folder, is asked
only where the rules leave it open; without one, what is open stays undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from keepgraph import errors
from keepgraph.engine.knowledge.relation_wordings import RelationMatch, RelationWordings
from keepgraph.engine.resolution import resolver
from keepgraph.engine.texts.chunk_mentions import Detector
from keepgraph.language import contradictions, sentences
from keepgraph.language.contradictions import ClaimPair, Comparison
from keepgraph.language.normalisation import Name
from keepgraph.store.transactions import Tx

SURE_OF_CONTRADICTION = 0.9
"""A model decides on a contradiction where its probability is at least this, whichever text is read first."""

SURE_OF_NONE = 0.1
"""A model decides that two sentences are compatible where the probability of a contradiction is at most this."""

_MAX_CHARACTERS = 20_000
_MAX_MODEL_PAIRS = 5


@dataclass(frozen=True, slots=True)
class TextComparison:
    """What two texts are to each other.

    Attributes:
        comparison: the verdict, with the pairs of sentences as they stand in the texts.
        model: what the model of entailment did: "used", or why it could not be used; None where it was not asked.
        is_cut: whether a text was too long to be read to its end.
    """

    comparison: Comparison
    model: str | None
    is_cut: bool


def check(
    tx: Tx, first: str, second: str, *, first_about: str | None = None, second_about: str | None = None
) -> TextComparison:
    """Whether two texts contradict each other.

    Names that the graph knows are compared as entities: an alias is the same as the name. A predicate that the
    vocabulary says is to one thing at a time makes two objects of it a contradiction.

    Args:
        first_about, second_about: what each text is about, by name or id; a pronoun at its beginning stands for it.
    """
    names = [_entity_name(tx, about) for about in (first_about, second_about)]
    detector = Detector(tx, tx.group)
    originals: list[dict[str, str]] = [{}, {}]
    texts = [
        _with_entity_names(detector, text[:_MAX_CHARACTERS], map_)
        for text, map_ in zip((first, second), originals, strict=True)
    ]
    comparison = contradictions.compare(
        texts[0], texts[1], first_about=names[0], second_about=names[1], is_exclusive=_exclusive_wordings(tx)
    )
    comparison, model = _decide_by_model(tx, comparison)
    pairs = tuple(
        replace(pair, first=originals[0].get(pair.first, pair.first), second=originals[1].get(pair.second, pair.second))
        for pair in comparison.pairs
    )
    is_cut = max(len(first), len(second)) > _MAX_CHARACTERS
    return TextComparison(replace(comparison, pairs=pairs), model, is_cut)


def _entity_name(tx: Tx, about: str | None) -> str | None:
    """The name of the entity that a caller means, or what the caller gave."""
    name = Name(about or "")
    if not name.key:
        return None
    entity = resolver.resolve(tx, name).entity
    return entity.name if entity else name.text


def _with_entity_names(detector: Detector, text: str, originals: dict[str, str]) -> str:
    """A text with the names of its entities for other names of them; fills in its sentences by those that result."""
    rewritten = []
    for sentence in sentences.split(text):
        original = text[sentence.start : sentence.end]
        named = original
        matches = detector.entities_in_title(original)
        for match, entity in reversed(matches):
            is_only_one = sum(other.start == match.start for other, _ in matches) == 1
            if is_only_one and original[match.start : match.end] != entity.name:
                named = named[: match.start] + entity.name + named[match.end :]
        originals[" ".join(named.split())] = " ".join(original.split())
        rewritten.append(named)
    return "\n\n".join(rewritten)


def _exclusive_wordings(tx: Tx) -> Callable[[str], bool]:
    """Whether a wording stands for a predicate of which a subject has one object at a time."""
    wordings = RelationWordings(tx)

    def is_exclusive(wording: str) -> bool:
        return any(map(_is_exclusive, wordings.find(wording)))

    return is_exclusive


def _is_exclusive(match: RelationMatch) -> bool:
    flag = "inverse_functional" if match.predicate.is_reversed else "functional"
    return flag in match.predicate.predicate.flags


def _decide_by_model(tx: Tx, comparison: Comparison) -> tuple[Comparison, str | None]:
    """The comparison with what the model of the settings says of the pairs that the rules leave open."""
    folder = tx.settings.entailment_model
    undecided = list(contradictions.unresolved(comparison.pairs))[:_MAX_MODEL_PAIRS]
    if folder is None or comparison.verdict != "undecided" or not undecided:
        return comparison, None
    from keepgraph.ml import entailment

    both_ways = [texts for pair in undecided for texts in ((pair.first, pair.second), (pair.second, pair.first))]
    try:
        scores = entailment.compute(both_ways, folder=folder)
    except errors.ModelUnavailable as error:
        return comparison, error.message
    decided = {}
    for pair, forward, back in zip(undecided, scores[::2], scores[1::2], strict=True):
        decided[pair] = _decided(pair, least=min(forward.contradiction, back.contradiction),
                                 greatest=max(forward.contradiction, back.contradiction))  # fmt: skip
    return contradictions.join([decided.get(pair, pair) for pair in comparison.pairs]), "used"


def _decided(pair: ClaimPair, *, least: float, greatest: float) -> ClaimPair:
    """A pair as a model decides it by the least and the greatest probability of a contradiction."""
    if least >= SURE_OF_CONTRADICTION:
        return replace(
            pair,
            verdict="contradiction",
            kind="model",
            confidence=round(least, 2),
            explanation="The model of entailment reads a contradiction in them.",
        )
    if greatest <= SURE_OF_NONE:
        return replace(
            pair,
            verdict="compatible",
            kind="model",
            confidence=round(1 - greatest, 2),
            explanation="The model of entailment reads no contradiction in them.",
        )
    return pair
