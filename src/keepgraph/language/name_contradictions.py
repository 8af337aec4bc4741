"""Name contradictions: what in a question says that the thing with a similar name is not meant, whatever is alike.

Another letter (A minor, B minor), another direction (to Berlin, from Berlin), a title of the other gender. Each is told
from the two names alone; what only makes an answer less probable is evidence (`name_evidence`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from keepgraph.language import given_names, statements
from keepgraph.language.normalisation import Name
from keepgraph.model import NameStyle

_CAPITAL = re.compile(r"(?<![\w.'’])[^\W\d_a-z](?![\w.'’])")
_DEGREES = frozenset("dr prof professor doctor rev reverend hon".split())
_GENDER_OF_TITLE: Mapping[str, given_names.Gender] = {
    **dict.fromkeys("mr sir mister herr hr hrn monsieur senor signor lord pan".split(), "male"),
    **dict.fromkeys(
        "mrs ms miss madam madame mme mlle frau senora senorita sra dra fru signora lady dame pani".split(), "female"
    ),
}


def contradict(question: Name, name: Name, *, style: NameStyle, type_names: frozenset[str] = frozenset()) -> bool:
    """Whether a question cannot mean what has this name, though the two are similar.

    Args:
        style: how the names of its type are made.
        type_names: the name of its type, and of those that it is a kind of: they may be left out.
    """
    asked = [word for word in question.folded.split() if word not in type_names]
    had = [word for word in name.folded.split() if word not in type_names]
    if style == "person":
        return _is_addressed_as_another_gender(asked, had)
    return _have_other_letters(question.text, name.text) or _have_other_directions(asked, had)


def _have_other_letters(question: str, name: str) -> bool:
    """Whether both have single capital letters, and others: Mass in A minor, Mass in B minor."""
    asked, had = ({*_CAPITAL.findall(text.strip(" .?!"))} for text in (question, name))
    return bool(asked and had and not asked & had)


def _is_addressed_as_another_gender(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether the question begins with a woman's title and the name with a man's given name, or the other way round.

    Where the question has the given name, too, a wrong title is a slip; but Mrs James Kirk is the wife of James Kirk.
    """
    title = _GENDER_OF_TITLE.get(asked[0]) if len(asked) > 1 else None
    if title is None or len(had) < 2:
        return False
    own_title = _GENDER_OF_TITLE.get(had[0])
    if own_title is not None:
        return own_title != title
    names = [word for word in had if word not in _DEGREES]
    given = next(
        (word for word in names[:-1] if given_names.gender(word)), names[0] if names else ""
    )  # Captain Johannes
    gender = given_names.gender(given)
    return gender is not None and gender != title and (given not in asked or asked[0] == "mrs")


def _have_other_directions(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether both have a preposition before the same word, and say another direction: to Berlin, from Berlin."""
    before, had_before = (
        {word: statements.DIRECTIONS[first] for first, word in pairwise(words) if first in statements.DIRECTIONS}
        for words in (asked, had)
    )
    return any(had_before.get(word, direction) != direction for word, direction in before.items())
