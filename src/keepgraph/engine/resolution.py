"""What a reader means by a name: forgiving, explained, and never a guess. Nothing is written here.

Exact, then alias, then fuzzy (letters and habits), then embedding (meaning): the first rung that answers ends the
search. Two entities that answer equally well are too close to call: then none is returned, and both are candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from keepgraph.engine import habits, likeness, meaning, names
from keepgraph.model import Candidate, Entity, Resolution
from keepgraph.store import entities, vocabulary
from keepgraph.store.db import Tx

MAX_CANDIDATES = 5

_ROWS_WEIGHED = 30_000
_RUNNERS_UP_WEIGHED = 1_000
_NAMES_COMPARED = 40
_WORDS_ASKED_FOR = 3
_WORTH_NAMING = 0.60
_OTHER_FORM = 0.94
_INITIALS = 0.92
_MOST_INITIALS = 8

_PLURAL = re.compile(r"^([A-Z][A-Z&]+)['’]?s$")
_DOTTED = re.compile(r"^([^\W\d_]\.?[\s-]?){1,5}[^\W\d_]\.?$")
_NUMERONYM = re.compile(r"^([a-z])(\d{1,2})([a-z])$")
_CHUNKS = re.compile(r"[A-Z][a-z]*")
_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True)
class _Form:
    """A folded name to be looked for in the place of the one asked for, how sure that is, and why."""

    folded: str
    factor: float = 1.0
    because: str | None = None


def resolve(tx: Tx, asked: str, *, of_type: str | None = None) -> Resolution:
    """Which entity a reader means by a name, an alias, an id, or `type:name`."""
    asked = names.clean(asked)
    if found := _by_id(tx, asked, of_type):
        return found
    if known := _by_exact_name_or_alias(tx, asked, of_type):
        return _choose(tx, known)
    if of_type is None:
        prefix, _, rest = asked.partition(":")
        if rest.strip() and vocabulary.find(tx, vocabulary.ENTITY_TYPE, prefix.strip().lower()):
            return resolve(tx, rest, of_type=prefix.strip().lower())
    alike = look_alikes(tx, asked, of_type=of_type) if "fuzzy" in tx.settings.rungs else []
    chosen = _choose(tx, alike)
    doubtful = alike and alike[0].score >= tx.settings.fuzzy
    if chosen.entity or doubtful or "embedding" not in tx.settings.rungs:
        return chosen
    return meaning.resolve(tx, asked, of_type=of_type, otherwise=chosen)


def look_alikes(tx: Tx, asked: str, *, of_type: str | None = None, runners_up: bool = True) -> list[Candidate]:
    """Entities whose name or alias may be meant by a mistyped, shortened or incomplete one, nearest first.

    Those from likeness.SURE up may be meant; those below, the runners-up, only look like it.
    """
    folded = names.fold(asked)
    if not folded:
        return []
    best: dict[int, Candidate] = {}
    for form in _forms(asked, folded):
        for candidate in _alike(tx, form, of_type=of_type, runners_up=runners_up and not best):
            _keep(best, candidate)
    for candidate in _by_first_letters(tx, asked, folded, of_type=of_type):
        _keep(best, candidate)
    return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.entity.row))


def _by_id(tx: Tx, asked: str, of_type: str | None) -> Resolution | None:
    public_id = asked.lower()
    if not public_id.startswith("ent_"):
        return None
    method, because = "exact", None
    entity = entities.by_id(tx, public_id)
    if entity is None and (entity := entities.by_former_id(tx, public_id)):
        method, because = "alias", f"{public_id} was merged into it"
    if entity is None or of_type not in (None, entity.type):
        return None
    return Resolution(entity, method, 1.0, because=because)


def _by_exact_name_or_alias(tx: Tx, asked: str, of_type: str | None) -> list[Candidate]:
    key = names.key(asked)
    if exact := entities.by_key(tx, key, of_type=of_type):
        return [Candidate(entity, entity.name, "exact", 1.0) for entity in exact]
    aliased = entities.by_alias_key(tx, key, of_type=of_type)
    return [Candidate(entity, alias, "alias", 0.95) for entity, alias in aliased]


def _choose(tx: Tx, found: Sequence[Candidate]) -> Resolution:
    """The one entity that answers, or none with the runners-up."""
    sure, margin = tx.settings.fuzzy, tx.settings.margin
    if not found or found[0].score < sure or (len(found) > 1 and found[1].score > found[0].score - margin):
        return Resolution(None, "none", 0.0, tuple(found[:MAX_CANDIDATES]))
    best = found[0]
    runners_up = tuple(candidate for candidate in found[1:MAX_CANDIDATES] if candidate.score >= sure)
    return Resolution(best.entity, best.method, best.score, runners_up, best.because)


def _keep(best: dict[int, Candidate], candidate: Candidate) -> None:
    known = best.get(candidate.entity.row)
    if known is None or candidate.score > known.score:
        best[candidate.entity.row] = candidate


def _forms(asked: str, folded: str) -> list[_Form]:
    """The name as it was asked for, and what it may stand for."""
    forms = [_Form(folded)]
    if romanised := names.latin(asked):
        forms.append(_Form(romanised, _OTHER_FORM, f"“{asked}” in Latin letters is “{romanised}”"))
    plain = " ".join(names.words(folded))
    for full in habits.spelled_out(plain):
        forms.append(_Form(full, _OTHER_FORM, f"“{plain}” is short for “{full}”"))
    for short in habits.abbreviated(plain):
        forms.append(_Form(short, _OTHER_FORM, f"“{short}” is short for “{plain}”"))
    for other in habits.elsewhere(plain):
        forms.append(_Form(other, _OTHER_FORM, f"“{plain}” is another name of “{other}”"))
    return forms


def _alike(tx: Tx, form: _Form, *, of_type: str | None, runners_up: bool) -> list[Candidate]:
    from rapidfuzz import fuzz, process

    words = names.words(form.folded, besides={word.name for word in vocabulary.words(tx, vocabulary.ENTITY_TYPE)})
    surfaces = _surfaces(tx, words, of_type, runners_up=runners_up)
    if len(surfaces) > 2 * _NAMES_COMPARED:
        weighed = dict.fromkeys(
            place
            for spelled in _as_called(words)
            for scorer in (fuzz.ratio, fuzz.WRatio)
            for _, _, place in process.extract(
                spelled, surfaces, scorer=scorer, limit=_NAMES_COMPARED, score_cutoff=100 * _WORTH_NAMING
            )
        )
    else:
        weighed = dict.fromkeys(surfaces)
    known = entities.by_rows(tx, list({row for row, _ in weighed})) if weighed else {}
    found = []
    for row, surface in weighed:
        entity = known.get(row)
        if entity is None or of_type not in (None, entity.type):
            continue
        alike = likeness.compare(form.folded, surface, kind=entity.type)
        score = alike.score * form.factor or likeness.shares(form.folded, surface)
        if score >= _WORTH_NAMING:
            because = "; ".join(filter(None, (form.because, alike.because))) or None
            found.append(Candidate(entity, surface, "fuzzy", round(score, 3), because))
    return found


def _surfaces(tx: Tx, words: list[str], of_type: str | None, *, runners_up: bool) -> dict[tuple[int, str], str]:
    """Forms of names worth weighing, each with the row number of its entity.

    They are those in which every word is found; where there are none, names that share a word, which are
    runners-up at best.
    """
    found = entities.named_like(tx, _in_spite_of_a_slip(words), of_type=of_type, limit=_ROWS_WEIGHED)
    found += entities.spelled(tx, "".join(words))
    if not found and runners_up:
        shared = " OR ".join(f'" {word} "' for word in words)
        found = entities.named_like(tx, shared, of_type=of_type, limit=_RUNNERS_UP_WEIGHED)
    return {(row, form): form for name, row in found for form in name.split(names.BETWEEN_FORMS)}


def _as_called(words: Sequence[str]) -> list[str]:
    """A name as it is, and with the first of its words as other people call it: to be compared letter by letter."""
    called = [" ".join(words)]
    for place, word in enumerate(words[:3]):
        called += [
            " ".join([*words[:place], other, *words[place + 1 :]])
            for other in sorted(habits.nicknames(word) | habits.spellings(word))
        ]
    return called[:12]


def _by_first_letters(tx: Tx, asked: str, folded: str, *, of_type: str | None) -> list[Candidate]:
    """Names that begin with the letters asked for: NYC, J.S., RPi, k8s; and the other way round."""
    found: list[Candidate] = []
    for initials in _initials_in(asked):
        rows = entities.initialled(tx, initials, of_type=of_type, limit=_MOST_INITIALS)
        known = entities.by_rows(tx, list({row for _, row in rows})) if rows else {}
        because = f"“{asked}” are its initials"
        found += [
            Candidate(known[row], surface, "fuzzy", _INITIALS, because)
            for surface, row in rows
            if row in known and (known[row].type == "person" or _of_all_words(initials, surface))
        ]
        found += [
            Candidate(entity, entity.name, "fuzzy", _INITIALS, None)
            for entity in entities.by_key(tx, initials, of_type=of_type)
        ]
    chunks = [chunk.lower() for chunk in _CHUNKS.findall(asked)]
    if len(chunks) > 1 and "".join(chunks) == asked.lower() and any(len(chunk) > 1 for chunk in chunks):
        rows = entities.initialled(tx, "".join(chunk[0] for chunk in chunks), of_type=of_type, limit=_MOST_INITIALS)
        fitting = [row for surface, row in rows if _begin(surface.split(), chunks)]
        found += _candidates(tx, fitting, _INITIALS, f"“{asked}” are the beginnings of its words")
    if numeronym := _NUMERONYM.fullmatch(folded):
        found += _counted_out(tx, *numeronym.groups(), of_type=of_type)
    found += _acronyms(tx, asked, folded, of_type=of_type)
    return found


def _initials_in(asked: str) -> list[str]:
    """The letters, if what is asked for looks like initials: capitals, dotted, a plural, or nothing to be spoken."""
    asked = asked.removeprefix("the ").removeprefix("The ")
    if plural := _PLURAL.match(asked.replace(".", "")):
        return [names.fold(plural[1]).replace(" ", "")]
    folded = names.fold(asked)
    letters = "".join(folded.split())
    if not 2 <= len(letters) <= 6 or not letters.isalpha():
        return []
    single = " " not in folded
    written = asked.isupper() or (not single and bool(_DOTTED.match(asked)))
    capitals = sum(c.isupper() for c in asked)
    mixed = single and capitals >= 2 and len(letters) <= 5
    unspoken = single and len(letters) >= 3 and not _VOWELS.intersection(letters)
    return [letters] if written or mixed or unspoken else []


def _of_all_words(initials: str, surface: str) -> bool:
    """Whether these are not only the first and the last letter, as they may be of a person with three names."""
    return len(initials) > 2 or sum(word not in habits.SKIPPED_BY_ACRONYMS for word in surface.split()) <= 2


def _begin(words: Sequence[str], chunks: Sequence[str]) -> bool:
    return len(words) == len(chunks) and all(word.startswith(chunk) for word, chunk in zip(words, chunks, strict=True))


def _counted_out(tx: Tx, first: str, between: str, last: str, *, of_type: str | None) -> list[Candidate]:
    """Words written as their ends with the number of letters between: k8s."""
    fitting = [
        entity
        for entity in entities.starting_with(tx, first, of_type=of_type, limit=_ROWS_WEIGHED)
        if len(names.fold(entity.name)) == int(between) + 2 and names.fold(entity.name).endswith(last)
    ]
    because = f"“{first}{between}{last}” counts its letters"
    return [Candidate(entity, entity.name, "fuzzy", _INITIALS, because) for entity in fitting[:_MOST_INITIALS]]


def _acronyms(tx: Tx, asked: str, folded: str, *, of_type: str | None) -> list[Candidate]:
    """Entities whose name is, in capitals, the initials of what is asked for: single sign-on is SSO."""
    words = folded.split()
    telling = [word for word in words if word not in habits.SKIPPED_BY_ACRONYMS]
    if not 2 <= len(telling) <= 7:
        return []
    found = _partly_acronyms(tx, words, of_type=of_type)
    # Conflict-free replicated data type is CRDT: what a hyphen joins counts once.
    joined = [names.fold(part)[:1] for part in asked.split()]
    for initials in {*("".join(word[0] for word in each) for each in (words, telling)), "".join(joined)}:
        for candidate in entities.by_key(tx, initials, of_type=of_type):
            if candidate.name.isupper() and len(initials) > 1:
                because = f"“{candidate.name}” are the initials of “{folded}”"
                found.append(Candidate(candidate, candidate.name, "fuzzy", _INITIALS, because))
    return found


def _partly_acronyms(tx: Tx, words: Sequence[str], *, of_type: str | None) -> list[Candidate]:
    """Names in which some neighbouring words are but initials: customer relationship management replacement."""
    found = []
    for start in range(len(words) - 1):
        for end in range(start + 2, min(start + 5, len(words)) + 1):
            told = [word for word in words[start:end] if word not in habits.SKIPPED_BY_ACRONYMS]
            for initials in {"".join(word[0] for word in each) for each in (words[start:end], told)}:
                spelled = [*words[:start], initials, *words[end:]]
                if len(spelled) > 1 and len(initials) > 1:
                    rows = [row for form, row in entities.spelled(tx, "".join(spelled)) if form == " ".join(spelled)]
                    because = f"“{initials}” are the initials of “{' '.join(words[start:end])}”"
                    found += [
                        each
                        for each in _candidates(tx, rows, _INITIALS, because)
                        if of_type in (None, each.entity.type)
                    ]
    return found


def _candidates(tx: Tx, rows: Iterable[int], score: float, because: str) -> list[Candidate]:
    known: dict[int, Entity] = entities.by_rows(tx, list(rows))
    return [Candidate(entity, entity.name, "fuzzy", score, because) for entity in known.values()]


def _in_spite_of_a_slip(words: Sequence[str]) -> str:
    """A trigram query for names in which all these words may be found, mistyped or not, or run together.

    What is found is only to be weighed: it may be too much, but misses none that likeness.compare would take
    with one slip in it. The longest words are enough to ask for, and quicker.
    """
    longest = sorted(words, key=len, reverse=True)[:_WORDS_ASKED_FOR]
    told = [word for word in longest if len(word) > 1] or longest
    query = " AND ".join(map(_pieces, told))
    together = "".join(words)
    return query if len(words) == 1 else f'({query}) OR " {together} "'


def _pieces(word: str) -> str:
    """What is left of a word by a slip, and what else it is called."""
    others = sorted(
        habits.nicknames(word) | habits.spellings(word) | {*habits.spelled_out(word), *habits.abbreviated(word)}
    )
    heard = likeness.sound(word)
    heard_too = _halves(heard) if heard != word else []
    return "(" + " OR ".join([*_halves(word), *heard_too, *(f'" {other} "' for other in others)]) + ")"


def _halves(word: str) -> list[str]:
    """One slip leaves the first or the second half of a word as it was, unless it swaps the letters between them.

    Of two slips in a long word, one third is left.
    """
    if len(word) < likeness.SHORTEST:
        return [f'" {word} "']
    middle = (len(word) + 1) // 2
    swapped = f" {word[: middle - 1]}{word[middle]}{word[middle - 1]}{word[middle + 1 :]} "
    around = swapped[max(middle - 2, 0) : middle + 3]
    pieces = [f" {word[: max(middle, 2)]}", f"{word[min(middle, len(word) - 2) :]} ", around]
    if len(word) >= likeness.BEARS_TWO_SLIPS:
        third = len(word) // 3
        pieces += [f" {word[:third]}", word[third : 2 * third], f"{word[2 * third :]} "]
    return [f'"{piece}"' for piece in pieces]
