"""The fuzzy step of name resolution: scores candidates by letters, nicknames, spellings, initials and abbreviations.

Candidates come from the trigram index (`candidates`) and from initials (`acronyms`). A pair of names is scored by
`language.name_similarity`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from keepgraph import interruption, store
from keepgraph.engine.resolution import acronyms, candidates
from keepgraph.engine.resolution.candidates import IndexedName
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.language import name_similarity, name_variants, romanisation
from keepgraph.language.normalisation import Name
from keepgraph.model import Candidate, Entity
from keepgraph.store.transactions import Tx

_MARGIN = 0.04  # of the scores of the rules: two nearer to each other are too close to call


_DIVIDED_FACTOR = 0.92
_MAX_SPELLINGS = 8  # of a name in another script


def rank(tx: Tx, name: Name, *, of_types: Collection[str] | None = None, include_weak: bool = True) -> list[Candidate]:
    """Entities whose name or alias may be meant by a mistyped, shortened or incomplete one, best score first.

    Those from similarity.MATCH_THRESHOLD up may be meant. Those below are weak: they only look similar.

    Args:
        of_types: only entities of exactly these types; None for any.
        include_weak: whether to look for weak candidates where there are no others.
    """
    if not name.folded:
        return []
    best: dict[int, Candidate] = {}
    indexed: dict[str, Name] = {}
    for variant in name_variants.expand(name):
        weak = include_weak and not best
        for candidate in _score_candidates(tx, name, variant, indexed, of_types=of_types, include_weak=weak):
            _keep_better(best, candidate)
    for candidate in acronyms.find(tx, name, of_types=of_types):
        _keep_better(best, candidate)
    if not any(candidate.score >= name_similarity.MATCH_THRESHOLD for candidate in best.values()):
        for variant in (*name_variants.within(name), *_divided_address(tx, name), *_in_latin_letters(tx, name)):
            for candidate in _score_candidates(tx, name, variant, indexed, of_types=of_types, include_weak=False):
                _keep_better(best, candidate)
    return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.entity.row))


def best(candidates: Sequence[Candidate]) -> Candidate | None:
    """The candidate that the rules alone take: a match, and no other within the margin."""
    matches = candidates and candidates[0].score >= name_similarity.MATCH_THRESHOLD
    return candidates[0] if matches and not tied(candidates) else None


def tied(candidates: Sequence[Candidate]) -> frozenset[int]:
    """The rows of the entities that match about as well as each other by the rules; none where one is the best."""
    if not candidates or candidates[0].score < name_similarity.MATCH_THRESHOLD:
        return frozenset()
    top = candidates[0].score
    rows = [each.entity.row for each in candidates if each.score == top or each.score > top - _MARGIN]
    return frozenset(rows) if len(rows) > 1 else frozenset()


def _divided_address(tx: Tx, name: Name) -> list[name_variants.Variant]:
    """The name in an address or a user name whose parts are several words run together, by the words of names."""
    parts = name_variants.address_parts(name.text)
    substrings = {
        part[start:stop] for part in parts for start in range(len(part)) for stop in range(start + 3, len(part) + 1)
    }
    words = store.name_words.near(tx, substrings, ()) if substrings else {}
    divided = [name_variants.divide(part, words) for part in parts]
    if not any(divided):
        return []
    written = " ".join(one or part for one, part in zip(divided, parts, strict=True))
    reason = f"“{name.text}” is an address of “{written}”"
    return [name_variants.Variant(Name(written), _DIVIDED_FACTOR, reason, styles=frozenset(["person"]))]


def _in_latin_letters(tx: Tx, name: Name) -> list[name_variants.Variant]:
    """The names in the graph as which a person's name in another script may be written; mostly none."""
    written: set[str] = set()
    for reading in romanisation.readings(name.text):
        words = [
            [row for word, row in store.name_words.beginning_with(tx, one.beginnings).items() if one.accepts(word)]
            for one in reading
        ]
        if all(words):
            names = store.name_words.names_with(tx, words, of_types=None, limit=_MAX_SPELLINGS)
            written |= {folded for folded, _ in names if len(romanisation.words_of_name(folded)) == len(reading)}
    return [
        name_variants.Variant(
            Name.of_folded(folded),
            name_variants.VARIANT_FACTOR,
            f"“{name.text}” may be written “{folded}” in Latin letters",
            styles=frozenset(["person"]),
        )
        for folded in sorted(written)
    ]


def _score_candidates(
    tx: Tx,
    name: Name,
    variant: name_variants.Variant,
    indexed: dict[str, Name],
    *,
    of_types: Collection[str] | None,
    include_weak: bool,
) -> list[Candidate]:
    """The candidates for one variant of the name, each with its score and the reason.

    Args:
        indexed: the indexed names by their folded forms; those that are new are added.
    """
    vocabulary = graph_vocabulary.read(tx)
    indexed_names = _generate(tx, variant.name, vocabulary, of_types=of_types, include_weak=include_weak)
    entities = store.entities.by_rows(tx, list({row for row, _, _ in indexed_names}))
    scored = []
    for row, form, form_is_romanised in indexed_names:
        interruption.raise_if_due()
        entity = entities.get(row)
        if entity is None or (of_types is not None and entity.type not in of_types):
            continue
        style = vocabulary.style(entity.type)
        if style not in variant.styles:
            continue
        indexed_name = indexed.get(form) or indexed.setdefault(form, _as_written(entity, form))
        type_names = vocabulary.with_ancestors(entity.type)
        match = name_similarity.compare(variant.name, indexed_name, style=style, type_names=type_names)
        if variant.romanised and form_is_romanised and not match.reason and name.folded not in Name(entity.name).folded:
            # Two names in another script are compared as they are written: romanised, different names may be similar.
            continue
        score = match.score * variant.factor or name_similarity.string_similarity(variant.name.folded, form)
        if score >= candidates.MIN_SCORE:
            reason = "; ".join(filter(None, (variant.reason, match.reason))) or None
            scored.append(Candidate(entity, form, "fuzzy", round(score, 3), reason))
    return scored


def _as_written(entity: Entity, form: str) -> Name:
    """The name of an entity with its punctuation where that sets a main title apart, else only its folded form."""
    if name_similarity.main_title(entity.name) is None:
        return Name.of_folded(form)
    name = Name(entity.name)
    return name if name.folded == form else Name.of_folded(form)


def _generate(
    tx: Tx, name: Name, vocabulary: Vocabulary, *, of_types: Collection[str] | None, include_weak: bool
) -> list[IndexedName]:
    """The indexed names that may be meant, with or without the words of the query that name a type: project Atlas.

    A word that names one of the default types is left out for all entities; one that names another type, which may as
    well be a part of a name, is left out for entities of that type only.
    """
    words = name.words_without(vocabulary.default_types, honorifics=True)
    indexed_names = candidates.generate(tx, words, of_types=of_types, include_weak=include_weak)
    for named_type in [word for word in words if word in vocabulary.type_by_name]:
        own_types = vocabulary.with_subtypes([named_type])
        searched = own_types if of_types is None else [one for one in own_types if one in of_types]
        others = [word for word in words if word != named_type]
        if searched and others:
            indexed_names += candidates.generate(tx, others, of_types=searched, include_weak=include_weak)
    return list(dict.fromkeys(indexed_names))


def _keep_better(best: dict[int, Candidate], candidate: Candidate) -> None:
    existing = best.get(candidate.entity.row)
    if existing is None or candidate.score > existing.score:
        best[candidate.entity.row] = candidate
