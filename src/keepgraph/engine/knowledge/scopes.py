"""Scopes: the projects and groups in which something holds. What has no scope holds everywhere.

A project is a scope of facts and aliases; a text has that of the projects that it was said to be about. A group is a
partition of the graph: what a call writes in it, and reads of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import errors, store
from keepgraph.engine.knowledge import projects
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.lazy import dataclass, replace
from keepgraph.model import Entity, Fact
from keepgraph.store.transactions import Tx

_MAX_CANDIDATES = 3


@dataclass(frozen=True, slots=True)
class Scope:
    """What a reader asks about.

    Attributes:
        groups: those whose names count, that of the call last.
        projects: in no others does what has a scope hold; empty: in all.
        ids: those of the projects, and of what was merged into them.
    """

    groups: tuple[str, ...]
    projects: tuple[Entity, ...] = ()
    ids: frozenset[str] = frozenset()

    def holds(self, scope: Sequence[str]) -> bool:
        """Whether what holds in these projects alone, given by their ids, holds here."""
        return not scope or not self.ids or not self.ids.isdisjoint(scope)


def read(tx: Tx, names: Sequence[str]) -> Scope:
    """The projects and groups that a reader names, by name, alias or id; none: all of the group of the call.

    Raises:
        errors.ScopeUnknown: there is no such project or group, or several may be meant.
    """
    if not names:
        return Scope((tx.group,))
    found = [known(tx, name) for name in names]
    groups = dict.fromkeys([*(scope.group for scope in found), tx.group])
    named = {scope.project.row: scope.project for scope in found if scope.project}
    chosen = tuple(named.values())
    return Scope(tuple(groups), chosen, frozenset(store.scopes.former_ids(tx, chosen)) if chosen else frozenset())


def enter(tx: Tx, scope: Scope | None) -> Tx:
    """The same call in the group of a scope, where names hold that hold in it."""
    if scope is None:
        return tx
    return replace(tx, group=scope.groups[0], projects=scope.ids)


def enter_group(tx: Tx, group: str | None) -> Tx:
    """The same call in a group that there is.

    Raises:
        errors.ScopeUnknown: there is no such group.
    """
    if group is None or group == tx.group:
        return tx
    if not projects.is_group(tx, group):
        raise _unknown(tx, group)
    return replace(tx, group=group)


def known(tx: Tx, name: str) -> projects.Scope:
    """The project or group of exactly this name, alias or id.

    Raises:
        errors.ScopeUnknown: there is none, or several projects may be meant.
    """
    try:
        scope = projects.read_exactly(tx, name)
    except (errors.ProjectRequired, errors.EntityNotFound, errors.Ambiguous) as error:
        raise errors.ScopeUnknown(error.message, hint=error.hint, candidates=error.candidates) from error
    if scope.is_unknown or not name.strip():
        raise _unknown(tx, name)
    return scope


def add_to_fact(tx: Tx, fact: Fact, project: Entity | None, *, is_new: bool) -> bool:
    """Let a fact that was just recorded hold in a project too; without one everywhere. Nothing narrows a known fact.

    Returns:
        Whether a known fact holds in more than before.
    """
    if is_new:
        if project is not None:
            store.scopes.set_of_fact(tx, fact, [project.id])
        return False
    before = fact.scope
    if not before or (project is not None and project.id in before):
        return False
    store.scopes.set_of_fact(tx, fact, [*before, project.id] if project else [])
    return True


def add_to_alias(tx: Tx, entity: Entity, key: str, project: Entity | None, *, before: Sequence[str] | None) -> bool:
    """Let an alias that was just added hold in a project too; without one everywhere. Returns whether it holds in more.

    Args:
        before: the ids of the projects in which it held; None if the entity had no such alias.
    """
    if before is None:
        if project is not None:
            store.scopes.set_of_alias(tx, entity, key, [project.id])
        return False
    if not before or (project is not None and project.id in before):
        return False
    store.scopes.set_of_alias(tx, entity, key, [*before, project.id] if project else [])
    return True


def _unknown(tx: Tx, name: str) -> errors.ScopeUnknown:
    from difflib import get_close_matches

    names: list[str] = []
    if name.strip() and (resolution := projects.read(tx, name).resolution):
        types = graph_vocabulary.read(tx).project_types
        near = [*([resolution.entity] if resolution.entity else []), *(each.entity for each in resolution.candidates)]
        names = [entity.name for entity in near if entity.type in types]
    names += get_close_matches(name, store.groups.names(tx), n=_MAX_CANDIDATES)
    hint = "Record the project first, or leave the scope out for everywhere."
    return errors.ScopeUnknown(
        f"there is no project and no group {name[:60]!r}",
        hint=f"Did you mean {', '.join(map(repr, names[:_MAX_CANDIDATES]))}? {hint}" if names else hint,
        candidates=names[:_MAX_CANDIDATES],
    )
