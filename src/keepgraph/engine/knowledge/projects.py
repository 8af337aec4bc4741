"""What a caller means by `project`: the group with this id, or else the project of this name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from keepgraph import errors, store
from keepgraph.engine.knowledge import entities
from keepgraph.engine.resolution import resolver
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Ref, Resolution
from keepgraph.store.transactions import Tx

DEFAULT_GROUP = "default"
"""The group of a graph whose settings name none; it always exists, even when empty."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A group, and the project that a call is about.

    Attributes:
        name: the project as the caller named it; None if the caller named a group, or nothing.
        project: None if the caller named a group or an unknown project.
        created: whether the project is new.
        resolution: how `read` resolved its name.
        is_named_group: whether the caller named a group.
        namesake: the only project with the same name as a group that a reader named.
    """

    group: str
    name: str | None = None
    project: Entity | None = None
    created: bool = False
    resolution: Resolution | None = None
    is_named_group: bool = False
    namesake: Entity | None = None

    @property
    def label(self) -> str:
        """The id of the group, or the name of the project."""
        return self.project.name if self.project else self.name or self.group

    @property
    def named_group(self) -> str | None:
        """The id of the group that the caller named; None if it named a project or nothing."""
        return self.group if self.is_named_group else None

    @property
    def is_unknown(self) -> bool:
        """Whether an unknown project was named."""
        return self.name is not None and self.project is None


def is_group(tx: Tx, name: str) -> bool:
    """Whether this is the id of a group: a non-empty one, that of the call, or the default one."""
    return name in (tx.group, DEFAULT_GROUP) or store.groups.exists(tx, name)


def read(tx: Tx, project: str | None) -> Scope:
    """The group or the project that a reader names, by its name, an alias, an id, or a similar name."""
    if not project or not project.strip():
        return Scope(tx.group)
    if is_group(tx, project):
        return Scope(project, is_named_group=True, namesake=_find_namesake(tx, project))
    resolution = resolver.resolve(tx, Name(project), of_types=_types(tx) or None)
    return Scope(tx.group, project.strip(), resolution.entity, resolution=resolution)


def read_known(tx: Tx, project: str | None) -> Scope:
    """The same, but it must exist.

    Raises:
        errors.EntityNotFound: the project does not exist.
    """
    scope = read(tx, project)
    if scope.is_unknown:
        raise errors.EntityNotFound(
            f"there is no project and no group {project!r}", hint="Leave project out for the whole graph."
        )
    return scope


def read_exactly(tx: Tx, project: str | None) -> Scope:
    """The group or the project that a writer names, as `find_or_create` finds it; nothing is created.

    Raises:
        errors.EntityNotFound, errors.Ambiguous, errors.ProjectRequired: as `find_or_create` does.
    """
    if not project or not project.strip():
        return Scope(tx.group)
    if is_group(tx, project):
        return Scope(project, is_named_group=True)
    name, types = _split_type(tx, project)
    if name.key.startswith("ent_"):
        return Scope(tx.group, name.text, entities.find(tx, Ref(id=name.text)))
    return Scope(tx.group, name.text, entities.find_named(tx, name.text, types))


def find_or_create(tx: Tx, project: str | None) -> Scope:
    """The group or the project that a writer names, by its exact name, an alias or an id; a new project is created.

    Raises:
        errors.EntityNotFound: there is no such id.
        errors.Ambiguous: several projects have the name.
        errors.ProjectRequired: the name has no letter or sign in it, or is too long when its signs are written out.
    """
    scope = read_exactly(tx, project)
    if not scope.is_unknown:
        return scope
    name, types = _split_type(tx, project or "")
    entity, created = entities.find_or_create(
        tx, Ref(type=_type_of_new(tx, types), name=name.text), error_class=errors.ProjectRequired
    )
    return Scope(tx.group, name.text, entity, created=created)


def _find_namesake(tx: Tx, group: str) -> Entity | None:
    """The only project with the same name as a group, in the group of the call."""
    key = Name(group).key
    if not key:
        return None
    projects = {
        entity.row: entity
        for entity in (
            *store.entities.by_key(tx, key, of_types=_types(tx)),
            *(entity for entity, _ in store.entities.by_alias_key(tx, key, of_types=_types(tx))),
        )
    }
    return next(iter(projects.values())) if len(projects) == 1 else None


def enter_named(tx: Tx, project: str | None) -> tuple[Tx, Scope]:
    """What a reader names, as in `read`, and the same call in its group."""
    scope = read(tx, project)
    return enter(tx, scope), scope


def enter(tx: Tx, scope: Scope) -> Tx:
    """The same call in the group of the scope."""
    return tx if scope.group == tx.group else replace(tx, group=scope.group)


def _split_type(tx: Tx, project: str) -> tuple[Name, tuple[str, ...]]:
    """The name in `project:Atlas`, and that type; else the name, and the types of projects.

    Raises:
        errors.ProjectRequired: there is no name.
    """
    name, types = Name(project), _types(tx)
    prefix, _, rest = name.text.partition(":")
    if prefix.strip().lower() in types and rest.strip() and not store.entities.by_key(tx, name.key, of_types=types):
        name, types = Name(rest), (prefix.strip().lower(),)
    if not name.key:
        raise errors.ProjectRequired("the project is empty")
    return name, types


def _types(tx: Tx) -> tuple[str, ...]:
    return graph_vocabulary.read(tx).project_types


def _type_of_new(tx: Tx, types: tuple[str, ...]) -> str:
    """The first of these types that may be used, or that of names which are titles."""
    vocabulary = graph_vocabulary.read(tx)
    usable = [term.name for term in vocabulary.usable_types if term.name in types]
    return usable[0] if usable else vocabulary.default_type("title")


# Groups: which groups a call means, and deleting their contents.


def select(tx: Tx, groups: Sequence[str] | None, *, everything: bool) -> list[str]:
    """The groups that a call means: all, those it names, or the group it works in."""
    return store.groups.names(tx) if everything else list(dict.fromkeys(groups or [tx.group]))


def clear(tx: Tx, groups: Sequence[str] | None, *, everything: bool) -> Counter[str]:
    """Delete all entities, facts and episodes of the groups that a call means; returns the deleted rows by table.

    Raises:
        errors.InvalidArguments: a named group has nothing in it.
    """
    refuse_unknown(tx, groups)
    counts: Counter[str] = Counter()
    for group in select(tx, groups, everything=everything):
        counts.update(store.groups.clear(tx, group))
    tx.memo.clear()
    return counts


def refuse_unknown(tx: Tx, groups: Sequence[str] | None) -> None:
    """Refuse empty groups.

    Raises:
        errors.InvalidArguments: there are such groups.
    """
    existing = store.groups.names(tx)
    if unknown := [group for group in groups or () if group not in existing]:
        raise errors.InvalidArguments(f"there is nothing in {describe(unknown)}", hint="Check the name of the group.")


def describe(groups: Sequence[str]) -> str:
    return f"group {', '.join(map(repr, groups))}" if groups else "no group"
