"""The steps of a traversal as callers write them: their arguments, labels and filters, as steps of the engine.

Arguments may stand in `data`, as their source system wants them, or by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from keepgraph import errors
from keepgraph.engine import traversals
from keepgraph.engine.traversals import Condition, Direction, Filter, FilterPath, Follow, Kind, Label, Stream, Target
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import catalogue, search_calls

MAX_RESULTS = 1_000

_ENTITY = "entity"
_TARGETS: Mapping[str, Target] = {"node": "nodes", "vec": "vectors"}
_LINKS = {name.lower(): kind for kind, name in traversals.LINK_NAMES.items()}
_FILTER_KEYS = {"properties", "filter_traversals"}
_CONDITION_KEYS = {"key", "operator", "value"}
_PATH_KEYS = {"tool_name", "args", "filter", "filters"}


Step = Callable[[Stream], Stream]
"""What a step makes of a stream."""


@dataclass(slots=True)
class ReadStep:
    """A step, and in words what was understood otherwise than it was written."""

    step: Step
    notes: list[str] = field(default_factory=list)


def read(tx: Tx, name: str, arguments: Mapping[str, Any]) -> ReadStep:
    """The step of a tool, by any name of it, from its arguments.

    Raises:
        errors.InvalidArguments: the step is unknown, or an argument is missing, unknown or wrong.
        errors.FilterInvalid: a filter is.
        errors.EntityTypeUnknown, errors.PredicateUnknown: a label is not in the vocabulary.
    """
    name = catalogue.tool_name(name).removeprefix("traversal_")
    if name not in STEPS:
        raise errors.InvalidArguments(f"there is no step {name[:60]!r}", hint=f"Use one of {', '.join(STEPS)}.")
    plain = {key: value for key, value in arguments.items() if key != "data" and value is not None}
    given = {**(arguments.get("data") or {}), **plain}
    notes: list[str] = []
    return ReadStep(STEPS[name](tx, _Arguments(name, given, notes)), notes)


@dataclass(frozen=True, slots=True)
class _Arguments:
    step: str
    given: Mapping[str, Any]
    notes: list[str]

    def take(self, key: str, kind: type, *, default: Any = None) -> Any:
        """The value of an argument.

        Raises:
            errors.InvalidArguments: it is missing and has no default, or is of another kind.
        """
        value = self.given.get(key, default)
        if value is None:
            raise errors.InvalidArguments(f"{self.step} needs {key}")
        is_number = kind is float and isinstance(value, int) and not isinstance(value, bool)
        if not is_number and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
            raise errors.InvalidArguments(f"{key} of {self.step} is not {_KIND_NAMES[kind]}")
        if kind is str and not value.strip():
            raise errors.InvalidArguments(f"{key} of {self.step} is empty")
        return value

    def take_count(self, key: str, *, default: int) -> int:
        count: float = self.take(key, float, default=default)
        if count % 1 or not 1 <= count <= MAX_RESULTS:
            raise errors.InvalidArguments(f"{key} of {self.step} is no whole number from 1 to {MAX_RESULTS}")
        return int(count)

    def refuse_others(self, *known: str) -> None:
        """
        Raises:
            errors.InvalidArguments: an argument is none of these.
        """
        if others := self.given.keys() - set(known):
            raise errors.InvalidArguments(
                f"{self.step} has no argument {min(map(str, others))[:60]!r}", hint=f"It takes {', '.join(known)}."
            )


_KIND_NAMES = {str: "a text", float: "a number", dict: "an object", list: "a list"}


def _n_from_type(tx: Tx, arguments: _Arguments) -> Step:
    arguments.refuse_others("node_type")
    node_type = arguments.take("node_type", str)
    if node_type.strip().lower() == traversals.TRIPLET.lower():
        return lambda _: traversals.triplets(tx)
    types = search_calls.entity_types(tx, [node_type])
    return lambda _: traversals.entities_of(tx, types)


def _e_from_type(tx: Tx, arguments: _Arguments) -> Step:
    arguments.refuse_others("edge_type")
    label = _label(tx, arguments.take("edge_type", str))
    return lambda _: traversals.edges_of(tx, label)


def _follow(direction: Direction, *, to_edges: bool) -> Callable[[Tx, _Arguments], FilterPath]:
    def read_follow(tx: Tx, arguments: _Arguments) -> FilterPath:
        if to_edges:
            arguments.refuse_others("edge_label", "filter")
            target: Target = "edges"
            label = arguments.take("edge_label", str)
        else:
            arguments.refuse_others("edge_type", "edge_label", "filter")
            label, target = _label_and_target(arguments)
        raw_filter = arguments.given.get("filter")
        return FilterPath(
            Follow(direction, target, _label(tx, label)),
            Filter() if raw_filter is None else _filter(tx, raw_filter, arguments.notes, depth=1),
        )

    return read_follow


def _walk(tx: Tx, arguments: _Arguments) -> Step:
    path = _FOLLOWING[arguments.step](tx, arguments)
    return lambda stream: traversals.walk(tx, stream, path)


def _label_and_target(arguments: _Arguments) -> tuple[str, Target]:
    """The label of edges and what they lead to, also where the two were exchanged."""
    label, target = arguments.take("edge_label", str), arguments.take("edge_type", str, default="node")
    if target.lower() not in _TARGETS and label.lower() in _TARGETS:
        arguments.notes.append(f"edge_type and edge_label were exchanged: {target[:60]} is the label")
        label, target = target, label
    if target.lower() not in _TARGETS:
        raise errors.InvalidArguments(
            f"edge_type is {target[:60]!r}", hint="It is node or vec; edge_label is the predicate or the link."
        )
    return label, _TARGETS[target.lower()]


def _filter_items(tx: Tx, arguments: _Arguments) -> Step:
    arguments.refuse_others("filter")
    if "filter" not in arguments.given:
        raise errors.InvalidArguments("filter_items needs filter", hint=errors.FilterInvalid.default_hint)
    kept = _filter(tx, arguments.given["filter"], arguments.notes, depth=1)
    return lambda stream: traversals.apply(tx, stream, kept)


def _search_keyword(tx: Tx, arguments: _Arguments) -> Step:
    arguments.refuse_others("query", "label", "limit")
    label = arguments.take("label", str, default=_ENTITY)
    is_triplet = label.strip().lower() == traversals.TRIPLET.lower()
    question = arguments.take("query", str)
    types = None if is_triplet else search_calls.entity_types(tx, [label])
    limit = arguments.take_count("limit", default=10)
    kind = Kind.TRIPLETS if is_triplet else Kind.ENTITIES
    return lambda _: traversals.by_words(tx, question, kind=kind, types=types, limit=limit)


def _search_vector_text(tx: Tx, arguments: _Arguments) -> Step:
    arguments.refuse_others("query", "label", "k")
    label = arguments.take("label", str, default=traversals.VECTOR)
    if label.strip().lower() != traversals.VECTOR.lower():
        raise errors.InvalidArguments(
            f"there are no vectors with the label {label[:60]!r}", hint=f"The label of vectors is {traversals.VECTOR}."
        )
    text, k = arguments.take("query", str), arguments.take_count("k", default=5)
    return lambda _: traversals.by_meaning(tx, text, k=k)


def _search_vector(tx: Tx, arguments: _Arguments) -> Step:
    arguments.refuse_others("vector", "k", "min_score")
    vector = arguments.take("vector", list)
    if not vector or any(isinstance(number, bool) or not isinstance(number, int | float) for number in vector):
        raise errors.InvalidArguments("vector is not a list of numbers")
    k, min_score = arguments.take_count("k", default=10), arguments.take("min_score", float, default=0.0)
    return lambda stream: traversals.by_vector(tx, stream, vector, k=k, min_score=min_score)


_FOLLOWING: Mapping[str, Callable[[Tx, _Arguments], FilterPath]] = {
    "out_step": _follow("out", to_edges=False),
    "out_e_step": _follow("out", to_edges=True),
    "in_step": _follow("in", to_edges=False),
    "in_e_step": _follow("in", to_edges=True),
}
STEPS: Mapping[str, Callable[[Tx, _Arguments], Step]] = {
    "n_from_type": _n_from_type,
    "e_from_type": _e_from_type,
    **dict.fromkeys(_FOLLOWING, _walk),
    "filter_items": _filter_items,
    "search_keyword": _search_keyword,
    "search_vector_text": _search_vector_text,
    "search_vector": _search_vector,
}
"""How the arguments of each step are read, by its name without `traversal_`."""


def _label(tx: Tx, name: str) -> Label:
    """The label of edges: a link of triplets, or a predicate in any spelling.

    Raises:
        errors.PredicateUnknown: it is neither.
    """
    if link := _LINKS.get(name.strip().lower()):
        return Label(name, link=link)
    (stored,) = (search_calls.predicates(tx, [name]) or (None,))[:1]
    vocabulary = graph_vocabulary.read(tx)
    predicate = vocabulary.predicate_by_name[stored] if stored else None
    if predicate is None:
        raise errors.PredicateUnknown(f"{name[:60]!r} is not a predicate")
    return Label(
        name,
        predicate=predicate.name,
        is_inverse=search_calls.is_inverse(tx, name),
        is_symmetric="symmetric" in predicate.flags,
    )


def _filter(tx: Tx, raw: object, notes: list[str], *, depth: int) -> Filter:
    """
    Raises:
        errors.FilterInvalid: it is not a filter, or nested too deep.
    """
    if depth > traversals.MAX_DEPTH:
        raise errors.FilterInvalid(f"filters are nested more than {traversals.MAX_DEPTH} deep")
    if isinstance(raw, list):
        notes.append("the filter was a list, and was taken for its properties")
        raw = {"properties": raw}
    parts = _object(raw, _FILTER_KEYS, "a filter")
    groups = parts.get("properties")
    paths = parts.get("filter_traversals", [])
    if not isinstance(paths, list):
        raise errors.FilterInvalid("filter_traversals is not a list")
    return Filter(
        None if groups is None else _groups(groups, notes),
        tuple(_path(tx, path, notes, depth=depth + 1) for path in paths),
    )


def _groups(raw: object, notes: list[str]) -> tuple[tuple[Condition, ...], ...]:
    if not isinstance(raw, list):
        raise errors.FilterInvalid("properties is not a list")
    if raw and all(isinstance(condition, dict) for condition in raw):
        notes.append("the conditions stood in one list, and were taken for one group: all have to hold")
        raw = [raw]
    if not all(isinstance(group, list) for group in raw):
        raise errors.FilterInvalid("properties is not a list of lists of conditions")
    return tuple(tuple(_condition(condition) for condition in group) for group in raw)


def _condition(raw: object) -> Condition:
    parts = _object(raw, _CONDITION_KEYS, "a condition")
    key, comparison = parts.get("key"), parts.get("operator", "==")
    if not isinstance(key, str) or "value" not in parts:
        raise errors.FilterInvalid("a condition has no key or no value")
    if comparison not in traversals.OPERATORS:
        raise errors.FilterInvalid(
            f"{str(comparison)[:20]!r} is not an operator", hint=f"Use one of {' '.join(traversals.OPERATORS)}."
        )
    return Condition(key, comparison, parts["value"])


def _path(tx: Tx, raw: object, notes: list[str], *, depth: int) -> FilterPath:
    """A short traversal in a filter; its own filter stands in `args` or beside them, as `filter` or `filters`."""
    parts = _object(raw, _PATH_KEYS, "a traversal in a filter")
    name = catalogue.tool_name(str(parts.get("tool_name", ""))).removeprefix("traversal_")
    if name not in _FOLLOWING:
        raise errors.FilterInvalid(
            f"a filter cannot make the step {name[:60]!r}", hint=f"Use one of {', '.join(_FOLLOWING)}."
        )
    arguments = parts.get("args", {})
    if not isinstance(arguments, dict):
        raise errors.FilterInvalid("args of a traversal in a filter is not an object")
    given = [arguments.get("filter"), parts.get("filter"), parts.get("filters")]
    inner = [raw_filter for raw_filter in given if raw_filter is not None]
    if len(inner) > 1:
        raise errors.FilterInvalid("a traversal in a filter has two filters", hint="Give one, in args.")
    outer = {key: value for key, value in arguments.items() if key != "filter"}
    step = _FOLLOWING[name](tx, _Arguments(name, outer, notes)).step
    return FilterPath(step, _filter(tx, inner[0], notes, depth=depth) if inner else Filter())


def _object(raw: object, keys: set[str], noun: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise errors.FilterInvalid(f"{noun} is not an object")
    if others := raw.keys() - keys:
        raise errors.FilterInvalid(
            f"{noun} has no {min(map(str, others))[:60]!r}", hint=f"It has {', '.join(sorted(keys))}."
        )
    return raw
