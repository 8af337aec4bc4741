"""What a name means: forgiving and explained on reading, exact on writing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keepgraph import errors
from keepgraph.engine import instants, names
from keepgraph.model import Candidate, Entity, Ref, Resolution, Word
from keepgraph.store import entities, vocabulary
from keepgraph.store.db import Tx

MAX_CANDIDATES = 5
MAX_NAME = 200
MAX_ALIASES = 20

_ROWS_WEIGHED = 30_000
_RUNNERS_UP_WEIGHED = 1_000
_NAMES_COMPARED = 40
_WORDS_ASKED_FOR = 3
_WORTH_NAMING = 0.60
_BEARS_TWO_SLIPS = 9


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
    if not folded or sum(map(len, words)) < names.SHORTEST:
        return []
    surfaces = _surfaces(tx, words, of_type, runners_up=runners_up)
    weighed = dict.fromkeys(
        place
        for scorer in (fuzz.ratio, fuzz.WRatio)
        for _, _, place in process.extract(folded, surfaces, scorer=scorer, limit=_NAMES_COMPARED, score_cutoff=60)
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


def _surfaces(tx: Tx, words: list[str], of_type: str | None, *, runners_up: bool) -> dict[tuple[int, str], str]:
    """Names worth weighing, by the row number of their entity: those in which every word is found,

    or where there are none, names that share a word; those are runners-up at best.
    """
    found = entities.named_like(tx, _in_spite_of_a_slip(words), of_type=of_type, limit=_ROWS_WEIGHED)
    found += entities.spelled(tx, "".join(words))
    if not found and runners_up:
        shared = " OR ".join(f'" {word} "' for word in words)
        found = entities.named_like(tx, shared, of_type=of_type, limit=_RUNNERS_UP_WEIGHED)
    return {(row, name): name for name, row in found}


def find_or_create(tx: Tx, ref: Ref, *, missing: Callable[..., errors.KeepgraphError]) -> tuple[Entity, bool]:
    """The entity a writer means, by id, exact name or alias; else a new one. Never a guess.

    Raises:
        `missing` (SubjectRequired or ObjectRequired): there is no such id, or neither id nor name.
        errors.EntityTypeUnknown: the type is missing, or not in the vocabulary.
        errors.Ambiguous: several entities of that type have this alias.
    """
    if ref.id is not None:
        return _existing(tx, ref, missing=missing), False
    type_row = type_of(tx, ref.type)
    name = names.clean(ref.name or "")
    key = names.key(name)
    met = ("entity", ref.type or "", key)
    if met in tx.memo:
        return tx.memo[met], False
    entity, created = _found_or_created(tx, ref.type or "", type_row, name, key, missing=missing)
    tx.memo[met] = entity
    return entity, created


def type_of(tx: Tx, name: str | None) -> int:
    """The row number of an entity type.

    Raises:
        errors.EntityTypeUnknown: it is missing, or not in the vocabulary.
    """
    row = vocabulary.find(tx, vocabulary.ENTITY_TYPE, name) if name else None
    if row is None:
        allowed = vocabulary.words(tx, vocabulary.ENTITY_TYPE)
        said = f"{name!r} is not an entity type" if name else "the entity type is missing"
        raise errors.EntityTypeUnknown(
            said,
            hint=f"Use one of {', '.join(word.name for word in allowed)}. "
            "Features, bugs, tasks and tools are concepts.",
            candidates=meant(name, allowed),
        )
    return row


def meant(said: str | None, allowed: Sequence[Word]) -> list[str]:
    """The words of the vocabulary that are near to what was said."""
    from rapidfuzz import fuzz, process

    plain = (said or "").casefold().replace("-", "_").replace(" ", "_")
    found = process.extract(plain, [word.name for word in allowed], scorer=fuzz.WRatio, limit=2, score_cutoff=70)
    return [name for name, _, _ in found]


def add_aliases(tx: Tx, entity: Entity, aliases: Sequence[str]) -> None:
    """Let an entity be found by other names too.

    Raises:
        errors.AliasInvalid: one is empty or too long.
        errors.AliasTaken: one is the name of another entity of the same type.
    """
    for given in aliases:
        alias = names.clean(given)
        key = names.key(alias)
        if not key or len(alias) > MAX_NAME:
            raise errors.AliasInvalid(f"an alias has 1 to {MAX_NAME} characters, and this one {len(alias)}")
        if key == names.key(entity.name):
            continue
        if taken := entities.by_key(tx, key, of_type=entity.type):
            raise errors.AliasTaken(
                f"{alias!r} is the name of another {entity.type}, {taken[0].id}",
                candidates=[{"id": taken[0].id, "type": taken[0].type, "name": taken[0].name}],
            )
        entities.insert_alias(
            tx, entity, alias=alias, key=key, folded=names.fold(alias), created_at=instants.stamp(tx.now)
        )


def possible_duplicates(tx: Tx, entity: Entity) -> list[Candidate]:
    """Other entities that a new one may double: of one name in another type, or alike in the same."""
    same = entities.by_key(tx, names.key(entity.name))
    found = [Candidate(other, other.name, "exact", 1.0) for other in same if other.row != entity.row]
    ours = names.fold(entity.name)
    for candidate in look_alikes(tx, entity.name, of_type=entity.type, runners_up=False):
        if candidate.entity.row == entity.row:
            continue
        # A longer name may double a shorter one, too: Sarah Connor, where there is a Sarah.
        score = max(candidate.score, names.likeness(candidate.matched, ours, kind=entity.type))
        if score >= names.SURE:
            found.append(Candidate(candidate.entity, candidate.entity.name, candidate.method, score))
    return found[:MAX_CANDIDATES]


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


def _found_or_created(
    tx: Tx, kind: str, type_row: int, name: str, key: str, *, missing: Callable[..., errors.KeepgraphError]
) -> tuple[Entity, bool]:
    if not key:
        raise missing("the name is empty")
    if len(name) > MAX_NAME:
        raise missing(f"the name has {len(name)} characters; {MAX_NAME} are allowed")
    if found := entities.by_key(tx, key, of_type=kind):
        return found[0], False
    if aliased := entities.by_alias_key(tx, key, of_type=kind):
        if len(aliased) > 1:
            raise errors.Ambiguous(
                f"{len(aliased)} entities of type {kind} have the alias {name!r}",
                candidates=[{"id": entity.id, "type": entity.type, "name": entity.name} for entity, _ in aliased],
            )
        return aliased[0][0], False
    public_id, created_at = tx.new_id("ent"), instants.stamp(tx.now)
    row = entities.insert(
        tx,
        public_id=public_id,
        type_row=type_row,
        name=name,
        key=key,
        folded=names.fold(name),
        created_at=created_at,
    )
    return Entity(row, public_id, kind, name, created_at), True


def _existing(tx: Tx, ref: Ref, *, missing: Callable[..., errors.KeepgraphError]) -> Entity:
    entity = entities.by_id(tx, (ref.id or "").strip().lower())
    if entity is None:
        raise missing(f"there is no entity {_short(ref.id)}", hint="Look it up by name first; ids begin with ent_.")
    if ref.type is not None:
        type_of(tx, ref.type)
        if ref.type != entity.type:
            raise missing(f"{entity.id} is a {entity.type} ({entity.name}), not a {ref.type}")
    return entity


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
    if len(word) >= _BEARS_TWO_SLIPS:
        third = len(word) // 3
        pieces += [f" {word[:third]}", word[third : 2 * third], f"{word[2 * third :]} "]
    return "(" + " OR ".join(f'"{piece}"' for piece in pieces) + ")"


def _short(text: str | None) -> str:
    return repr(text if text is None or len(text) <= 60 else text[:57] + "…")
