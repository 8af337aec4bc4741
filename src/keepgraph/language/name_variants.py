"""Name variants: other forms under which a name may be known, to search for beside the name itself.

A name in another script is romanised, an abbreviation is expanded, a full form is abbreviated, a citation is reduced to
its title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from keepgraph import lazy
from keepgraph.language import abbreviations, common_words, referring_expressions, romanisation
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import NameStyle

_ADDRESS = lazy.compile(r"(?:mailto:)?(?P<mail>[\w.+\-]{2,40})@[\w\-]+(?:\.[\w\-]+)*|@(?P<handle>[\w.\-]{3,40})")
_MIN_LETTERS_AFTER_PREFIX = 4
_MIN_LETTERS_OF_HANDLE = 4
ALL_STYLES: frozenset[NameStyle] = frozenset(get_args(NameStyle))
_PERSON: frozenset[NameStyle] = frozenset(["person"])
VARIANT_FACTOR = 0.94
"""A match by a variant is less certain than one by the name itself."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A name to search for instead of the name that was asked for.

    Attributes:
        factor: what the score of a match is multiplied by, 0 to 1.
        reason: why this form may be meant; None for the name itself.
        romanised: it is the name in Latin letters, which was asked for in another script.
        styles: the styles of names that it may stand for: an address is a person's, an abbreviation is not.
        is_whole: it means only what is called exactly so.
    """

    name: Name
    factor: float = 1.0
    reason: str | None = None
    romanised: bool = False
    styles: frozenset[NameStyle] = ALL_STYLES
    is_whole: bool = False


def expand(name: Name) -> list[Variant]:
    """The name itself, then its variants."""
    variants = [Variant(name)]
    if name.latin:
        reason = f"“{name.text}” in Latin letters is “{name.latin}”"
        variants.append(Variant(Name.of_folded(name.latin), VARIANT_FACTOR, reason, romanised=True))
        ukrainian = romanisation.ukrainian(name.text)
        if ukrainian is not None and ukrainian != name.latin:
            reason = f"“{name.text}” in Latin letters, read as Ukrainian, is “{ukrainian}”"
            variants.append(Variant(Name.of_folded(ukrainian), VARIANT_FACTOR, reason, romanised=True, styles=_PERSON))
    variants += [
        Variant(Name(written), VARIANT_FACTOR, f"“{name.text}” is an address of “{written}”", styles=_PERSON)
        for written in _names_in_address(name.text)
    ]
    plain = " ".join(name.words)
    if all(len(word) == 1 for word in plain.split()):
        plain = plain.replace(" ", "")  # W.H.O.
    if name.text.removeprefix("the ").isupper() or not common_words.is_stop_word(plain):
        for full in abbreviations.expand(plain):
            variants.append(_thing(full, f"“{plain}” is short for “{full}”"))
    for short in abbreviations.abbreviate(plain):
        variants.append(_thing(short, f"“{short}” is short for “{plain}”"))
    for other in _with_prefix_divided(name.words):
        variants.append(_thing(other, f"“{plain}” is also written “{other}”"))
    return variants


def within(name: Name) -> list[Variant]:
    """The names in an expression, without an author, a year, an address or folders; usually none."""
    return [
        Variant(
            Name(each.name),
            VARIANT_FACTOR,
            each.reason,
            styles=ALL_STYLES if each.style is None else frozenset([each.style]),
            is_whole=each.is_whole,
        )
        for each in referring_expressions.read(name.text)
    ]


def _with_prefix_divided(words: Sequence[str]) -> list[str]:
    """The words with a prefix apart: nonplayer as non player."""
    written = []
    for place, word in enumerate(words):
        rest = word.removeprefix("non")
        if rest != word and len(rest) >= _MIN_LETTERS_AFTER_PREFIX and not common_words.is_common(word):
            written.append(" ".join([*words[:place], "non", rest, *words[place + 1 :]]))
    return written


def _names_in_address(text: str) -> list[str]:
    """The names that an e-mail address or a handle may be made of: j doe for j.doe@firm.com, jdoe@firm.com, @jdoe."""
    local = _local_part(text)
    if local is None:
        return []
    parts = [part for part in re.split(r"[._+\-\d]+", local.casefold()) if part]
    if len(parts) > 1:
        return [" ".join(parts)] if max(map(len, parts)) > 2 else []
    word = parts[0] if parts else ""
    if len(word) < _MIN_LETTERS_OF_HANDLE:
        return []
    readings = [word, f"{word[0]} {word[1:]}", f"{word[:-1]} {word[-1]}"]
    return [*readings, f"{word[0]} {word[1]} {word[2:]}"] if len(word) > _MIN_LETTERS_OF_HANDLE + 1 else readings


def _local_part(text: str) -> str | None:
    match = _ADDRESS.fullmatch(text.strip("<>()[] "))
    local = match and (match["mail"] or match["handle"])
    if not local:
        return None
    return local.partition("+")[0] or local


def _thing(folded: str, reason: str) -> Variant:
    return Variant(Name.of_folded(folded), VARIANT_FACTOR, reason, styles=ALL_STYLES - _PERSON)
