"""The fuzzy step of name resolution: scores candidates by letters, nicknames, spellings, initials and abbreviations.

Candidates come from the trigram index (`candidates`) and from initials (`acronyms`). A pair of names is scored by
`language.name_similarity`.
"""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.resolution import acronyms, candidates
from keepgraph.language import name_similarity, name_variants
from keepgraph.language.normalisation import Name
from keepgraph.model import Candidate
from keepgraph.store.transactions import Tx


def rank(tx: Tx, name: Name, *, of_type: str | None = None, include_weak: bool = True) -> list[Candidate]:
    """Entities whose name or alias may be meant by a mistyped, shortened or incomplete one, best score first.

    Those from similarity.MATCH_THRESHOLD up may be meant. Those below are weak: they only look similar.

    Args:
        include_weak: whether to look for weak candidates where there are no others.
    """
    if not name.folded:
        return []
    best: dict[int, Candidate] = {}
    indexed: dict[str, Name] = {}
    for variant in name_variants.expand(name):
        weak = include_weak and not best
        for candidate in _score_candidates(tx, name, variant, indexed, of_type=of_type, include_weak=weak):
            _keep_better(best, candidate)
    for candidate in acronyms.find(tx, name, of_type=of_type):
        _keep_better(best, candidate)
    return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.entity.row))


def _score_candidates(
    tx: Tx,
    name: Name,
    variant: name_variants.Variant,
    indexed: dict[str, Name],
    *,
    of_type: str | None,
    include_weak: bool,
) -> list[Candidate]:
    """The candidates for one variant of the name, each with its score and the reason.

    Args:
        indexed: the indexed names by their folded forms; those that are new are added.
    """
    type_names = frozenset(term.name for term in store.vocabulary.terms(tx, store.vocabulary.ENTITY_TYPE))
    words = variant.name.words_without(type_names)
    indexed_names = candidates.generate(tx, words, of_type=of_type, include_weak=include_weak)
    entities = store.entities.by_rows(tx, list({row for row, _, _ in indexed_names}))
    scored = []
    for row, form, form_is_romanised in indexed_names:
        entity = entities.get(row)
        if entity is None or of_type not in (None, entity.type) or (variant.never_person and entity.type == "person"):
            continue
        indexed_name = indexed.get(form) or indexed.setdefault(form, Name.of_folded(form))
        match = name_similarity.compare(variant.name, indexed_name, entity_type=entity.type)
        if variant.romanised and form_is_romanised and not match.reason and name.folded not in Name(entity.name).folded:
            # Two names in another script are compared as they are written: romanised, different names may be similar.
            continue
        score = match.score * variant.factor or name_similarity.string_similarity(variant.name.folded, form)
        if score >= candidates.MIN_SCORE:
            reason = "; ".join(filter(None, (variant.reason, match.reason))) or None
            scored.append(Candidate(entity, form, "fuzzy", round(score, 3), reason))
    return scored


def _keep_better(best: dict[int, Candidate], candidate: Candidate) -> None:
    existing = best.get(candidate.entity.row)
    if existing is None or candidate.score > existing.score:
        best[candidate.entity.row] = candidate
