"""Turns expressions into SQL terms that mean exactly the same, or refuses. Knows the block that they stand in.

Three-valued logic is SQL's own for AND, OR, NOT and the comparison of values of one class. Where values of several
classes may meet, they are written 'tagged', so that true is not 1 and 1 is not '1'.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from keepgraph.cypher import functions, value_types
from keepgraph.cypher.interpret import evaluate
from keepgraph.cypher.plan import planner
from keepgraph.cypher.sql import callbacks
from keepgraph.cypher.sql.blocks import Block, Inexpressible, Term
from keepgraph.cypher.sql.callbacks import PREFIX, SCALARS
from keepgraph.cypher.syntax import ast, traversal

if TYPE_CHECKING:
    from keepgraph.cypher.catalogue import Column
    from keepgraph.cypher.plan.algebra import Plan
    from keepgraph.cypher.sql.operators import Emitter

_NUMERIC = value_types.NUMBER | value_types.NULL
_TEXT = value_types.STRING | value_types.NULL
_TRUTH = value_types.BOOLEAN | value_types.NULL
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_UNFIT = re.compile("[\0\ud800-\udfff]")
"""What no text in SQLite may hold: functions see it up to a NUL, and half a character has no bytes."""
_GREATEST = 2**63 - 1
_LONGEST = 100_000
"""How much SQL one expression may be."""


def _class(*terms: Term) -> int:
    """The class that the values of all these terms are of, as SQLite compares them; 0 for none or several.

    A term that is always null is of any class.
    """
    found = reduce(or_, (term.kinds for term in terms)) & ~value_types.NULL
    for one in (value_types.NUMBER, value_types.STRING, value_types.BOOLEAN):
        if found and not found & ~one:
            return one
    return 0


def _plain_class(*terms: Term) -> int:
    """The same, of plain terms; 0 where one is not plain."""
    return _class(*terms) if all(term.form == "plain" for term in terms) else 0


class Expressions:
    """The terms of one query."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter
        self.functions: set[str] = set()

    def term(self, expression: ast.Expression, block: Block) -> Term:
        """The term of an expression.

        Raises:
            Inexpressible: SQL cannot say it exactly.
        """
        write = _OF.get(type(expression))
        if write is None:
            raise Inexpressible
        found = write(self, expression, block)
        if len(found.sql) > _LONGEST:
            # WITH x + x AS x, time and again, would double it each time.
            raise Inexpressible
        return found

    def condition(self, expression: ast.Expression, block: Block) -> str:
        """SQL that is true exactly where the expression is."""
        return self.truth(self.term(expression, block))

    def truth(self, term: Term) -> str:
        """A truth value as 0, 1 or null."""
        if term.always_null:
            return "NULL"
        if _plain_class(term) == value_types.BOOLEAN:
            return term.sql
        if term.form == "tagged":
            sql = term.sql
            return f"CASE {sql} WHEN x'01' THEN 1 WHEN x'00' THEN 0 ELSE iif({sql} IS NULL, NULL, {self.inexact()}) END"
        raise Inexpressible

    def tagged(self, term: Term) -> Term:
        """The term written so that values of any class may stand beside it."""
        if term.form == "tagged":
            return term
        if term.form != "plain":
            raise Inexpressible
        if not term.kinds & value_types.BOOLEAN:
            # The sign takes the column's affinity away, which would make 5 of '5'.
            return replace(term, sql=f"+{term.sql}" if term.sql != "NULL" else "NULL", form="tagged", bag=None)
        if term.kinds & ~_TRUTH:
            raise Inexpressible
        if term.sql in ("TRUE", "FALSE"):
            return replace(term, sql="x'01'" if term.sql == "TRUE" else "x'00'", form="tagged")
        return replace(term, sql=f"CASE {term.sql} WHEN 1 THEN x'01' WHEN 0 THEN x'00' END", form="tagged")

    def call(self, name: str, *arguments: Term) -> str:
        """A call of one of the functions that Python computes."""
        self.functions.add(name)
        return f"{PREFIX}{name}({', '.join(self.tagged(each).sql for each in arguments)})"

    def inexact(self) -> str:
        self.functions.add("inexact")
        return f"{PREFIX}inexact()"

    def _known(self, sql: str, kind: int, *operands: Term) -> Term:
        """A plain term that is null where an operand is."""
        null = value_types.NULL if any(each.kinds & value_types.NULL for each in operands) else 0
        return Term(sql, value_types.Type(kind | null))

    # Leaves

    def _literal(self, expression: ast.Literal, block: Block) -> Term:
        value = expression.value
        if value is None:
            return Term("NULL", value_types.Type(value_types.NULL))
        if isinstance(value, bool):
            # As a digit it would be the number of a column in GROUP BY and ORDER BY.
            return Term("TRUE" if value else "FALSE", value_types.Type(value_types.BOOLEAN))
        kind = (
            value_types.INTEGER
            if isinstance(value, int)
            else value_types.FLOAT
            if isinstance(value, float)
            else value_types.STRING
        )
        return Term(self.emitter.bindings.constant(_bindable(value)), value_types.Type(kind))

    def _parameter(self, expression: ast.Parameter, block: Block) -> Term:
        type_ = self.emitter.parameters.get(expression.name, value_types.UNKNOWN)
        if type_.kinds & ~SCALARS:
            raise Inexpressible
        if type_.kinds == value_types.NULL:
            return Term("NULL", type_)
        return Term(self.emitter.bindings.parameter(expression.name, _bindable), type_)

    def _variable(self, expression: ast.Variable, block: Block) -> Term:
        found = block.columns.get(expression.name)
        if found is None:
            raise Inexpressible
        return found

    def _property(self, expression: ast.Property, block: Block) -> Term:
        subject = self.term(expression.subject, block)
        if subject.form not in ("node", "edge"):
            raise Inexpressible
        key = expression.key
        column = self.emitter.property_column(subject, key)
        nothing = value_types.NULL if subject.nullable or subject.literal else 0
        if subject.form == "node" and subject.literal:
            return self._property_of_either(subject, key, block)
        if column is not None:
            return self._from_column(subject, column, nothing, block)
        return self._from_bag(subject, key, block)

    def _from_column(self, subject: Term, column: Column, nothing: int, block: Block) -> Term:
        """A property with a column of its own, null where there is no row."""
        type_ = value_types.Type(column.kinds | nothing)
        if not column.kinds & value_types.LIST:
            return Term(self.emitter.of_row(block, subject, column.sql), type_)
        table = self.emitter.catalogue.nodes if subject.form == "node" else self.emitter.catalogue.edges
        # A list that is put together is there, and empty, for a row that is not.
        sql = f"CASE WHEN {{row}}.{table.id} IS NOT NULL THEN {column.sql} END" if nothing else column.sql
        return Term(self.emitter.of_row(block, subject, sql), type_, "json")

    def _property_of_either(self, subject: Term, key: str, block: Block) -> Term:
        """A property of a node that may be a literal: its text, or that of the row."""
        literals = self.emitter.catalogue.literals
        text = literals is not None and key in literals.properties
        column = self.emitter.property_column(subject, key)
        own = Term(
            f"substr({subject.sql}, 2)" if text else "NULL", value_types.Type(_TEXT if text else value_types.NULL)
        )
        if subject.codes is not None and not subject.codes:
            return own
        if column is not None:
            of_row = self._from_column(subject, column, value_types.NULL, block)
        else:
            of_row = self._from_bag(subject, key, block)
        if not text:
            return of_row
        form, (one, other) = self._alike([own, of_row])
        return Term(self._of_either(subject, one.sql, other.sql), own.type | of_row.type, form)

    def _from_bag(self, subject: Term, key: str, block: Block) -> Term:
        table = self.emitter.catalogue.nodes if subject.form == "node" else self.emitter.catalogue.edges
        if table.bag is None:
            return Term("NULL", value_types.Type(value_types.NULL))
        if '"' in key or "\\" in key:
            raise Inexpressible
        # Written out, a path finds an index over the expression; letters and digits alone are safe to write.
        path = f"'$.{key}'" if _PLAIN_KEY.match(key) else self.emitter.bindings.constant(f'$."{key}"')
        bag = self.emitter.of_row(block, subject, f"{{row}}.{table.bag}")
        kind = f"json_type({bag}, {path})"
        sql = (
            f"CASE {kind} WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'array' THEN {self.inexact()} "
            f"WHEN 'object' THEN {self.inexact()} ELSE {bag} ->> {path} END"
        )
        return Term(sql, value_types.Type(SCALARS), "tagged", bag=(bag, path))

    # Operators

    def _binary(self, expression: ast.Binary, block: Block) -> Term:
        operator = expression.operator
        if operator == "IN":
            return self._in(expression, block)
        left, right = self.term(expression.left, block), self.term(expression.right, block)
        if operator in ("AND", "OR"):
            return self._known(f"({self.truth(left)} {operator} {self.truth(right)})", value_types.BOOLEAN, left, right)
        if operator == "XOR":
            return self._known(f"(({self.truth(left)}) <> ({self.truth(right)}))", value_types.BOOLEAN, left, right)
        if operator in ("=", "<>"):
            return self._equal(expression, operator, left, right)
        if operator in ("<", "<=", ">", ">="):
            return self._compared(operator, left, right)
        if operator in _TESTS:
            return self._test_of_text(operator, left, right)
        return self._computed(operator, left, right)

    def _equal(self, expression: ast.Binary, operator: str, left: Term, right: Term) -> Term:
        if left.form == right.form and left.form in ("node", "edge"):
            return Term(
                f"({left.sql} {operator} {right.sql})", value_types.Type(value_types.BOOLEAN | left.null | right.null)
            )
        if left.always_null or right.always_null:
            return Term("NULL", value_types.Type(value_types.NULL))
        if _plain_class(left, right):
            return self._known(f"({left.sql} {operator} {right.sql})", value_types.BOOLEAN, left, right)
        for bag, other, written in ((left, right, expression.right), (right, left, expression.left)):
            if (
                bag.bag is not None
                and _plain_class(other) == value_types.NUMBER
                and not isinstance(written, ast.Literal)
            ):
                same = f"({_is_number(bag.bag)} AND {_raw(bag.bag)} = {other.sql})"
                sql = same if operator == "=" else f"(NOT {same})"
                return self._known(sql, value_types.BOOLEAN, bag, other)
            if bag.bag is not None:
                plain = self._plain_equal(bag.bag, other, written, operator)
                if plain is not None:
                    return self._known(plain, value_types.BOOLEAN, bag, other)
        first, second = self.tagged(left), self.tagged(right)
        return self._known(f"({first.sql} {operator} {second.sql})", value_types.BOOLEAN, first, second)

    def _plain_equal(self, bag: tuple[str, str], other: Term, written: ast.Expression, operator: str) -> str | None:
        """A property compared with a constant that nothing but a value of its own class equals.

        As text, a list begins with a bracket and a boolean is 0 or 1; other constants cannot be mistaken.
        """
        value = _raw(bag)
        if isinstance(written, ast.Literal):
            constant = written.value
            mistakable = isinstance(constant, bool) or constant in (0, 1) or _structured(constant)
            return None if mistakable else f"({value} {operator} {other.sql})"
        if isinstance(written, ast.Parameter) and other.kinds == value_types.STRING:
            bound = self.emitter.bindings.parameter(written.name, _unstructured)
            return f"({value} {operator} {bound})"
        return None

    def _compared(self, operator: str, left: Term, right: Term) -> Term:
        if left.always_null or right.always_null:
            return Term("NULL", value_types.Type(value_types.NULL))
        if _plain_class(left, right):
            return self._known(f"({left.sql} {operator} {right.sql})", value_types.BOOLEAN, left, right)
        for bag, other in ((left, right), (right, left)):
            of = _plain_class(other)
            if bag.bag is not None and of in (value_types.NUMBER, value_types.STRING):
                one, two = (_raw(bag.bag), other.sql) if bag is left else (other.sql, _raw(bag.bag))
                test = _is_number(bag.bag) if of == value_types.NUMBER else _is_text(bag.bag)
                return Term(f"CASE WHEN {test} THEN {one} {operator} {two} END", value_types.Type(_TRUTH))
        first, second = self.tagged(left).sql, self.tagged(right).sql
        for term, against in ((left, second), (right, first)):
            if _plain_class(term) == value_types.NUMBER:
                sql = f"CASE WHEN typeof({against}) IN ('integer', 'real') THEN {first} {operator} {second} END"
                return Term(sql, value_types.Type(_TRUTH))
            if _plain_class(term) == value_types.STRING:
                sql = f"CASE WHEN typeof({against}) = 'text' THEN {first} {operator} {second} END"
                return Term(sql, value_types.Type(_TRUTH))
        same = (
            f"(typeof({first}) IN ('integer', 'real')) = (typeof({second}) IN ('integer', 'real'))"
            f" AND (typeof({first}) = 'text') = (typeof({second}) = 'text')"
        )
        return Term(f"CASE WHEN {same} THEN {first} {operator} {second} END", value_types.Type(_TRUTH))

    def _test_of_text(self, operator: str, left: Term, right: Term) -> Term:
        """STARTS WITH and its kind; null where an operand is no string."""
        texts = _plain_class(left, right) == value_types.STRING
        if texts and operator == "CONTAINS":
            return self._known(f"(instr({left.sql}, {right.sql}) > 0)", value_types.BOOLEAN, left, right)
        if texts and operator == "STARTS WITH":
            return self._known(f"(instr({left.sql}, {right.sql}) = 1)", value_types.BOOLEAN, left, right)
        sql = self.call(_TESTS[operator], left, right)
        return Term(sql, value_types.Type(_TRUTH), "tagged")

    def _computed(self, operator: str, left: Term, right: Term) -> Term:
        both = left.kinds | right.kinds
        if both & ~SCALARS:
            raise Inexpressible
        null = both & value_types.NULL
        given = SCALARS
        if not both & ~_NUMERIC:
            whole = not (left.kinds | right.kinds) & value_types.FLOAT and operator != "^"
            given = (value_types.INTEGER if whole else value_types.NUMBER) | null
        elif not both & ~_TEXT and operator == "+":
            given = value_types.STRING | null
        form = "tagged" if given == SCALARS else "plain"
        return Term(self.call(_ARITHMETIC[operator], left, right), value_types.Type(given), form)

    def _in(self, expression: ast.Binary, block: Block) -> Term:
        left = self.term(expression.left, block)
        value = left.form in ("plain", "tagged") and not left.always_null
        if isinstance(expression.right, ast.ListLiteral) and (value or left.form == "node"):
            return self._among(left, [self.term(each, block) for each in expression.right.elements])
        if isinstance(expression.right, ast.Parameter) and value:
            return self._among_parameter(left, expression.right.name)
        raise Inexpressible

    def _among(self, left: Term, elements: list[Term]) -> Term:
        terms = [left, *elements]
        if left.form == "node":
            if not all(each.form == "node" for each in elements):
                raise Inexpressible
            null = reduce(or_, (each.null for each in terms))
            listed = ", ".join(each.sql for each in elements)
            return Term(f"({left.sql} IN ({listed}))", value_types.Type(value_types.BOOLEAN | null))
        _, (first, *others) = self._alike(terms)
        return self._known(f"({first.sql} IN ({', '.join(each.sql for each in others)}))", value_types.BOOLEAN, *terms)

    def _among_parameter(self, left: Term, name: str) -> Term:
        type_ = self.emitter.parameters.get(name, value_types.UNKNOWN)
        inside = type_.element.kinds if type_.element else 0
        if type_.kinds != value_types.LIST or inside & ~(value_types.STRING | value_types.INTEGER):
            raise Inexpressible
        bound = self.emitter.bindings.parameter(name, _as_json)
        first = left if left.form == "plain" and inside and not inside & ~_class(left) else self.tagged(left)
        return self._known(f"({first.sql} IN (SELECT value FROM json_each({bound})))", value_types.BOOLEAN, left)

    def _unary(self, expression: ast.Unary, block: Block) -> Term:
        operand = self.term(expression.operand, block)
        if expression.operator == "NOT":
            return self._known(f"(NOT ({self.truth(operand)}))", value_types.BOOLEAN, operand)
        if operand.form not in ("plain", "tagged") or operand.kinds & ~SCALARS:
            raise Inexpressible
        numeric = _plain_class(operand) == value_types.NUMBER
        if expression.operator == "+" and numeric:
            return operand
        sql = self.call("plus" if expression.operator == "+" else "negate", operand)
        return Term(sql, operand.type if numeric else value_types.Type(_NUMERIC))

    def _is_null(self, expression: ast.IsNull, block: Block) -> Term:
        operand = self.term(expression.operand, block)
        sql = operand.sql if operand.bag is None else f"({operand.bag[0]} ->> {operand.bag[1]})"
        return Term(f"({sql} IS {'NOT ' if expression.negated else ''}NULL)", value_types.Type(value_types.BOOLEAN))

    def _has_labels(self, expression: ast.HasLabels, block: Block) -> Term:
        subject = self.term(expression.subject, block)
        if subject.form == "node":
            sql = self.emitter.labelled(block, subject, (expression.labels,))
            return Term(f"({sql})", value_types.Type(value_types.BOOLEAN | subject.null))
        if subject.form == "edge" and not subject.nullable:
            codes = self.emitter.catalogue.types(expression.labels)
            column = self.emitter.column(block, subject, self.emitter.catalogue.edges.code)
            return Term(f"({self.emitter.among_codes(column, codes, -1)})", value_types.Type(value_types.BOOLEAN))
        raise Inexpressible

    def _case(self, expression: ast.Case, block: Block) -> Term:
        whens = []
        for when, then in expression.branches:
            test = when if expression.subject is None else ast.Binary("=", expression.subject, when)
            whens.append((self.condition(test, block), self.term(then, block)))
        otherwise = ast.Literal(None) if expression.otherwise is None else expression.otherwise
        last = self.term(otherwise, block)
        terms = [term for _, term in whens] + [last]
        if any(term.form not in ("plain", "tagged") for term in terms):
            raise Inexpressible
        form, terms = self._alike(terms)
        both = reduce(or_, (term.kinds for term in terms))
        branches = " ".join(f"WHEN {test} THEN {term.sql}" for (test, _), term in zip(whens, terms, strict=False))
        return Term(f"CASE {branches} ELSE {terms[-1].sql} END", value_types.Type(both), form)

    # Functions

    def _call(self, expression: ast.Call, block: Block) -> Term:
        name = expression.name.lower()
        special = _SPECIAL.get(name)
        if special is not None:
            return special(self, expression, block)
        function = callbacks.expressible(name)
        if function is None:
            raise Inexpressible
        arguments = [self.term(each, block) for each in expression.arguments]
        if any(each.form not in ("plain", "tagged") for each in arguments):
            raise Inexpressible
        sql = self.call(name, *arguments)
        given = function.gives
        if not given & ~_TRUTH:
            return Term(sql, value_types.Type(given), "tagged")
        return Term(sql, value_types.Type(given), "tagged" if given & value_types.BOOLEAN else "plain")

    def _coalesce(self, expression: ast.Call, block: Block) -> Term:
        arguments = [self.term(each, block) for each in expression.arguments]
        if any(each.form not in ("plain", "tagged") for each in arguments):
            raise Inexpressible
        form, terms = self._alike(arguments)
        both = reduce(or_, (each.kinds for each in arguments))
        if not all(each.kinds & value_types.NULL for each in arguments):
            both &= ~value_types.NULL
        listed = ", ".join(each.sql for each in terms)
        sql = f"coalesce({listed})" if len(terms) > 1 else listed
        return Term(sql, value_types.Type(both), form)

    def _alike(self, terms: list[Term]) -> tuple[str, list[Term]]:
        """Terms of which one becomes the value: plain where all are of one class, or else tagged."""
        return ("plain", terms) if _plain_class(*terms) else ("tagged", [self.tagged(each) for each in terms])

    def _id(self, expression: ast.Call, block: Block) -> Term:
        subject = self.term(expression.arguments[0], block)
        if subject.form not in ("node", "edge") or subject.literal:
            raise Inexpressible
        return Term(subject.sql, value_types.Type(value_types.INTEGER | subject.null))

    def _element_id(self, expression: ast.Call, block: Block) -> Term:
        subject = self.term(expression.arguments[0], block)
        if subject.form not in ("node", "edge"):
            raise Inexpressible
        table = self.emitter.catalogue.nodes if subject.form == "node" else self.emitter.catalogue.edges
        own = f"'literal:' || substr({subject.sql}, 2)"
        sql = self._of_either(subject, own, self.emitter.of_row(block, subject, table.public_id))
        return Term(sql, value_types.Type(value_types.STRING | subject.null))

    def _type(self, expression: ast.Call, block: Block) -> Term:
        subject = self.term(expression.arguments[0], block)
        if subject.form != "edge":
            raise Inexpressible
        edges = self.emitter.catalogue.edges
        code = self.emitter.column(block, subject, edges.code)
        sql = code if edges.type_is_code else self._named(code, edges.types)
        return Term(sql, value_types.Type(value_types.STRING | subject.null), stands_for=code)

    def _named(self, code: str, names: Mapping[Any, str]) -> str:
        """The name behind a code."""
        bind = self.emitter.bindings.constant
        cases = " ".join(
            f"WHEN {each if isinstance(each, int) else bind(each)} THEN {bind(name)}" for each, name in names.items()
        )
        return f"CASE {code} {cases} END" if cases else "NULL"

    def _labels(self, expression: ast.Call, block: Block) -> Term:
        """The labels of a node as a JSON list; each combination has one spelling."""
        subject = self.term(expression.arguments[0], block)
        sql = self._by_labels(subject, block, lambda labels: json.dumps(list(labels)))
        type_ = value_types.Type(value_types.LIST | subject.null, value_types.Type(value_types.STRING))
        # Each code has labels of its own.
        code = "" if subject.literal else self.emitter.column(block, subject, self.emitter.catalogue.nodes.code)
        return Term(sql, type_, "labels", stands_for=code)

    def _by_labels(self, subject: Term, block: Block, name: Callable[[Sequence[str]], str | None]) -> str:
        """What the labels of a node are called."""
        if subject.form != "node":
            raise Inexpressible
        nodes, literals = self.emitter.catalogue.nodes, self.emitter.catalogue.literals
        known = {code: name(labels) for code, labels in nodes.labels.items()}
        named = {code: each for code, each in known.items() if each is not None}
        own = name((literals.label,)) if literals is not None else None
        code = self.emitter.column(block, subject, nodes.code)
        bound = "NULL" if own is None else self.emitter.bindings.constant(own)
        return self._of_either(subject, bound, self._named(code, named))

    def _of_either(self, node: Term, of_literal: str, of_row: str) -> str:
        """What is said of a node that may be a literal."""
        return f"iif(typeof({node.sql}) = 'text', {of_literal}, {of_row})" if node.literal else of_row

    def _index(self, expression: ast.Index, block: Block) -> Term:
        """`labels(n)[0]`"""
        listed, place = expression.subject, expression.index
        if not (
            isinstance(listed, ast.Call)
            and listed.name.lower() == "labels"
            and isinstance(place, ast.Literal)
            and type(place.value) is int
        ):
            raise Inexpressible
        return self._label_at(listed, place.value, block)

    def _label_at(self, labels: ast.Call, place: int, block: Block) -> Term:
        subject = self.term(labels.arguments[0], block)

        def at_place(found: Sequence[str]) -> str | None:
            return found[place] if -len(found) <= place < len(found) else None

        sql = self._by_labels(subject, block, at_place)
        nodes = self.emitter.catalogue.nodes
        shown = [at_place(labels) for labels in nodes.labels.values()]
        # Where no two codes have the same label there, the code groups as well.
        alone = not subject.literal and len(set(shown)) == len(shown)
        return Term(
            sql, value_types.Type(_TEXT), stands_for=self.emitter.column(block, subject, nodes.code) if alone else ""
        )

    def _head(self, expression: ast.Call, block: Block) -> Term:
        inner = expression.arguments[0]
        if isinstance(inner, ast.Call) and inner.name.lower() == "labels":
            return self._label_at(inner, 0, block)
        raise Inexpressible

    def _size(self, expression: ast.Call, block: Block) -> Term:
        subject = self.term(expression.arguments[0], block)
        null = subject.kinds & value_types.NULL
        if subject.form in ("json", "labels"):
            return Term(f"json_array_length({subject.sql})", value_types.Type(value_types.INTEGER | null))
        if _plain_class(subject) == value_types.STRING:
            return Term(self.call("size", subject), value_types.Type(value_types.INTEGER | null))
        raise Inexpressible

    def _exists(self, expression: ast.Call, block: Block) -> Term:
        return self._is_null(ast.IsNull(expression.arguments[0], True), block)

    def _end_node(self, expression: ast.Call, block: Block) -> Term:
        subject = self.term(expression.arguments[0], block)
        if subject.form != "edge":
            raise Inexpressible
        start = expression.name.lower() == "startnode"
        return Term(
            subject.start if start else subject.end,
            value_types.Type(value_types.NODE | subject.null),
            "node",
            literal=not start and self.emitter.catalogue.literals is not None,
            nullable=subject.nullable,
        )

    # Subqueries

    def _subquery(self, expression: ast.Subquery, block: Block) -> Term:
        inner = self._inner(planner.plan(expression.query, tuple(block.columns)), block)
        inner = self.emitter.opened(inner)
        if expression.which == "EXISTS":
            return Term(f"EXISTS ({self.emitter.text(inner, ['1'])})", value_types.Type(value_types.BOOLEAN))
        if expression.which == "COUNT":
            return Term(f"({self.emitter.text(inner, ['count(*)'])})", value_types.Type(value_types.INTEGER))
        raise Inexpressible

    def _pattern_predicate(self, expression: ast.PatternPredicate, block: Block) -> Term:
        match = planner.pattern(expression.pattern, None, tuple(block.columns))
        inner = self._inner(match, block)
        return Term(f"EXISTS ({self.emitter.text(inner, ['1'])})", value_types.Type(value_types.BOOLEAN))

    def _pattern_comprehension(self, expression: ast.PatternComprehension, block: Block) -> Term:
        match = planner.pattern(expression.pattern, expression.condition, tuple(block.columns))
        inner = self._inner(match, block)
        inner.columns = {"result": self.term(expression.result, inner)}
        # SQLite takes an aggregate of nothing but outer columns for one of the query around.
        inner = self.emitter.closed(inner)
        sql, element = self._listed(inner.columns["result"])
        text = self.emitter.text(inner, [f"json_group_array({sql})"])
        return Term(f"({text})", value_types.Type(value_types.LIST, element), "json")

    def _inner(self, plan: Plan, block: Block) -> Block:
        """The block of a subquery, which sees the columns of the block around."""
        if block.grouped:
            raise Inexpressible
        return self.emitter.subquery(plan, block.columns)

    # Aggregates, lists, order

    def aggregate(self, call: ast.Call | None, block: Block, *, ordered: bool) -> Term:
        """The term of an aggregate over the rows of a group."""
        if call is None:
            return Term("count(*)", value_types.Type(value_types.INTEGER))
        name = call.name.lower()
        term = self.term(call.arguments[0], block)
        distinct = "DISTINCT " if call.distinct else ""
        if name == "count":
            return self._counted(term, distinct)
        if name == "sum":
            return Term(f"coalesce(sum({distinct}{self._number(term)}), 0)", value_types.Type(value_types.NUMBER))
        if name == "avg":
            return Term(f"avg({distinct}{self._number(term)})", value_types.Type(value_types.FLOAT | value_types.NULL))
        if name in ("min", "max"):
            return self.extreme(name, term)
        if name == "collect" and not ordered:
            return self._collected(term, distinct)
        raise Inexpressible

    def _counted(self, term: Term, distinct: str) -> Term:
        if term.form in ("json", "labels"):
            raise Inexpressible
        # Whether there is a value can be told of lists, too; which ones are equal cannot.
        sql = f"{term.bag[0]} ->> {term.bag[1]}" if term.bag is not None and not distinct else term.sql
        return Term(f"count({distinct}{sql})", value_types.Type(value_types.INTEGER))

    def _collected(self, term: Term, distinct: str) -> Term:
        if term.bag is not None and not distinct:
            # As they lie in the bag, values are JSON already, and read exactly.
            raw = f"group_concat({term.bag[0]} -> {term.bag[1]}) FILTER (WHERE {_raw(term.bag)} IS NOT NULL)"
            return Term(
                f"'[' || coalesce({raw}, '') || ']'", value_types.Type(value_types.LIST, value_types.UNKNOWN), "json"
            )
        sql, element = self._listed(term)
        text = f"json_group_array({distinct}{sql}) FILTER (WHERE {term.sql} IS NOT NULL)"
        if distinct and term.form == "tagged":
            # Written for JSON, true is the same text as 'true'.
            mistakable = f"max(typeof({term.sql}) = 'blob') AND max({term.sql} IN ('true', 'false'))"
            text = f"iif({mistakable}, {self.inexact()}, {text})"
        return Term(text, value_types.Type(value_types.LIST, element), "json")

    def _number(self, term: Term) -> str:
        """A value that is added up, which must be a number or null."""
        if term.form == "plain" and not term.kinds & ~_NUMERIC:
            return term.sql
        if term.form == "tagged":
            sql, refused = term.sql, self.inexact()
            return f"CASE typeof({sql}) WHEN 'text' THEN {refused} WHEN 'blob' THEN {refused} ELSE {sql} END"
        raise Inexpressible

    def extreme(self, name: str, term: Term) -> Term:
        """`min` or `max`. SQLite's order is openCypher's within one class of values, and no further."""
        if _plain_class(term):
            return Term(f"{name}({term.sql})", value_types.Type(term.kinds | value_types.NULL))
        if term.form != "tagged":
            raise Inexpressible
        rank, there = _rank(term.sql), f"FILTER (WHERE {term.sql} IS NOT NULL)"
        alike = f"min({rank}) {there} IS max({rank}) {there}"
        sql = f"iif({alike}, {name}({term.sql}), {self.inexact()})"
        return Term(sql, value_types.Type(term.kinds | value_types.NULL), "tagged")

    def _listed(self, term: Term) -> tuple[str, value_types.Type]:
        """A value as an element of a JSON list."""
        if term.form == "node" or (term.form == "plain" and not term.kinds & value_types.BOOLEAN):
            return term.sql, term.type
        if term.form not in ("plain", "tagged"):
            raise Inexpressible
        sql = self.tagged(term).sql
        boolean = f"json(iif({sql} = x'01', 'true', 'false'))"
        return f"CASE typeof({sql}) WHEN 'blob' THEN {boolean} ELSE {sql} END", term.type

    def elements(self, source: ast.Expression, block: Block) -> tuple[str, value_types.Type]:
        """A list to go through, as JSON, and the type of its elements."""
        if isinstance(source, ast.Parameter):
            type_ = self.emitter.parameters.get(source.name, value_types.UNKNOWN)
            inside = type_.element.kinds if type_.element else 0
            if type_.kinds == value_types.LIST and inside in (value_types.STRING, value_types.INTEGER):
                return self.emitter.bindings.parameter(source.name, _as_json), value_types.Type(inside)
        if isinstance(source, ast.ListLiteral):
            found = [each.value for each in source.elements if isinstance(each, ast.Literal)]
            if len(found) == len(source.elements) and found:
                for one, kind in ((str, value_types.STRING), (int, value_types.INTEGER)):
                    if all(type(each) is one for each in found):
                        return self.emitter.bindings.constant(_as_json(found)), value_types.Type(kind)
        raise Inexpressible

    def order(self, expression: ast.Expression, block: Block, *, descending: bool) -> list[str]:
        """What stands in ORDER BY: openCypher's order, null the greatest."""
        term = self.term(expression, block)
        tail = " DESC NULLS FIRST" if descending else " NULLS LAST"
        if term.form in ("node", "edge") or _plain_class(term):
            return [f"{term.sql}{tail}"]
        if term.always_null:
            return ["NULL"]
        if term.bag is not None:
            refused = self.inexact()
            rank = (
                f"CASE json_type({term.bag[0]}, {term.bag[1]}) WHEN 'text' THEN 0 "
                f"WHEN 'true' THEN 1 WHEN 'false' THEN 1 WHEN 'integer' THEN 2 WHEN 'real' THEN 2 "
                f"WHEN 'array' THEN {refused} WHEN 'object' THEN {refused} "
                f"ELSE 3 END"
            )
            return [f"{rank}{' DESC' if descending else ''}", f"{_raw(term.bag)}{tail}"]
        if term.form == "tagged":
            return [f"{_rank(term.sql)}{' DESC' if descending else ''}", f"{term.sql}{tail}"]
        raise Inexpressible

    def count(self, expression: ast.Expression) -> str:
        """How many rows, for SKIP and LIMIT: a constant that is computed before the statement runs."""
        if isinstance(expression, ast.Literal):
            if type(expression.value) is int and expression.value >= 0:
                return self.emitter.bindings.constant(expression.value)
            raise Inexpressible
        compute = evaluate.value(expression, evaluate.Columns((), _no_subquery))

        def number(parameters: Mapping[str, Any], names: Mapping[str, Any]) -> int:
            found = compute((), _constant_run(parameters))
            if type(found) is not int or not 0 <= found <= _GREATEST:
                raise Inexpressible
            return found

        if _volatile(expression):
            raise Inexpressible
        return self.emitter.bindings.computed(number)


def _raw(bag: tuple[str, str]) -> str:
    """The value at a path of a bag as `->>` gives it: true as 1, a list as its text."""
    return f"{bag[0]} ->> {bag[1]}"


def _is_number(bag: tuple[str, str]) -> str:
    return f"json_type({bag[0]}, {bag[1]}) IN ('integer', 'real')"


def _is_text(bag: tuple[str, str]) -> str:
    return f"json_type({bag[0]}, {bag[1]}) = 'text'"


def _rank(sql: str) -> str:
    """Strings, booleans, numbers, null."""
    return f"CASE typeof({sql}) WHEN 'text' THEN 0 WHEN 'blob' THEN 1 WHEN 'null' THEN 3 ELSE 2 END"


def _structured(value: Any) -> bool:
    return isinstance(value, str) and value[:1] in ("[", "{")


def _unstructured(value: Any) -> Any:
    if _structured(value):
        raise Inexpressible
    return _bindable(value)


def _bindable(value: Any) -> Any:
    if type(value) is int and not -_GREATEST - 1 <= value <= _GREATEST:
        raise Inexpressible
    if type(value) is float and not math.isfinite(value):
        raise Inexpressible
    if type(value) is str and _UNFIT.search(value):
        raise Inexpressible
    return value


def _as_json(value: Any) -> str:
    for each in value:
        _bindable(each)
    return json.dumps(value)


def _no_subquery(plan: Any) -> Any:
    raise AssertionError("the binder allows no subquery here")


def _constant_run(parameters: Mapping[str, Any]) -> Any:
    # What asks the graph or the clock is no constant, and was refused.
    return evaluate.Run(None, parameters, datetime.min, lambda _: None)  # type: ignore[arg-type] # noqa: DTZ901 (nobody looks)


def _volatile(expression: ast.Expression) -> bool:
    """Whether it depends on the clock, on chance or on the graph."""
    if isinstance(expression, ast.Call):
        function = functions.find(expression.name)
        if function is None or function.needs:
            return True
    return any(_volatile(child) for child in traversal.children(expression))


_TESTS = {"STARTS WITH": "starts_with", "ENDS WITH": "ends_with", "CONTAINS": "contains", "=~": "matches"}
_ARITHMETIC = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo", "^": "power"}

_SPECIAL: dict[str, Callable[[Expressions, Any, Any], Term]] = {
    "coalesce": Expressions._coalesce,
    "id": Expressions._id,
    "elementid": Expressions._element_id,
    "type": Expressions._type,
    "labels": Expressions._labels,
    "head": Expressions._head,
    "size": Expressions._size,
    "exists": Expressions._exists,
    "startnode": Expressions._end_node,
    "endnode": Expressions._end_node,
}

_OF: dict[type, Callable[[Expressions, Any, Any], Term]] = {
    ast.Literal: Expressions._literal,
    ast.Parameter: Expressions._parameter,
    ast.Variable: Expressions._variable,
    ast.Property: Expressions._property,
    ast.Binary: Expressions._binary,
    ast.Unary: Expressions._unary,
    ast.IsNull: Expressions._is_null,
    ast.HasLabels: Expressions._has_labels,
    ast.Case: Expressions._case,
    ast.Call: Expressions._call,
    ast.Index: Expressions._index,
    ast.Subquery: Expressions._subquery,
    ast.PatternPredicate: Expressions._pattern_predicate,
    ast.PatternComprehension: Expressions._pattern_comprehension,
}
