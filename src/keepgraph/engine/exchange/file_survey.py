"""Survey of a file of another program: a first pass that counts its records and collects its types and predicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from keepgraph.engine.exchange import import_state
from keepgraph.formats.records import Entity, Fact, ReadError, Record, Skipped
from keepgraph.language import normalisation


@dataclass(slots=True)
class Survey:
    """What a file contains.

    Attributes:
        counts: records by kind (entities, facts, episodes), and observations and turns within them.
        entity_types, predicates: those of the file, with how often they occur.
        declared_types: the type of a name, by its key, from a record of the entity itself.
        endpoint_keys: the keys of the names that facts connect.
        errors: the first parts that cannot be read.
        error_count: how many cannot be read.
        skipped: parts that are left out on purpose, counted by kind.
    """

    counts: Counter[str] = field(default_factory=Counter)
    entity_types: Counter[str] = field(default_factory=Counter)
    predicates: Counter[str] = field(default_factory=Counter)
    declared_types: dict[str, str] = field(default_factory=dict)
    endpoint_keys: set[str] = field(default_factory=set)
    errors: list[ReadError] = field(default_factory=list)
    error_count: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def undeclared_count(self) -> int:
        """How many names occur only in facts."""
        return len(self.endpoint_keys - self.declared_types.keys())


def survey_records(records: Iterable[Record]) -> Survey:
    """Read all records once, and keep counts and terms, not the records.

    Where a thousand cannot be read and none could, the rest of the file is not tried.
    """
    survey = Survey()
    for record in records:
        if isinstance(record, ReadError):
            survey.error_count += 1
            if len(survey.errors) < import_state.MAX_REFUSALS:
                survey.errors.append(ReadError(record.position, record.error))
            if survey.error_count >= import_state.HOPELESS_AFTER and not survey.counts:
                break
        elif isinstance(record, Skipped):
            survey.skipped[record.kind] += record.count
        elif isinstance(record, Entity):
            survey.counts.update(entities=1, observations=len(record.observations))
            survey.entity_types[record.type] += 1
            survey.declared_types.setdefault(normalisation.key(record.name), record.type)
        elif isinstance(record, Fact):
            survey.counts["facts"] += 1
            survey.predicates[record.predicate] += 1
            survey.entity_types.update(
                entity_type for entity_type in (record.subject_type, record.object_type) if entity_type is not None
            )
            survey.endpoint_keys.update(normalisation.key(name) for name in (record.subject, record.object) if name)
        else:
            survey.counts.update(episodes=1, turns=len(record.turns))
            survey.skipped.update(record.skipped)
    return survey
