"""Statements: whether two names of decisions say the same in other words, by action and objects.

“Shut down the office in Lisbon” says what “Close the Lisbon office” says: both have the same action, by the lexicon
`actions`, and the other words of one are those of the other. What takes the place of something else is told apart from
it: “switch from Jira to Linear” is not “switch from Linear to Jira”.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import permutations

from keepgraph.language import abbreviations, inflection, lexicons, opposites, quantities, typos
from keepgraph.lazy import dataclass

_NEGATIONS = (("no", "more"), ("no", "longer"), ("not",), ("no",), ("never",))
_NEGATED = frozenset(["stop"])
_IGNORED = frozenset(
    "a an the our their my your its his her this that these those some any all every each and or of for in on at by to "
    "with from into onto over via as up per until till more anymore please".split()
)
DIRECTIONS = {"from": "from", "since": "from", "to": "to", "until": "to", "till": "to", "by": "by"}
"""Prepositions that say from where or when, to where or until when, and by how much or when."""
_ONE_MORE = frozenset("another additional extra second".split())
_INSTEAD = (("instead", "of"), ("rather", "than"), ("over",), ("not",))
_FROM = (("away", "from"), ("over", "from"), ("from",), ("off",))
_WITH = ("with", "by", "for")
_REPLACE, _ADOPT = "replace", "adopt"
_MAX_WORDS = 16
_MAX_TRIED = 6  # words of which every order is tried


@dataclass(frozen=True, slots=True)
class Statement:
    """What a name of a decision says.

    Attributes:
        actions: what is done, by the lexicon; a word that is not there is its own action. None if it only says
            what is to be instead of what: rail, not lorry.
        objects: the other words that carry a meaning.
        replaced: those of what is given up for it.
        directions: the prepositions that say from where, to where, or by how much.
    """

    actions: frozenset[str]
    objects: tuple[str, ...]
    replaced: tuple[str, ...] = ()
    directions: frozenset[str] = frozenset()


def say_the_same(question: str, name: str) -> bool:
    """Whether two folded names say that the same is done to the same; the question may leave out what is replaced."""
    known = parse(name)
    readings = (parse(question), _one_instead_of_another(question))
    return known is not None and any(_is_said_by(asked, known) for asked in readings if asked is not None)


def _is_said_by(asked: Statement, known: Statement) -> bool:
    if asked.actions and asked.actions.isdisjoint(known.actions):
        return False
    if asked.directions and known.directions and asked.directions.isdisjoint(known.directions):
        return False  # from 2027, until 2027
    if not asked.objects or not _are_same(asked.objects, known.objects):
        return False
    return not asked.replaced or _are_same(asked.replaced, known.replaced)


@lru_cache(maxsize=4096)
def parse(folded: str) -> Statement | None:
    """The action and the objects of a folded name; None if it has none, or denies what is denied."""
    words = _words(folded)
    if not 2 <= len(words) <= _MAX_WORDS:
        return None
    if rest := _without_negation(words):
        known = _actions(rest)
        if known is not None and "stop" in known.actions:
            return None
        statement = Statement(_NEGATED, tuple(rest))
    else:
        statement = _from_one_to_another(words) or _acted(words)
    directions = frozenset(DIRECTIONS[word] for word in words if word in DIRECTIONS)
    return replace(_of_telling_words(_with_roles(statement)), directions=directions)


def _words(folded: str) -> list[str]:
    return ["percent" if word == "%" else typos.normalise_spelling(word) for word in folded.split()]


def _of_telling_words(statement: Statement) -> Statement:
    return replace(statement, objects=_telling_words(statement.objects), replaced=_telling_words(statement.replaced))


def _without_negation(words: Sequence[str]) -> Sequence[str]:
    """What stands after a negation at the beginning; nothing if there is none."""
    return next((words[len(each) :] for each in _NEGATIONS if tuple(words[: len(each)]) == each), ())


def _acted(words: Sequence[str]) -> Statement:
    """What the first word says that is done; its own stem where the lexicon has no action for it."""
    return _actions(words) or Statement(frozenset([inflection.stem(words[0])]), tuple(words[1:]))


def _actions(words: Sequence[str]) -> Statement | None:
    """The actions for which the first word stands, with the words after it that belong to it, and the rest."""
    if not words:
        return None
    first, longest, found, rest = inflection.stem(words[0]), 0, set[str](), words[1:]
    for action, particles in _phrases().get(first, ()):
        without, telling = _without_particles(words[1:], particles), len({*particles} - {"to"})
        if without is not None and telling >= longest:
            if telling > longest:
                longest, found = telling, set()
            found.add(action)
            rest = min(rest, without, key=len) if found > {action} else without
    return Statement(frozenset(found), tuple(rest)) if found else None


def _without_particles(words: Sequence[str], particles: Sequence[str]) -> Sequence[str] | None:
    """The words without these, one after the other, wherever they stand; None if they do not."""
    for start in range(len(words) - len(particles) + 1):
        if list(words[start : start + len(particles)]) == list(particles):
            return [*words[:start], *words[start + len(particles) :]]
    return None


def _with_roles(statement: Statement) -> Statement:
    """What is given up apart from what takes its place: replace A with B, B instead of A."""
    words = list(statement.objects)
    place = next(filter(None, (_find(words, (word,)) for word in _WITH)), None)
    if _REPLACE in statement.actions and place is not None:
        return Statement(frozenset([_ADOPT]), tuple(words[place + 1 :]), tuple(words[:place]))
    if divided := _divided(words):
        return replace(statement, objects=tuple(divided[0]), replaced=tuple(divided[1]))
    return statement


def _one_instead_of_another(folded: str) -> Statement | None:
    """What a name says that has no word for what is done, but what is to be instead of what: rail, not lorry."""
    divided = _divided(_words(folded))
    return _of_telling_words(Statement(frozenset(), tuple(divided[0]), tuple(divided[1]))) if divided else None


def _divided(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]] | None:
    """The words before “instead of” or the like, and those after it."""
    for marker in _INSTEAD:
        if start := _find(words, marker):
            return words[:start], words[start + len(marker) :]
    return None


def _from_one_to_another(words: Sequence[str]) -> Statement | None:
    """What a statement with “from A to B” says: what moves to B adopts it."""
    for marker in _FROM:
        start = _find(words, marker)
        end = _find(words[start:], ("to",)) if start is not None else None
        if start and end:
            acted = _acted([*words[:start], *words[start + end + 1 :]])
            moves = (_ADOPT, ("to",)) in _phrases().get(inflection.stem(words[0]), ())
            actions = acted.actions | {_ADOPT} if moves else acted.actions
            return Statement(actions, acted.objects, tuple(words[start + len(marker) : start + end]))
    return None


def _find(words: Sequence[str], marker: Sequence[str]) -> int | None:
    places = range(len(words) - len(marker) + 1)
    return next((place for place in places if tuple(words[place : place + len(marker)]) == tuple(marker)), None)


def _telling_words(words: Sequence[str]) -> tuple[str, ...]:
    telling = (word for word in words if word not in _IGNORED)
    return tuple("second" if word in _ONE_MORE else word for word in telling)


def _are_same(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether each word is one of the others, and no other is left."""
    if len(words) != len(others):
        return False
    left, open_words = list(others), []
    for word in words:
        if word in left:
            left.remove(word)
        else:
            open_words.append(word)
    if len(open_words) > _MAX_TRIED:
        return False
    return any(all(map(_is_same, open_words, order)) for order in permutations(left))


@lru_cache(maxsize=8192)
def _is_same(word: str, other: str) -> bool:
    """Whether two words are the same number, or the same word in another form, abbreviated, mistyped or a synonym."""
    if word.isdecimal() or other.isdecimal():
        return _number(word) == _number(other)
    stem, other_stem = inflection.stem(word), inflection.stem(other)
    if stem == other_stem:
        return True
    if quantities.is_calendar_word(stem) or quantities.is_calendar_word(other_stem):
        return False
    if opposites.are_antonyms(word, other):
        return False
    return (
        other in abbreviations.expand(word)
        or word in abbreviations.expand(other)
        or opposites.root(word) == opposites.root(other)
        or opposites.are_synonyms_in_names(word, other)
        or bool(typos.similarity(word, other, has_context=True, given_name=False))
    )


def _number(word: str) -> str:
    return str(quantities.CARDINALS.get(word, word))


@cache
def _phrases() -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """By the stem of a verb: the actions for which it stands, each with the words that belong to it."""
    phrases: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for action, verbs in lexicons.pairs("actions", "="):
        for verb in verbs.split(","):
            first, *particles = verb.split()
            phrases.setdefault(inflection.stem(first), []).append((action, tuple(particles)))
    return phrases
