"""Name resolution: from a name to an entity, in the steps exact, alias, fuzzy, embedding. Writes nothing.

The first step that has an answer decides. Where two entities are too close in score, none is returned, and both are
candidates (`abstention`).
"""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.resolution import abstention, embedding, fuzzy
from keepgraph.language import normalisation
from keepgraph.model import Candidate, Resolution
from keepgraph.store.transactions import Tx

_ALIAS_SCORE = 0.95


def resolve(tx: Tx, name: str, *, of_type: str | None = None) -> Resolution:
    """The entity that a reader means by a name, an alias, an id, or `type:name`.

    Raises:
        on_demand.BackfillNeeded: vectors of names are missing; the caller should make some, and call again.
    """
    name = normalisation.clean(name)
    if resolution := _by_id(tx, name, of_type):
        return resolution
    if candidates := _exact_name_or_alias(tx, name, of_type):
        return abstention.choose(candidates, threshold=0.0, margin=tx.settings.margin)
    if of_type is None:
        prefix, _, rest = name.partition(":")
        entity_type = prefix.strip().lower()
        if rest.strip() and store.vocabulary.find(tx, store.vocabulary.ENTITY_TYPE, entity_type):
            return resolve(tx, rest, of_type=entity_type)
    candidates = fuzzy.rank(tx, name, of_type=of_type) if "fuzzy" in tx.settings.rungs else []
    resolution = abstention.choose(candidates, threshold=tx.settings.fuzzy, margin=tx.settings.margin)
    ambiguous = candidates and candidates[0].score >= tx.settings.fuzzy
    if resolution.entity or ambiguous or "embedding" not in tx.settings.rungs:
        return resolution
    return embedding.resolve(tx, name, of_type=of_type, fallback=resolution)


def _by_id(tx: Tx, name: str, of_type: str | None) -> Resolution | None:
    public_id = name.lower()
    if not public_id.startswith("ent_"):
        return None
    method, reason = "exact", None
    entity = store.entities.by_id(tx, public_id)
    if entity is None and (entity := store.entities.by_former_id(tx, public_id)):
        method, reason = "alias", f"{public_id} was merged into it"
    if entity is None or of_type not in (None, entity.type):
        return None
    return Resolution(entity, method, 1.0, reason=reason)


def _exact_name_or_alias(tx: Tx, name: str, of_type: str | None) -> list[Candidate]:
    key = normalisation.key(name)
    if exact := store.entities.by_key(tx, key, of_type=of_type):
        return [Candidate(entity, entity.name, "exact", 1.0) for entity in exact]
    return [
        Candidate(entity, alias, "alias", _ALIAS_SCORE)
        for entity, alias in store.entities.by_alias_key(tx, key, of_type=of_type)
    ]
