"""Name features: the evidence for and against a question meaning a named entity, as numbers for a model.

Every feature is named, lies between about 0 and 3, and has a direction: it can only raise a probability, only lower
it, or either. The model that weighs them is in `engine.resolution.acceptance` (ADR 0051).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise

from keepgraph import lazy
from keepgraph.language import (
    common_words,
    given_names,
    identifiers,
    name_conflicts,
    name_similarity,
    paraphrases,
    phonetics,
    typos,
    word_alignment,
)
from keepgraph.language.name_similarity import MATCH_THRESHOLD, MENTIONED_SCORE, RIVAL_SCORE
from keepgraph.language.normalisation import Name
from keepgraph.language.word_alignment import Rarity
from keepgraph.ml import frequent_words
from keepgraph.model import NameStyle

DIRECTIONS: Mapping[str, int] = {
    # The rules of `name_similarity` and `acronyms`, as they judge alone.
    "rule": 1,
    "rule_strength": 1,
    "rule_part": 1,
    "rule_initials": 1,
    "rule_explained": 1,
    "initials_two": -1,
    "part_without_head": -1,
    "part_common": -1,
    "part_one_word": -1,
    "part_typed": 1,
    "activity": 1,
    "known_word": -1,
    "rule_rival": 0,
    # Letters.
    "ratio": 1,
    "ratio_high": 1,
    "set_ratio": 1,
    # Words that both have, weighted by how rare they are, and what is left over.
    "question_covered": 1,
    "question_all": 1,
    "name_covered": 1,
    "name_all": 1,
    "complete": 1,
    "complete_several": 1,
    "part_of_several": 1,
    "sibling": -1,
    "sibling_covered": -1,
    "both_left": -1,
    "question_left": -1,
    "question_left_rare": -1,
    "question_left_known": -1,
    "name_left": -1,
    "name_left_rare": -1,
    "rare_match": 1,
    "unique_match": 1,
    "matched_words": 1,
    "head_matched": 1,
    "similar_words": -1,
    "synonyms": -1,
    "qualified": 1,
    "qualified_rare": 1,
    "name_qualified": 1,
    "name_qualified_rare": 1,
    "one_word": -1,
    "few_letters": -1,
    "rule_one_word": -1,
    "question_left_entity": -1,
    # Numbers.
    "number_agrees": 1,
    "number_left": -1,
    "number_added": -1,
    # What the words say.
    "possible": 1,
    "one_word_similar": -1,
    "names_type": 1,
    # The style of the type.
    "term": 0,
    "statement": 0,
    "reference": 0,
    "term_left": -1,
    "term_question_left": -1,
    "statement_covered": 1,
    "reference_covered": 1,
    # Persons: the same evidence counts differently there.
    "person": 0,
    "person_rule": 1,
    "person_strength": 1,
    "person_clipped": 1,
    "person_typos": 1,
    "person_left": -1,
    "person_both_left": -1,
    "person_slip_and_left": -1,
    "person_given_slip": -1,
    "person_middle": -1,
    "person_known_word": -1,
    # Meaning.
    "cosine": 1,
    "cosine_45": 1,
    "cosine_60": 1,
    "cosine_75": 1,
    "cosine_paraphrase": 1,
    "cosine_possible": 1,
    "cosine_possible_55": 1,
    "cosine_covered": 1,
    "cosine_one_word": -1,
    "cosine_sibling": -1,
    "cosine_statement": 1,
    "cosine_complete": 1,
    "cosine_term": 0,
    # Other candidates.
    "rival_rule": -1,
    "rival_covered": -1,
    "rival_cosine": -1,
    "paraphrase_clear": 1,
    "paraphrase_sure": 1,
    "paraphrase_term": -1,
    "paraphrase_rare_left": -1,
    "leads_cosine": 1,
    "leads_covered": 1,
    "leads_rule": 1,
}
"""The features: 1 raises the probability or leaves it, -1 lowers it or leaves it, 0 may do either."""
WEAK_REASONS = (
    "word_of_another_name",
    "slip_and_word_left",
    "middle_word",
    "common_part",
    "more_than_term",
    "little_in_common",
)
"""Why the rules are less reliable: a typo that makes a word of another name, a typo in a surname beside a missing word,
the middle one of several names, common words within a title, more said than a term, and only a part of the question in
common with a name that is not very near."""
_MIN_COSINE = 0.58  # of a paraphrase by the rules of ADR 0012
_MIN_COSINE_SINGLE_WORD = 0.75  # a single word is near many others
_MAKERS = frozenset(
    "apache amazon aws google microsoft azure ibm oracle adobe meta hashicorp redhat nvidia intel elastic jetbrains "
    "atlassian mozilla eclipse gnu facebook github gitlab cloudflare".split()
)
"""Companies and foundations that stand before the names of what they make, or are left out: Apache Kafka."""
_COMPANY_WORDS = frozenset(
    "engine language framework database server capital traders trading holdings holding partners studio studios "
    "labs laboratories technologies systems solutions ventures bank university institute foundation consulting "
    "industries international logistics media pharmaceuticals airlines motors foods energy insurance brothers "
    "sons associates press publishing law theorem principle effect algorithm pattern architecture method trading "
    "company model protocol games seeds seed pictures records productions entertainment interactive brewery bakery "
    "farms orchards vineyards shipping lines ferries cruises hotels textiles ceramics optics instruments "
    "plastics".split()
)
"""Words at the end of the names of companies and products that people leave out where the rest is telling."""
_SHORT_INITIALS = 2
_HALF = 0.5  # of the weight of the words
_MOST = 0.75  # of the weight of the words of a title: what it means is not said in other words
_NEAR = 0.7  # of cosines
_DOTTED = lazy.compile(r"\b([^\W\d_]{2,8})\.(?=\s|$)")
_SIMILAR_NAME = 75.0
_MIN_LETTERS_OF_SLIP = 6
_PINYIN = (
    "(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])"
    "(?:iang|iong|uang|ang|eng|ing|ong|ian|iao|uai|uan|ai|ei|ao|ou|an|en|in|un|ia|ie|iu|ua|ui|uo|ue|a|e|i|o|u)"
)
_SYLLABLES = lazy.compile(f"({_PINYIN})({_PINYIN})")
_GENITIVE = lazy.compile(r"(?<=\w)['’]s\b")
_SIMILAR_TO_SLIP = 60.0
_PREFIXES_OF_NAMES = frozenset("abdul abdel abd abu ibn bin umm mohammed muhammad mohamed maria jean anna".split())
"""The first half of a given name of two words, whose second half alone is another name: Abdul Rahman, Jean Luc."""
_PARTICLE = 3  # letters of el, al, bin, ibn
_SLAVIC_ENDINGS = ("ski", "ska", "cki", "cka", "dzki", "dzka")  # of a surname, of a man and of a woman
_FEW_NAMES = 3  # of a surname that tells who is meant, with the companies of that name


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
        cosine: of the vectors of both, None where there are none.
        rarity: in how many names of the graph a word stands.
        is_entity_name: whether a word is the whole name of an entity.
        may_be_company: whether things of its type may have a legal form.
    """
    is_match = rule >= MATCH_THRESHOLD
    if style != "person":
        question = _with_dotted_words_in_full(question, name)
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
    from rapidfuzz import fuzz

    is_person = style == "person"
    alignment = word_alignment.align(question, name, style=style, type_names=type_names)
    matched, left, omitted = alignment.matched, alignment.question_left, alignment.name_left
    weights = {word: _weight(word, rarity) for word in {*left, *omitted, *(other for _, other, _ in matched)}}
    total_matched = sum(weights[other] * score for _, other, score in matched)
    question_left, name_left = sum(weights[word] for word in left), sum(weights[word] for word in omitted)
    covered = total_matched / max(total_matched + question_left, 0.1)
    name_covered = total_matched / max(total_matched + name_left, 0.1)
    ratio = max(fuzz.ratio(question.folded, name.folded), fuzz.token_sort_ratio(question.folded, name.folded))
    left_numbers = [word for word in omitted if word.isdecimal()]
    has_number = any(word.isdecimal() for word, _, _ in matched)
    is_part = is_match and bool(reason) and "part of the name" in (reason or "")
    is_initials = is_match and bool(reason) and "initials" in (reason or "")
    part_of_statement = style == "statement"
    features = {
        "ratio": max(0.0, ratio - 60) / 40,
        "ratio_high": max(0.0, ratio - 85) / 15,
        "set_ratio": max(0.0, fuzz.token_set_ratio(question.folded, name.folded) - 60) / 40,
    }
    if is_person:
        clipped = _is_clipped(question, name, rarity)
        return {
            "person": 1.0,
            "person_rule": float(is_match),
            "person_strength": max(0.0, rule - MATCH_THRESHOLD) / (1 - MATCH_THRESHOLD),
            "person_clipped": float(clipped and not is_match),
            "person_typos": float(not is_match and _has_only_slips(question, name)),
            "person_left": float(bool(left)),
            "person_both_left": float(bool(left) and bool(omitted)),
            "rule_initials": float(is_initials),
            **_slips(question, name, rarity, type_names),
        }
    is_paraphrase = paraphrases.is_possible(
        question, name, style=style, type_names=type_names, is_entity_name=is_entity_name
    )
    possible = not left or is_paraphrase
    has_qualifier = bool(matched and left) and all(word in _MAKERS for word in (*left, *omitted))
    is_qualified = bool(matched and omitted) and not left
    is_qualified = is_qualified and all(word in _MAKERS | _COMPANY_WORDS for word in omitted)
    features |= {
        "rule": float(is_match and not is_part),
        "rule_strength": max(0.0, rule - MATCH_THRESHOLD) / (1 - MATCH_THRESHOLD),
        "rule_part": float(is_part),
        "rule_initials": float(is_initials),
        "rule_explained": float(is_match and bool(reason) and not is_part),
        "activity": float(question.words[0].endswith("ing") and len(question.words) > 1),
        "part_typed": float(is_part and not type_names.isdisjoint(question.words)),
        "initials_two": float(is_initials and len("".join(question.words)) == _SHORT_INITIALS),
        "part_without_head": float(is_part and not any(other == _head(name) for _, other, _ in matched)),
        "part_common": float(
            is_part and question.text.islower() and not any(_is_rare(other) for _, other, _ in matched)
        ),
        "part_one_word": float(is_part and len(matched) == 1),
        "known_word": float(any(score < word_alignment.DERIVED and rarity(word) > 0 for word, _, score in matched)),
        "rule_rival": float(rule in (RIVAL_SCORE, MENTIONED_SCORE)),
        "question_covered": covered,
        "question_all": float(not left and bool(matched)),
        "name_covered": name_covered,
        "name_all": float(not omitted and bool(matched)),
        "complete": float(bool(matched) and not left and not omitted),
        "complete_several": float(len(matched) > 1 and not left and not omitted),
        "part_of_several": float(len(question.words) > 1 and not left) * max(0.0, name_covered - 0.4) * 1.5,
        "sibling": float(bool(left and omitted) and not possible),
        "sibling_covered": float(bool(left and omitted) and not possible) * covered,
        "both_left": min(question_left, name_left, 2.0),
        "question_left": min(question_left, 3.0),
        "question_left_rare": float(min(sum(_is_rare(word) for word in left), 2)),
        "question_left_known": float(any(rarity(word) and not name_similarity.is_generic(word) for word in left)),
        "name_left": min(name_left, 3.0),
        "name_left_rare": float(min(sum(_is_rare(word) for word in omitted), 2)),
        "rare_match": float(any(_is_rare(other) and score > 0.9 for _, other, score in matched)),
        "unique_match": max(
            (score / max(rarity(other), 1) for _, other, score in matched if not name_similarity.is_generic(other)),
            default=0.0,
        ),
        "matched_words": min(len(matched), 4) / 2,
        "head_matched": float(bool(matched) and any(other == _head(name) for _, other, _ in matched)),
        "similar_words": float(sum(score < word_alignment.SYNONYM for _, _, score in matched)),
        "synonyms": float(sum(score == word_alignment.SYNONYM for _, _, score in matched)),
        "qualified": float(has_qualifier),
        "qualified_rare": float(has_qualifier and all(_is_rare(other) for _, other, _ in matched)),
        "name_qualified": float(is_qualified),
        "name_qualified_rare": float(is_qualified and any(_is_rare(other) for _, other, _ in matched)),
        "one_word": float(len(question.words) == 1 and not is_match),
        "few_letters": max(0.0, 5 - len("".join(question.words))) / 4 * (not is_match),
        "rule_one_word": float(len(question.words) == 1 and is_match),
        "question_left_entity": float(any(is_entity_name(word) for word in left)),
        "number_agrees": float(has_number),
        "number_left": float(bool(left_numbers)),
        "number_added": float(has_number and any(len(number) != 4 for number in left_numbers)),
        "possible": float(possible),
        "one_word_similar": float(
            not is_match
            and len(question.words) == len(name.words) == 1
            and any(score < word_alignment.SAME for _, _, score in matched)
        ),
        "names_type": float(not type_names.isdisjoint(question.words)),
        "term": float(style == "term"),
        "statement": float(part_of_statement),
        "reference": float(style == "reference"),
        "term_left": float(style == "term" and bool(omitted)),
        "term_question_left": float(style == "term") * min(question_left, 2.0),
        "statement_covered": float(part_of_statement) * covered,
        "reference_covered": float(style == "reference") * covered,
    }
    if cosine is not None:
        features |= {
            "cosine": cosine,
            "cosine_45": max(0.0, cosine - 0.45) * 4,
            "cosine_60": max(0.0, cosine - 0.60) * 4,
            "cosine_75": max(0.0, cosine - 0.75) * 4,
            "cosine_paraphrase": float(
                is_paraphrase and cosine >= (_MIN_COSINE if len(question.words) > 1 else _MIN_COSINE_SINGLE_WORD)
            ),
            "cosine_possible": max(0.0, cosine - 0.35) * 4 * possible,
            "cosine_possible_55": max(0.0, cosine - 0.55) * 4 * possible,
            "cosine_covered": max(0.0, cosine - 0.35) * 4 * covered,
            "cosine_sibling": max(0.0, cosine - 0.35) * 4 * features["sibling"],
            "cosine_statement": max(0.0, cosine - 0.35) * 4 * part_of_statement,
            "cosine_complete": max(0.0, cosine - 0.35) * 4 * (not left),
            "cosine_one_word": max(0.0, cosine - 0.35) * 4 * (len(question.words) == 1),
            "cosine_term": max(0.0, cosine - 0.35) * 4 * (style == "term"),
        }
    return features


def weak_reasons(features: Mapping[str, float]) -> list[str]:
    """Why rules that match a name by letters or meaning are less reliable; mostly none.

    Their names stand in the table of weights with how often the rules were right where they hold (ADR 0063).
    """

    def value(feature: str) -> float:
        return features.get(feature, 0.0)

    is_paraphrase = not value("rule") and not value("rule_part") and "cosine" in features
    has_more = is_paraphrase and bool(value("matched_words")) and bool(value("question_left"))
    holds: dict[str, float | bool] = {
        "word_of_another_name": value("person_known_word"),
        "slip_and_word_left": value("person_slip_and_left"),
        "middle_word": value("person_middle"),
        "common_part": value("part_common") and value("part_without_head") and value("name_covered") < _HALF,
        "more_than_term": has_more and value("term") and value("name_all"),
        "little_in_common": has_more
        and not value("statement")
        and not value("activity")
        and value("question_covered") < (_MOST if value("reference") and value("matched_words") < 1 else _HALF)
        and value("cosine") < _NEAR,
    }
    return [reason for reason, is_so in holds.items() if is_so]


def _with_dotted_words_in_full(question: Name, name: Name) -> Name:
    """The question with the word of the name for each one that is cut off with a dot: European Patent Off."""

    def in_full(match: re.Match[str]) -> str:
        short = match[1].casefold()
        return next((word for word in name.folded.split() if word != short and word.startswith(short)), match[0])

    written = _DOTTED.sub(in_full, question.text) if "." in question.text else question.text
    return question if written == question.text else Name(written)


def _weight(word: str, rarity: Rarity) -> float:
    """How informative a word is: little if it is generic, less the more names have it."""
    if name_similarity.is_generic(word):
        return 0.25
    base = 1.2 if _is_rare(word) else 0.8
    return base / (1 + 0.25 * min(max(rarity(word) - 1, 0), 8))


@lru_cache(maxsize=8192)
def _is_rare(word: str) -> bool:
    """Whether a word is not common in English; without a word list, no word is rare."""
    return bool(frequent_words.load()) and len(word) > 2 and word.isalpha() and not common_words.is_common(word)


def _head(name: Name) -> str:
    words = word_alignment.tokens(name)
    return next((word for word in words if not name_similarity.is_function_word(word)), words[0] if words else "")


# Persons


def _slips(question: Name, name: Name, rarity: Rarity, type_names: frozenset[str]) -> dict[str, float]:
    """Evidence against typos in a person's name: another missing word, a given name, a word of another name."""
    from rapidfuzz import fuzz

    asked, had = (each.words_without(type_names, honorifics=True) for each in (question, name))
    if _GENITIVE.search(question.text):
        asked = Name(_GENITIVE.sub("", question.text)).words_without(type_names, honorifics=True)
    if re.fullmatch(r"\S*@\S*", question.text):
        asked = tuple(
            re.split(r"[._\-+]", Name(question.text.split("@")[0] or question.text[1:]).folded.replace(" ", "."))
        )
    joined = {first + second for first, second in pairwise(asked)}
    whole = {first + second for first, second in pairwise(had)}
    slips = [
        word
        for word in asked
        if len(word) > 1
        and word not in whole
        and not any(_is_form_of(word, other) or other in joined for other in had)
        and any(fuzz.ratio(word, other) >= _SIMILAR_TO_SLIP for other in had)
    ]
    is_joined_slip = len(asked) == len(had) + 1 and not joined.intersection(had) and "".join(asked) != "".join(had)
    in_surname = any(fuzz.ratio(word, had[-1]) == max(fuzz.ratio(word, other) for other in had) for word in slips)
    short = [
        first for first, second in pairwise(had) if len(first) <= _PARTICLE and first not in asked and second in asked
    ]
    has_other_particle = bool(short) and any(
        f"{first}-" in name.text.casefold() and rarity(second) > 1 for first, second in pairwise(had) if first in short
    )
    return {
        "person_slip_and_left": float(bool(slips) and ((in_surname and 1 < len(asked) < len(had)) or is_joined_slip)),
        "person_given_slip": float(bool(slips) and len(asked) > 1 and asked[0] in slips),
        "person_middle": float(
            len(asked) == 1
            and asked[0] in had[1:-1]
            and (given_names.contains(asked[0]) or had[0] in _PREFIXES_OF_NAMES)
        ),
        "person_known_word": float(has_other_particle or any(rarity(word) > 0 for word in slips)),
    }


def _is_form_of(word: str, other: str) -> bool:
    return (
        word == other
        or other in given_names.spellings(word) | given_names.nicknames(word)
        or (len(other) == 1 and word.startswith(other))
        or (word[:-1] == other[:-1] and {word[-1], other[-1]} == {"a", "i"} and word.endswith(_SLAVIC_ENDINGS))
    )


def _is_clipped(question: Name, name: Name, rarity: Rarity) -> bool:
    """Whether a given name is cut short beside the whole of a telling surname: Theo Lindqvist."""
    asked, had = question.words_without(frozenset(), honorifics=True), name.words_without(frozenset(), honorifics=True)
    if len(asked) != 2 or len(had) < 2:
        return False
    given, surname = asked
    if phonetics.key(surname) != phonetics.key(had[-1]) or len(surname) < 5 or rarity(had[-1]) > _FEW_NAMES:
        return False
    if typos.differ_in_ending(given, had[0]):
        return False  # Malik is not Malika
    is_end = len(given) > 3 and had[0].endswith(given) and len(had[0]) > len(given) + 2  # Seun, Oluwaseun
    is_beginning = 2 < len(given) < len(had[0]) and had[0].startswith(given)
    if (is_beginning or is_end) and (not given_names.contains(given) or given_names.is_nickname(given)):
        return True
    stem = given.rstrip("iey")  # Connie of Consolata, Josie of Josefina, Manny of Emmanuel
    stem = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    is_diminutive = stem != given and len(stem) > 2 and len(given) < len(had[0])
    is_within = is_diminutive and given_names.is_nickname(given) and stem in had[0][1:]
    return (is_diminutive and had[0].startswith(stem)) or is_within


def _has_only_slips(question: Name, name: Name) -> bool:
    """Whether every word of a person's name is there, exactly or with typos in a long word that is not another name."""
    from rapidfuzz import fuzz

    asked, had = (each.words_without(frozenset(), honorifics=True) for each in (question, name))
    if len(asked) != len(had) or not asked:
        return False
    for word, other in zip(asked, had, strict=True):
        if word == other or phonetics.key(word) == phonetics.key(other) or other in given_names.spellings(word):
            continue
        is_name = given_names.contains(word) and word not in given_names.nicknames(other)
        alike = word[0] == other[0] and abs(len(word) - len(other)) < 2 and fuzz.ratio(word, other) >= _SIMILAR_NAME
        if len(word) < _MIN_LETTERS_OF_SLIP or is_name or not alike or typos.differ_in_ending(word, other):
            return False
    return True


def _is_another_syllable(question: Name, name: Name) -> bool:
    """Whether a given name of two Chinese syllables has only one of them in common: Jianguo and Jianhua, Jian."""
    asked, had = ({*each.words} for each in (question, name))
    for word in asked - had:
        for other in had - asked:
            first, second = _SYLLABLES.fullmatch(word), _SYLLABLES.fullmatch(other)
            if other in given_names.spellings(word) | given_names.nicknames(word):
                continue
            if second and first and first.groups() != second.groups() and {*first.groups()} & {*second.groups()}:
                return True
    return False
