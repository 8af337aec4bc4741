"""Empty results: why a query may have found nothing, and what the rows of another query hide.

Unknown words come first; if the graph has every word, then the conditions that no row passes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from keepgraph import store
from keepgraph.cypher.interpret.evaluate import Row
from keepgraph.cypher.plan import instant_comparisons
from keepgraph.cypher.repair.foreign_syntax import quote_name, shorten, spelling_key
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.engine.query import failing_conditions, graph_catalogue, query_pipeline
from keepgraph.engine.query.failing_conditions import Cause, Probe, is_blank, similar_words
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

_PROPERTIES = "properties without a column of their own"


def is_empty(rows: Sequence[Row]) -> bool:
    """Whether there are no rows, or a column holds only nulls, zeros, false and empty lists.

    A single boolean may also answer about something that does not exist.
    """
    if not rows or (len(rows) == len(rows[0]) == 1 and isinstance(rows[0][0], bool)):
        return True
    return any(map(is_blank, rows[0])) and any(all(map(is_blank, column)) for column in zip(*rows, strict=True))


def explain(tx: Tx, result: query_pipeline.QueryResult) -> list[Cause]:
    """The possible causes of an empty result, the likeliest first; for any other result, what its rows hide.

    That is properties that nothing has, and nulls sorted first. None where the query got what it asks for, or
    asks for no rows.
    """
    if not is_empty(result.rows):
        properties = result.of_text.get(_PROPERTIES)
        if properties is None:
            known = {"node": graph_catalogue.NODE_COLUMNS, **{kind: names for kind, (_, names, _) in _FIXED.items()}}
            read = _properties_read(result.tree)
            properties = result.of_text[_PROPERTIES] = [(key, kind) for key, kind in read if key not in known[kind]]
        unknown = _distinct(_unknown_properties(Probe(tx), properties)) if properties else []
        return unknown or list(_nulls_first(result))
    probe = Probe(tx)
    tree = result.tree
    unknown = _distinct([*_unknown_names(probe, tree), *_unknown_properties(probe, _properties_read(tree))])
    return unknown or _distinct(failing_conditions.Search(probe, result).failures())


def _distinct(causes: Iterable[Cause]) -> list[Cause]:
    """The first causes of each kind and text."""
    first: dict[tuple[str, str], Cause] = {}
    for cause in causes:
        first.setdefault((cause.kind, cause.written), cause)
    return list(first.values())[:MAX_CAUSES]


# Words that the graph does not have


def _unknown_names(probe: Probe, tree: ast.Query) -> Iterator[Cause]:
    """Labels and relationship types missing from the vocabulary; beside NOT, that may be intended."""
    for part in _affirmed(tree):
        if isinstance(part, ast.NodePattern):
            names, known, noun, kind = part.labels, probe.labels, "label", UNKNOWN_LABEL
        elif isinstance(part, ast.HasLabels):  # on a relationship, it tests the type
            names, known, noun, kind = part.labels, [*probe.labels, *probe.types], "label", UNKNOWN_LABEL
        elif isinstance(part, ast.RelationshipPattern):
            names, known, noun, kind = part.types, probe.types, "relationship type", UNKNOWN_TYPE
        else:
            continue
        for name in (name.name for name in _label_names(names) if name.name not in (*known, graph_catalogue.ENTITY)):
            near = similar_words(name, probe.labels if kind == UNKNOWN_LABEL else known)
            if kind == UNKNOWN_LABEL and name in probe.types:
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
            found.update({(key, kind): None for key, _ in failing_conditions.entries(part)})
    return list(found)


def _unknown_properties(probe: Probe, properties: Iterable[_PropertyRead]) -> Iterator[Cause]:
    """Properties that nothing has."""
    for key, kind in properties:
        if kind in _FIXED:
            noun, known, more = _FIXED[kind]
            if key not in known:
                there_are = _listed("There are", [*sorted(known), *more])
                yield Cause(UNKNOWN_PROPERTY, key, f"{noun} {key}. {there_are}", similar_words(key, known))
        elif key not in graph_catalogue.NODE_COLUMNS and key not in graph_catalogue.LITERAL_PROPERTIES:
            yield from _unknown_property_of_nodes(probe, key)


_FIXED: Mapping[str, tuple[str, Collection[str], tuple[str, ...]]] = {
    "relationship": ("Relationships have no property", graph_catalogue.EDGE_COLUMNS.keys(), ("type(r)",)),
    "instant": ("Instants have no component", operations.component_names(), ("date(…)",)),
}
"""The kinds with fixed properties: what to say of an unknown one, the known ones, and what else there is."""


def _unknown_property_of_nodes(probe: Probe, key: str) -> Iterator[Cause]:
    keys = {*graph_catalogue.NODE_COLUMNS, *graph_catalogue.LITERAL_PROPERTIES, *_sampled_keys(probe.tx)}
    if key in keys:
        return
    node = ast.Variable("n")
    is_there = ast.IsNull(ast.Property(node, key), negated=True)
    pattern = ast.Path(None, None, (ast.NodePattern("n", None, None),), ())
    rows = probe.rows([ast.Match(optional=False, paths=(pattern,), condition=is_there)], parameters={})
    if rows:
        return
    near = similar_words(key, sorted(keys))
    # A large graph leaves no time to look at every node.
    message = f"No node{' that was examined' if rows is None else ''} has a property {key}."
    related = next((name for name in probe.types if spelling_key(name) == spelling_key(key)), None)
    if related is not None:
        near = (f"(n)-[:{quote_name(related)}]->(x)", *near)
        message += f" {related} is a relationship type: write {near[0]}."
    else:
        message += f" {_listed('Did you mean', near) or _listed('There are', keys)}"
    yield Cause(UNKNOWN_PROPERTY, key, message, near)


def _sampled_keys(tx: Tx) -> set[str]:
    """The keys of properties that some entities of each type have."""
    return store.fact_changes.cached(
        tx,
        ("sampled property keys", tx.group, tx.known_at),
        lambda: {
            key
            for row in store.graph_statistics.used_types(tx)
            for key, _ in store.graph_statistics.property_keys(tx, type_row=row, sample=_SAMPLE_SIZE)
        },
    )


# What the rows of a result hide


def _nulls_first(result: query_pipeline.QueryResult) -> Iterator[Cause]:
    """The value that the first rows are sorted by, descending, where it is null: null sorts above all values."""
    final = result.tree.parts[-1].clauses[-1]
    if not isinstance(final, ast.Projection) or not final.order or not final.order[0].descending:
        return
    key = final.order[0].expression
    count = len(list(takewhile(lambda row: _is_null(key, final.items, result.columns, row), result.rows)))
    if not count:
        return
    written = shorten(result.text[slice(*key.span)])
    rows = "row" if count == 1 else f"{count} rows"
    clause = "MATCH" if isinstance(key, ast.Property) else "WITH"
    yield Cause(
        NULLS_FIRST,
        written,
        f"{written} is null in the first {rows}: DESC puts null first. "
        f"To leave them out, write {clause} … WHERE {written} IS NOT NULL.",
        (f"{written} IS NOT NULL",),
    )


def _is_null(key: ast.Expression, items: Sequence[ast.ProjectionItem], columns: Sequence[str], row: Row) -> bool:
    """Whether a row of a result shows that its sort expression is null."""
    for item in items:
        if item.expression == key or (isinstance(key, ast.Variable) and key.name == item.name):
            return row[columns.index(item.name)] is None
        if isinstance(key, ast.Property) and key.subject == ast.Variable(item.name):
            value = row[columns.index(item.name)]
            return isinstance(value, GraphNode | GraphEdge) and value.properties.get(key.key) is None
    return False


def _listed(opening: str, words: Iterable[str]) -> str:
    """ "Did you mean …?", "There are …."; nothing where there are none."""
    words = sorted(words) if isinstance(words, set | frozenset) else list(words)
    if not words:
        return ""
    shown = ", ".join(words[:12]) + (" …" if len(words) > 12 else "")
    return f"{opening} {shown}{'?' if opening.startswith('Did') else '.'}"
