"""Import of owner lines, which say whose graph it is, and of narrative lines, which say what week a text tells of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from keepgraph import errors, store
from keepgraph.engine.exchange.import_assertions import find_episodes
from keepgraph.engine.exchange.import_state import ImportState, Line, LineResult, import_each
from keepgraph.engine.exchange.import_values import quote_name, validate_timestamp
from keepgraph.engine.knowledge import narratives
from keepgraph.store.exchange_rows import EntityRow
from keepgraph.store.transactions import Tx


def import_owners(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """The owners of groups: one is refused where the group has another."""
    entities = _find_entities(tx, (line["entity"] for line in lines))

    def import_owner(line: Line) -> LineResult:
        entity = _entity(line["entity"], entities, state)
        owner = store.owners.find(replace(tx, group=entity.group))
        if owner is not None and owner.row != entity.row:
            raise errors.ImportConflict(
                f"the owner of this graph is {quote_name(owner.name)}, not {quote_name(entity.name)}",
                hint="Say with `kg me NAME` who it is.",
            )
        set_at = validate_timestamp(line["set_at"])
        if owner is not None:
            return LineResult()
        store.owners.put(tx, entity.row, group=entity.group, at=set_at)
        return LineResult(created=True)

    return import_each(lines, import_owner, strict=strict)


def import_narratives(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Which texts tell of which weeks. Of two lines of the same week and instant, the later is the newer."""
    entities = _find_entities(tx, filter(None, (line.get("project") for line in lines)))
    episodes = find_episodes(tx, lines, state)

    def import_narrative(line: Line) -> LineResult:
        if line["episode"] in state.refused_ids:
            raise errors.ImportConflict(f"{line['episode']} is another text in this graph: its line was refused")
        if line["episode"] not in episodes:
            raise errors.EpisodeNotFound(f"there is no episode {line['episode']}, in this graph or in the file")
        episode = episodes[line["episode"]].row
        project = line.get("project")
        project_row = _entity(project, entities, state).row if project else None
        narratives.check_week(line["week"])
        recorded_at = validate_timestamp(line["recorded_at"])
        if store.narratives.exists(tx, episode, week=line["week"], project=project_row, recorded_at=recorded_at):
            return LineResult()
        store.narratives.insert(tx, episode, week=line["week"], project=project_row, recorded_at=recorded_at)
        return LineResult(created=True)

    return import_each(lines, import_narrative, strict=strict)


def _find_entities(tx: Tx, ids: Iterable[str]) -> dict[str, EntityRow]:
    wanted = set(ids)
    return store.imports.entities_by_former_id(tx, wanted) | store.imports.entities_by_id(tx, wanted)


def _entity(public_id: str, entities: dict[str, EntityRow], state: ImportState) -> EntityRow:
    """
    Raises:
        errors.ImportConflict: the line of the entity was refused.
        errors.EntityNotFound: it is neither in the graph nor in the file.
    """
    if public_id in state.refused_ids:
        raise errors.ImportConflict(f"{public_id} is something else in this graph: its line was refused")
    if public_id not in entities:
        raise errors.EntityNotFound(f"there is no entity {public_id}, in this graph or in the file")
    return entities[public_id]
