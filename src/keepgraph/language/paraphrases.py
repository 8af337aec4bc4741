"""Paraphrase checks: whether two names that a vector puts near each other mean the same thing.

A cosine says that two names are about the same, not that they are the same: other versions, antonyms and siblings
("Martin Keller" and "Daniel Keller": 0.87) are as near as paraphrases ("login system" and "Authentication service":
0.62). So numbers and dates must agree, and the words that differ are examined (ADR 0012).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from keepgraph.language import abbreviations, name_similarity, opposites, quantities
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import NameStyle

_MAX_STRING_SIMILARITY = 0.6  # of single words: above it they share a part and not the meaning
_MIN_STEM = 5


@dataclass(frozen=True, slots=True)
class _Difference:
    """The words that only the query has, those that only the name has, and those of the query that both have."""

    query_only: list[str]
    name_only: list[str]
    shared: list[str]


def is_possible(
    query: Name,
    name: Name,
    *,
    style: NameStyle,
    type_names: frozenset[str] = frozenset(),
    is_entity_name: Callable[[str], bool],
) -> bool:
    """Whether a query may mean the entity called `name`.

    Args:
        style: how the names of its type are made.
        type_names: the name of its type, and of those that it is a kind of.
        is_entity_name: whether a word is the name of an entity in the graph; called only if everything before agrees.
    """
    type_named = not type_names.isdisjoint(query.words)
    if opposites.differ_in_polarity(query.words, name.words, type_named=type_named) or opposites.differ_by_antonym(
        query.words, name.words
    ):
        return False
    difference = _difference(query.words, name.words)
    if _is_about_something_else(query, name, difference, style=style):
        return False
    if style == "term" and difference.shared and not all(map(name_similarity.is_generic, difference.query_only)):
        return False  # one word of two terms is another term: Hubble and Webb, each a space telescope
    if any(is_entity_name(word) for word in difference.query_only):
        return False  # the query is about that entity
    says_more = type_named or bool(difference.query_only)
    if style == "statement" and difference.query_only:
        if not _actions_agree(query.words[0], name.words[0], difference):
            return False
        difference = _without_actions(query.words[0], name.words[0], difference)
    return not difference.shared or _is_paraphrase(difference, says_more=says_more)


def _difference(query: Sequence[str], name: Sequence[str]) -> _Difference:
    name_only = [word for word in name if not name_similarity.is_function_word(word)]
    query_only, shared = [], []
    for word in query:
        if name_similarity.is_function_word(word):
            continue
        counterpart = next((other for other in name_only if _have_same_stem(word, other)), None)
        if counterpart is None:
            query_only.append(word)
        else:
            name_only.remove(counterpart)
            shared.append(word)
    return _Difference(query_only, name_only, shared)


def _have_same_stem(word: str, other: str) -> bool:
    """Whether two words are forms of one word, the same number, or an abbreviation and its full form."""
    if word == other or str(quantities.NUMBER_WORDS.get(word, word)) == str(quantities.NUMBER_WORDS.get(other, other)):
        return True
    if word in abbreviations.expand(other) or other in abbreviations.expand(word):
        return True
    shorter = min(len(word), len(other))
    stem = max(_MIN_STEM, shorter - 3)
    return shorter >= _MIN_STEM - 1 and word[:stem] == other[:stem]


def _is_about_something_else(query: Name, name: Name, difference: _Difference, *, style: NameStyle) -> bool:
    if not difference.query_only and not difference.name_only:
        return True  # the same words in another order: the fuzzy step has decided on them
    if len(query.words) == len(name.words) == 1:
        string_similarity = name_similarity.string_similarity(query.words[0], name.words[0])
        if string_similarity > _MAX_STRING_SIMILARITY:
            return True  # Arbeitnehmer is not Arbeitgeber
    if not difference.query_only:
        return style == "term"  # a part of a term is another term
    if difference.name_only and any(_is_of_another(words, difference) for words in proper_names(query.text)):
        return True  # Aegean Moon, where the name has Aegean Star
    return any(_is_unmentioned(words, query.words, difference.name_only) for words in proper_names(name.text))


def _is_of_another(proper_name: Sequence[str], difference: _Difference) -> bool:
    """Whether a proper name in the query has a part in common with the name, and another that says which one."""
    telling = [word for word in proper_name if word in difference.query_only]
    return any(word in difference.shared for word in proper_name) and any(
        not name_similarity.is_generic(word) for word in telling
    )


def proper_names(name: str) -> list[list[str]]:
    """The runs of capitalised words within a name, folded; none if all words are capitalised, as in a title."""
    words = name.split()[1:]
    is_proper = [word[:1].isupper() and not word.isupper() for word in words]
    if all(is_proper):
        return []
    return [
        [folded for word, _ in run for folded in Name(word).folded.split()]
        for proper, run in groupby(zip(words, is_proper, strict=True), key=lambda pair: pair[1])
        if proper
    ]


def _is_unmentioned(proper_name: Sequence[str], query: Sequence[str], name_only: Sequence[str]) -> bool:
    """Whether nothing in the query stands for a proper name in the name, not even its initials: IE11."""
    initials = "".join(word[0] for word in proper_name)
    return all(word in name_only for word in proper_name) and not any(
        len(initials) > 1 and word.startswith(initials) for word in query
    )


def _actions_agree(query_action: str, name_action: str, difference: _Difference) -> bool:
    """Whether the first words of two statements, which say what is done, are the same or compatible.

    A verb that is in no lexicon may mean anything, and so is compatible with none. Negations have been compared before.
    """
    both_differ = query_action in difference.query_only and name_action in difference.name_only
    negating = opposites.is_negating(query_action) or opposites.is_negating(name_action)
    return not both_differ or negating or opposites.are_compatible_actions(query_action, name_action)


def _without_actions(query_action: str, name_action: str, difference: _Difference) -> _Difference:
    """The difference without the verbs of two statements, if anything else differs."""
    if len(difference.query_only) + len(difference.name_only) <= 2:
        return difference
    actions = (query_action, name_action)
    query_only, name_only = (
        [word for word in words if word not in actions] for words in (difference.query_only, difference.name_only)
    )
    return _Difference(query_only, name_only, difference.shared)


def _is_paraphrase(difference: _Difference, *, says_more: bool) -> bool:
    """Whether two names with words in common say the same, rather than something else in the same frame.

    One word on each side that the other has not makes a sibling, unless both only say what is done. Words that
    only the query has make it narrower; words that only the name has make it wider. A thing and its part differ,
    unless the query says more than the part: what is done, or the type of the entity.
    """
    query_only, name_only, shared = difference.query_only, difference.name_only, difference.shared
    if len(query_only) == 1 and len(name_only) == 1:
        return opposites.are_compatible_actions(query_only[0], name_only[0])
    if query_only and not name_only:
        return all(name_similarity.is_generic(word) for word in query_only)
    if not query_only:
        return says_more or len(shared) > 1
    return any(not name_similarity.is_generic(word) for word in shared)
