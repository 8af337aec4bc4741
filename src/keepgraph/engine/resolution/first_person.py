"""The first-person step of name resolution: "me" is the owner of the graph, unless something is called exactly that."""

from __future__ import annotations

from collections.abc import Collection

from keepgraph import store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import first_person
from keepgraph.language.normalisation import Name
from keepgraph.model import Resolution
from keepgraph.store.transactions import Tx

NO_OWNER_HINT = (
    "Nobody is set as the owner of this graph. Say who it is: "
    'record_fact {"subject": {"type": "person", "name": "…"}, "aliases": ["me"]}, or `kg me NAME`.'
)


def resolve(tx: Tx, name: Name, *, of_types: Collection[str] | None) -> Resolution | None:
    """The owner, if a name is "me" or another word for the speaker; without an owner, a hint instead of an entity.

    None if the name is not such a word, or if neither the owner's type nor a person is among these types.
    """
    if not first_person.is_pronoun(name.text):
        return None
    entity = store.groups.find(tx)
    if entity is not None and (of_types is None or entity.type in of_types):
        return Resolution(entity, "alias", 1.0, reason=f"{entity.name} is the owner of this graph")
    if not _may_mean_person(tx, of_types):
        return None
    return Resolution(None, "none", 0.0, hint=NO_OWNER_HINT if entity is None else None)


def lacks_owner(tx: Tx, name: Name) -> bool:
    """Whether a name is "me" or another word for the speaker, and the graph has no owner."""
    return first_person.is_pronoun(name.text) and store.groups.find(tx) is None


def _may_mean_person(tx: Tx, of_types: Collection[str] | None) -> bool:
    return of_types is None or bool(set(of_types).intersection(graph_vocabulary.read(tx).types_of_style("person")))
