"""Import of entity lines: an entity is matched by id, by former id, or by name; missing aliases and ids are added.

Of two ids of one entity, and of two spellings of one alias, the older stays, so that copies of a graph that import each
other's exports become equal.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from keepgraph import errors, store
from keepgraph.command_arguments import entity_argument
from keepgraph.engine import knowledge
from keepgraph.engine.exchange.import_state import (
    DEFAULT_GROUP,
    NO_SCOPE,
    ImportState,
    Line,
    LineResult,
    import_each,
    list_differences,
    quote_name,
    validate_timestamp,
)
from keepgraph.language import normalisation
from keepgraph.store.exports import EntityRow, NameKey
from keepgraph.store.transactions import Tx


def import_entities(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    batch = _EntityBatch(tx, lines, state, strict=strict)
    results = import_each(lines, batch.import_line, strict=strict)
    batch.write()
    return results


class _ParsedEntity(NamedTuple):
    """An entity line with checked values. An alias is (alias, its normalisation key, timestamp, scope in JSON)."""

    id: str
    group: str
    type: str
    type_row: int
    name: str
    key: str
    summary: str
    properties: str
    created_at: str
    aliases: tuple[tuple[str, str, str, str], ...]
    former_ids: tuple[str, ...]


class _EntityBatch:
    """Entity lines of one call: the entities of the graph that they may mean, and the rows to write."""

    def __init__(self, tx: Tx, lines: Sequence[Line], state: ImportState, *, strict: bool) -> None:
        self._tx, self._state, self._strict = tx, state, strict
        ids = {public_id for line in lines for public_id in (line["id"], *line.get("former_ids", ()))}
        self._looked_up: set[NameKey] = {
            (line.get("group", DEFAULT_GROUP), line["type"], normalisation.key(name))
            for line in lines
            for name in (line["name"], *(_alias_text(alias) for alias in line.get("aliases", ())))
        }
        self._by_id = store.imports.entities_by_id(tx, ids)
        self._by_former_id = store.imports.entities_by_former_id(tx, ids)
        self._by_name = store.imports.entities_by_name(tx, self._looked_up)
        self._by_alias = store.imports.entities_by_alias(tx, self._looked_up)
        self._note_aliases(lines)
        existing = [*self._by_id.values(), *self._by_former_id.values(), *self._by_name.values()]
        self._aliases: dict[int, dict[str, tuple[str, str]]] = defaultdict(dict)
        for row, aliases in store.imports.aliases(tx, {entity.row for entity in existing}).items():
            self._aliases[row] = {key: (at, alias) for key, at, alias in aliases}
        self._next_rows = {table: store.journal.unused_row(tx, table) for table in ("entity", "alias", "former_id")}
        self._new: list[tuple[Any, ...]] = []
        self._new_aliases: list[tuple[Any, ...]] = []
        self._new_former_ids: list[tuple[int, str, int]] = []
        self._assumed_types: list[int] = []
        self._changed: dict[int, EntityRow] = {}
        self._no_former_ids: list[str] = []
        self._older_aliases: list[tuple[str, str, str, int, str]] = []

    def import_line(self, line: Line) -> LineResult:
        parsed = _parse_entity(self._tx, line)
        existing, former_ids = self._find_existing(parsed), parsed.former_ids
        if existing is None:
            self._check_not_an_alias(parsed)
        elif existing.id != parsed.id:
            existing, other_id = self._complete(existing, parsed)
            former_ids = (other_id, *former_ids)
        else:
            self._check_same(existing, parsed)
        entity = existing or EntityRow(
            self._next_rows["entity"], parsed.id, parsed.group, parsed.type, parsed.name, parsed.key, *parsed[6:9]
        )
        aliases, missing_ids, refusals = self._missing_names(entity, parsed.aliases, former_ids)
        if refusals and self._strict:
            raise refusals[0]
        if existing is None:
            self._add_entity(entity, parsed)
            if line.get("assumed_type"):
                self._assumed_types.append(entity.row)
        for alias, key, at, scope in aliases:
            self._new_aliases.append(
                (self._take_row("alias"), entity.row, alias, key, normalisation.Name(alias).indexed_forms, at, scope)
            )
            self._aliases[entity.row][key] = (at, alias)
            self._state.alias_keys.add((entity.row, key))
            self._by_alias.setdefault((entity.group, entity.type, key), []).append(entity)
        for former_id in missing_ids:
            self._new_former_ids.append((self._take_row("former_id"), former_id, entity.row))
            self._by_former_id[former_id] = entity
        self._state.entity_rows.add(entity.row)
        return LineResult(created=existing is None, partial_errors=tuple(refusals))

    def write(self) -> None:
        store.entities.insert_many(self._tx, self._new)
        store.entities.mark(self._tx, self._assumed_types)
        store.imports.set_entities(self._tx, self._changed.values())
        store.entities.insert_aliases(self._tx, self._new_aliases)
        store.imports.set_aliases(self._tx, self._older_aliases)
        store.imports.delete_former_ids(self._tx, self._no_former_ids)
        store.entities.insert_former_ids(self._tx, self._new_former_ids)

    def _note_aliases(self, lines: Sequence[Line]) -> None:
        """Note which aliases the file gives to entities of the graph, whichever line of the batch comes first."""
        for line in lines:
            if (entity := self._by_id.get(line["id"]) or self._by_former_id.get(line["id"])) is not None:
                keys = (normalisation.key(_alias_text(alias)) for alias in line.get("aliases", ()))
                self._state.alias_keys.update((entity.row, key) for key in keys)

    def _find_existing(self, parsed: _ParsedEntity) -> EntityRow | None:
        """The entity with this id, or the one that it was merged into, or the one with this name."""
        existing = (
            self._by_id.get(parsed.id)
            or self._by_former_id.get(parsed.id)
            or self._find_by_name((parsed.group, parsed.type, parsed.key))
        )
        return self._changed.get(existing.row, existing) if existing else None

    def _check_same(self, existing: EntityRow, parsed: _ParsedEntity) -> None:
        """
        Raises:
            errors.ImportConflict: the entity with this id is another one, or has other values.
        """
        if (existing.group, existing.type, existing.key) != (parsed.group, parsed.type, parsed.key):
            self._state.refused_ids.add(parsed.id)
            raise errors.ImportConflict(
                f"{parsed.id} is the {existing.type} {quote_name(existing.name)} of group {existing.group!r} "
                f"in this graph, not the {parsed.type} {quote_name(parsed.name)} of group {parsed.group!r}"
            )
        differences = {
            "name": existing.name != parsed.name,
            "summary": existing.summary != parsed.summary,
            "properties": _sorted_json(existing.properties) != parsed.properties,
            "created_at": existing.created_at != parsed.created_at,
        }
        if any(differences.values()):
            raise errors.ImportConflict(f"{parsed.id} is in this graph with different {list_differences(differences)}")

    def _check_not_an_alias(self, parsed: _ParsedEntity) -> None:
        """
        Raises:
            errors.ImportConflict: the name of a new entity is the alias of another entity in this graph.
        """
        for named in self._by_alias.get((parsed.group, parsed.type, parsed.key), ()):
            other = self._changed.get(named.row, named)
            # If the file says both, then it was the same in the graph that the file comes from. Where it has the other
            # entity without this alias, the name would mean somebody else from now on.
            if (other.row, parsed.key) not in self._state.alias_keys:
                self._state.refused_ids.add(parsed.id)
                raise errors.ImportConflict(
                    f"{quote_name(parsed.name)} is an alias of the {other.type} {quote_name(other.name)}, {other.id}",
                    hint=f"If they are the same, write {other.id} for {parsed.id} in the file; else remove the alias.",
                )

    def _complete(self, existing: EntityRow, parsed: _ParsedEntity) -> tuple[EntityRow, str]:
        """Give an entity with another id the summary and the properties that it lacks.

        If it has the same name, the older of the two ids becomes its id.

        Returns:
            The entity, and the id that only leads to it.

        Raises:
            errors.ImportConflict: it has another summary, or another value of a property.
        """
        ours, theirs = json.loads(existing.properties), json.loads(parsed.properties)
        differences = {
            "summary": bool(existing.summary and parsed.summary and existing.summary != parsed.summary),
            **{f"property {quote_name(name)}": ours[name] != theirs[name] for name in theirs if name in ours},
        }
        if any(differences.values()):
            raise errors.ImportConflict(
                f"{parsed.id} is {existing.id} in this graph, with different {list_differences(differences)}"
            )
        properties = existing.properties
        if theirs.keys() - ours.keys():
            properties = _sorted_json(json.dumps({**theirs, **ours}))
        completed = existing._replace(summary=existing.summary or parsed.summary, properties=properties)
        is_same_name = (existing.group, existing.type, existing.key) == (parsed.group, parsed.type, parsed.key)
        other_id = parsed.id
        if is_same_name and parsed.id < existing.id:
            other_id = existing.id
            completed = completed._replace(id=parsed.id, created_at=parsed.created_at)
            self._by_id.pop(other_id, None)
            if self._by_former_id.pop(parsed.id, None):
                self._no_former_ids.append(parsed.id)
            self._by_id[parsed.id] = self._by_name[existing.group, existing.type, existing.key] = completed
        if completed != existing:
            self._changed[existing.row] = completed
        return completed, other_id

    def _missing_names(
        self, entity: EntityRow, aliases: Iterable[tuple[str, str, str, str]], former_ids: Iterable[str]
    ) -> tuple[list[tuple[str, str, str, str]], list[str], list[errors.KeepgraphError]]:
        """The aliases and the former ids that an entity lacks, and why others cannot be added."""
        missing_aliases: dict[str, tuple[str, str, str, str]] = {}
        missing_ids: dict[str, None] = {}
        refusals: list[errors.KeepgraphError] = []
        for alias, key, at, scope in aliases:
            if key == entity.key:
                continue
            if key in self._aliases[entity.row]:
                if (at, alias) < self._aliases[entity.row][key]:
                    self._aliases[entity.row][key] = (at, alias)
                    self._older_aliases.append((alias, normalisation.Name(alias).indexed_forms, at, entity.row, key))
                continue
            other = self._find_by_name((entity.group, entity.type, key))
            if other and other.row != entity.row and other.row not in self._state.entity_rows:
                refusals.append(
                    errors.AliasTaken(f"{quote_name(alias)} is the name of another {other.type}, {other.id}")
                )
            else:
                missing_aliases.setdefault(key, (alias, key, at, scope))
        for former_id in former_ids:
            owner = self._by_former_id.get(former_id)
            if former_id == entity.id or (owner and owner.row == entity.row):
                continue
            if former_id in self._by_id:
                arguments = " ".join(
                    entity_argument(each.type, each.name, each.id) for each in (entity, self._by_id[former_id])
                )
                hint = f"If they are the same: kg merge {arguments}"
                refusals.append(errors.ImportConflict(f"{former_id} is an entity of its own in this graph", hint=hint))
            elif owner:
                refusals.append(errors.ImportConflict(f"{former_id} was merged into {owner.id} in this graph"))
            else:
                missing_ids[former_id] = None
        return list(missing_aliases.values()), list(missing_ids), refusals

    def _add_entity(self, entity: EntityRow, parsed: _ParsedEntity) -> None:
        folded = normalisation.Name(entity.name).indexed_forms
        values = (entity.key, folded, entity.summary, entity.properties, entity.created_at)
        self._new.append((self._take_row("entity"), entity.id, entity.group, parsed.type_row, entity.name, *values))
        self._by_id[entity.id] = self._by_name[entity.group, entity.type, entity.key] = entity

    def _find_by_name(self, name: NameKey) -> EntityRow | None:
        if name not in self._looked_up:
            # A name whose entity was merged into one of another type was not looked up with that type.
            self._looked_up.add(name)
            self._by_name.update(store.imports.entities_by_name(self._tx, [name]))
        return self._by_name.get(name)

    def _take_row(self, table: str) -> int:
        row = self._next_rows[table]
        self._next_rows[table] += 1
        return row


def _parse_entity(tx: Tx, line: Line) -> _ParsedEntity:
    """
    Raises:
        errors.EntityTypeUnknown, errors.AliasInvalid, errors.InvalidArguments: a value is not allowed.
    """
    type_row = knowledge.entities.find_type(tx, line["type"])
    name = normalisation.clean(line["name"])
    key = normalisation.key(name)
    if not key or len(name) > knowledge.entities.MAX_NAME:
        raise errors.InvalidArguments(
            f"a name has 1 to {knowledge.entities.MAX_NAME} characters, and this one {len(name)}"
        )
    created_at = validate_timestamp(line["created_at"])
    return _ParsedEntity(
        id=line["id"],
        group=line.get("group", DEFAULT_GROUP),
        type=line["type"],
        type_row=type_row,
        name=name,
        key=key,
        summary=line.get("summary", ""),
        properties=_sorted_json(json.dumps(line.get("properties", {}))),
        created_at=created_at,
        aliases=tuple(_parse_alias(alias, created_at) for alias in line.get("aliases", ())),
        former_ids=tuple(line.get("former_ids", ())),
    )


def _parse_alias(value: str | Line, created_at: str) -> tuple[str, str, str, str]:
    """An alias, its key, its timestamp (the entity's `created_at` if the line gives none) and its scope."""
    alias = normalisation.clean(_alias_text(value))
    key = normalisation.key(alias)
    if not key or len(alias) > knowledge.entities.MAX_NAME:
        raise errors.AliasInvalid(
            f"an alias has 1 to {knowledge.entities.MAX_NAME} characters, and this one {len(alias)}"
        )
    if isinstance(value, str):
        return alias, key, created_at, NO_SCOPE
    return alias, key, validate_timestamp(value["created_at"]), json.dumps(value.get("scope", []))


def _alias_text(value: str | Line) -> str:
    return value if isinstance(value, str) else str(value["alias"])


def _sorted_json(properties: str) -> str:
    """A JSON object as it is stored: names sorted, at every depth."""
    if properties == "{}":
        return properties
    return json.dumps(json.loads(properties), ensure_ascii=False, sort_keys=True)
