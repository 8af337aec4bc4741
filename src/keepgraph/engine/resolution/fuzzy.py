"""The fuzzy step of name resolution: scores candidates by letters, nicknames, spellings, initials and abbreviations.

Candidates come from the indexes of names (`candidates`) and from initials: entities that are called by theirs (NYC,
J.S., RPi), and acronyms of long names (`language.abbreviations`). `language.name_similarity` scores a pair of names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from keepgraph import interruption, store
from keepgraph.engine.resolution import candidates
from keepgraph.engine.resolution.candidates import IndexedName
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.language import abbreviations, name_similarity, name_variants, romanisation
from keepgraph.language.normalisation import FORM_SEPARATOR, Name, without_small_words
from keepgraph.model import Candidate, Entity
from keepgraph.store.transactions import Tx

_MARGIN = 0.04  # of the scores of the rules: two nearer to each other are too close to call


_MAX_SPELLINGS = 8  # of a name in another script
_ACRONYM_SCORE = 0.92
_MAX_NAMES_WITH_INITIALS = 8
_MAX_NAMES_WITH_WORDS = 40
_MIN_LETTERS_OF_ACRONYM = 3


def rank(tx: Tx, name: Name, *, of_types: Collection[str] | None = None, include_weak: bool = True) -> list[Candidate]:
    """Entities that a mistyped, shortened or incomplete name may mean, best score first.

    Those from similarity.MATCH_THRESHOLD up may be meant. Those below are weak: they only look similar.

    Args:
        of_types: only entities of exactly these types; None for any.
        include_weak: whether to look for weak candidates if there are no others.
    """
    if not name.folded:
        return []
    best: dict[int, Candidate] = {}
    indexed: dict[str, Name] = {}
    for variant in name_variants.expand(name):
        weak = include_weak and not best
        for candidate in _score_candidates(tx, name, variant, indexed, of_types=of_types, include_weak=weak):
            _keep_better(best, candidate)
    for candidate in _with_acronyms(tx, name, of_types=of_types):
        _keep_better(best, candidate)
    if not any(candidate.score >= name_similarity.MATCH_THRESHOLD for candidate in best.values()):
        for variant in (*name_variants.within(name), *_in_latin_letters(tx, name)):
            for candidate in _score_candidates(tx, name, variant, indexed, of_types=of_types, include_weak=False):
                _keep_better(best, candidate)
    return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.entity.row))


def best(candidates: Sequence[Candidate]) -> Candidate | None:
    """The candidate that the rules alone choose: a match, with no other within the margin."""
    matches = candidates and candidates[0].score >= name_similarity.MATCH_THRESHOLD
    return candidates[0] if matches and not tied(candidates) else None


def tied(candidates: Sequence[Candidate]) -> frozenset[int]:
    """The rows of the entities that match about equally well by the rules; empty if one is the best."""
    if not candidates or candidates[0].score < name_similarity.MATCH_THRESHOLD:
        return frozenset()
    top = candidates[0].score
    rows = [each.entity.row for each in candidates if each.score == top or each.score > top - _MARGIN]
    return frozenset(rows) if len(rows) > 1 else frozenset()


def _in_latin_letters(tx: Tx, name: Name) -> list[name_variants.Variant]:
    """The names in the graph that a person's name in another script may stand for; usually none."""
    written: set[str] = set()
    for reading in romanisation.readings(name.text):
        words = [
            [row for word, row in store.word_references.beginning_with(tx, one.beginnings).items() if one.accepts(word)]
            for one in reading
        ]
        if all(words):
            names = store.word_references.names_with(tx, words, of_types=None, limit=_MAX_SPELLINGS)
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
    if hidden := store.scopes.hidden_aliases(tx):
        forms = {(row, form) for row, folded in hidden for form in folded.split(FORM_SEPARATOR)}
        indexed_names = [each for each in indexed_names if each[:2] not in forms]
    entities = store.entities.by_rows(tx, list({row for row, _, _ in indexed_names}))
    scored = []
    for row, form, form_is_romanised in indexed_names:
        interruption.raise_if_due()
        entity = entities.get(row)
        if entity is None or (of_types is not None and entity.type not in of_types):
            continue
        style = vocabulary.style(entity.type)
        if style not in variant.styles or (variant.is_whole and form != variant.name.folded):
            continue
        indexed_name = indexed.get(form) or indexed.setdefault(form, _as_written(entity, form))
        type_names = vocabulary.with_ancestors(entity.type)
        match = name_similarity.compare(variant.name, indexed_name, style=style, type_names=type_names)
        if variant.romanised and form_is_romanised and not match.reason and name.folded not in Name(entity.name).folded:
            # Two names in another script are compared as written: romanised, different names may be similar.
            continue
        score = match.score * variant.factor or name_similarity.string_similarity(variant.name.folded, form)
        if score >= candidates.MIN_SCORE:
            reason = "; ".join(filter(None, (variant.reason, match.reason))) or None
            scored.append(Candidate(entity, form, "fuzzy", round(score, 3), reason))
    return scored


def _as_written(entity: Entity, form: str) -> Name:
    """The name of an entity, with its punctuation if that sets a main title apart, else folded."""
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


# Acronyms


def _with_acronyms(tx: Tx, name: Name, *, of_types: Collection[str] | None) -> list[Candidate]:
    """Entities that have the query as their acronym, and entities named by the acronym of the query."""
    vocabulary = graph_vocabulary.read(tx)
    return [
        *_by_initials(tx, name, vocabulary, of_types=of_types),
        *_by_word_beginnings(tx, name, vocabulary, of_types=of_types),
        *_by_acronym(tx, name, of_types=of_types),
        *_by_acronym_within(tx, name, vocabulary, of_types=of_types),
    ]


def _by_initials(tx: Tx, name: Name, vocabulary: Vocabulary, *, of_types: Collection[str] | None) -> list[Candidate]:
    """Names with these initials: New York City for NYC; and J.S. for JS."""
    initials = abbreviations.read_initials(name)
    if initials is None:
        return []
    rows = store.entities.by_initials(tx, initials, of_types=of_types, limit=_MAX_NAMES_WITH_INITIALS)
    entities = store.entities.by_rows(tx, list({row for _, row in rows}))
    reason = f"“{name.text}” are its initials"
    with_initials = [
        Candidate(entities[row], form, "fuzzy", _ACRONYM_SCORE, reason)
        for form, row in rows
        if row in entities and _may_have_initials(vocabulary, entities[row], initials, form)
    ]
    return with_initials + [
        Candidate(entity, entity.name, "fuzzy", _ACRONYM_SCORE, None)
        for entity in store.entities.by_key(tx, initials, of_types=of_types)
    ]


def _may_have_initials(vocabulary: Vocabulary, entity: Entity, initials: str, form: str) -> bool:
    """Whether an entity may be called by these initials. Two letters of more words are enough for a person only."""
    style = vocabulary.style(entity.type)
    if style == "statement":
        return False
    return style == "person" or len(initials) > 2 or len(without_small_words(form.split())) <= 2


def _by_word_beginnings(
    tx: Tx, name: Name, vocabulary: Vocabulary, *, of_types: Collection[str] | None
) -> list[Candidate]:
    """Names whose words begin with these letters: Raspberry Pi for RPi."""
    beginnings = abbreviations.read_word_beginnings(name.text)
    if not beginnings:
        return []
    initials = "".join(beginning[0] for beginning in beginnings)
    rows = store.entities.by_initials(tx, initials, of_types=of_types, limit=_MAX_NAMES_WITH_INITIALS)
    matching = [row for form, row in rows if abbreviations.begin(form.split(), beginnings)]
    return _candidates(tx, vocabulary, matching, f"“{name.text}” are the beginnings of its words")


def _by_acronym(tx: Tx, name: Name, *, of_types: Collection[str] | None) -> list[Candidate]:
    """Entities whose name is, in capitals, the acronym of the query: SSO for single sign-on."""
    return [
        Candidate(entity, entity.name, "fuzzy", _ACRONYM_SCORE, f"“{entity.name}” are the initials of “{name.folded}”")
        for acronym in abbreviations.of_name(name)
        if not abbreviations.expand(acronym)  # it stands for its full form in the lexicon
        for entity in store.entities.by_key(tx, acronym, of_types=of_types)
        if entity.name.isupper() and len(acronym) >= _MIN_LETTERS_OF_ACRONYM
    ]


def _by_acronym_within(
    tx: Tx, name: Name, vocabulary: Vocabulary, *, of_types: Collection[str] | None
) -> list[Candidate]:
    """Names with the words for an acronym within the query: FOI request, freedom of information request."""
    found = []
    for acronym, others in abbreviations.in_capitals_within(name.text):
        words = [word for word in others if not name_similarity.is_function_word(word)]
        names = candidates.names_with(tx, words, of_types=of_types, limit=_MAX_NAMES_WITH_WORDS) if words else []
        for folded, row in names:
            if replaced := abbreviations.words_for(acronym, others, folded.split()):
                reason = f"“{acronym}” are the initials of “{' '.join(replaced)}”"
                found += _candidates(tx, vocabulary, [row], reason)
    return found


def _candidates(tx: Tx, vocabulary: Vocabulary, rows: Iterable[int], reason: str) -> list[Candidate]:
    return [
        Candidate(entity, entity.name, "fuzzy", _ACRONYM_SCORE, reason)
        for entity in store.entities.by_rows(tx, list(rows)).values()
        if vocabulary.style(entity.type) != "statement"
    ]
