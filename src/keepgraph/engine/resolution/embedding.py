"""The embedding step of name resolution: finds names that mean the same in other words, by the cosine of vectors.

It runs last, when letters have left the question open. A vector cannot tell a paraphrase from a sibling, so
`acceptance` weighs it with all other evidence, and a person is never found by it (ADR 0012, ADR 0051).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from keepgraph import errors, store
from keepgraph.engine import vector_backfill
from keepgraph.engine.resolution import abstention, acceptance
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import given_names, identifiers, name_features, paraphrases, statements
from keepgraph.language.normalisation import Name
from keepgraph.model import Candidate, Resolution
from keepgraph.store.transactions import Tx

_MARGIN = 0.08  # of cosines; results hardly move from 0.02 to 0.10 (ADR 0012)
_MIN_COSINE_PARAPHRASE = 0.58
_MIN_COSINE_SINGLE_WORD = 0.75  # a single word is near many others
_MIN_LETTERS = 4
_MAX_WORDS_PERSON = 3


def resolve(
    tx: Tx, name: Name, *, of_types: Collection[str] | None, by_letters: Sequence[Candidate], fallback: Resolution
) -> Resolution:
    """The entity whose name means the same; otherwise `fallback`, with the reason where vectors are not available.

    Args:
        by_letters: the candidates of the fuzzy step, which compete.
    """
    if not is_comparable(tx, name, of_types=of_types):
        return fallback
    if reason := vector_backfill.unavailable_reason(tx):
        return replace(fallback, embedding_off=reason)
    missing = store.vectors.count_missing(tx)
    try:
        candidates = nearest(tx, name.text, of_types=of_types)
    except errors.ModelUnavailable as error:
        return replace(fallback, embedding_off=error.message)
    judged = acceptance.judge(tx, name, by_letters, candidates, ruled=paraphrase(tx, name, candidates))
    resolution = abstention.choose(judged, threshold=tx.settings.accept)
    if resolution.entity is None:
        return replace(fallback, candidates=resolution.candidates, names_without_vector=missing)
    reasons = {candidate.entity.row: candidate.reason for candidate in candidates}
    reason = resolution.reason or reasons.get(resolution.entity.row)
    return replace(resolution, method="embedding", reason=reason, names_without_vector=missing)


def is_comparable(tx: Tx, name: Name, *, of_types: Collection[str] | None) -> bool:
    """Whether this step compares a name: not a person's, not an identifier, and enough of it known to the model."""
    too_short = sum(map(len, name.words)) < _MIN_LETTERS
    vocabulary = graph_vocabulary.read(tx)
    only_persons = of_types is not None and all(vocabulary.style(entity_type) == "person" for entity_type in of_types)
    is_identifier = identifiers.canonical(name.text) is not None
    return not (only_persons or too_short or is_identifier or not _is_readable(name) or _looks_like_person(name))


def _is_readable(name: Name) -> bool:
    """Whether most letters are ASCII. The default model knows few others, so all words in them are near each other."""
    letters = [c for word in name.words for c in word if c.isalpha()]
    return sum(c.isascii() for c in letters) > len(letters) / 2


def _looks_like_person(name: Name) -> bool:
    return len(name.words) <= _MAX_WORDS_PERSON and name.text.istitle() and given_names.contains(name.words[0])


def nearest(tx: Tx, name: str, *, of_types: Collection[str] | None) -> list[Candidate]:
    """The entities with the nearest names and their cosines, without people: siblings are as near as nicknames."""
    vocabulary = graph_vocabulary.read(tx)
    return [
        Candidate(entity, entity_name, "embedding", round(cosine, 3), f"“{entity_name}” means about the same")
        for entity, entity_name, cosine in vector_backfill.nearest_entities(tx, name, of_types=of_types)
        if cosine >= name_features.MIN_COSINE and vocabulary.style(entity.type) != "person"
    ]


def paraphrase(tx: Tx, query: Name, candidates: Sequence[Candidate]) -> Candidate | None:
    """The candidate that the rules alone choose as a paraphrase: possible, near enough, with no other about as near."""
    candidate_names = {candidate.matched_name: Name(candidate.matched_name) for candidate in candidates}
    best = next((each for each in candidates if _is_match(tx, query, each, candidate_names)), None)
    return None if best is None or _is_ambiguous(best, candidates) else best


def _is_match(tx: Tx, query: Name, candidate: Candidate, candidate_names: Mapping[str, Name]) -> bool:
    """Whether the candidate means the same by the rules, or is near enough and may be a paraphrase."""
    threshold = _MIN_COSINE_PARAPHRASE if len(query.words) > 1 else _MIN_COSINE_SINGLE_WORD
    vocabulary, entity_type = graph_vocabulary.read(tx), candidate.entity.type
    own_name, style = candidate_names[candidate.matched_name], vocabulary.style(entity_type)
    if style == "statement" and statements.say_the_same(query.folded, own_name.folded):
        return True
    return (
        candidate.score >= threshold
        and _is_readable(own_name)
        and paraphrases.is_possible(
            query,
            own_name,
            style=style,
            type_names=vocabulary.with_ancestors(entity_type),
            is_entity_name=lambda word: bool(store.entities.by_key(tx, word)),
        )
    )


def _is_ambiguous(best: Candidate, candidates: Iterable[Candidate]) -> bool:
    """Whether another candidate is as near, even one that does not match: then the query may mean either."""
    return any(
        candidate.entity.row != best.entity.row and candidate.score > best.score - _MARGIN for candidate in candidates
    )
