"""Node lookup: the entity or the proposed name that a reader asks about, by an id or by a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepgraph import english, errors, lazy, store
from keepgraph.engine import knowledge
from keepgraph.engine.resolution import abstention, first_person, resolver
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import Candidate, Entity, Proposal, Ref, Resolution
from keepgraph.store.transactions import Tx

_OWN_ID = lazy.compile("(?:ent|prop)_[0-9a-z]{26}")
_UUID = lazy.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Node:
    """An entity, or a name that texts mention and nobody has accepted; and its group."""

    record: Entity | Proposal
    group: str

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def name(self) -> str:
        return self.record.name if isinstance(self.record, Entity) else self.record.subject


def find(tx: Tx, name_or_id: str, *, not_found: str, groups: Sequence[str] = ()) -> Node | None:
    """Find the only node with this id, name or alias. An id is looked up in every group.

    None for an id of the right form that nothing has: one of ours, or a UUID of another system.

    Args:
        not_found: how the message begins where nothing is found: "No connections found for entity".
        groups: where a name is looked up before it is in the group of the call.

    Raises:
        errors.EntityNotFound: it is neither an id nor a known name.
        errors.Ambiguous: several nodes have the name.
    """
    name = Name(name_or_id)
    if _OWN_ID.fullmatch(name.text.lower()):
        return _by_id(tx, name.text.lower())
    if _UUID.fullmatch(name.text.lower()):
        return None
    if not name.key:
        raise errors.EntityNotFound(f"{not_found}: the id is empty")
    candidates: list[object] = []
    hint = "Look it up with search_nodes or recall_entity and pass its id."
    for group in dict.fromkeys([*groups, tx.group]):
        within = replace(tx, group=group)
        try:
            return Node(knowledge.entities.find(within, _ref(within, name)), group)
        except errors.EntityNotFound as error:
            candidates += error.candidates
            hint = first_person.NO_OWNER_HINT if first_person.lacks_owner(within, name) else hint
        if proposed := _proposed(within, name):
            return proposed
    raise errors.EntityNotFound(
        f"{not_found} {english.quoted(name.text)}: "
        "that is neither an id (ent_… and 26 letters and digits) nor a known name",
        hint=hint,
        candidates=candidates,
    )


def resolve(tx: Tx, name_or_id: str, *, groups: Sequence[str]) -> tuple[Node | None, Resolution]:
    """Resolve an id or a name in some groups; a proposed name with exactly this name comes before a guess.

    None if there is nothing, or nothing certain enough: then the resolution has the candidates.
    """
    name = Name(name_or_id)
    if _OWN_ID.fullmatch(name.text.lower()):
        return _resolve_id(tx, name.text.lower(), groups=groups)
    transactions = [replace(tx, group=group) for group in groups]
    if proposed := _proposed_only(transactions, name):
        return proposed, Resolution(None, "exact", 1.0)
    resolutions = [(within.group, resolver.resolve(within, name)) for within in transactions]
    resolved = sorted(
        ((group, resolution) for group, resolution in resolutions if resolution.entity), key=lambda pair: -pair[1].score
    )
    if resolved and (len(resolved) == 1 or resolved[0][1].score > resolved[1][1].score):
        group, best = resolved[0]
        return (Node(best.entity, group) if best.entity else None), best
    candidates = [candidate for _, resolution in resolutions for candidate in _all_candidates(resolution)]
    likeliest = sorted(candidates, key=lambda candidate: -candidate.score)[: abstention.MAX_CANDIDATES]
    unresolved = replace(
        resolutions[0][1], entity=None, method="none", score=0.0, candidates=tuple(likeliest), reason=None
    )
    return None, abstention.tell_apart(unresolved, name, threshold=tx.settings.accept)


def needs_vectors(tx: Tx, name_or_id: str, *, groups: Sequence[str]) -> bool:
    """Whether `resolve` would do better with vectors of names that are missing but can be made."""
    name = Name(name_or_id)
    transactions = [replace(tx, group=group) for group in groups]
    return (
        _OWN_ID.fullmatch(name.text.lower()) is None
        and any(resolver.needs_vectors(within, name) for within in transactions)
        and _proposed_only(transactions, name) is None
    )


def _by_id(tx: Tx, public_id: str) -> Node | None:
    group = store.details.group_of(tx, public_id)
    if group is None:
        return None
    tx = replace(tx, group=group)
    entity = store.entities.by_id(tx, public_id) or store.entities.by_former_id(tx, public_id)
    if entity:
        return Node(entity, group)
    proposal = store.proposals.by_id(tx, public_id)
    return Node(proposal, group) if proposal and proposal.kind == "entity" else None


def _ref(tx: Tx, name: Name) -> Ref:
    """`person: Ada` means Ada of the type person, unless something is called exactly that."""
    kind, colon, rest = name.text.partition(":")
    kind = kind.strip().lower()
    typed = colon and rest.strip() and kind in graph_vocabulary.read(tx).type_by_name
    if typed and not store.entities.by_key(tx, name.key):
        return Ref(type=kind, name=rest.strip())
    return Ref(name=name.text)


def _proposed(tx: Tx, name: Name) -> Node | None:
    """The proposed name with this name."""
    proposal = store.proposals.by_keys(tx, "entity", [name.key]).get(name.key)
    return Node(proposal, tx.group) if proposal else None


def _proposed_only(transactions: Sequence[Tx], name: Name) -> Node | None:
    """The proposed name with exactly this name, where no entity has it in any of these groups."""
    if any(_is_known(within, name) for within in transactions):
        return None
    return next((proposed for within in transactions if (proposed := _proposed(within, name))), None)


def _resolve_id(tx: Tx, public_id: str, *, groups: Sequence[str]) -> tuple[Node | None, Resolution]:
    node = _by_id(tx, public_id)
    if node is None or node.group not in groups:
        return None, Resolution(None, "none", 0.0)
    entity = node.record if isinstance(node.record, Entity) else None
    if node.id == public_id:
        return node, Resolution(entity, "exact", 1.0)
    return node, Resolution(entity, "alias", 1.0, reason=f"{public_id} was merged into it")


def _is_known(tx: Tx, name: Name) -> bool:
    """Whether an entity has this name or alias."""
    return bool(store.entities.by_key(tx, name.key) or store.entities.by_alias_key(tx, name.key))


def _all_candidates(resolution: Resolution) -> tuple[Candidate, ...]:
    """The candidates of a resolution, the resolved entity first."""
    if resolution.entity is None:
        return resolution.candidates
    entity = resolution.entity
    return (Candidate(entity, entity.name, resolution.method, resolution.score), *resolution.candidates)
