"""Conflicts: facts that cannot all be true by the flags, ends and roles of the vocabulary. Nothing is resolved here.

Each rule compares facts that certainly hold at the same time (see store/group_conflicts.py). Two chief executives may
both be true: a conflict is reported with the call that would settle it, and decides nothing (ADR 0045).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.knowledge import literals, past_and_future
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.language import opposites, quantities
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import ADVISORY_FLAGS, Entity, Fact, Predicate, Role
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

if TYPE_CHECKING:
    from keepgraph.language.quantities import Quantity

# Settlements: the calls that would settle a conflict, as a tool and its arguments; only a person makes them.

_Settlement: TypeAlias = tuple[str, Mapping[str, Any]]
"""The name of a tool, and its arguments."""

_MUCH_LESS = 0.2
"""A fact that is less certain than another by this much does not replace it."""


def _supersede(fact: Fact, other: Fact) -> _Settlement:
    """The call that replaces the earlier of two facts with the later one.

    If both begin at the same instant the other is retracted, and if the later one is much less certain, that one is.
    """
    later, earlier = knowledge.past_and_future.in_order(fact, other)
    if not earlier.id or (later.valid_from is not None and later.valid_from == earlier.valid_from):
        return _retract(other)
    if later.id and later.confidence <= earlier.confidence - _MUCH_LESS:
        return _retract(later)
    return "record_fact", {**_arguments(later), "supersedes": [earlier.id]}


def describe(settling: _Settlement, *, fact: Fact) -> str:
    """What to do if a newly recorded fact may have replaced another one, as a sentence."""
    tool, given = settling
    if tool != "record_fact":
        return f"If {given['fact_id']} is wrong, forget it by this id; if both hold, do nothing."
    (ended,) = given["supersedes"]
    condition, again = (
        ("the new fact had ended when that began", "that fact")
        if ended == fact.id
        else ("it has ended", "the new fact (with valid_from, if you know it)")
    )
    return f'If {condition}, record {again} again with supersedes: ["{ended}"]; if both hold, do nothing.'


def _retract(fact: Fact) -> _Settlement:
    return "retract_fact", {"fact_id": fact.id}


def _arguments(fact: Fact) -> dict[str, Any]:
    """The arguments of record_fact that restate a fact."""
    given: dict[str, Any] = {
        "subject": _reference(fact.subject),
        "predicate": fact.predicate,
        "object": _reference(fact.object) if fact.object else {"literal": fact.literal},
    }
    bounds = {"valid_from": fact.valid_from, "valid_to": fact.valid_to}
    return given | {name: value for name, value in bounds.items() if value is not None}


def _reference(entity: Entity) -> dict[str, str]:
    """An entity in record_fact's form; an unrecorded one by its type and name."""
    return {"id": entity.id} if entity.id else {"type": entity.type, "name": entity.name}


MAX_CONFLICTS = 5
"""The most conflicts reported for one fact."""

MAX_CYCLE = 12
"""How many facts of a longer cycle are named."""

_MAX_DECISIONS = 200
_DECISION_ROLES: tuple[Role, ...] = ("decides", "part_of")
_UNCOUNTED_ROLES: tuple[Role, ...] = ("mentions", "tags")
_ROLES_WITHOUT_CYCLES: tuple[Role, ...] = ("part_of", "reports", "depends", "blocks", "resolves")


@dataclass(frozen=True, slots=True)
class Conflict:
    """Facts of which at least one may be wrong, though all may be true; reported, never resolved.

    Attributes:
        kind: functional, inverse_functional, usually_functional, usually_inverse_functional, asymmetric, irreflexive,
            acyclic, disjoint_types, ends, values, retracted, rests_on_ended, or opposite.
        statement: what is in conflict, in one sentence.
        facts: the conflicting ones, newest first; for a cycle, in the order of its path. A fact that is not
            recorded yet is not included.
        tool, arguments: the call that would settle it; None if there is none.
    """

    kind: str
    statement: str
    facts: tuple[Fact, ...]
    tool: str | None = None
    arguments: Mapping[str, Any] | None = None


def of_fact(tx: Tx, fact: Fact, *, limit: int = MAX_CONFLICTS) -> list[Conflict]:
    """What a fact conflicts with, the gravest first; at most `limit`. About ten index look-ups at most.

    Args:
        fact: a recorded one, or a draft with the row 0 and an empty id.
    """
    return list(islice(Rules(tx, fact).check(), limit))


def read_ahead(tx: Tx, triples: Collection[tuple[int, int, int]]) -> None:
    """Ask at once what `of_fact` asks about the ends of each of many facts.

    Args:
        triples: rows of a subject, a predicate and an object; see knowledge.facts.read_ahead.
    """
    vocabulary = graph_vocabulary.read(tx)
    terms = vocabulary.predicate_by_row
    store.group_conflicts.read_ahead(
        tx,
        [triple for triple in triples if "acyclic" in flags_of(terms[triple[1]])],
        dependencies={target for _, predicate, target in triples if terms[predicate].role == "depends"},
        besides=_rows_of_roles(vocabulary, *_UNCOUNTED_ROLES),
    )


def flags_of(predicate: Predicate) -> frozenset[str]:
    """The declared flags of a predicate, and those its role implies: no whole is a part of its part."""
    if predicate.role in _ROLES_WITHOUT_CYCLES and "symmetric" not in predicate.flags:
        return predicate.flags | {"irreflexive", "acyclic"}
    return predicate.flags


class Rules:
    """The rules, applied to one fact."""

    def __init__(self, tx: Tx, fact: Fact) -> None:
        self._tx = tx
        self._fact = fact
        self._vocabulary = graph_vocabulary.read(tx)
        self._predicate = self._vocabulary.predicate_by_name[fact.predicate]
        self._flags = flags_of(self._predicate)
        self._now = tx.at

    def check(self) -> Iterator[Conflict]:
        """The conflicts, rule by rule, each searched for lazily."""
        yield from self.irreflexive()
        yield from self.ends()
        was_retracted, may_lead_back = store.group_conflicts.signs(
            self._tx, self._fact, predicate=self._predicate.row, acyclic="acyclic" in self._flags
        )
        if was_retracted:
            yield from self.retracted()
        yield from self.several_objects()
        yield from self.several_subjects()
        yield from self.both_directions()
        if may_lead_back:
            yield from self.cycle()
        yield from self.quantities()
        yield from self.opposite_decisions()
        yield from self.rests_on_ended()

    def irreflexive(self) -> Iterator[Conflict]:
        """The fact connects something with itself."""
        fact = self._fact
        if fact.object is None or fact.object.row != fact.subject.row:
            return
        if not self._flags & {"irreflexive", "asymmetric", "acyclic"}:
            return
        yield self._conflict(
            "irreflexive",
            f"“{_sentence(fact)}” connects {fact.subject.name} with itself, which {fact.predicate} is not meant to do.",
            [],
            _retract(fact) if fact.id else None,
        )

    def ends(self) -> Iterator[Conflict]:
        """The types of its ends, or its literal, do not fit the predicate."""
        fact, predicate, vocabulary = self._fact, self._predicate, self._vocabulary
        for end, allowed in ((fact.subject, predicate.sources), (fact.object, predicate.targets)):
            if end is not None and _is_disjoint(vocabulary, end.type, allowed):
                yield self._conflict(
                    "disjoint_types",
                    f"In “{_sentence(fact)}”, {end.name} is of the type {end.type}, which cannot be "
                    f"a type that {predicate.name} connects: {', '.join(allowed)}.",
                    [],
                    _retract(fact) if fact.id else None,
                )
                return
        if vocabulary.fits(predicate, fact.subject.type, fact.object.type if fact.object else None):
            kind = predicate.literal_kind
            if (
                fact.literal is None
                or kind is None
                or literals.normalise(fact.literal, kind, self._tx.zone) is not None
            ):
                return
            problem = f"{predicate.name} takes {literals.describe(kind)}"
        else:
            match = knowledge.predicates.find_matches(self._tx, predicate.name)[0]
            target = fact.object.type if fact.object else knowledge.predicates.LITERAL
            problem = knowledge.ends.describe_problem(match, fact.subject.type, target)
        settling = _retract(fact) if fact.id else None
        if fact.object and vocabulary.fits(predicate, fact.object.type, fact.subject.type):
            problem += "; the ends may be swapped"
            if fact.id and (fact.valid_from is None or fact.valid_from < self._now):
                exchanged = {"subject": {"id": fact.object.id}, "object": {"id": fact.subject.id}}
                settling = ("record_fact", {**_arguments(fact), **exchanged, "supersedes": [fact.id]})
        yield self._conflict("ends", f"“{_sentence(fact)}” does not fit: {problem}.", [], settling)

    def retracted(self) -> Iterator[Conflict]:
        """What it says was retracted before."""
        fact = self._fact
        twin = store.group_conflicts.retracted_twin(self._tx, fact, predicate=self._predicate.row)
        if twin is None:
            return
        (retracted,) = store.facts.by_rows(self._tx, [twin.row])
        statement = f"“{_sentence(fact)}” was retracted {describe_retraction(self._tx, twin)}"
        statement += ", and was recorded again after that." if fact.id else "."
        yield self._conflict("retracted", statement, [retracted], _retract(fact) if fact.id else None)

    def several_objects(self) -> Iterator[Conflict]:
        """Its predicate has one object at a time, or usually has, and another object holds."""
        fact, row = self._fact, self._predicate.row
        kind = "functional" if "functional" in self._flags else "usually_functional"
        if kind in self._flags and "symmetric" in self._flags and fact.object is not None:
            rows = store.group_conflicts.others_of_either(self._tx, fact, predicate=row)
        elif kind in self._flags:
            rows = store.group_conflicts.other_objects(self._tx, fact, predicate=row)
        elif past_and_future.may_be_learnt(self._predicate):
            rows = store.group_conflicts.other_objects(
                self._tx,
                fact,
                predicate=row,
                least_subjects=past_and_future.MIN_SUBJECTS,
                least_share=past_and_future.MIN_SHARE_OF_ONE,
            )
        else:
            return
        for other in self._read(rows):
            if are_same_value(self._predicate, fact, other) or self._includes(fact.object, other.object):
                continue
            yield self._one_at_a_time(kind, other, "object")

    def several_subjects(self) -> Iterator[Conflict]:
        """Its predicate has one subject at a time, or usually has, and another subject holds."""
        kind = "inverse_functional" if "inverse_functional" in self._flags else "usually_inverse_functional"
        if kind not in self._flags:
            return
        fact = self._fact
        rows = store.group_conflicts.other_subjects(self._tx, fact, predicate=self._predicate.row)
        for other in self._read(rows):
            if not self._includes(fact.subject, other.subject):
                yield self._one_at_a_time(kind, other, "subject")

    def both_directions(self) -> Iterator[Conflict]:
        """Its predicate holds in one direction, and the reverse fact holds."""
        fact = self._fact
        if "asymmetric" not in self._flags or fact.object is None or fact.object.row == fact.subject.row:
            return
        rows = store.group_conflicts.reversed_facts(self._tx, fact, predicate=self._predicate.row)
        for other in self._read(rows[:1]):
            yield self._conflict(
                "asymmetric",
                f"“{_sentence(fact)}” and “{_sentence(other)}” hold at the same time, and {fact.predicate} is meant to "
                "hold in one direction only.",
                [other],
                _supersede(fact, other),
            )

    def cycle(self) -> Iterator[Conflict]:
        """Its predicate has no cycles, and it closes one."""
        fact = self._fact
        if "acyclic" not in self._flags or fact.object is None or fact.object.row == fact.subject.row:
            return
        if not knowledge.validity.holds_at(fact, self._now):
            return
        ends = fact.object.row, fact.subject.row
        rows = _find(self._tx, *ends, predicate=self._predicate.row)
        if not rows or ("asymmetric" in self._flags and len(rows) == 1):
            return
        yield of_cycle(self._tx, fact, rows)

    def quantities(self) -> Iterator[Conflict]:
        """Another amount of the same kind is recorded for the same time."""
        fact, predicate = self._fact, self._predicate
        if fact.literal is None or self._flags & {"functional", "usually_functional"}:
            return
        if not may_be_quantity(predicate, fact.literal):
            return
        others = store.group_conflicts.other_objects(self._tx, fact, predicate=predicate.row)
        for other in self._read(others):
            if differ_in_quantity(predicate, fact, other):
                yield self._conflict(
                    "values",
                    f"“{_sentence(fact)}” and “{_sentence(other)}” give two amounts for the same time.",
                    [other],
                    _supersede(fact, other),
                )

    def opposite_decisions(self) -> Iterator[Conflict]:
        """It connects a decision to something that the opposite was decided about."""
        vocabulary, fact = self._vocabulary, self._fact
        if self._predicate.role not in _DECISION_ROLES or fact.object is None:
            return
        types = vocabulary.decision_types
        decision, end = (fact.object, fact.subject) if fact.object.type in types else (fact.subject, fact.object)
        if decision.type not in types or end.type in types:
            return
        matter = opposites.matter(decision.name)
        if not matter:
            return
        named = store.group_conflicts.decisions_with_words(
            self._tx,
            matter,
            predicates=_rows_of_roles(vocabulary, *_DECISION_ROLES),
            of_types=_type_rows(vocabulary, types),
            end=end.row,
            limit=_MAX_DECISIONS,
        )
        for row, other, name in named:
            if other == decision.row or not opposites.are_opposite(decision.name, name):
                continue
            if conflict := of_opposite_decisions(self._tx, fact, decision, other_fact=row, other=other):
                yield conflict

    def rests_on_ended(self) -> Iterator[Conflict]:
        """What it depends on has ended or was replaced."""
        fact, vocabulary = self._fact, self._vocabulary
        if self._predicate.role != "depends" or fact.object is None:
            return
        if not knowledge.validity.holds_at(fact, self._now):
            return
        types = vocabulary.decision_types
        if fact.object.type in types:
            rows = store.group_conflicts.resolutions_of(
                self._tx,
                fact.object.row,
                resolving=_rows_of_roles(vocabulary, "resolves"),
                of_types=_type_rows(vocabulary, types),
            )
            for resolution in self._read(rows[:1]):
                if resolution.object is None or resolution.object.row == fact.subject.row:
                    continue
                instead = {**_arguments(fact), "object": {"id": resolution.object.id}}
                settling = ("record_fact", {**instead, "supersedes": [fact.id]} if fact.id else instead)
                yield self._conflict(
                    "rests_on_ended",
                    f"“{_sentence(fact)}”, but {resolution.object.name} has replaced {fact.object.name}.",
                    [resolution],
                    settling if fact.valid_from is None or fact.valid_from < self._now else None,
                )
                return
        ended = store.group_conflicts.end_of_entity(
            self._tx, fact.object.row, besides=_rows_of_roles(vocabulary, *_UNCOUNTED_ROLES)
        )
        if ended is None:
            return
        until = timestamps.format_end(ended, self._tx.zone)
        yield self._conflict(
            "rests_on_ended",
            f"“{_sentence(fact)}”, but everything recorded about {fact.object.name} has ended, the last on {until}.",
            [],
            ("end_fact", {"fact_id": fact.id}) if fact.id else None,
        )

    def _one_at_a_time(self, kind: str, other: Fact, end: str) -> Conflict:
        """The fact and another one, if only one should hold at a time, or usually does."""
        fact, since = self._fact, _since(other, self._tx)
        statement = (
            f"“{_sentence(other)}” holds, {since}, and {fact.predicate} usually has one {end} at a time."
            if kind in ADVISORY_FLAGS
            else f"“{_sentence(fact)}” and “{_sentence(other)}” ({since}) hold at the same time, and {fact.predicate} "
            f"is meant to have one {end} at a time."
        )
        return self._conflict(kind, statement, [other], _supersede(fact, other))

    def _includes(self, one: Entity | None, other: Entity | None) -> bool:
        """Whether one of two entities lies within the other, as a city in its country: then both may be right."""
        if one is None or other is None or one.row == other.row:
            return False
        within = [
            term.row for term in self._vocabulary.predicates if "transitive" in term.flags or term.role == "part_of"
        ]
        return store.group_conflicts.are_connected(self._tx, one.row, other.row, predicates=within)

    def _read(self, rows: Iterable[int]) -> list[Fact]:
        unique = list(dict.fromkeys(rows))
        return store.facts.by_rows(self._tx, unique) if unique else []

    def _conflict(self, kind: str, statement: str, others: Sequence[Fact], settling: _Settlement | None) -> Conflict:
        own = (self._fact,) if self._fact.id else ()
        return Conflict(kind, statement, (*own, *others), *(settling or (None, None)))


def of_cycle(tx: Tx, fact: Fact, rows: Sequence[int]) -> Conflict:
    """The conflict of a cycle that a fact closes, with the facts that lead back to its subject, in order."""
    way = store.facts.by_rows(tx, list(rows[:MAX_CYCLE]))
    names = [fact.subject.name, *(step.subject.name for step in way)]
    names.append(fact.subject.name if len(rows) <= MAX_CYCLE else "…")
    facts = (fact, *way) if fact.id else tuple(way)
    weakest = min(facts, key=lambda one: (one.confidence, -one.row))
    return Conflict(
        "acyclic",
        f"{fact.predicate} forms a cycle, which is not allowed: {' → '.join(names)}.",
        facts,
        *_retract(weakest),
    )


def of_opposite_decisions(tx: Tx, fact: Fact, decision: Entity, *, other_fact: int, other: int) -> Conflict | None:
    """The conflict of two contradictory decisions, unless one has replaced the other.

    Args:
        fact: connects `decision` to who decided it, or to what it is a part of.
        other_fact, other: the row of the fact that connects the other decision to the same, and of that decision.
    """
    vocabulary = graph_vocabulary.read(tx)
    types, resolving = _type_rows(vocabulary, vocabulary.decision_types), _rows_of_roles(vocabulary, "resolves")
    for one in (decision.row, other):
        if store.group_conflicts.resolutions_of(tx, one, resolving=resolving, of_types=types):
            return None
    (second,) = store.facts.by_rows(tx, [other_fact])
    opposite = store.entities.by_rows(tx, [other])[other]
    older, newer = (opposite, decision) if not fact.id or second.row < fact.row else (decision, opposite)
    settling = None
    if resolving:
        predicate = vocabulary.predicate_by_row[resolving[0]]
        settling = (
            "record_fact",
            {"subject": {"id": older.id}, "predicate": predicate.name, "object": {"id": newer.id}},
        )
    return Conflict(
        "opposite",
        f"The decisions “{decision.name}” and “{opposite.name}” contradict each other, and neither has replaced "
        "the other.",
        (fact, second) if fact.id else (second,),
        *(settling or (None, None)),
    )


def describe_retraction(tx: Tx, twin: store.group_conflicts.RetractedTwin) -> str:
    """When and by whom a fact was retracted, in words."""
    words = f"on {timestamps.local_date(twin.retracted_at, tx.zone)}"
    if twin.tool:
        words += f" by {twin.tool}"
    return words + (f" in the conversation {twin.session}" if twin.session else "")


def has_disjoint_end(vocabulary: Vocabulary, predicate: Predicate, subject_type: str, object_type: str | None) -> bool:
    """Whether an end of a fact has a type that excludes every type the predicate connects."""
    ends = ((subject_type, predicate.sources), (object_type, predicate.targets))
    return any(one is not None and _is_disjoint(vocabulary, one, allowed) for one, allowed in ends)


def _is_disjoint(vocabulary: Vocabulary, entity_type: str, allowed: Sequence[str]) -> bool:
    """Whether a type excludes all the types that an end may have."""
    return bool(allowed) and all(vocabulary.excludes(entity_type, end) for end in allowed)


def _since(fact: Fact, tx: Tx) -> str:
    """Since when a fact holds, as far as known; for a future one, from when."""
    if fact.valid_from is None:
        return f"recorded on {timestamps.local_date(fact.recorded_at, tx.zone)}"
    word = "since" if fact.valid_from <= tx.at else "from"
    return f"{word} {timestamps.local_date(fact.valid_from, tx.zone)}"


def _rows_of_roles(vocabulary: Vocabulary, *roles: Role) -> list[int]:
    return [predicate.row for predicate in vocabulary.of_role(*roles)]


def _type_rows(vocabulary: Vocabulary, names: Iterable[str]) -> list[int]:
    return [vocabulary.type_by_name[name].row for name in names]


def _sentence(fact: Fact) -> str:
    return knowledge.facts.sentence(fact)


# Cycle paths: the path by which a fact closes a cycle of its predicate, found within a bound.

_MAX_VISITED = 500
"""How many entities are visited in search of a cycle that a fact closes; longer ones are left to the full search."""


def _find(tx: Tx, start: int, end: int, *, predicate: int) -> list[int]:
    """The facts of a shortest path from an entity to another along a predicate, by row; empty if there is none.

    Searched from both ends, each time from the side with fewer entities (bidirectional breadth-first search).
    """
    forward: dict[int, tuple[int, int]] = {start: (0, 0)}
    backward: dict[int, tuple[int, int]] = {end: (0, 0)}
    frontiers = {True: [start], False: [end]}
    while all(frontiers.values()) and len(forward) + len(backward) < _MAX_VISITED:
        outward = len(frontiers[True]) <= len(frontiers[False])
        reached, others = (forward, backward) if outward else (backward, forward)
        edges = store.group_conflicts.neighbours_of(
            tx, frontiers[outward], predicate=predicate, outward=outward, limit=_MAX_VISITED
        )
        frontier: list[int] = []
        for near, far, row in edges:
            if far in reached:
                continue
            reached[far] = (near, row)
            if far in others:
                return _rows_of_way(forward, far)[::-1] + _rows_of_way(backward, far)
            frontier.append(far)
        frontiers[outward] = frontier
    return []


def _rows_of_way(reached: Mapping[int, tuple[int, int]], node: int) -> list[int]:
    rows = []
    while (step := reached[node])[1]:
        node = step[0]
        rows.append(step[1])
    return rows


_UNMEASURED_ROLES: tuple[Role, ...] = ("mentions", "tags")


def are_same_value(predicate: Predicate, fact: Fact, other: Fact) -> bool:
    """Whether the literals of two facts agree, one perhaps more precisely: 1990 and 1990-05-03."""
    if fact.literal is None or other.literal is None:
        return False
    one, two = fact.literal.strip(), other.literal.strip()
    if Name(one).key == Name(two).key:
        return True
    if predicate.literal_kind == "date":
        shorter, longer = sorted((one, two), key=len)
        is_partial = longer.startswith(shorter) and longer[len(shorter) : len(shorter) + 1] in ("-", "T")
        is_day_of_any_year = shorter.startswith("--") and longer[4:10] == shorter[1:]
        return is_partial or is_day_of_any_year
    if predicate.literal_kind == "number":
        return float(one) == float(two) if _is_number(one) and _is_number(two) else False
    first, second = _amount(one), _amount(two)
    return first is not None and second is not None and first.may_equal(second)


def may_be_quantity(predicate: Predicate, literal: str) -> bool:
    """Whether a literal can be one of two amounts where only one is right: a number, or a measure with its unit."""
    # A predicate that takes any literal, such as what somebody said, may well have several.
    if predicate.role in _UNMEASURED_ROLES or predicate.literal_kind not in ("number", "text"):
        return False
    return any(character.isdecimal() for character in literal)


def differ_in_quantity(predicate: Predicate, fact: Fact, other: Fact) -> bool:
    """Whether two literals are different amounts of one kind, whatever the rounding."""
    if fact.literal is None or other.literal is None:
        return False
    one, two = fact.literal.strip(), other.literal.strip()
    if predicate.literal_kind == "number":
        return _is_number(one) and _is_number(two) and float(one) != float(two)
    first, second = _amount(one), _amount(two)
    if first is None or second is None or not first.dimension:
        return False
    return first.dimension == second.dimension and not first.may_equal(second)


def _amount(literal: str) -> Quantity | None:
    """The amount, if a literal is exactly one; else None."""
    amounts = quantities.find(literal)
    return amounts[0] if len(amounts) == 1 and amounts[0].words.strip() == literal else None


def _is_number(text: str) -> bool:
    return literals.normalise(text, "number", None) is not None
