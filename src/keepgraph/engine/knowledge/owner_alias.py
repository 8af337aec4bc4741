"""Aliases such as "me": a person whose alias is a word for the speaker is the owner of the graph."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import errors, store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import first_person
from keepgraph.model import Entity
from keepgraph.store.transactions import Tx


def take(tx: Tx, entity: Entity, aliases: Sequence[str]) -> list[str]:
    """Make a person the owner if one of these aliases is a word for the speaker; returns the other aliases.

    Anything but a person may have any alias.

    Raises:
        errors.AliasTaken: somebody else is the owner.
    """
    others = [alias for alias in aliases if not first_person.is_pronoun(alias)]
    if len(others) == len(aliases) or graph_vocabulary.read(tx).style(entity.type) != "person":
        return list(aliases)
    previous = store.groups.find(tx)
    if previous is not None and previous.row != entity.row:
        raise errors.AliasTaken(
            f"“me” is {previous.name}, the owner of this graph",
            hint=f"Ask whether {entity.name} is the owner now; then set_owner, or `kg me {entity.id}`.",
            candidates=[{"id": previous.id, "type": previous.type, "name": previous.name}],
        )
    make_owner(tx, entity)
    return others


def make_owner(tx: Tx, entity: Entity) -> None:
    """Make a person the owner; nothing is written if it already is.

    Raises:
        errors.EntityTypeUnknown: it is not a person.
    """
    refuse_other_types(tx, entity.type)
    owner = store.groups.find(tx)
    if owner is None or owner.row != entity.row:
        store.groups.put(tx, entity.row, group=tx.group, at=tx.at)


def refuse_other_types(tx: Tx, entity_type: str, *, hint: str | None = None) -> None:
    """
    Raises:
        errors.EntityTypeUnknown: it is not a type of people.
    """
    vocabulary = graph_vocabulary.read(tx)
    if vocabulary.style(entity_type) != "person":
        types = vocabulary.types_of_style("person")
        raise errors.EntityTypeUnknown(
            f"the owner of a graph is a person, not a {entity_type}",
            hint=hint or f"Name a person: {', '.join(types)}.",
            candidates=list(types),
        )


def refuse_to_make_other(tx: Tx, entity: Entity, entity_type: str) -> None:
    """Refuse to turn the owner into anything but a person, by another type or by a merge.

    Raises:
        errors.EntityTypeUnknown: the entity is the owner, and this is not a type of people.
    """
    owner = store.groups.find(tx)
    if owner is not None and owner.row == entity.row and entity_type != entity.type:
        hint = "First make somebody else the owner (set_owner, or `kg me NAME`), or nobody (`kg me --clear`)."
        refuse_other_types(tx, entity_type, hint=hint)
