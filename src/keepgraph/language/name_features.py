"""Name features: the evidence for and against a question meaning a named entity, as numbers for a model.

Every feature has a name, is between about 0 and 3, and has a direction: it can only raise a probability, only lower
it, or either. The model that weighs them is in `engine.resolution.acceptance` (ADR 0051).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from keepgraph import lazy
from keepgraph.language import (
    given_names,
    identifiers,
    name_conflicts,
    name_similarity,
    paraphrases,
    phonetics,
    typos,
    word_alignment,
)
from keepgraph.language.name_similarity import MATCH_THRESHOLD
from keepgraph.language.normalisation import Name
from keepgraph.language.word_alignment import Rarity
from keepgraph.model import NameStyle

DIRECTIONS: Mapping[str, int] = {
    "rule": 1,
    # Words in both, and words left over.
    "part_of_several": 1,
    "sibling_covered": -1,
    "name_qualified": 1,
    "one_word": -1,
    # Persons: the same evidence counts differently there.
    "person_rule": 1,
    "person_clipped": 1,
    "person_typos": 1,
    "person_known_word": -1,
    # Meaning.
    "cosine_statement": 1,
    # Other candidates.
    "rival_covered": -1,
    "leads_cosine": 1,
    "leads_covered": 1,
    "leads_rule": 1,
}
"""The features: 1 raises the probability or leaves it, -1 lowers it or leaves it, 0 may do either."""
WEAK_REASONS = {
    "word_of_another_name": "person_known_word",
    "typo_and_word_left": "person_typo_and_left",
    "little_in_common": "little_in_common",
}
"""Why the rules are less reliable, and the feature that says so: a typo that makes a word of another name, a typo in a
surname beside a missing word, and only a part of the question in common with a name that is not very near in meaning.
"""
_QUALIFIERS = frozenset(
    "apache amazon aws google microsoft azure ibm oracle adobe meta hashicorp redhat nvidia intel elastic jetbrains "
    "atlassian mozilla eclipse gnu facebook github gitlab cloudflare "
    "engine language framework database server capital traders trading holdings holding partners studio studios "
    "labs laboratories technologies systems solutions ventures bank university institute foundation consulting "
    "industries international logistics media pharmaceuticals airlines motors foods energy insurance brothers "
    "sons associates press publishing law theorem principle effect algorithm pattern architecture method trading "
    "company model protocol games seeds seed pictures records productions entertainment interactive brewery bakery "
    "farms orchards vineyards shipping lines ferries cruises hotels textiles ceramics optics instruments "
    "plastics".split()
)
"""Words that people leave out: makers before names of products, and endings of names of companies."""
MIN_COSINE = 0.45
"""Names that are farther away are not candidates; a name without a rival leads over this distance."""

_HALF = 0.5  # of the weight of the words
_MOST = 0.75  # of the weight of the words of a title: other words rarely paraphrase it
_NEAR = 0.7  # of cosines
_SIMILAR_NAME = 75.0
_MIN_LETTERS_OF_TYPO = 6
_PINYIN = (
    "(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])"
    "(?:iang|iong|uang|ang|eng|ing|ong|ian|iao|uai|uan|ai|ei|ao|ou|an|en|in|un|ia|ie|iu|ua|ui|uo|ue|a|e|i|o|u)"
)
_SYLLABLES = lazy.compile(f"({_PINYIN})({_PINYIN})")
_SIMILAR_TO_TYPO = 60.0
_PARTICLE = 3  # letters of el, al, bin, ibn
_SLAVIC_ENDINGS = ("ski", "ska", "cki", "cka", "dzki", "dzka")  # of a surname, of a man and of a woman
_FEW_NAMES = 3  # at most this many people and companies share a surname that identifies a person


def of_pair(
    question: Name,
    name: Name,
    *,
    style: NameStyle,
    type_names: frozenset[str],
    rule: float,
    reason: str | None,
    cosine: float | None,
    rarity: Rarity,
    is_entity_name: Callable[[str], bool],
    may_be_company: bool = True,
) -> dict[str, float] | None:
    """The features of a question and one name, without those that compare candidates; None if it must not be meant.

    Args:
        rule: the score of the rules, 0 for none.
        reason: why the rules gave it.
        cosine: of the vectors of both, None if there are none.
        rarity: in how many names of the graph a word stands.
        is_entity_name: whether a word is the whole name of an entity.
        may_be_company: whether things of its type may have a legal form.
    """
    is_match = rule >= MATCH_THRESHOLD
    has_other_spelling = is_match and reason is not None
    if style == "person" and not has_other_spelling and _is_another_syllable(question, name):
        return None
    is_company = question.legal_form is not None and question.legal_form not in name.folded
    if is_company and (style == "person" or not may_be_company):
        return None  # Daniel Ohara Ltd is a company
    if name_conflicts.contradict(question, name, style=style, type_names=type_names):
        return None
    if style != "person" and name_conflicts.are_reversed(word_alignment.tokens(question), word_alignment.tokens(name)):
        return None
    if (page := identifiers.page(question.text)) and page != (identifiers.page(name.text) or page):
        return None  # another page, of the same site or not
    if not is_match and len(name.words) > len(question.words) and all(map(name_similarity.is_generic, question.words)):
        return None  # meeting notes, of any meeting
    if not is_match and name_conflicts.differ(question, name, style=style, type_names=type_names):
        return None
    features = {} if cosine is None else {"cosine": cosine}
    if style == "person":
        either_way = ((question, name), (name, question))
        has_known_word, is_beside_gap = _mistyped_words(question, name, rarity, type_names)
        return {
            **features,
            "covered": float(is_match),
            "person_rule": float(is_match),
            "person_clipped": float(not is_match and any(_is_clipped(*pair, rarity) for pair in either_way)),
            "person_typos": float(not is_match and any(_has_only_typos(*pair) for pair in either_way)),
            "person_known_word": float(has_known_word),
            "person_typo_and_left": float(is_beside_gap),
        }
    alignment = word_alignment.align(question, name, style=style, type_names=type_names)
    matched, left, omitted = alignment.matched, alignment.question_left, alignment.name_left
    weights = {word: _weight(word, rarity) for word in {*left, *omitted, *(other for _, other, _ in matched)}}
    total_matched = sum(weights[other] * score for _, other, score in matched)
    covered = total_matched / max(total_matched + sum(weights[word] for word in left), 0.1)
    name_covered = total_matched / max(total_matched + sum(weights[word] for word in omitted), 0.1)
    is_sibling = bool(left and omitted) and not paraphrases.is_possible(
        question, name, style=style, type_names=type_names, is_entity_name=is_entity_name
    )
    # One of the two may have all words of the other: the question, or the name if the question says more.
    longer, shorter, extra = (question, name, left) if left else (name, question, omitted)
    words = word_alignment.tokens(longer)
    is_longer = len(words) > len(word_alignment.tokens(shorter))
    is_part = bool(matched) and not (left and omitted) and (is_longer or not extra)
    # Svalbard Global Seed Vault, not Salt Road sound mix. A question may leave out a head, but not that of a decision.
    has_same_head = (longer is name and style != "statement") or words[-1] not in extra
    is_several = len(shorter.words) > 1
    share = max(0.0, min(covered, name_covered) - 0.4) * 1.5
    return {
        **features,
        "covered": covered,
        "rule": float(is_match and "part of the name" not in (reason or "")),
        "part_of_several": (is_part and has_same_head and is_several) * share,
        "sibling_covered": is_sibling * covered,
        "name_qualified": float(is_part and bool(extra) and all(word in _QUALIFIERS for word in extra)),
        "one_word": float(not is_several and not is_match),
        "little_in_common": float(
            cosine is not None
            and not is_match
            and style != "statement"
            and not question.words[0].endswith("ing")
            and bool(matched and left)
            and covered < (_MOST if style == "reference" and len(matched) == 1 else _HALF)
            and cosine < _NEAR
        ),
        "cosine_statement": max(0.0, (cosine or 0.0) - 0.35) * 4 * (style == "statement" and is_several),
    }


def weak_reasons(features: Mapping[str, float]) -> list[str]:
    """Why rules that match a name by letters or meaning are less reliable; usually no reason.

    The table of weights has their names, and how often the rules were right for each (ADR 0063).
    """
    return [reason for reason, feature in WEAK_REASONS.items() if features.get(feature)]


def _weight(word: str, rarity: Rarity) -> float:
    """How informative a word is: little if it is generic, less the more names have it."""
    if name_similarity.is_generic(word):
        return 0.25
    return 1 / (1 + 0.25 * min(max(rarity(word) - 1, 0), 8))


# Persons


def _mistyped_words(question: Name, name: Name, rarity: Rarity, type_names: frozenset[str]) -> tuple[bool, bool]:
    """What makes a typo in a person's name doubtful.

    Returns:
        Whether what looks like a typo is a word of another name in the graph; and whether a typo in the surname is
        next to a missing word: Nadia Amini is not Nadia El-Amin.
    """
    from rapidfuzz import fuzz

    asked, known = (each.words_without(type_names, honorifics=True) for each in (question, name))
    joined = {first + second for first, second in pairwise(asked)}
    whole = {first + second for first, second in pairwise(known)}
    has_other_particle = any(
        len(first) <= _PARTICLE and first not in others and second in others and f"{first}-" in text.casefold()
        for text, words, others in ((name.text, known, asked), (question.text, asked, known))
        for first, second in pairwise(words)
        if rarity(second) > 1
    )
    mistyped = [
        word
        for word in asked
        if len(word) > 1
        and word not in whole
        and not any(_is_form_of(word, other) or other in joined for other in known)
        and any(fuzz.ratio(word, other) >= _SIMILAR_TO_TYPO for other in known)
    ]
    is_beside_gap = 1 < len(asked) < len(known) and any(
        fuzz.ratio(word, known[-1]) == max(fuzz.ratio(word, other) for other in known) for word in mistyped
    )
    return has_other_particle or any(rarity(word) > 0 for word in mistyped), is_beside_gap


def _is_form_of(word: str, other: str) -> bool:
    return (
        word == other
        or other in given_names.spellings(word) | given_names.nicknames(word)
        or (len(other) == 1 and word.startswith(other))
        or (word[:-1] == other[:-1] and {word[-1], other[-1]} == {"a", "i"} and word.endswith(_SLAVIC_ENDINGS))
    )


def _is_clipped(question: Name, name: Name, rarity: Rarity) -> bool:
    """Whether a given name is cut short before a whole, distinctive surname: Theo Lindqvist."""
    asked, known = (
        question.words_without(frozenset(), honorifics=True),
        name.words_without(frozenset(), honorifics=True),
    )
    if len(asked) != 2 or len(known) < 2:
        return False
    given, surname = asked
    if phonetics.key(surname) != phonetics.key(known[-1]) or len(surname) < 5 or rarity(known[-1]) > _FEW_NAMES:
        return False
    if typos.differ_in_ending(given, known[0]):
        return False  # Malik is not Malika
    is_end = len(given) > 3 and known[0].endswith(given) and len(known[0]) > len(given) + 2  # Seun, Oluwaseun
    is_beginning = 2 < len(given) < len(known[0]) and known[0].startswith(given)
    if (is_beginning or is_end) and (not given_names.contains(given) or given_names.is_nickname(given)):
        return True
    stem = given.rstrip("iey")  # Connie of Consolata, Josie of Josefina
    stem = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    is_diminutive = stem != given and len(stem) > 2 and len(given) < len(known[0])
    return is_diminutive and known[0].startswith(stem)


def _has_only_typos(question: Name, name: Name) -> bool:
    """Whether all of several words of a person's name are there, exactly or with typos in a long word."""
    from rapidfuzz import fuzz

    asked, known = (each.words_without(frozenset(), honorifics=True) for each in (question, name))
    if len(asked) != len(known) or len(asked) < 2:
        return False
    for word, other in zip(asked, known, strict=True):
        if word == other or phonetics.key(word) == phonetics.key(other) or other in given_names.spellings(word):
            continue
        is_name = given_names.contains(word) and word not in given_names.nicknames(other)
        alike = word[0] == other[0] and abs(len(word) - len(other)) < 2 and fuzz.ratio(word, other) >= _SIMILAR_NAME
        if len(word) < _MIN_LETTERS_OF_TYPO or is_name or not alike or typos.differ_in_ending(word, other):
            return False
    return True


def _is_another_syllable(question: Name, name: Name) -> bool:
    """Whether a given name of two Chinese syllables has only one of them in common: Jianguo and Jianhua, Jian."""
    asked, known = ({*each.words} for each in (question, name))
    for word in asked - known:
        for other in known - asked:
            first, second = _SYLLABLES.fullmatch(word), _SYLLABLES.fullmatch(other)
            if other in given_names.spellings(word) | given_names.nicknames(word):
                continue
            if second and first and first.groups() != second.groups() and {*first.groups()} & {*second.groups()}:
                return True
    return False
