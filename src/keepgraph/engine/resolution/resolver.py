"""What a reader means by a name: forgiving, explained, and never a guess. Nothing is written here.

Exact, then alias, then fuzzy (letters and habits), then embedding (meaning): the first rung that answers ends the
search. Two entities that answer equally well are too close to call: then none is returned, and both are candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepgraph import store
from keepgraph.engine.resolution import acronyms, embedding
from keepgraph.language import lexicons, normalisation, similarity, typos
from keepgraph.model import Candidate, Resolution
from keepgraph.store.database import Tx

MAX_CANDIDATES = embedding.MAX_CANDIDATES

_ROWS_WEIGHED = 30_000
_RUNNERS_UP_WEIGHED = 1_000
_NAMES_COMPARED = 40
_WORDS_ASKED_FOR = 3
_WORTH_NAMING = 0.60
_OTHER_FORM = 0.94


@dataclass(frozen=True, slots=True)
class _Form:
    """A folded name to be looked for in the place of the one asked for, how sure that is, and why."""

    folded: str
    factor: float = 1.0
    because: str | None = None
    romanised: bool = False
    of_things: bool = False


def resolve(tx: Tx, asked: str, *, of_type: str | None = None) -> Resolution:
    """Which entity a reader means by a name, an alias, an id, or `type:name`."""
    asked = normalisation.clean(asked)
    if found := _by_id(tx, asked, of_type):
        return found
    if known := _by_exact_name_or_alias(tx, asked, of_type):
        return _choose(tx, known, sure=0.0)
    if of_type is None:
        prefix, _, rest = asked.partition(":")
        if rest.strip() and store.vocabulary.find(tx, store.vocabulary.ENTITY_TYPE, prefix.strip().lower()):
            return resolve(tx, rest, of_type=prefix.strip().lower())
    alike = look_alikes(tx, asked, of_type=of_type) if "fuzzy" in tx.settings.rungs else []
    chosen = _choose(tx, alike, sure=tx.settings.fuzzy)
    doubtful = alike and alike[0].score >= tx.settings.fuzzy
    if chosen.entity or doubtful or "embedding" not in tx.settings.rungs:
        return chosen
    return embedding.resolve(tx, asked, of_type=of_type, otherwise=chosen)


def look_alikes(tx: Tx, asked: str, *, of_type: str | None = None, runners_up: bool = True) -> list[Candidate]:
    """Entities whose name or alias may be meant by a mistyped, shortened or incomplete one, nearest first.

    Those from likeness.SURE up may be meant; those below, the runners-up, only look like it.
    """
    folded = normalisation.fold(asked)
    if not folded:
        return []
    best: dict[int, Candidate] = {}
    for form in _forms(asked, folded):
        for candidate in _alike(tx, asked, form, of_type=of_type, runners_up=runners_up and not best):
            _keep(best, candidate)
    for candidate in acronyms.look_up(tx, asked, folded, of_type=of_type):
        _keep(best, candidate)
    return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.entity.row))


def _by_id(tx: Tx, asked: str, of_type: str | None) -> Resolution | None:
    public_id = asked.lower()
    if not public_id.startswith("ent_"):
        return None
    method, because = "exact", None
    entity = store.entities.by_id(tx, public_id)
    if entity is None and (entity := store.entities.by_former_id(tx, public_id)):
        method, because = "alias", f"{public_id} was merged into it"
    if entity is None or of_type not in (None, entity.type):
        return None
    return Resolution(entity, method, 1.0, because=because)


def _by_exact_name_or_alias(tx: Tx, asked: str, of_type: str | None) -> list[Candidate]:
    key = normalisation.key(asked)
    if exact := store.entities.by_key(tx, key, of_type=of_type):
        return [Candidate(entity, entity.name, "exact", 1.0) for entity in exact]
    aliased = store.entities.by_alias_key(tx, key, of_type=of_type)
    return [Candidate(entity, alias, "alias", 0.95) for entity, alias in aliased]


def _choose(tx: Tx, found: Sequence[Candidate], *, sure: float) -> Resolution:
    """The one entity that answers, or none with the runners-up."""
    if not found or found[0].score < sure:
        return Resolution(None, "none", 0.0, tuple(found[:MAX_CANDIDATES]))
    best, second = found[0], found[1].score if len(found) > 1 else 0.0
    if second == best.score or second > best.score - tx.settings.margin:
        return Resolution(None, "none", 0.0, tuple(found[:MAX_CANDIDATES]))
    runners_up = tuple(candidate for candidate in found[1:MAX_CANDIDATES] if candidate.score >= sure)
    return Resolution(best.entity, best.method, best.score, runners_up, best.because)


def _keep(best: dict[int, Candidate], candidate: Candidate) -> None:
    known = best.get(candidate.entity.row)
    if known is None or candidate.score > known.score:
        best[candidate.entity.row] = candidate


def _forms(asked: str, folded: str) -> list[_Form]:
    """The name as it was asked for, and what it may stand for."""
    forms = [_Form(folded)]
    if romanised := normalisation.latin(asked):
        forms.append(_Form(romanised, _OTHER_FORM, f"“{asked}” in Latin letters is “{romanised}”", romanised=True))
    plain = " ".join(normalisation.words(folded))
    written_large = asked.removeprefix("the ").isupper()
    if all(len(word) == 1 for word in plain.split()):
        plain = plain.replace(" ", "")  # W.H.O.
    for full in lexicons.spelled_out(plain) if written_large or not lexicons.is_a_word_too(plain) else ():
        forms.append(_Form(full, _OTHER_FORM, f"“{plain}” is short for “{full}”", of_things=True))
    for short in lexicons.abbreviated(plain):
        forms.append(_Form(short, _OTHER_FORM, f"“{short}” is short for “{plain}”", of_things=True))
    for other in lexicons.elsewhere(plain):
        forms.append(_Form(other, _OTHER_FORM, f"“{plain}” is another name of “{other}”", of_things=True))
    return forms


def _alike(tx: Tx, asked: str, form: _Form, *, of_type: str | None, runners_up: bool) -> list[Candidate]:
    from rapidfuzz import fuzz, process

    words = normalisation.words(
        form.folded, besides={word.name for word in store.vocabulary.words(tx, store.vocabulary.ENTITY_TYPE)}
    )
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
    known = store.entities.by_rows(tx, list({row for row, _, _ in weighed}))
    found = []
    for row, surface, in_latin in weighed:
        entity = known.get(row)
        if entity is None or of_type not in (None, entity.type) or (form.of_things and entity.type == "person"):
            continue
        alike = similarity.compare(form.folded, surface, kind=entity.type)
        if (
            form.romanised
            and in_latin
            and not alike.because
            and normalisation.fold(asked) not in normalisation.fold(entity.name)
        ):
            continue  # names in one script are compared as they are written: alike in Latin letters they may be others
        score = alike.score * form.factor or similarity.shares(form.folded, surface)
        if score >= _WORTH_NAMING:
            because = "; ".join(filter(None, (form.because, alike.because))) or None
            found.append(Candidate(entity, surface, "fuzzy", round(score, 3), because))
    return found


def _surfaces(tx: Tx, words: list[str], of_type: str | None, *, runners_up: bool) -> dict[tuple[int, str, bool], str]:
    """Forms of names worth weighing, with the row number of the entity, and whether it is one in Latin letters.

    They are those in which every word is found; where there are none, names that share a word, which are
    runners-up at best.
    """
    found = store.entities.named_like(tx, _in_spite_of_a_slip(words), of_type=of_type, limit=_ROWS_WEIGHED)
    found += store.entities.spelled(tx, "".join(words))
    if not found and runners_up:
        shared = " OR ".join(f'" {word} "' for word in words)
        found = store.entities.named_like(tx, shared, of_type=of_type, limit=_RUNNERS_UP_WEIGHED)
    return {
        (row, form, bool(place)): form
        for name, row in found
        for place, form in enumerate(name.split(normalisation.BETWEEN_FORMS))
    }


def _as_called(words: Sequence[str]) -> list[str]:
    """A name as it is, and with the first of its words as other people call it: to be compared letter by letter."""
    called = [" ".join(words)]
    for place, word in enumerate(words[:3]):
        called += [
            " ".join([*words[:place], other, *words[place + 1 :]])
            for other in sorted(lexicons.nicknames(word) | lexicons.spellings(word))
        ]
    return called[:12]


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
        lexicons.nicknames(word) | lexicons.spellings(word) | {*lexicons.spelled_out(word), *lexicons.abbreviated(word)}
    )
    heard = {typos.sound(word), typos.sounded(word)} - {word}
    heard_too = [piece for each in sorted(heard) for piece in _halves(each)]
    return "(" + " OR ".join([*_halves(word), *heard_too, *(f'" {other} "' for other in others)]) + ")"


def _halves(word: str) -> list[str]:
    """One slip leaves the first or the second half of a word as it was, unless it swaps the letters between them.

    Of two slips in a long word, one third is left.
    """
    if len(word) < typos.SHORTEST:
        return [f'" {word} "']
    middle = (len(word) + 1) // 2
    swapped = f" {word[: middle - 1]}{word[middle]}{word[middle - 1]}{word[middle + 1 :]} "
    around = swapped[max(middle - 2, 0) : middle + 3]
    pieces = [f" {word[: max(middle, 2)]}", f"{word[min(middle, len(word) - 2) :]} ", around]
    if len(word) >= typos.BEARS_TWO_SLIPS:
        third = len(word) // 3
        pieces += [f" {word[:third]}", word[third : 2 * third], f"{word[2 * third :]} "]
    return [f'"{piece}"' for piece in pieces]
