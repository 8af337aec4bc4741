"""Import of entity and fact lines: what an export names is matched with the graph, and what is missing is added.

An entity is matched by id, by former id, or by name; a fact by id or by content, and earlier validities and assertions
come with it. Of two ids of one entity or fact, and of two spellings of one alias, the older stays, so that copies of a
graph that import each other's exports become equal.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from keepgraph import english, errors, store
from keepgraph.command_arguments import entity_argument, quoted
from keepgraph.engine import knowledge
from keepgraph.engine.exchange.import_state import (
    DEFAULT_CONFIDENCE,
    DEFAULT_GROUP,
    NO_SCOPE,
    EndsWarning,
    ImportState,
    Line,
    LineResult,
    import_each,
    list_differences,
    validate_timestamp,
)
from keepgraph.engine.knowledge import predicates
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import normalisation
from keepgraph.model import Predicate
from keepgraph.store.transactions import Tx
from keepgraph.store.transfer import Assertion, EntityRow, EpisodeRow, FactRow, NameKey, Validity
from keepgraph.temporal import timestamps


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
        self._by_id = store.transfer.entities_by_id(tx, ids)
        self._by_former_id = store.transfer.entities_by_former_id(tx, ids)
        self._by_name = store.transfer.entities_by_name(tx, self._looked_up)
        self._by_alias = store.transfer.entities_by_alias(tx, self._looked_up)
        self._note_aliases(lines)
        existing = [*self._by_id.values(), *self._by_former_id.values(), *self._by_name.values()]
        self._aliases: dict[int, dict[str, tuple[str, str]]] = defaultdict(dict)
        for row, aliases in store.transfer.aliases_by_key(tx, {entity.row for entity in existing}).items():
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
        store.transfer.set_entities(self._tx, self._changed.values())
        store.entities.insert_aliases(self._tx, self._new_aliases)
        store.transfer.set_aliases(self._tx, self._older_aliases)
        store.transfer.delete_former_ids(self._tx, self._no_former_ids)
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
                f"{parsed.id} is the {existing.type} {english.quoted(existing.name)} of group {existing.group!r} "
                f"in this graph, not the {parsed.type} {english.quoted(parsed.name)} of group {parsed.group!r}",
                hint=f"To give it that name here too: kg rename {parsed.id} {quoted(parsed.name)}"
                if (existing.group, existing.type) == (parsed.group, parsed.type)
                else None,
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
                    f"{english.quoted(parsed.name)} is an alias of the {other.type} "
                    f"{english.quoted(other.name)}, {other.id}",
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
            **{f"property {english.quoted(name)}": ours[name] != theirs[name] for name in theirs if name in ours},
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
                    errors.AliasTaken(f"{english.quoted(alias)} is the name of another {other.type}, {other.id}")
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
            self._by_name.update(store.transfer.entities_by_name(self._tx, [name]))
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


def import_facts(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    batch = _FactBatch(tx, lines, state)
    results = import_each(batch.parsed, batch.import_line, strict=strict)
    batch.write()
    return results


class _ParsedFact(NamedTuple):
    """A fact line with checked values; the fact has no row yet."""

    fact: FactRow[int]
    earlier: tuple[Validity, ...]
    assertions: tuple[Assertion, ...]
    warning: EndsWarning | None = None


class _FactBatch:
    """Fact lines of one call: the facts of the graph that they may mean, and the rows to write."""

    def __init__(self, tx: Tx, lines: Sequence[Line], state: ImportState) -> None:
        self._tx, self._state = tx, state
        ids = {line[end] for line in lines for end in ("subject", "object") if end in line}
        entities = find_entities(tx, ids)
        episodes = find_episodes(tx, (assertion for line in lines for assertion in line.get("provenance", ())), state)
        self.parsed = [_parse_or_error(tx, line, entities, episodes, state) for line in lines]
        facts = [parsed.fact for parsed in self.parsed if isinstance(parsed, _ParsedFact)]
        self._by_id = store.transfer.facts_by_id(tx, (fact.id for fact in facts))
        self._symmetric = {term.row for term in graph_vocabulary.read(tx).predicates if "symmetric" in term.flags}
        without_id = [fact for fact in facts if fact.id not in self._by_id and fact.retracted_at is None]
        exchanged = [
            fact._replace(subject=fact.object, object=fact.subject)
            for fact in without_id
            if fact.object is not None and fact.predicate in self._symmetric
        ]
        self._by_content = {
            self._content(fact): fact for fact in store.transfer.facts_by_content(tx, [*without_id, *exchanged])
        }
        existing = [fact.row for fact in (*self._by_id.values(), *self._by_content.values())]
        self._earlier = store.transfer.earlier_validities(tx, existing)
        self._assertions = _AssertionInserts(tx, existing, {episode.id: episode for episode in episodes.values()})
        self._next_row = store.journal.unused_row(tx, "fact")
        self._next_earlier_row = store.journal.unused_row(tx, "earlier_validity")
        self._new: list[FactRow[int]] = []
        self._older: dict[int, FactRow[int]] = {}
        self._new_earlier: list[tuple[Any, ...]] = []

    def import_line(self, parsed: _ParsedFact | errors.KeepgraphError) -> LineResult:
        if isinstance(parsed, errors.KeepgraphError):
            raise parsed
        existing = self._by_id.get(parsed.fact.id)
        if existing is not None:
            self._check_same(existing, parsed)
        elif parsed.fact.retracted_at is None and (existing := self._by_content.get(self._content(parsed.fact))):
            if parsed.fact.id < existing.id:
                existing = self._replace_id(existing, parsed)
            else:
                self._state.same_facts[parsed.fact.id] = existing.row
        fact = existing or self._add_fact(parsed)
        times: Counter[Assertion] = Counter()
        for assertion in parsed.assertions:
            times[assertion] += 1
            self._assertions.add(fact.row, assertion, nth=times[assertion])
        return LineResult(created=existing is None, warning=parsed.warning)

    def write(self) -> None:
        store.facts.insert_many(self._tx, self._new)
        store.transfer.set_facts(self._tx, self._older.values())
        store.facts.insert_earlier_validities(self._tx, self._new_earlier)
        self._assertions.write()

    def _check_same(self, existing: FactRow[int], parsed: _ParsedFact, *, known_as: str = "") -> None:
        """
        Args:
            known_as: the id that the fact has in the graph, if it is not that of the line.

        Raises:
            errors.ImportConflict: the fact has other values.
        """
        # The text is derived from the names of the entities, which may be other names here.
        expected = parsed.fact._replace(row=existing.row, text=existing.text)
        if existing == expected and tuple(self._earlier.get(existing.row, ())) == parsed.earlier:
            return
        self._state.refused_ids.add(parsed.fact.id)
        differences = {
            name: ours != theirs for name, ours, theirs in zip(existing._fields, existing, expected, strict=True)
        }
        names = list_differences(differences) or "validity known before"
        place = f"in this graph as {known_as}," if known_as else "in this graph"
        hint = f"It says “{existing.text}”."
        if differences["valid_to"] and (end := parsed.fact.valid_to):
            hint += f" To end it here too: kg end {existing.id} --on {timestamps.format_end(end, self._tx.zone)[:10]}"
        elif differences["retracted_at"] and parsed.fact.retracted_at:
            hint += f" To retract it here too: kg retract {existing.id}"
        raise errors.ImportConflict(f"{parsed.fact.id} is {place} with different {names}", hint=hint)

    def _replace_id(self, existing: FactRow[int], parsed: _ParsedFact) -> FactRow[int]:
        """Give a fact the id of an older record of it, with its time and confidence.

        Raises:
            errors.ImportConflict: they differ in more than that, as the next import of the line would find by its id.
        """
        fact = parsed.fact._replace(row=existing.row, scope=existing.scope, pinned=existing.pinned)
        self._check_same(fact, parsed, known_as=existing.id)
        self._state.same_facts[existing.id] = fact.row
        self._older[fact.row] = self._by_id[fact.id] = self._by_content[self._content(fact)] = fact
        return fact

    def _add_fact(self, parsed: _ParsedFact) -> FactRow[int]:
        fact = parsed.fact._replace(row=self._next_row)
        self._next_row += 1
        self._new.append(fact)
        self._by_id[fact.id] = fact
        if fact.retracted_at is None:
            self._by_content[self._content(fact)] = fact
        if parsed.earlier:
            self._earlier[fact.row] = list(parsed.earlier)
        for validity in parsed.earlier:
            self._new_earlier.append((self._next_earlier_row, fact.row, *validity))
            self._next_earlier_row += 1
        return fact

    def _content(self, fact: FactRow[int]) -> tuple[Any, ...]:
        """The values by which facts that are not retracted are unique; those of a symmetric predicate in any order."""
        ends = (fact.subject, fact.object)
        if fact.object is not None and fact.predicate in self._symmetric:
            ends = (min(fact.subject, fact.object), max(fact.subject, fact.object))
        return *ends, fact.predicate, fact.literal, fact.valid_from, fact.valid_to


def _parse_or_error(
    tx: Tx, line: Line, entities: Mapping[str, EntityRow], episodes: Mapping[str, EpisodeRow], state: ImportState
) -> _ParsedFact | errors.KeepgraphError:
    try:
        return _parse_fact(tx, line, entities, episodes, state)
    except errors.KeepgraphError as error:
        return error


def _parse_fact(
    tx: Tx, line: Line, entities: Mapping[str, EntityRow], episodes: Mapping[str, EpisodeRow], state: ImportState
) -> _ParsedFact:
    """
    Raises:
        errors.InvalidRequest: a value is not allowed, or an entity or episode is neither in the graph nor in the file.
        errors.ImportConflict: the line of an entity or episode was refused.
    """
    if ("object" in line) == ("literal" in line):
        raise errors.ObjectRequired("a fact has either an object or a literal", hint="Give one of them.")
    subject = find_entity(line["subject"], entities, state)
    target = find_entity(line["object"], entities, state) if "object" in line else None
    predicate, is_reversed, warning = _find_predicate(tx, line, subject, target)
    if is_reversed and target:
        subject, target = target, subject
    if target and target.group != subject.group:
        raise errors.InvalidArguments(f"{subject.id} and {target.id} are of different groups, which no fact connects")
    literal = line["literal"].strip() if "literal" in line else None
    if literal == "":
        raise errors.ObjectRequired("the literal is empty")
    recorded_at = validate_timestamp(line["recorded_at"])
    confidence = float(line.get("confidence", DEFAULT_CONFIDENCE))
    valid_from, valid_to = _parse_interval(line)
    fact = FactRow(
        row=0,
        id=line["id"],
        subject=subject.row,
        predicate=predicate.row,
        object=target.row if target else None,
        literal=literal,
        text=knowledge.facts.phrase(
            subject.name, predicate.name, target.name if target else literal or "", form=predicate.sentence
        ),
        confidence=confidence,
        recorded_at=recorded_at,
        valid_from=valid_from,
        valid_to=valid_to,
        retracted_at=validate_timestamp(line["retracted_at"]) if "retracted_at" in line else None,
        known_from=validate_timestamp(line["known_from"]) if "known_from" in line else None,
        scope=json.dumps(line.get("scope", [])),
        pinned=int(line.get("pinned", False)),
    )
    return _ParsedFact(
        fact,
        tuple(sorted(map(_parse_validity, line.get("earlier", ())), key=_stored_order)),
        tuple(
            _parse_assertion(assertion, episodes, state, confidence=confidence, recorded_at=recorded_at)
            for assertion in line.get("provenance", ())
        ),
        warning,
    )


def _find_predicate(
    tx: Tx, line: Line, subject: EntityRow, target: EntityRow | None
) -> tuple[Predicate, bool, EndsWarning | None]:
    """The predicate that the fact of a line is stored under, whether its ends are swapped, and what does not fit.

    A retired predicate stays: the fact was recorded before.

    Raises:
        errors.PredicateUnknown: it is not in the vocabulary.
        errors.ObjectRequired: it is an inverse, whose object cannot be a literal.
    """
    vocabulary = graph_vocabulary.read(tx)
    object_type = target.type if target else predicates.LITERAL
    stored = vocabulary.predicate_by_name.get(line["predicate"])
    if stored is not None and stored.inverse_of is None:
        ends = predicates.PredicateMatch(stored, False, stored.sources, stored.targets, stored.name, stored.name)
        matches = [ends]
    else:
        matches = predicates.find_matches(tx, line["predicate"])
    match = predicates.choose(vocabulary, matches, subject.type, object_type)
    if match is not None:
        return match.predicate, match.is_reversed, None
    match = matches[0]
    if match.is_reversed and target is None:
        raise errors.ObjectRequired(
            f"{match.wording_predicate} is the inverse of {match.predicate.name}, so its object is an entity"
        )
    problem = knowledge.ends.describe_problem(match, subject.type, object_type)
    return match.predicate, match.is_reversed, EndsWarning(match.predicate.name, problem)


def find_entity(public_id: str, entities: Mapping[str, EntityRow], state: ImportState) -> EntityRow:
    """
    Raises:
        errors.ImportConflict: the line of the entity was refused.
        errors.EntityNotFound: it is neither in the graph nor in the file.
    """
    if public_id in state.refused_ids:
        raise errors.ImportConflict(
            f"{public_id} is something else in this graph: its line was refused",
            hint="Correct that line first.",
        )
    if public_id not in entities:
        raise errors.EntityNotFound(
            f"there is no entity {public_id}, in this graph or in the file",
            hint="Import the entity's line as well.",
        )
    return entities[public_id]


def _parse_interval(line: Line) -> tuple[str | None, str | None]:
    valid_from = validate_timestamp(line["valid_from"]) if "valid_from" in line else None
    valid_to = validate_timestamp(line["valid_to"]) if "valid_to" in line else None
    if valid_from and valid_to and valid_from >= valid_to:
        raise errors.ValidityInvalid(f"valid_from ({valid_from}) is not before valid_to ({valid_to})")
    return valid_from, valid_to


def _parse_validity(line: Line) -> Validity:
    return Validity(
        *_parse_interval(line), validate_timestamp(line["known_from"]), validate_timestamp(line["known_to"])
    )


def _stored_order(validity: Validity) -> tuple[str, ...]:
    """The order in which `store.transfer.earlier_validities` gives them; '' and '~' stand for open ends."""
    return validity.known_from, validity.known_to, validity.valid_from or "", validity.valid_to or "~"


# Import of assertions: those in the line of their fact, and those with a line of their own (kind `provenance`).


def import_assertions(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Assertions with a line of their own, after all facts."""
    facts = store.transfer.facts_by_id(tx, (line["fact"] for line in lines))
    fact_rows = {fact.id: fact.row for fact in facts.values()} | {
        line["fact"]: state.same_facts[line["fact"]] for line in lines if line["fact"] in state.same_facts
    }
    episodes = find_episodes(tx, lines, state)
    inserts = _AssertionInserts(tx, fact_rows.values(), {episode.id: episode for episode in episodes.values()})

    def import_assertion(line: Line) -> LineResult:
        if line["fact"] in state.refused_ids:
            raise errors.ImportConflict(f"{line['fact']} is something else in this graph: its line was refused")
        if line["fact"] not in fact_rows:
            raise errors.FactNotFound(f"there is no fact {line['fact']}, in this graph or in the file")
        assertion = _parse_assertion(
            line, episodes, state, confidence=DEFAULT_CONFIDENCE, recorded_at=line["recorded_at"]
        )
        created = inserts.add(fact_rows[line["fact"]], assertion, nth=line.get("nth", 1), leave_gap=True)
        return LineResult(created=created)

    results = import_each(lines, import_assertion, strict=strict)
    inserts.write()
    return results


class _AssertionInserts:
    """The assertions that some facts have, and those to write.

    Args:
        facts: the rows of the facts that are in the graph.
        episodes: the episodes that assertions may come from, by their ids in the graph.
    """

    def __init__(self, tx: Tx, facts: Iterable[int], episodes: Mapping[str, EpisodeRow]) -> None:
        self._tx, self._episodes = tx, episodes
        self._counts = {
            fact: Counter(assertion for _, assertion in assertions)
            for fact, assertions in store.transfer.assertions(tx, facts).items()
        }
        self._next_row = store.journal.unused_row(tx, "provenance")
        self._rows: list[tuple[Any, ...]] = []

    def add(self, fact: int, assertion: Assertion, *, nth: int, leave_gap: bool = False) -> bool:
        """Add an assertion unless its fact has `nth` equal ones; whether it was added.

        With `leave_gap` a row number stays unused before it. By this gap the next export knows that the assertion
        needs a line of its own (ADR 0019).
        """
        counts = self._counts.setdefault(fact, Counter())
        if counts[assertion] >= nth:
            return False
        counts[assertion] += 1
        self._next_row += leave_gap
        episode = self._episodes[assertion.episode].row if assertion.episode else None
        self._rows.append((self._next_row, fact, *assertion[:-1], episode))
        self._next_row += 1
        return True

    def write(self) -> None:
        store.provenance.insert_many(self._tx, self._rows)


def find_entities(tx: Tx, ids: set[str]) -> dict[str, EntityRow]:
    """The entities with these ids, or with these former ids."""
    return store.transfer.entities_by_former_id(tx, ids) | store.transfer.entities_by_id(tx, ids)


def find_episode(public_id: str, episodes: Mapping[str, EpisodeRow], state: ImportState) -> EpisodeRow:
    """
    Raises:
        errors.ImportConflict: the line of the episode was refused.
        errors.EpisodeNotFound: it is neither in the graph nor in the file.
    """
    if public_id in state.refused_ids:
        raise errors.ImportConflict(f"{public_id} is a different text in this graph: its line was refused")
    if public_id not in episodes:
        raise errors.EpisodeNotFound(
            f"there is no episode {public_id}, in this graph or in the file", hint="Import its line as well."
        )
    return episodes[public_id]


def find_episodes(tx: Tx, assertions: Iterable[Line], state: ImportState) -> dict[str, EpisodeRow]:
    """The episodes that assertions come from, by their ids in the file."""
    ids = {assertion["episode"] for assertion in assertions if "episode" in assertion}
    return store.transfer.episodes_by_id(tx, ids) | {
        public_id: state.same_episodes[public_id] for public_id in ids & state.same_episodes.keys()
    }


def _parse_assertion(
    line: Line, episodes: Mapping[str, EpisodeRow], state: ImportState, *, confidence: float, recorded_at: str
) -> Assertion:
    """An assertion with checked values; `confidence` and `recorded_at` hold where it gives none.

    Raises:
        errors.EpisodeNotFound, errors.ImportConflict: the episode that it comes from cannot be found.
    """
    episode = line.get("episode")
    return Assertion(
        line.get("source"),
        float(line.get("confidence", confidence)),
        validate_timestamp(line.get("recorded_at", recorded_at)),
        line.get("session"),
        line["tool"],
        line.get("statement"),
        find_episode(episode, episodes, state).id if episode else None,
    )
