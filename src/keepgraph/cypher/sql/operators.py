"""Turns operators into SQL: one block a SELECT, integer keys through the joins, properties where they are asked for.

What SQL cannot say exactly is refused with Inexpressible, before it runs or while it does; Python then says it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Catalogue, Code, Column, Edges, Nodes
from keepgraph.cypher.plan.algebra import (
    Aggregate,
    Argument,
    Distinct,
    EdgeSlot,
    Fetched,
    Filter,
    Limit,
    Match,
    NodeSlot,
    Plan,
    Project,
    Skip,
    Sort,
    Union,
    Unit,
    Unwind,
)
from keepgraph.cypher.plan.join_order import Begin, Step, Sweep, Walk, steps
from keepgraph.cypher.sql.blocks import Bindings, Block, Bound, Inexpressible, Parameters, Term
from keepgraph.cypher.sql.expressions import Expressions
from keepgraph.cypher.syntax import ast, traversal


class Emitter:
    """Writes the SQL of one query."""

    def __init__(self, catalogue: Catalogue, parameters: Parameters, *, lenient: bool = False) -> None:
        """
        Args:
            lenient: leave out conditions of the last match that SQL cannot say, and keep them in `refused`.
        """
        self.lenient = lenient
        self.begin_with: str | None = None
        self.refused: list[ast.Expression] = []
        self.catalogue = catalogue
        self.parameters = parameters
        self.bindings = Bindings()
        self.expressions = Expressions(self)
        self._number = 0

    def read_rows(self, table: Nodes | Edges, columns: Sequence[str], *, one: bool) -> tuple[str, list[Bound]]:
        """Columns of the rows `r` of a table, by the key in the parameter `keys`, or by a JSON list of them."""
        keys = self.bindings.parameter("keys")
        wanted = f"= {keys}" if one else f"IN (SELECT value FROM json_each({keys}))"
        return self.bindings.of(
            f"SELECT {', '.join(columns)} FROM {self.table(table)} AS r WHERE r.{table.id} {wanted}"
        )

    # Operators

    def block(self, plan: Plan, outer: Mapping[str, Term] | None = None) -> Block:
        """The block of an operator and all below it.

        Args:
            outer: the columns of the query around, for a subquery.

        Raises:
            Inexpressible: SQL cannot say it exactly.
        """
        if isinstance(plan, Unit):
            return Block()
        if isinstance(plan, Argument):
            if outer is None:
                raise Inexpressible
            return Block(columns={name: outer[name] for name in plan.columns if name in outer}, correlated=True)
        if isinstance(plan, Union):
            return self._union(plan, self.block(plan.left, outer), self.block(plan.right, outer))
        if isinstance(plan, Fetched):
            raise Inexpressible
        if isinstance(plan, Aggregate) and (node := _grouping_node(plan)) is not None:
            return self._aggregate_by_node(plan, node, outer)
        return self.extended(plan, self.block(plan.input, outer))

    def subquery(self, plan: Plan, outer: Mapping[str, Term]) -> Block:
        """The block of a subquery. It is said as a whole, even where conditions of the match around may be left out."""
        around = self.lenient, self.refused
        self.lenient, self.refused = False, []
        try:
            return self.block(plan, outer)
        finally:
            self.lenient, self.refused = around

    def extended(self, plan: Plan, block: Block) -> Block:
        """The block with one operator more. The block that is given may be changed."""
        if self.refused or type(plan) not in _OF:
            raise Inexpressible
        return _OF[type(plan)](self, plan, block)

    def sweep(self, match: Match) -> Block:
        """All edges of a pattern of one, with both ends."""
        block = Block()
        self._sweep(block, match.edges[0], match)
        return block

    def edges_at(
        self, direction: str, types: ast.LabelExpression | None, node: str, *, literal: bool
    ) -> tuple[Block, Term]:
        """The edges that lead out of a node, or into it; the node is the parameter of this name."""
        codes: frozenset[Code] | None = frozenset() if literal else None
        at = Term(
            self.bindings.parameter(node), value_types.Type(value_types.NODE), "node", literal=literal, codes=codes
        )
        return self._edges_of(Block(), direction, types, at)

    def edges_at_all(self, direction: str, types: ast.LabelExpression | None, nodes: str) -> tuple[Block, Term]:
        """The edges that lead out of rows of the table, or into them; their keys are the list in the parameter."""
        block = Block(sources=[f"json_each({self.bindings.parameter(nodes)}) AS f"], distinct=True)
        return self._edges_of(block, direction, types, Term("f.value", value_types.Type(value_types.NODE), "node"))

    def _edges_of(
        self, block: Block, direction: str, types: ast.LabelExpression | None, node: Term
    ) -> tuple[Block, Term]:
        edge = self._edge(block, EdgeSlot("r", "a", "b", types, direction, None, "r", (), True), direction, node)
        block.where.extend(self._leads_from(edge, node) if direction == "out" else [self._ends_at(edge, node)])
        return block, edge

    def lead_to(self, block: Block, edge: Term, direction: str, node: str, *, literal: bool) -> None:
        """Of edges at a node, those whose other end is the node in the parameter of this name."""
        key = self.bindings.parameter(node)
        if direction == "out":
            at = Term(
                key, value_types.Type(value_types.NODE), "node", literal=literal, codes=frozenset() if literal else None
            )
            block.where.append(self._ends_at(edge, at))
        else:
            block.where.append(f"{edge.row}.{self.catalogue.edges.source} = {key}")

    def _match(self, plan: Match, block: Block) -> Block:
        if plan.paths or any(edge.length is not None or edge.shortest for edge in plan.edges):
            raise Inexpressible
        block = self.opened(block)
        if plan.optional:
            return self._optional(plan, block)
        for node in plan.nodes:
            if node.column in block.columns:
                self._check_labels(block, node)
        laid: list[EdgeSlot] = []
        for step in self._steps(plan):
            if isinstance(step, Begin):
                self._begin(block, step)
            elif isinstance(step, Sweep):
                self._sweep(block, step.edge, plan)
            else:
                self._walk(block, step, plan)
            if not isinstance(step, Begin):
                self._differ(block, step.edge, laid)
                laid.append(step.edge)
        if self.refused:
            # A filter can only come behind the last match.
            raise Inexpressible
        for condition in plan.conditions:
            try:
                block.where.append(self.expressions.condition(condition, block))
            except Inexpressible:
                if not self.lenient:
                    raise
                self.refused.append(condition)
        return block

    def _steps(self, plan: Match) -> list[Step]:
        """The order of a pattern; of one that goes through everything, beginning with the node it is grouped by."""
        order = steps(plan, self.catalogue.estimates, sweeping=True)
        node, self.begin_with = self.begin_with, None
        if node is None or plan.input.columns or any(isinstance(step, Begin) and step.equalities for step in order):
            return order
        slot = next((each for each in plan.nodes if each.column == node), None)
        if slot is None or self.catalogue.literal(slot.labels):
            return order
        first, rows = order[0], self.catalogue.estimates.nodes
        if isinstance(first, Begin) and rows(first.node.labels) < rows(slot.labels):
            return order
        return steps(plan, self.catalogue.estimates, sweeping=True, begin_with=node)

    def _unwind(self, plan: Unwind, block: Block) -> Block:
        block = self.opened(block)
        listed, element = self.expressions.elements(plan.source, block)
        alias = self._alias("u")
        self._join(block, f"json_each({listed}) AS {alias}")
        block.columns[plan.variable] = Term(f"{alias}.value", element)
        return block

    def _filter(self, plan: Filter, block: Block) -> Block:
        block = self.opened(block)
        block.where.append(self.expressions.condition(plan.condition, block))
        return block

    def _project(self, plan: Project, block: Block) -> Block:
        if block.distinct or block.order or block.limit or block.skip:
            bare = all(isinstance(expression, ast.Variable) for _, expression in plan.items)
            if block.distinct or not bare:
                block = self.closed(block)
        elif block.grouped and not all(_is_light(expression) for _, expression in plan.items):
            block = self.closed(block)
        by_name = {name: self.expressions.term(expression, block) for name, expression in plan.items}
        block.columns = {name: by_name[name] for name in plan.columns}
        return block

    def _aggregate(self, plan: Aggregate, block: Block) -> Block:
        ordered = bool(block.order) or block.sorted_before
        # SQLite takes an aggregate of nothing but outer columns for one of the query around.
        block = self.closed(block) if block.correlated else self.opened(block)
        keys = {name: self.expressions.term(expression, block) for name, expression in plan.keys}
        columns = dict(keys)
        for each in plan.aggregates:
            columns[each.column] = self.expressions.aggregate(each.call, block, ordered=ordered)
        block.columns = columns
        block.grouped = True
        block.aggregates = [columns[each.column].sql for each in plan.aggregates]
        block.keys = [self._group_key(term) for term in keys.values()]
        return block

    def _aggregate_by_node(self, plan: Aggregate, node: str, outer: Mapping[str, Term] | None) -> Block:
        """Grouped by properties of one node: first by the node itself, whose key is short and may come in order."""
        self.begin_with = node
        block = self.opened(self.block(plan.input, outer))
        self.begin_with = None
        if self.refused:
            raise Inexpressible
        term = block.columns[node]
        if term.form != "node" or term.literal or block.inline or block.correlated:
            return self._aggregate(plan, block)
        parts: dict[str, Term] = {node: term}
        for each in plan.aggregates:
            parts[each.column] = self.expressions.aggregate(each.call, block, ordered=False)
        row = term.row or block.rows.get(term.sql)
        before = self.catalogue.nodes.sorted_by if row else ()
        block.columns, block.grouped = parts, True
        block.keys = [*(f"{row}.{column}" for column in before), term.sql]
        block = self.closed(block)
        columns = {name: self.expressions.term(expression, block) for name, expression in plan.keys}
        block.keys = [self._group_key(columns[name]) for name, _ in plan.keys]
        for each in plan.aggregates:
            part = block.columns[each.column]
            name = "count" if each.call is None else each.call.name.lower()
            if name in ("min", "max"):
                columns[each.column] = self.expressions.extreme(name, part)
            else:
                columns[each.column] = replace(part, sql=f"sum({part.sql})")
        block.columns, block.grouped = columns, True
        return block

    def _group_key(self, term: Term) -> str:
        if term.form == "json":
            raise Inexpressible
        return term.stands_for or term.sql

    def _distinct(self, plan: Distinct, block: Block) -> Block:
        if block.distinct or block.order or block.limit or block.skip:
            block = self.closed(block)
        if any(term.form == "json" for term in block.columns.values()):
            raise Inexpressible
        block.columns = {name: block.columns[name] for name in plan.columns}
        block.distinct = True
        return block

    def _sort(self, plan: Sort, block: Block) -> Block:
        if block.limit or block.skip or (block.distinct and not all(_is_light(key) for key, _ in plan.keys)):
            block = self.closed(block)
        block.order = [
            part
            for expression, descending in plan.keys
            for part in self.expressions.order(expression, block, descending=descending)
        ]
        return block

    def _skip(self, plan: Skip, block: Block) -> Block:
        if block.limit or block.skip:
            block = self.closed(block)
        block.skip = self.expressions.count(plan.count)
        return block

    def _limit(self, plan: Limit, block: Block) -> Block:
        if block.limit:
            block = self.closed(block)
        block.limit = self.expressions.count(plan.count)
        return block

    def _union(self, plan: Union, left: Block, right: Block) -> Block:
        names = plan.columns
        forms = [self._alike(left.columns[name], right.columns[name]) for name in names]
        for block in (left, right):
            for name, (_, convert) in zip(names, forms, strict=True):
                block.columns[name] = convert(block.columns[name])
        alias = self._alias("s")
        first, second = self.select(left, names), self.select(right, names, outside_of_from=True)
        found = Block(sources=[f"(SELECT * FROM ({first}) UNION ALL {second}) AS {alias}"])
        found.columns = {
            name: replace(term, sql=f"{alias}.c{number}")
            for number, (name, (term, _)) in enumerate(zip(names, forms, strict=True))
        }
        return found

    def _alike(self, one: Term, other: Term) -> tuple[Term, Callable[[Term], Term]]:
        """What the values of both become when they stand in one column, and how."""
        both = one.type | other.type
        if one.form == other.form == "node":
            merged = Term("", both, "node", literal=one.literal or other.literal, nullable=True)
            return merged, lambda term: term
        if one.form == other.form == "plain" and (one.kinds == other.kinds):
            return Term("", both), lambda term: term
        if {one.form, other.form} <= {"plain", "tagged"}:
            return Term("", both, "tagged"), self.expressions.tagged
        raise Inexpressible

    # Steps of a pattern

    def _begin(self, block: Block, step: Begin) -> None:
        catalogue, node = self.catalogue, step.node
        codes, literal = catalogue.codes(node.labels), catalogue.literal(node.labels)
        alias = self._alias("n")
        nodes = catalogue.nodes
        if not literal:
            self._join(block, f"{self.table(nodes)} AS {alias}")
            self._keep(block, nodes.condition, alias)
            self._keep_codes(block, f"{alias}.{nodes.code}", codes, len(nodes.labels))
            key = f"{alias}.{nodes.id}"
            block.rows[key] = alias
            block.columns[node.column] = Term(key, value_types.Type(value_types.NODE), "node", row=alias, codes=codes)
            return
        literals = catalogue.literals
        if literals is None:
            raise Inexpressible
        of_rows, of_texts = self._equal_in_both(block, step)
        texts = self._where(
            f"SELECT DISTINCT '=' || l.{literals.column} AS {nodes.id} FROM {self.table(catalogue.edges)} AS l",
            [self._formatted(literals.condition, "l"), *of_texts],
        )
        if codes:
            rows = self._where(
                f"SELECT r.{nodes.id} FROM {self.table(nodes)} AS r",
                [
                    self._formatted(nodes.condition, "r"),
                    self.among_codes(f"r.{nodes.code}", codes, len(nodes.labels)),
                    *of_rows,
                ],
            )
            texts = f"{rows} UNION ALL {texts}"
        self._join(block, f"({texts}) AS {alias}")
        block.columns[node.column] = Term(
            f"{alias}.{nodes.id}", value_types.Type(value_types.NODE), "node", codes=codes, literal=True
        )

    def _equal_in_both(self, block: Block, step: Begin) -> tuple[list[str], list[str]]:
        """What `node.key = value` says of rows of the table `r` and of literals `l`, so that an index finds them.

        The conditions are said once more of what both give: here they only save rows.
        """
        literals = self.catalogue.literals
        of_rows: list[str] = []
        of_texts: list[str] = []
        for key, expression in step.equalities:
            column = self.catalogue.nodes.columns.get(key)
            try:
                value = self.expressions.term(expression, block)
            except Inexpressible:
                continue
            if value.form != "plain" or value.kinds != value_types.STRING or literals is None:
                continue
            if column is not None and not column.kinds & ~(value_types.STRING | value_types.NULL):
                of_rows.append(f"{column.sql.format(row='r')} = {value.sql}")
            of_texts.append(f"l.{literals.column} = {value.sql}" if key in literals.properties else "FALSE")
        return of_rows, of_texts

    def _sweep(self, block: Block, edge: EdgeSlot, plan: Match) -> None:
        if edge.column in block.columns:
            term = block.columns[edge.column]
            if term.form != "edge" or edge.direction == "both":
                raise Inexpressible
            if term.nullable:
                block.where.append(f"{term.sql} IS NOT NULL")
            self._check_types(block, edge, term)
        else:
            term = self._edge(block, edge)
        start, end = (edge.start, edge.end) if edge.direction == "out" else (edge.end, edge.start)
        literal = self._may_be_literal(plan, end)
        self._bind_node(block, plan, start, term.start, literal=False)
        if not literal and term.row:
            self._keep(block, self.catalogue.edges.to_node, term.row)
        self._bind_node(block, plan, end, self._end_of(term, literal=literal), literal=literal)

    def _walk(self, block: Block, step: Walk, plan: Match) -> None:
        edge, source = step.edge, block.columns[step.source]
        if source.form != "node":
            raise Inexpressible
        if edge.column in block.columns:
            self._walk_known(block, step, source)
            return
        edges = self.catalogue.edges
        target = block.columns.get(step.target) if step.closing else None
        if target is not None and target.form != "node":
            raise Inexpressible
        term = self._edge(block, edge, step.direction, source)
        row = term.row
        literal = self._may_be_literal(plan, step.target) if target is None else target.literal
        if step.direction == "out":
            block.where.extend(self._leads_from(term, source))
            found = self._end_of(term, literal=literal)
            if target is not None:
                block.where.append(self._ends_at(term, target))
            elif not literal:
                self._keep(block, edges.to_node, row)
            other_literal = literal
        elif step.direction == "in":
            block.where.append(self._ends_at(term, source))
            found = term.start
            if target is not None:
                block.where.append(f"{row}.{edges.source} = {target.sql}")
            other_literal = False
        else:
            forwards = self._leads_from(term, source)
            backwards = [self._ends_at(term, source)]
            if target is not None:
                forwards.append(self._ends_at(term, target))
                backwards.append(f"{row}.{edges.source} = {target.sql}")
            elif not literal:
                forwards.extend(filter(None, [self._formatted(edges.to_node, row)]))
            there = f"iif({row}.{edges.source} = {source.sql}, {self._end_of(term, literal=literal)}, {term.start})"
            # A partial index serves a branch of OR only if the branch itself says what the index is for.
            same = self._formatted(edges.condition, row)
            block.where.append(f"({_all([same, *forwards])} OR {_all([same, *backwards])})")
            found, other_literal = there, literal
        if target is None:
            self._bind_node(block, plan, step.target, found, literal=other_literal)

    def _walk_known(self, block: Block, step: Walk, source: Term) -> None:
        """A relationship that an earlier clause has bound, between nodes of which one is bound too."""
        term = block.columns[step.edge.column]
        if term.form != "edge" or not step.closing:
            raise Inexpressible
        self._check_types(block, step.edge, term)
        target = block.columns[step.target]
        forwards = f"({term.start} = {source.sql} AND {term.end} = {target.sql})"
        backwards = f"({term.end} = {source.sql} AND {term.start} = {target.sql})"
        block.where.append({"out": forwards, "in": backwards, "both": f"({forwards} OR {backwards})"}[step.direction])

    def _edge(self, block: Block, edge: EdgeSlot, direction: str = "both", source: Term | None = None) -> Term:
        """Join the edges that may stand here.

        Args:
            direction, source: how they are come to, which tells the index to take.
        """
        edges = self.catalogue.edges
        codes = self.catalogue.types(edge.types)
        alias = self._alias("e")
        index = self._index(direction, source) if codes else ""
        self._join(block, f"{self.table(edges)} AS {alias}{index}")
        self._keep(block, edges.condition, alias)
        # All types are spelled out where the index begins with the type.
        self._keep_codes(block, f"{alias}.{edges.code}", codes, len(edges.types))
        term = self._edge_term(alias, codes)
        block.columns[edge.column] = term
        return term

    def _index(self, direction: str, source: Term | None) -> str:
        """The index to follow edges by; SQLite might take one that lacks columns and go to the table for each edge."""
        edges, literals = self.catalogue.edges, self.catalogue.literals
        name = ""
        if direction == "out":
            name = edges.out_index
        elif direction == "in" and source is not None and not source.literal:
            name = edges.in_index
        elif direction == "in" and source is not None and literals is not None and source.codes == frozenset():
            name = literals.index
        return f" INDEXED BY {name}" if name else ""

    def _edge_term(self, alias: str, codes: frozenset[Code]) -> Term:
        edges = self.catalogue.edges
        bare = Term("", value_types.Type(value_types.RELATIONSHIP), "edge", row=alias, start=f"{alias}.{edges.source}")
        return replace(
            bare,
            sql=f"{alias}.{edges.id}",
            end=self._end_of(bare, literal=self.catalogue.literals is not None),
            codes=codes,
        )

    def _end_of(self, edge: Term, *, literal: bool) -> str:
        """The key of the node that an edge leads to."""
        edges, literals = self.catalogue.edges, self.catalogue.literals
        if edge.row is None:
            return edge.end
        if not literal or literals is None:
            return f"{edge.row}.{edges.target}"
        return f"coalesce({edge.row}.{edges.target}, '=' || {edge.row}.{literals.column})"

    def _leads_from(self, edge: Term, node: Term) -> list[str]:
        """That an edge leads out of a node; with its types, where the index begins with them."""
        edges = self.catalogue.edges
        source = f"{edge.row}.{edges.source} = {node.sql}"
        if not edges.code_leads:
            return [source]
        return [self.among_codes(f"{edge.row}.{edges.code}", edge.codes or frozenset(), -1), source]

    def _ends_at(self, edge: Term, node: Term) -> str:
        """That an edge leads to a node that is bound."""
        edges, literals = self.catalogue.edges, self.catalogue.literals
        row = edge.row
        if row is None:
            return f"{edge.end} = {node.sql}"
        at_node = f"{row}.{edges.target} = {node.sql}"
        if not node.literal or literals is None:
            return at_node
        same = self._formatted(literals.condition, row)
        alone = node.codes is not None and not node.codes
        # The end of a number must not be taken for a text.
        text = f"substr({node.sql}, 2)" if alone else f"iif(typeof({node.sql}) = 'text', substr({node.sql}, 2), NULL)"
        at_text = _all(filter(None, [same, f"{row}.{literals.column} = {text}"]))
        if alone:
            return at_text
        both = self._formatted(edges.condition, row)
        return f"({_all(filter(None, [both, at_node]))} OR {at_text})"

    def _may_be_literal(self, plan: Match, column: str) -> bool:
        return self.catalogue.literal(_slot(plan, column).labels)

    def _bind_node(self, block: Block, plan: Match, column: str, key: str, *, literal: bool) -> None:
        """Give a node of the pattern its key; a node that has one already must be the same."""
        known = block.columns.get(column)
        if known is not None:
            if known.form != "node":
                raise Inexpressible
            block.where.append(f"{known.sql} = {key}")
            return
        block.columns[column] = Term(key, value_types.Type(value_types.NODE), "node", literal=literal)
        self._check_labels(block, _slot(plan, column))

    def _check_labels(self, block: Block, node: NodeSlot) -> None:
        term = block.columns[node.column]
        if term.form != "node":
            raise Inexpressible
        if term.nullable:
            block.where.append(f"{term.sql} IS NOT NULL")
        if not node.labels:
            return
        block.where.append(self.labelled(block, term, node.labels))
        codes = self.catalogue.codes(node.labels)
        block.columns[node.column] = replace(
            block.columns[node.column],
            codes=codes if term.codes is None else term.codes & codes,
            literal=term.literal and self.catalogue.literal(node.labels),
        )

    def labelled(self, block: Block, term: Term, wanted: tuple[ast.LabelExpression, ...]) -> str:
        """That a node has these labels; null for null."""
        nodes = self.catalogue.nodes
        codes, literal = self.catalogue.codes(wanted), self.catalogue.literal(wanted)
        if term.literal and literal and not codes:
            return f"typeof({term.sql}) = 'text'"
        if not term.literal and len(codes) == len(nodes.labels) and not term.nullable:
            return "TRUE"
        test = self.among_codes(self.column(block, term, nodes.code), codes, -1)
        if term.literal and literal:
            return f"(typeof({term.sql}) = 'text' OR {test})"
        if term.literal:
            return f"(typeof({term.sql}) <> 'text' AND {test})"
        if term.nullable:
            return f"iif({term.sql} IS NULL, NULL, {test})"
        return test

    def _check_types(self, block: Block, edge: EdgeSlot, term: Term) -> None:
        if edge.types is None:
            return
        wanted = self.catalogue.types(edge.types)
        if term.codes is not None and term.codes <= wanted:
            return
        block.where.append(self.among_codes(self.column(block, term, self.catalogue.edges.code), wanted, -1))

    def _differ(self, block: Block, edge: EdgeSlot, others: Sequence[EdgeSlot]) -> None:
        """Relationships of one pattern are pairwise different; those of different types are anyway."""
        term = block.columns[edge.column]
        for other in others:
            against = block.columns[other.column]
            if term.codes is None or against.codes is None or term.codes & against.codes:
                block.where.append(f"{term.sql} <> {against.sql}")

    def _optional(self, plan: Match, block: Block) -> Block:
        """A pattern of one step is a left join with all its conditions."""
        order = steps(plan, self.catalogue.estimates)
        if len(order) != 1 or any(edge.column in block.columns for edge in plan.edges):
            raise Inexpressible
        inner = Block(columns=dict(block.columns), inline=True)
        for node in plan.nodes:
            if node.column in inner.columns:
                self._check_labels(inner, node)
        step = order[0]
        if isinstance(step, Begin):
            if self.catalogue.literal(step.node.labels):
                raise Inexpressible
            self._begin(inner, step)
        elif isinstance(step, Walk):
            self._walk(inner, step, plan)
        else:
            raise Inexpressible
        inner.where.extend(self.expressions.condition(condition, inner) for condition in plan.conditions)
        source = inner.sources[0]
        if not block.sources:
            block.sources.append("(SELECT 1)")
        block.sources.append(f"LEFT JOIN {source} ON {_all(inner.where) or 'TRUE'}")
        for name, term in inner.columns.items():
            if name not in block.columns:
                bound = replace(term, nullable=True, type=value_types.Type(term.kinds | value_types.NULL))
                if term.form == "node" and isinstance(step, Walk):
                    bound = replace(bound, sql=self._null_safe(term, inner.columns[step.edge.column]))
                block.columns[name] = bound
        return block

    def _null_safe(self, term: Term, edge: Term) -> str:
        """The key of a node at the far end, null where the edge is."""
        if not term.sql.startswith("iif("):
            return term.sql
        return f"iif({edge.sql} IS NULL, NULL, {term.sql})"

    # Rows of the tables

    def column(self, block: Block, term: Term, name: str) -> str:
        """The SQL of a column of the row that a node or relationship is."""
        return self.of_row(block, term, f"{{row}}.{name}")

    def of_row(self, block: Block, term: Term, template: str) -> str:
        """SQL with `{row}`, of the row that a node or relationship is."""
        table = self.catalogue.nodes if term.form == "node" else self.catalogue.edges
        row = term.row or block.rows.get(term.sql)
        if row is None:
            row = self._alias("n" if term.form == "node" else "e")
            if block.inline or not block.open:
                value = template.format(row=row)
                return f"(SELECT {value} FROM {self.table(table)} AS {row} WHERE {row}.{table.id} = {term.sql})"
            kind = "LEFT JOIN" if term.nullable or term.literal else "CROSS JOIN"
            if not block.sources:
                block.sources.append("(SELECT 1)")
            block.sources.append(f"{kind} {self.table(table)} AS {row} ON {row}.{table.id} = {term.sql}")
            block.rows[term.sql] = row
        return template.format(row=row)

    def table(self, of: Nodes | Edges) -> str:
        """What stands in FROM for the table of nodes or edges."""
        return self._formatted(of.table, None) if "{" in of.table else of.table

    def property_column(self, term: Term, key: str) -> Column | None:
        table = self.catalogue.nodes if term.form == "node" else self.catalogue.edges
        return table.columns.get(key)

    # Text

    def select(self, block: Block, names: Sequence[str], *, outside_of_from: bool = False) -> str:
        """The SELECT of a block, its columns called c0, c1 …; a relationship has two more, with its ends."""
        if block.distinct and not block.columns.keys() <= set(names):
            block = self.closed(block)
        values = []
        for number, name in enumerate(names):
            term = block.columns[name]
            values.append(f"{term.sql} AS c{number}")
            if term.form == "edge":
                values.extend((f"{term.start} AS c{number}s", f"{term.end} AS c{number}e"))
        if outside_of_from and (block.order or block.limit or block.skip):
            return f"SELECT * FROM ({self.text(block, values)})"
        return self.text(block, values)

    def as_read(self, block: Block) -> Block:
        """The block with properties from bags as they lie there, which Python reads exactly, lists and all."""
        if block.distinct or block.grouped:
            return block
        columns = {
            name: term if term.bag is None else replace(term, sql=f"{term.bag[0]} -> {term.bag[1]}", form="value")
            for name, term in block.columns.items()
        }
        return replace(block, columns=columns)

    def text(self, block: Block, values: Sequence[str]) -> str:
        """The SELECT of a block with these values."""
        parts = [f"SELECT {'DISTINCT ' if block.distinct else ''}{', '.join(values) or '1'}"]
        if block.sources:
            parts.append("FROM " + "\n  ".join(block.sources))
        if block.where:
            parts.append("WHERE " + "\n  AND ".join(dict.fromkeys(block.where)))
        if block.keys:
            parts.append("GROUP BY " + ", ".join(block.keys))
        elif block.grouped and not any(each in value for each in block.aggregates for value in values):
            # Where no aggregate is asked for, it is one row all the same.
            parts.append("HAVING count(*) >= 0")
        if block.order:
            parts.append("ORDER BY " + ", ".join(block.order))
        if block.limit or block.skip:
            parts.append(f"LIMIT {block.limit or -1}" + (f" OFFSET {block.skip}" if block.skip else ""))
        return "\n".join(parts)

    def opened(self, block: Block) -> Block:
        """The block as one where rows may still be joined and left out."""
        return block if block.open else self.closed(block)

    def closed(self, block: Block) -> Block:
        """The block as what another begins with."""
        if block.order and not block.limit:
            # Of what is joined to, SQLite forgets the order, unless it has to count.
            block = replace(block, limit="-1")
        names = list(block.columns)
        alias = self._alias("s")
        found = Block(
            sources=[f"({self.select(block, names)}) AS {alias}"],
            sorted_before=bool(block.order) or block.sorted_before,
        )
        for number, name in enumerate(names):
            term = block.columns[name]
            column = f"{alias}.c{number}"
            found.columns[name] = replace(
                term,
                sql=column,
                row=None,
                bag=None,
                stands_for="",
                start=f"{column}s" if term.form == "edge" else "",
                end=f"{column}e" if term.form == "edge" else "",
            )
        return found

    def _join(self, block: Block, source: str) -> None:
        block.sources.append(f"CROSS JOIN {source}" if block.sources else source)

    def _keep(self, block: Block, condition: str, row: str | None) -> None:
        if condition and row:
            block.where.append(self._formatted(condition, row))

    def _keep_codes(self, block: Block, column: str, codes: frozenset[Code], of: int) -> None:
        test = self.among_codes(column, codes, of)
        if test:
            block.where.append(test)

    def among_codes(self, column: str, codes: frozenset[Code], of: int) -> str:
        """That a code is one of these; nothing where these are all there are."""
        if not codes:
            return "FALSE"
        if len(codes) == of:
            return ""
        written = [
            str(code) if isinstance(code, int) else self.bindings.constant(code) for code in sorted(codes, key=str)
        ]
        return f"{column} = {written[0]}" if len(written) == 1 else f"{column} IN ({', '.join(written)})"

    def _formatted(self, condition: str, row: str | None) -> str:
        """A condition of the catalogue for a row, with what it binds."""
        if not condition:
            return ""
        names = {name: self.bindings.name(name) for name in self.catalogue.values if f"{{{name}}}" in condition}
        return condition.format(row=row, **names)

    def _where(self, select: str, conditions: Sequence[str]) -> str:
        found = [condition for condition in conditions if condition]
        return f"{select} WHERE {' AND '.join(found)}" if found else select

    def _alias(self, letter: str) -> str:
        self._number += 1
        return f"{letter}{self._number}"


def _slot(plan: Match, column: str) -> NodeSlot:
    return next(node for node in plan.nodes if node.column == column)


def _all(conditions: Iterator[str] | Sequence[str] | filter[str]) -> str:
    found = [condition for condition in conditions if condition]
    return f"({' AND '.join(found)})" if found else ""


def _grouping_node(plan: Aggregate) -> str | None:
    """The node whose properties are the keys, where groups of it can be put together from parts."""
    subjects = {
        expression.subject.name
        for _, expression in plan.keys
        if isinstance(expression, ast.Property) and isinstance(expression.subject, ast.Variable)
    }
    bare = {expression.name for _, expression in plan.keys if isinstance(expression, ast.Variable)}
    whole = all(isinstance(expression, ast.Property | ast.Variable) for _, expression in plan.keys)
    if len(subjects) != 1 or not whole or not bare <= subjects or not isinstance(plan.input, Match):
        return None
    [node] = subjects
    if all(slot.column != node for slot in _all_nodes(plan.input)):
        return None
    for each in plan.aggregates:
        call = each.call
        if call is not None and (call.distinct or call.name.lower() not in ("count", "sum", "min", "max")):
            return None
    return node


def _all_nodes(plan: Plan) -> Iterator[NodeSlot]:
    while isinstance(plan, Match):
        yield from plan.nodes
        plan = plan.input


def _is_light(expression: ast.Expression) -> bool:
    """Whether an expression over columns asks for nothing that has to be joined."""
    if isinstance(expression, _SEEN_IN_ROWS):
        return False
    return all(_is_light(child) for child in traversal.children(expression))


_SEEN_IN_ROWS = ast.Property | ast.HasLabels | ast.Subquery | ast.PatternPredicate | ast.PatternComprehension

_OF: dict[type, Callable[[Emitter, Any, Block], Block]] = {
    Match: Emitter._match,
    Unwind: Emitter._unwind,
    Filter: Emitter._filter,
    Project: Emitter._project,
    Aggregate: Emitter._aggregate,
    Distinct: Emitter._distinct,
    Sort: Emitter._sort,
    Skip: Emitter._skip,
    Limit: Emitter._limit,
}
