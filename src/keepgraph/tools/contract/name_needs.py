"""What a call needs to resolve the names in its arguments: vectors of names, where letters find nothing."""

from __future__ import annotations

from typing import Any

from keepgraph.engine import knowledge
from keepgraph.engine.resolution import resolver
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import derived_data, time_travel
from keepgraph.tools.contract.derived_data import Need, NeedsOfCall


def to_resolve(*arguments: str, besides: frozenset[Need] = derived_data.NOTHING) -> NeedsOfCall:
    """What a tool needs that resolves the names of entities in these arguments, where and when the call says.

    An argument may be a list of names.

    Args:
        besides: what it needs in any case.
    """

    def needs_of_call(
        tx: Tx, *, project: str | None = None, as_of: str | None = None, known_at: str | None = None, **given: Any
    ) -> frozenset[Need]:
        tx, _ = knowledge.projects.enter_named(tx, project)
        tx = time_travel.to(tx, as_of=as_of or None, known_at=known_at)
        values = [given.get(argument) or "" for argument in arguments]
        names = [Name(text) for value in values for text in ([value] if isinstance(value, str) else value)]
        return besides | vectors_if(any(name.key and resolver.needs_vectors(tx, name) for name in names))

    return needs_of_call


def to_resolve_project(
    tx: Tx, *, project: str | None = None, as_of: str | None = None, known_at: str | None = None, **_: object
) -> frozenset[Need]:
    """What a tool needs that resolves `project`, as of the moment of the call; nothing where it is a group's id."""
    tx = time_travel.to(tx, as_of=as_of, known_at=known_at)
    if not project or knowledge.projects.is_group(tx, project):
        return derived_data.NOTHING
    types = graph_vocabulary.read(tx).project_types or None
    return vectors_if(resolver.needs_vectors(tx, Name(project), of_types=types))


def vectors_if(needed: bool) -> frozenset[Need]:
    """The vectors of names, or nothing."""
    return derived_data.NAME_VECTORS if needed else derived_data.NOTHING
