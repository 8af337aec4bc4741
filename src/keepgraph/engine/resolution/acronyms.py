"""Names by their first letters: NYC, J.S., RPi, k8s; and names that are but letters by what these stand for.

A word may look like letters by chance, so it has to be written like them: in capitals, dotted, or not to be spoken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from keepgraph import store
from keepgraph.language import lexicons, normalisation
from keepgraph.model import Candidate, Entity
from keepgraph.store.database import Tx

_INITIALS = 0.92
_MOST_INITIALS = 8
_LETTERS_COUNTED = 4  # fewer are not worth counting: e2e, p2p, h2o
_ACRONYM = 3
_NAMES_COUNTED_OUT = 30_000
_PLURAL = re.compile(r"^([A-Z][A-Z&]+)['’]?s$")
_DOTTED = re.compile(r"^([^\W\d_]\.?[\s-]?){1,5}[^\W\d_]\.?$")
_NUMERONYM = re.compile(r"^([a-z])(\d{1,2})([a-z])$")
_CHUNKS = re.compile(r"[A-Z][a-z]*")
_VOWELS = frozenset("aeiou")


def look_up(tx: Tx, asked: str, folded: str, *, of_type: str | None) -> list[Candidate]:
    """Names that begin with the letters asked for: NYC, J.S., RPi, k8s; and the other way round."""
    found: list[Candidate] = []
    for initials in (each for each in _initials_in(asked) if not lexicons.means_something_else(each)):
        rows = store.entities.initialled(tx, initials, of_type=of_type, limit=_MOST_INITIALS)
        known = store.entities.by_rows(tx, list({row for _, row in rows}))
        because = f"“{asked}” are its initials"
        found += [
            Candidate(known[row], surface, "fuzzy", _INITIALS, because)
            for surface, row in rows
            if row in known and _go_by_initials(known[row], initials, surface)
        ]
        found += [
            Candidate(entity, entity.name, "fuzzy", _INITIALS, None)
            for entity in store.entities.by_key(tx, initials, of_type=of_type)
        ]
    chunks = [chunk.lower() for chunk in _CHUNKS.findall(asked)]
    if len(chunks) > 1 and "".join(chunks) == asked.lower() and any(len(chunk) > 1 for chunk in chunks):
        rows = store.entities.initialled(
            tx, "".join(chunk[0] for chunk in chunks), of_type=of_type, limit=_MOST_INITIALS
        )
        fitting = [row for surface, row in rows if _begin(surface.split(), chunks)]
        found += _candidates(tx, fitting, f"“{asked}” are the beginnings of its words")
    if (numeronym := _NUMERONYM.fullmatch(folded)) and int(numeronym[2]) >= _LETTERS_COUNTED:
        found += _counted_out(tx, *numeronym.groups(), of_type=of_type)
    found += _acronyms(tx, asked, folded, of_type=of_type)
    return found


def _initials_in(asked: str) -> list[str]:
    """The letters, if what is asked for looks like initials: capitals, dotted, a plural, or nothing to be spoken."""
    asked = asked.removeprefix("the ").removeprefix("The ")
    if plural := _PLURAL.match(asked.replace(".", "")):
        return [normalisation.fold(plural[1]).replace(" ", "")]
    folded = normalisation.fold(asked)
    letters = "".join(folded.split())
    if not 2 <= len(letters) <= 6 or not letters.isalpha():
        return []
    single = " " not in folded
    written = asked.isupper() or (not single and bool(_DOTTED.match(asked)))
    capitals = sum(c.isupper() for c in asked)
    mixed = single and capitals >= 2 and len(letters) <= 5
    unspoken = single and len(letters) >= 3 and not _VOWELS.intersection(letters)
    return [letters] if written or mixed or unspoken else []


def _go_by_initials(entity: Entity, initials: str, surface: str) -> bool:
    """Whether an entity is called by these letters. Of a person with three names the first and the last will do."""
    if entity.type == "decision":
        return False
    return (
        entity.type == "person"
        or len(initials) > 2
        or sum(word not in lexicons.SKIPPED_BY_ACRONYMS for word in surface.split()) <= 2
    )


def _begin(words: Sequence[str], chunks: Sequence[str]) -> bool:
    return len(words) == len(chunks) and all(word.startswith(chunk) for word, chunk in zip(words, chunks, strict=True))


def _counted_out(tx: Tx, first: str, between: str, last: str, *, of_type: str | None) -> list[Candidate]:
    """Words written as their ends with the number of letters between: k8s."""
    fitting = [
        entity
        for entity in store.entities.starting_with(tx, first, of_type=of_type, limit=_NAMES_COUNTED_OUT)
        if len(normalisation.fold(entity.name)) == int(between) + 2 and normalisation.fold(entity.name).endswith(last)
    ]
    because = f"“{first}{between}{last}” counts its letters"
    return [Candidate(entity, entity.name, "fuzzy", _INITIALS, because) for entity in fitting[:_MOST_INITIALS]]


def _acronyms(tx: Tx, asked: str, folded: str, *, of_type: str | None) -> list[Candidate]:
    """Entities whose name is, in capitals, the initials of what is asked for: single sign-on is SSO."""
    words = folded.split()
    telling = [word for word in words if word not in lexicons.SKIPPED_BY_ACRONYMS]
    if not 2 <= len(telling) <= 7:
        return []
    found = _partly_acronyms(tx, words, of_type=of_type)
    # Conflict-free replicated data type is CRDT: what a hyphen joins counts once.
    joined = [normalisation.fold(part)[:1] for part in asked.split()]
    for initials in {*("".join(word[0] for word in each) for each in (words, telling)), "".join(joined)}:
        if lexicons.spelled_out(initials):
            continue  # that is what it stands for
        for candidate in store.entities.by_key(tx, initials, of_type=of_type):
            if candidate.name.isupper() and len(initials) >= _ACRONYM:
                because = f"“{candidate.name}” are the initials of “{folded}”"
                found.append(Candidate(candidate, candidate.name, "fuzzy", _INITIALS, because))
    return found


def _partly_acronyms(tx: Tx, words: Sequence[str], *, of_type: str | None) -> list[Candidate]:
    """Names in which some neighbouring words are but initials: customer relationship management replacement."""
    found = []
    for start in range(len(words) - 1):
        for end in range(start + 2, min(start + 5, len(words)) + 1):
            told = [word for word in words[start:end] if word not in lexicons.SKIPPED_BY_ACRONYMS]
            for initials in {"".join(word[0] for word in each) for each in (words[start:end], told)}:
                spelled = [*words[:start], initials, *words[end:]]
                if len(spelled) > 1 and len(initials) > 1:
                    rows = [
                        row for form, row in store.entities.spelled(tx, "".join(spelled)) if form == " ".join(spelled)
                    ]
                    because = f"“{initials}” are the initials of “{' '.join(words[start:end])}”"
                    found += [each for each in _candidates(tx, rows, because) if of_type in (None, each.entity.type)]
    return found


def _candidates(tx: Tx, rows: Iterable[int], because: str) -> list[Candidate]:
    return [
        Candidate(entity, entity.name, "fuzzy", _INITIALS, because)
        for entity in store.entities.by_rows(tx, list(rows)).values()
        if entity.type != "decision"
    ]
