"""Import of fact lines: a fact is matched by id or by content; earlier validities and assertions come with it.

Of two ids of one fact the older stays, so that copies of a graph that import each other's exports become equal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.exchange.import_state import (
    DEFAULT_CONFIDENCE,
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
from keepgraph.model import Predicate
from keepgraph.store.exports import Assertion, EntityRow, EpisodeRow, FactRow, Validity
from keepgraph.store.transactions import Tx


def import_facts(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    batch = _FactBatch(tx, lines, state)
    results = import_each(batch.parsed, batch.import_line, strict=strict)
    batch.write()
    return results


class _ParsedFact(NamedTuple):
    """A fact line with checked values; the fact has no row yet."""

    fact: FactRow
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
        self._by_id = store.imports.facts_by_id(tx, (fact.id for fact in facts))
        self._symmetric = {term.row for term in graph_vocabulary.read(tx).predicates if "symmetric" in term.flags}
        without_id = [fact for fact in facts if fact.id not in self._by_id and fact.retracted_at is None]
        exchanged = [
            fact._replace(subject=fact.object, object=fact.subject)
            for fact in without_id
            if fact.object is not None and fact.predicate in self._symmetric
        ]
        self._by_content = {
            self._content(fact): fact for fact in store.imports.facts_by_content(tx, [*without_id, *exchanged])
        }
        existing = [fact.row for fact in (*self._by_id.values(), *self._by_content.values())]
        self._earlier = store.exports.earlier_validities(tx, existing)
        self._assertions = _AssertionInserts(tx, existing, {episode.id: episode for episode in episodes.values()})
        self._next_row = store.journal.unused_row(tx, "fact")
        self._next_earlier_row = store.journal.unused_row(tx, "earlier_validity")
        self._new: list[FactRow] = []
        self._older: dict[int, FactRow] = {}
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
        store.imports.set_facts(self._tx, self._older.values())
        store.facts.insert_earlier_validities(self._tx, self._new_earlier)
        self._assertions.write()

    def _check_same(self, existing: FactRow, parsed: _ParsedFact, *, known_as: str = "") -> None:
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
        raise errors.ImportConflict(f"{parsed.fact.id} is {place} with different {names}")

    def _replace_id(self, existing: FactRow, parsed: _ParsedFact) -> FactRow:
        """Give a fact the id of an older record of it, with its time and confidence.

        Raises:
            errors.ImportConflict: they differ in more than that, as the next import of the line would find by its id.
        """
        fact = parsed.fact._replace(row=existing.row, scope=existing.scope, pinned=existing.pinned)
        self._check_same(fact, parsed, known_as=existing.id)
        self._state.same_facts[existing.id] = fact.row
        self._older[fact.row] = self._by_id[fact.id] = self._by_content[self._content(fact)] = fact
        return fact

    def _add_fact(self, parsed: _ParsedFact) -> FactRow:
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

    def _content(self, fact: FactRow) -> tuple[Any, ...]:
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

    A retired predicate stays what it is: the fact was recorded before.

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
    """The order in which `store.exports.earlier_validities` gives them; '' and '~' stand for open ends."""
    return validity.known_from, validity.known_to, validity.valid_from or "", validity.valid_to or "~"


# Import of assertions: those in the line of their fact, and those with a line of their own (kind `provenance`).


def import_assertions(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Assertions with a line of their own, after all facts."""
    facts = store.imports.facts_by_id(tx, (line["fact"] for line in lines))
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
            for fact, assertions in store.exports.assertions(tx, facts).items()
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
    return store.imports.entities_by_former_id(tx, ids) | store.imports.entities_by_id(tx, ids)


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
    return store.imports.episodes_by_id(tx, ids) | {
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
        find_episode(episode, episodes, state).id if episode else None,
    )
