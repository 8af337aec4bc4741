"""Empty results: why a query may have found nothing, and what the rows of another query hide.

Unknown words come first; if the graph has every word, then the conditions that no row passes.

A condition fails if dropping it yields rows; the answer says what those rows have instead. After Godfrey, "Minimization
in cooperative response to failing database queries" (1997): a part of the query fails if the query has rows without it.
Short queries probe the graph; what cannot be found in time is left out.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from keepgraph import errors, store
from keepgraph.cypher.interpret import evaluate
from keepgraph.cypher.interpret.evaluate import Row, Run
from keepgraph.cypher.plan import instant_comparisons
from keepgraph.cypher.query_repair import shorten, spelling_key
from keepgraph.cypher.syntax import ast, parser, tree_walk
from keepgraph.cypher.syntax.tokenizer import quote_name, quote_text
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.engine.query import graph_catalogue, query_pipeline
from keepgraph.engine.resolution import resolver
from keepgraph.language.normalisation import Name
from keepgraph.model import GraphEdge, GraphNode
from keepgraph.store.transactions import Tx
from keepgraph.temporal import operations

MAX_CAUSES = 10
_SAMPLE_SIZE = 50
"""How many entities of a type are searched for keys of properties."""

UNKNOWN_LABEL = "unknown_label"
UNKNOWN_TYPE = "unknown_type"
UNKNOWN_PROPERTY = "unknown_property"
NULLS_FIRST = "nulls_first"
NO_SUCH_DIRECTION = "no_such_direction"
FAILING_CONDITION = "failing_condition"

_PROPERTIES = "properties without a column of their own"

MAX_SECONDS = 0.2
"""The time for all probes of one result."""

_MAX_RELAXATIONS = 24
_MAX_FAILING = 3
_MAX_SUGGESTIONS = 5
_MAX_SHOWN = 3
_VALUES_SAMPLED = 50
_MAX_TEXT = 200

_SHARE_OF_TIME = 0.3
"""The part of the remaining time that a probe may take: one with rows finds them soon, others may take long."""

_MIN_SIMILARITY = 0.6
"""The similarity of two words, as difflib measures it, from 0 to 1, from which one is suggested for the other."""

_MIN_PREFIX = 3
"""The length from which a word suggests longer words that begin with it."""

_TESTS = ("=", "<>", "<", "<=", ">", ">=", "IN", "STARTS WITH", "ENDS WITH", "CONTAINS", "=~")
_SEEN = "seen"
_SIGNS_OF_PATTERNS = re.compile(r"\(\?\w+\)|\.\*|\\")
"""What stands around the words in most regular expressions."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A part of a query that leaves no rows, or that no row shows to be useful.

    Attributes:
        kind: one of the constants above.
        written: what the query says.
        message: what is wrong, and what there is.
        near: what has rows instead.
    """

    kind: str
    written: str
    message: str
    near: tuple[str, ...] = ()


def is_empty(rows: Sequence[Row]) -> bool:
    """Whether there are no rows, or a column holds only nulls, zeros, false and empty lists.

    A single boolean may also answer about something that does not exist.
    """
    if not rows or (len(rows) == len(rows[0]) == 1 and isinstance(rows[0][0], bool)):
        return True
    return any(map(is_blank, rows[0])) and any(all(map(is_blank, column)) for column in zip(*rows, strict=True))


def explain(tx: Tx, result: query_pipeline.QueryResult) -> list[Cause]:
    """The possible causes of an empty result, the likeliest first; for any other result, what its rows hide.

    That is properties that nothing has, and nulls sorted first. None if the query got what it asks for, or
    asks for no rows.
    """
    if not is_empty(result.rows):
        properties = result.of_text.get(_PROPERTIES)
        if properties is None:
            known = {"node": graph_catalogue.NODE_COLUMNS, **{kind: names for kind, (_, names, _) in _FIXED.items()}}
            read = _properties_read(result.tree)
            properties = result.of_text[_PROPERTIES] = [(key, kind) for key, kind in read if key not in known[kind]]
        unknown = _distinct(_unknown_properties(_Search(tx, result), properties)) if properties else []
        return unknown or list(_nulls_first(result))
    search = _Search(tx, result)
    tree = result.tree
    unknown = _distinct([*_unknown_names(search, tree), *_unknown_properties(search, _properties_read(tree))])
    return unknown or _distinct(search.failures()) or list(_nulls_first(result))


def _distinct(causes: Iterable[Cause]) -> list[Cause]:
    """The first causes of each kind and text."""
    first: dict[tuple[str, str], Cause] = {}
    for cause in causes:
        first.setdefault((cause.kind, cause.written), cause)
    return list(first.values())[:MAX_CAUSES]


# Words that the graph does not have


def _unknown_names(search: _Search, tree: ast.Query) -> Iterator[Cause]:
    """Labels and relationship types missing from the vocabulary; beside NOT, that may be intended."""
    for part in _affirmed(tree):
        if isinstance(part, ast.NodePattern):
            names, known, noun, kind = part.labels, search.labels, "label", UNKNOWN_LABEL
        elif isinstance(part, ast.HasLabels):  # on a relationship, it tests the type
            names, known, noun, kind = part.labels, [*search.labels, *search.types], "label", UNKNOWN_LABEL
        elif isinstance(part, ast.RelationshipPattern):
            names, known, noun, kind = part.types, search.types, "relationship type", UNKNOWN_TYPE
        else:
            continue
        for name in (name.name for name in _label_names(names) if name.name not in (*known, graph_catalogue.ENTITY)):
            near = similar_words(name, search.labels if kind == UNKNOWN_LABEL else known)
            if kind == UNKNOWN_LABEL and name in search.types:
                alternatives = f"It is a relationship type: write -[:{quote_name(name)}]->."
            else:
                alternatives = _listed("Did you mean", near) or _listed("There are", known)
            yield Cause(kind, name, f"There is no {noun} {name}. {alternatives}", near)


def _affirmed(tree: ast.SyntaxNode) -> Iterator[ast.SyntaxNode]:
    """The nodes of a tree outside any negation."""
    negated: set[int] = set()
    for part in walk(tree):
        if isinstance(part, ast.LabelNot) or (isinstance(part, ast.Unary) and part.operator == "NOT"):
            negated.update(map(id, walk(part)))
        if id(part) not in negated:
            yield part


def _label_names(labels: ast.LabelExpression | None) -> Iterator[ast.LabelName]:
    """The names in a label expression that something must or may have; not those after a `!`."""
    if labels is not None:
        yield from (part for part in _affirmed(labels) if isinstance(part, ast.LabelName))


_PropertyRead = tuple[str, str]
"""The key of a property, and whether it belongs to a 'node', a 'relationship', or is a component of an 'instant'."""

_INSTANTS = {
    key for key, column in {**graph_catalogue.NODE_COLUMNS, **graph_catalogue.EDGE_COLUMNS}.items() if column.is_instant
}


def _properties_read(tree: ast.Query) -> list[_PropertyRead]:
    """The properties of nodes and relationships that a query reads."""
    parts = list(walk(tree))
    kinds = instant_comparisons.graph_variables(parts, {})
    found: dict[_PropertyRead, None] = {}
    for part in parts:
        if isinstance(part, ast.Index) and isinstance(part.index, ast.Literal) and type(part.index.value) is str:
            part = ast.Property(part.subject, part.index.value)
        if isinstance(part, ast.Property):
            of = part.subject
            if isinstance(of, ast.Variable) and of.name in kinds:
                found[part.key, kinds[of.name]] = None
            elif isinstance(of, ast.Property) and of.key in _INSTANTS and isinstance(of.subject, ast.Variable):
                found[part.key, "instant"] = None
        elif isinstance(part, ast.NodePattern | ast.RelationshipPattern):
            kind = "node" if isinstance(part, ast.NodePattern) else "relationship"
            found.update({(key, kind): None for key, _ in entries(part)})
    return list(found)


def _unknown_properties(search: _Search, properties: Iterable[_PropertyRead]) -> Iterator[Cause]:
    """Properties that nothing has."""
    for key, kind in properties:
        if kind in _FIXED:
            noun, known, more = _FIXED[kind]
            if key not in known:
                there_are = _listed("There are", [*sorted(known), *more])
                yield Cause(UNKNOWN_PROPERTY, key, f"{noun} {key}. {there_are}", similar_words(key, known))
        elif key not in graph_catalogue.NODE_COLUMNS and key not in graph_catalogue.LITERAL_PROPERTIES:
            yield from _unknown_property_of_nodes(search, key)


_FIXED: Mapping[str, tuple[str, Collection[str], tuple[str, ...]]] = {
    "relationship": ("Relationships have no property", graph_catalogue.EDGE_COLUMNS.keys(), ("type(r)",)),
    "instant": ("Instants have no component", operations.component_names(), ("date(…)",)),
}
"""The kinds with fixed properties: what to say of an unknown one, the known ones, and what else there is."""


def _unknown_property_of_nodes(search: _Search, key: str) -> Iterator[Cause]:
    keys = {*graph_catalogue.NODE_COLUMNS, *graph_catalogue.LITERAL_PROPERTIES, *_sampled_keys(search.tx)}
    if key in keys:
        return
    node = ast.Variable("n")
    is_there = ast.IsNull(ast.Property(node, key), negated=True)
    pattern = ast.Path(None, None, (ast.NodePattern("n", None, None),), ())
    rows = search.rows([ast.Match(optional=False, paths=(pattern,), condition=is_there)])
    if rows:
        return
    near = similar_words(key, sorted(keys))
    # A large graph leaves no time to look at every node.
    message = f"No node{' that was examined' if rows is None else ''} has a property {key}."
    related = next((name for name in search.types if spelling_key(name) == spelling_key(key)), None)
    if related is not None:
        near = (f"(n)-[:{quote_name(related)}]->(x)", *near)
        message += f" {related} is a relationship type: write {near[0]}."
    else:
        message += f" {_listed('Did you mean', near) or _listed('There are', keys)}"
    yield Cause(UNKNOWN_PROPERTY, key, message, near)


def _sampled_keys(tx: Tx) -> set[str]:
    """The keys of properties that some entities of each type have."""
    return tx.cached(
        ("sampled property keys", tx.group, tx.known_at),
        lambda: {
            key
            for row in store.graph_statistics.used_types(tx)
            for key, _ in store.graph_statistics.property_keys(tx, type_row=row, sample=_SAMPLE_SIZE)
        },
    )


# What the rows of a result hide


def _nulls_first(result: query_pipeline.QueryResult) -> Iterator[Cause]:
    """The value that the first row is sorted by, descending, where it is null: null sorts above all values."""
    final = result.tree.parts[-1].clauses[-1]
    if not isinstance(final, ast.Projection) or not final.order or not final.order[0].descending or not result.rows:
        return
    key = final.order[0].expression
    column = next((item.name for item in final.items if key in (item.expression, ast.Variable(item.name))), None)
    if column is None or result.rows[0][result.columns.index(column)] is not None:
        return
    written = shorten(result.text[slice(*key.span)])
    clause = "MATCH" if isinstance(key, ast.Property) else "WITH"
    yield Cause(
        NULLS_FIRST,
        written,
        f"{written} is null in the first row: DESC puts null first. "
        f"To leave null out, write {clause} … WHERE {written} IS NOT NULL.",
        (f"{written} IS NOT NULL",),
    )


def _listed(opening: str, words: Iterable[str]) -> str:
    """ "Did you mean …?", "There are …."; nothing if there are none."""
    words = sorted(words) if isinstance(words, set | frozenset) else list(words)
    if not words:
        return ""
    shown = ", ".join(words[:12]) + (" …" if len(words) > 12 else "")
    return f"{opening} {shown}{'?' if opening.startswith('Did') else '.'}"


_Part = ast.NodePattern | ast.RelationshipPattern
_Filtering = ast.Match | ast.Projection


@dataclass(frozen=True, slots=True)
class _Condition:
    """A condition of a clause, or a hop.

    Attributes:
        written: what the query says.
        expression: None for a hop.
        about: the expression that it is about, whose values the rows without it show; None for none.
        wanted: the constant that this is compared with.
        name: how the message calls what it is about.
        near: of a hop, the same with its arrow reversed.
    """

    written: str
    expression: ast.Expression | None = None
    about: ast.Expression | None = None
    wanted: ast.Expression | None = None
    name: str = ""
    near: str = ""


class _Search:
    """The search for what fails in one query, by short queries that share one time limit.

    Attributes:
        labels, types: those that a query may name, except inverse types.
    """

    def __init__(self, tx: Tx, result: query_pipeline.QueryResult) -> None:
        self.tx = tx
        self.labels, self.types = graph_catalogue.words(tx)
        self._end = time.monotonic() + MAX_SECONDS
        self._ran_out_of_time = False
        self._result = result
        values = list(chain.from_iterable(result.rows))
        self._found_nothing = all(map(is_blank, values)) or (len(values) == 1 and isinstance(values[0], bool))

    def rows(
        self,
        clauses: Sequence[ast.Clause],
        columns: Sequence[ast.Expression] = (ast.Literal(1),),
        *,
        limit: int = 1,
        distinct: bool = False,
        of_all_times: bool = False,
    ) -> list[Row] | None:
        """The first rows of clauses of the query; None if time runs out or they fail."""
        seconds = (self._end - time.monotonic()) * _SHARE_OF_TIME
        if seconds <= 0:
            self._ran_out_of_time = True
            return None
        items = tuple(
            ast.ProjectionItem(column, f"column {number}", has_alias=True) for number, column in enumerate(columns)
        )
        projection = ast.Projection(
            is_return=True, distinct=distinct, star=False, items=items, order=(), skip=None, limit=ast.Literal(limit)
        )
        query = ast.Query((ast.SingleQuery((*clauses, projection)),), ())
        try:
            return query_pipeline.run_tree(
                self.tx,
                query,
                self._result.text,
                self._result.parameters,
                rows=limit,
                seconds=seconds,
                of_all_times=of_all_times,
            )
        except errors.QueryTooSlow:
            self._ran_out_of_time = True
        except errors.QueryError:
            pass
        return None

    def failures(self) -> list[Cause]:
        """The conditions that no row passes; if time runs out, the clauses that may drop rows."""
        parts = parser.parse(self._result.text).parts
        failing = [cause for part in parts for cause in self._failures(part.clauses)]
        dropping = [clause for part in parts for clause in part.clauses[:-1] if _may_drop_rows(clause)]
        if dropping and not failing and self._found_nothing and self._ran_out_of_time:
            written = shorten(self._result.text[dropping[0].span[0] : dropping[-1].span[1]])
            message = "Nothing matches this; there was no time to find out which part fails."
            return [Cause(FAILING_CONDITION, written, message)]
        return failing

    def _failures(self, clauses: Sequence[ast.Clause]) -> list[Cause]:
        """What fails in the first clause after which there are no rows."""
        last = clauses[-1]
        skip = last.skip if isinstance(last, ast.Projection) else None
        dropping = [index for index, clause in enumerate(clauses[:-1]) if _may_drop_rows(clause)]
        for index in dropping if self._found_nothing else ():
            # Finding out that there are no rows takes as long as the query did: skip it for the last clause.
            is_known = not self._result.rows and index == dropping[-1] and not any(map(_may_cut, clauses[index:]))
            if is_known or self.rows(clauses[: index + 1]) == []:
                return self._failures_in(clauses[:index], clauses[index])
        if not self._result.rows:
            return [Cause(FAILING_CONDITION, f"SKIP {self._written(skip)}", "SKIP skips all rows.")] if skip else []
        for index, clause in enumerate(clauses):
            for required in _optional_clauses(clause):
                before = [*clauses[:index], *required[:-1]]
                if self.rows([*clauses[:index], *required]) == []:
                    return self._failures_in(before, required[-1])
        return []

    def _failures_in(self, before: Sequence[ast.Clause], clause: ast.Clause) -> list[Cause]:
        if isinstance(clause, ast.Unwind):
            # CALL { … } unwinds the rows of a query.
            parts = clause.source.query.parts if isinstance(clause.source, ast.Subquery) else ()
            inner = [cause for part in parts for cause in self._failures((*before, *part.clauses))]
            written = self._written(clause)
            return inner or [Cause(FAILING_CONDITION, written, f"{written} gives no rows.")]
        bare, conditions = self._apart(clause)
        failing = self._ended(before, bare, conditions)
        failing = failing or self._explained(before, self._relaxations(clause, bare, conditions))
        if failing or self._ran_out_of_time:
            return failing
        message = "No row passes all these conditions together."
        return self._failing_hop(before, clause) or [Cause(FAILING_CONDITION, self._written(clause), message)]

    def _explained(self, before: Sequence[ast.Clause], relaxed: Iterator[tuple[_Filtering, _Condition]]) -> list[Cause]:
        """What fails, by relaxations that have rows, up to the first with something near, which may have been meant."""
        failing: list[Cause] = []
        for clause, condition in islice(relaxed, _MAX_RELAXATIONS):
            if self.rows([*before, clause]):
                failing.append(self._cause(before, clause, condition))
                if failing[-1].near or len(failing) == _MAX_FAILING:
                    break
        return failing

    def _cause(self, before: Sequence[ast.Clause], clause: _Filtering, failing: _Condition) -> Cause:
        """The message about a condition without which there are rows, with the values that those have."""
        written = failing.written
        if failing.near:
            message = f"Nothing matches {written}; with the arrow reversed there are rows: {failing.near}."
            return Cause(NO_SUCH_DIRECTION, written, message, (failing.near,))
        message = f"No row passes {written}; without it there are rows"
        if failing.about is None:
            return Cause(FAILING_CONDITION, written, f"{message}.")
        rows = self.rows([*before, clause], [failing.about], limit=_VALUES_SAMPLED, distinct=True) or []
        values = [value for row in rows for value in (row[0] if isinstance(row[0], list) else [row[0]])]
        values.sort(key=lambda value: (value is None, value if isinstance(value, str) else ""))
        similar = self._similar_values(before, clause, failing, values)
        shown = list(dict.fromkeys(filter(None, map(_literal, similar or values))))
        if shown:
            message += f", where {failing.name} is {', '.join(shown[:_MAX_SHOWN])}"
            message += " …" * (len(shown) > _MAX_SHOWN)
        return Cause(FAILING_CONDITION, written, f"{message}.", similar)

    def _similar_values(
        self, before: Sequence[ast.Clause], clause: _Filtering, failing: _Condition, values: Sequence[Any]
    ) -> tuple[str, ...]:
        """The values in rows without a condition that resemble the text it asks for."""
        about = failing.about
        for text in self._texts(failing.wanted):
            lower = [ast.Call("toLower", (each,)) for each in (about, ast.Literal(text)) if each is not None]
            conditions: list[ast.Expression] = [ast.Binary("CONTAINS", lower[0], lower[1])]
            if isinstance(about, ast.Property) and about.key in ("name", "id") and text == text.strip():
                names = tuple(map(ast.Literal, self._resolved(text, about.key)))
                conditions.append(ast.Binary("IN", about, ast.ListLiteral(names)))
            for condition in conditions:
                rows = self.rows(
                    [*before, _with_condition(clause, condition)],
                    [about or condition],
                    limit=_MAX_SUGGESTIONS,
                    distinct=True,
                )
                found = tuple(row[0] for row in rows or () if isinstance(row[0], str) and row[0] != text)
                if found:
                    return found
            if similar := similar_words(text, [value for value in values if isinstance(value, str)]):
                return similar
        return ()

    def _resolved(self, text: str, key: str) -> list[str]:
        """What fuzzy resolution finds for a name, or nearly; without embedding it, which takes too long."""
        if time.monotonic() > self._end:
            return []
        tx = self.tx
        resolution = resolver.resolve(replace(tx, settings=replace(tx.settings, steps=("fuzzy",))), Name(text))
        found = [resolution.entity] if resolution.entity else []
        found += [candidate.entity for candidate in resolution.candidates]
        return [entity.id if key == "id" else entity.name for entity in found][:_MAX_SUGGESTIONS]

    def _texts(self, constant: ast.Expression | None) -> list[str]:
        """The texts that a constant is, or holds if it is a list."""
        if constant is None:
            return []
        no_graph: Any = None
        run = Run(no_graph, self._result.parameters, self.tx.now, lambda work: None)
        try:
            value = evaluate.build_evaluator(constant, evaluate.NO_COLUMNS)((), run)
        except errors.QueryError:
            return []
        texts = value if isinstance(value, list) else [value]
        words = [_SIGNS_OF_PATTERNS.sub("", text) for text in texts if isinstance(text, str)]
        return [text for text in words if text.strip() and len(text) <= _MAX_TEXT]

    def _ended(self, before: Sequence[ast.Clause], bare: _Filtering, conditions: Sequence[_Condition]) -> list[Cause]:
        """The pattern itself, where it matches only facts that do not hold now."""
        named = _with_conditions(bare, conditions)
        edges = [
            ast.Property(ast.Variable(part.variable or ""), "valid_to")
            for part in _parts(named)
            if isinstance(part, ast.RelationshipPattern) and part.length is None
        ]
        if not edges:
            return []
        rows = self.rows([*before, named], [ast.Call("max", (edge,)) for edge in edges], of_all_times=True)
        at = self.tx.at
        ended = [end for end in (rows[0] if rows else ()) if isinstance(end, str) and end <= at]
        if not ended:
            return []
        message = (
            f"The facts that match this have ended, the last one on {max(ended)[:10]}; a query sees current facts. "
            "To see them, use as_of with an earlier day."
        )
        return [Cause(FAILING_CONDITION, self._written(bare), message)]

    def _failing_hop(self, before: Sequence[ast.Clause], clause: _Filtering) -> list[Cause]:
        """The shortest beginning of a pattern that matches nothing."""
        paths = clause.paths if isinstance(clause, ast.Match) else ()
        for number, path in enumerate(paths):
            for hops in range(len(path.relationships) + 1):
                start = replace(path, nodes=path.nodes[: hops + 1], relationships=path.relationships[:hops])
                shorter = ast.Match(optional=False, paths=(*paths[:number], start), condition=None)
                if path.shortest and hops < len(path.relationships):
                    continue
                if self.rows([*before, shorter]) == []:
                    written = shorten(self._result.text[path.nodes[0].span[0] : path.nodes[hops].span[1]])
                    behind = " in the rows so far" if before else ""
                    return [Cause(FAILING_CONDITION, written, f"Nothing matches {written}{behind}.")]
        return []

    def _relaxations(
        self, clause: _Filtering, bare: _Filtering, conditions: Sequence[_Condition]
    ) -> Iterator[tuple[_Filtering, _Condition]]:
        """The clause with each arrow reversed, and without each condition."""
        for path in clause.paths if isinstance(clause, ast.Match) else ():
            yield from self._turned(clause, path)
        for condition in conditions:
            if isinstance(condition.expression, ast.PatternPredicate):
                yield from self._turned(clause, condition.expression.pattern)
            yield _with_conditions(bare, [other for other in conditions if other is not condition]), condition

    def _turned(self, clause: _Filtering, path: ast.Path) -> Iterator[tuple[_Filtering, _Condition]]:
        """The clause with one arrow of a pattern reversed, for each."""
        for number, edge in enumerate(path.relationships):
            if edge.direction != "both":
                arrow = self._written(edge)
                other = f"<{arrow[:-1]}" if edge.direction == "out" else f"{arrow[1:]}>"
                ends = self._written(path.nodes[number]), self._written(path.nodes[number + 1])
                turned = replace(edge, direction="in" if edge.direction == "out" else "out")
                yield _with_parts(clause, {id(edge): turned}), _Condition(arrow.join(ends), near=other.join(ends))

    def _apart(self, clause: _Filtering) -> tuple[_Filtering, list[_Condition]]:
        """A clause without conditions, and its conditions: those of its WHERE, of its pattern, labels and types."""
        conditions = self._conjuncts(clause.condition)
        of_labels = []
        bare_parts: dict[int, ast.SyntaxNode] = {}
        for number, part in enumerate(_parts(clause)):
            if isinstance(part, ast.RelationshipPattern) and part.length is not None:
                continue  # its conditions apply to each step
            variable = ast.Variable(part.variable or f"{_SEEN} {number}")
            conditions += self._conjuncts(part.condition)
            for key, value in entries(part):
                equal = ast.Binary("=", ast.Property(variable, key), value)
                conditions.append(_Condition(f"{{{key}: {self._written(value)}}}", equal, *_subject(equal), key))
            rest = None if isinstance(part.properties, ast.MapLiteral) else part.properties
            if isinstance(part, ast.NodePattern):
                labels, noun, function = part.labels, "label", "labels"
                bare_parts[id(part)] = ast.NodePattern(variable.name, None, rest)
            else:
                # An inverse type matches from the other end, which a condition cannot.
                named = [each for each in walk(part.types) if isinstance(each, ast.LabelName)] if part.types else []
                is_stored = all(each.name in self.types for each in named)
                labels, noun, function = part.types if is_stored else None, "type", "type"
                kept = None if is_stored else part.types
                bare_parts[id(part)] = ast.RelationshipPattern(variable.name, kept, part.direction, rest, None)
            if labels is not None:
                test, about = ast.HasLabels(variable, labels), ast.Call(function, (variable,))
                of_labels.append(_Condition(f"the {noun} in {self._written(part)}", test, about, None, f"the {noun}"))
        return replace(_with_parts(clause, bare_parts), condition=None), [*conditions, *of_labels]

    def _conjuncts(self, condition: ast.Expression | None) -> list[_Condition]:
        """The parts of a condition that are joined by AND."""
        conjuncts = []
        for each in tree_walk.split_conjunction(condition):
            about, wanted = _subject(each)
            name = ("the label" if isinstance(each, ast.HasLabels) else self._written(about)) if about else ""
            conjuncts.append(_Condition(self._written(each), each, about, wanted, name))
        return conjuncts

    def _written(self, node: ast.SyntaxNode) -> str:
        return shorten(self._result.text[slice(*node.span)])


def _subject(condition: ast.Expression) -> tuple[ast.Expression | None, ast.Expression | None]:
    """The expression that a condition is about, and the constant it is compared with; None for neither."""
    if isinstance(condition, ast.Unary):
        return _subject(condition.operand)
    if isinstance(condition, ast.IsNull):
        return condition.operand, None
    if isinstance(condition, ast.HasLabels):
        return ast.Call("labels", (condition.subject,)), None
    if not isinstance(condition, ast.Binary):
        return None, None
    if condition.operator == "OR":
        return _subject(condition.left)
    sides = condition.left, condition.right
    constant = [not tree_walk.free_variables(side) for side in sides]
    if condition.operator not in _TESTS or constant[0] == constant[1]:
        return None, None
    return (sides[1], sides[0]) if constant[0] else sides


def _literal(value: Any) -> str:
    """A value as Cypher writes it, with nodes and relationships abbreviated; empty for a list or a map."""
    if isinstance(value, str):
        return quote_text(shorten(value))
    if isinstance(value, GraphNode):
        return f"(:{quote_name(value.labels[0])})"
    if isinstance(value, GraphEdge):
        return f"[:{quote_name(value.type)}]"
    return json.dumps(value) if value is None or isinstance(value, bool | int | float) else ""


def _with_conditions(clause: _Filtering, conditions: Iterable[_Condition]) -> _Filtering:
    expressions = [condition.expression for condition in conditions if condition.expression is not None]
    return _with_condition(clause, *expressions)


def _with_condition(clause: _Filtering, *conditions: ast.Expression) -> _Filtering:
    return replace(
        clause, condition=tree_walk.join_conjunction([*tree_walk.split_conjunction(clause.condition), *conditions])
    )


def _may_drop_rows(clause: ast.Clause) -> bool:
    if isinstance(clause, ast.Match):
        return not clause.optional
    return isinstance(clause, ast.Unwind) or clause.condition is not None


def _optional_clauses(clause: ast.Clause) -> Iterator[list[ast.Clause]]:
    """What a clause may look for without finding it, as clauses that must: OPTIONAL MATCH, patterns of values."""
    if isinstance(clause, ast.Match):
        if clause.optional:
            yield [replace(clause, optional=False)]
    elif isinstance(clause, ast.Projection):
        for part in walk(clause):
            if isinstance(part, ast.PatternPredicate | ast.PatternPath | ast.PatternComprehension):
                condition = part.condition if isinstance(part, ast.PatternComprehension) else None
                yield [ast.Match(optional=False, paths=(part.pattern,), condition=condition)]
            elif isinstance(part, ast.Subquery):
                for query in part.query.parts:
                    found = [
                        inner for inner in query.clauses if not (isinstance(inner, ast.Projection) and inner.is_return)
                    ]
                    if found:
                        yield found


def _may_cut(clause: ast.Clause) -> bool:
    """Whether SKIP or LIMIT may leave no row."""
    if not isinstance(clause, ast.Projection):
        return False
    keeps_one = clause.limit is None or (isinstance(clause.limit, ast.Literal) and clause.limit.value != 0)
    return clause.skip is not None or not keeps_one


def entries(part: ast.NodePattern | ast.RelationshipPattern) -> tuple[tuple[str, ast.Expression], ...]:
    """The properties that a part of a pattern asks for, with their values."""
    return part.properties.entries if isinstance(part.properties, ast.MapLiteral) else ()


def _parts(clause: _Filtering) -> list[_Part]:
    return (
        [part for path in clause.paths for part in tree_walk.pattern_parts(path)]
        if isinstance(clause, ast.Match)
        else []
    )


def _with_parts(clause: _Filtering, parts: Mapping[int, ast.SyntaxNode]) -> _Filtering:
    """The clause with some of its nodes replaced, by identity: equal ones may stand elsewhere."""
    return tree_walk.rewrite(clause, lambda node: parts.get(id(node)))


def is_blank(value: Any) -> bool:
    return value is None or value == [] or value == 0


def similar_words(written: str, known: Iterable[str]) -> tuple[str, ...]:
    """Words with nearly the same letters, in any spelling, nearest first; then words that begin with this one."""
    from difflib import get_close_matches

    words_by_key: dict[str, list[str]] = defaultdict(list)
    for word in known:
        words_by_key[spelling_key(word)].append(word)
    written_key = spelling_key(written)[:100]
    similar = get_close_matches(written_key, words_by_key, n=3, cutoff=_MIN_SIMILARITY)
    longer = [key for key in words_by_key if len(written_key) >= _MIN_PREFIX and key.startswith(written_key)]
    return tuple(word for key in dict.fromkeys([*similar, *longer]) for word in words_by_key[key])[:_MAX_SUGGESTIONS]
