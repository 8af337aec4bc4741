"""What a reader means by a name: forgiving, explained, and never a guess. Nothing is written here."""

from __future__ import annotations

from keepgraph.engine import names
from keepgraph.model import Candidate, Entity, Resolution
from keepgraph.store import entities, vocabulary
from keepgraph.store.db import Tx

MAX_CANDIDATES = 5

_ROWS_WEIGHED = 30_000
_RUNNERS_UP_WEIGHED = 1_000
_NAMES_COMPARED = 40
_WORDS_ASKED_FOR = 3
_WORTH_NAMING = 0.60


def resolve(tx: Tx, asked: str, *, of_type: str | None = None) -> Resolution:
    """Which entity a reader means by a name, an alias, an id, or `type:name`.

    The rungs are exact, alias and fuzzy, and the first that answers ends the search. Two entities that
    answer equally well are too close to call: then none is returned, and both are candidates.
    """
    asked = names.clean(asked)
    if entity := _by_id(tx, asked, of_type):
        return Resolution(entity, "exact", 1.0)
    found = _by_exact_name_or_alias(tx, asked, of_type)
    if not found and of_type is None:
        prefix, _, rest = asked.partition(":")
        if rest.strip() and vocabulary.find(tx, vocabulary.ENTITY_TYPE, prefix.strip().lower()):
            return resolve(tx, rest, of_type=prefix.strip().lower())
    if not found:
        found = look_alikes(tx, asked, of_type=of_type)
    return _choose(found)


def look_alikes(tx: Tx, asked: str, *, of_type: str | None = None, runners_up: bool = True) -> list[Candidate]:
    """Entities whose name or alias may be meant by a mistyped or incomplete one, nearest first.

    Those from names.SURE up may be meant; those below, the runners-up, only look like it.
    """
    from rapidfuzz import fuzz, process

    folded = names.fold(asked)
    kinds = {word.name for word in vocabulary.words(tx, vocabulary.ENTITY_TYPE)}
    words = names.words(folded, besides=kinds)
    if not folded:
        return []
    surfaces = _surfaces(tx, words, of_type, runners_up=runners_up)
    weighed = dict.fromkeys(
        place
        for scorer in (fuzz.ratio, fuzz.WRatio)
        for _, _, place in process.extract(
            folded, surfaces, scorer=scorer, limit=_NAMES_COMPARED, score_cutoff=100 * _WORTH_NAMING
        )
    )
    known = entities.by_rows(tx, [row for row, _ in weighed]) if weighed else {}
    best: dict[int, Candidate] = {}
    for row, surface in weighed:
        entity = known.get(row)
        if entity is None or of_type not in (None, entity.type):
            continue
        score = names.likeness(folded, surface, kind=entity.type) or names.shares(folded, surface)
        if score < _WORTH_NAMING:
            continue
        if row not in best or score > best[row].score:
            best[row] = Candidate(entity, surface, "fuzzy", round(score, 3))
    return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.entity.row))


def _by_id(tx: Tx, asked: str, of_type: str | None) -> Entity | None:
    entity = entities.by_id(tx, asked.lower()) if asked[:4].lower() == "ent_" else None
    return entity if entity and of_type in (None, entity.type) else None


def _by_exact_name_or_alias(tx: Tx, asked: str, of_type: str | None) -> list[Candidate]:
    key = names.key(asked)
    if exact := entities.by_key(tx, key, of_type=of_type):
        return [Candidate(entity, entity.name, "exact", 1.0) for entity in exact]
    aliased = entities.by_alias_key(tx, key, of_type=of_type)
    return [Candidate(entity, alias, "alias", 0.95) for entity, alias in aliased]


def _choose(found: list[Candidate]) -> Resolution:
    """The one entity that answers, or none with the runners-up."""
    if not found or found[0].score < names.SURE:
        return Resolution(None, "none", 0.0, tuple(found[:MAX_CANDIDATES]))
    best = found[0]
    if len(found) > 1 and found[1].score > best.score - names.MARGIN:
        return Resolution(None, "none", 0.0, tuple(found[:MAX_CANDIDATES]))
    runners_up = tuple(candidate for candidate in found[1:MAX_CANDIDATES] if candidate.score >= names.SURE)
    return Resolution(best.entity, best.method, best.score, runners_up)


def _surfaces(tx: Tx, words: list[str], of_type: str | None, *, runners_up: bool) -> dict[tuple[int, str], str]:
    """Names worth weighing, each with the row number of its entity.

    They are those in which every word is found; where there are none, names that share a word, which are
    runners-up at best.
    """
    found = entities.named_like(tx, _in_spite_of_a_slip(words), of_type=of_type, limit=_ROWS_WEIGHED)
    found += entities.spelled(tx, "".join(words))
    if not found and runners_up:
        shared = " OR ".join(f'" {word} "' for word in words)
        found = entities.named_like(tx, shared, of_type=of_type, limit=_RUNNERS_UP_WEIGHED)
    return {(row, name): name for name, row in found}


def _in_spite_of_a_slip(words: list[str]) -> str:
    """A trigram query for names in which all these words may be found, mistyped or not, or run together.

    What is found is only to be weighed: it may be too much, but misses none that names.likeness would take
    with one slip in it. The longest words are enough to ask for, and quicker.
    """
    longest = sorted(words, key=len, reverse=True)[:_WORDS_ASKED_FOR]
    query = " AND ".join(map(_halves, longest))
    together = "".join(words)
    return query if len(words) == 1 else f'({query}) OR " {together} "'


def _halves(word: str) -> str:
    """One slip leaves the first or the second half of a word as it was, unless it swaps the letters between them.

    Of two slips in a long word, one third is left.
    """
    if len(word) < names.SHORTEST:
        return f'" {word} "'
    middle = (len(word) + 1) // 2
    swapped = f" {word[: middle - 1]}{word[middle]}{word[middle - 1]}{word[middle + 1 :]} "
    around = swapped[max(middle - 2, 0) : middle + 3]
    pieces = [f" {word[: max(middle, 2)]}", f"{word[min(middle, len(word) - 2) :]} ", around]
    if len(word) >= names.BEARS_TWO_SLIPS:
        third = len(word) // 3
        pieces += [f" {word[:third]}", word[third : 2 * third], f"{word[2 * third :]} "]
    return "(" + " OR ".join(f'"{piece}"' for piece in pieces) + ")"
