"""Name variants: other forms under which a name may be known, to search for beside the name itself.

A name in another script is romanised, an abbreviation is expanded, a full form is abbreviated, a place is translated.
"""

from __future__ import annotations

from dataclasses import dataclass

from keepgraph.language import abbreviations, place_names
from keepgraph.language.normalisation import Name

_VARIANT_FACTOR = 0.94  # a match by a variant is less sure than one by the name itself


@dataclass(frozen=True, slots=True)
class Variant:
    """A name to search for instead of the name that was asked for.

    Attributes:
        factor: what the score of a match is multiplied by, 0 to 1.
        reason: why this form may be meant; None for the name itself.
        romanised: it is the name in Latin letters, which was asked for in another script.
        never_person: it is no name of a person: an abbreviation, a place.
    """

    name: Name
    factor: float = 1.0
    reason: str | None = None
    romanised: bool = False
    never_person: bool = False


def expand(name: Name) -> list[Variant]:
    """The name itself, then its variants."""
    variants = [Variant(name)]
    if name.latin:
        reason = f"“{name.text}” in Latin letters is “{name.latin}”"
        variants.append(Variant(Name.of_folded(name.latin), _VARIANT_FACTOR, reason, romanised=True))
    plain = " ".join(name.words)
    if all(len(word) == 1 for word in plain.split()):
        plain = plain.replace(" ", "")  # W.H.O.
    if name.text.removeprefix("the ").isupper() or not abbreviations.is_word(plain):
        for full in abbreviations.expand(plain):
            variants.append(_thing(full, f"“{plain}” is short for “{full}”"))
    for short in abbreviations.abbreviate(plain):
        variants.append(_thing(short, f"“{short}” is short for “{plain}”"))
    for other in place_names.translate(plain):
        variants.append(_thing(other, f"“{plain}” is another name of “{other}”"))
    return variants


def _thing(folded: str, reason: str) -> Variant:
    return Variant(Name.of_folded(folded), _VARIANT_FACTOR, reason, never_person=True)
