"""Parser: a query becomes a syntax tree with the same meaning, or an error that says what to write instead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.cypher.syntax.ast import (
    Binary,
    Call,
    Case,
    CountAll,
    HasLabels,
    Index,
    IsNull,
    LabelAnd,
    LabelName,
    LabelNot,
    LabelOr,
    LabelWildcard,
    Length,
    ListComprehension,
    ListLiteral,
    Literal,
    MapLiteral,
    MapProjection,
    Match,
    NodePattern,
    Parameter,
    Path,
    PatternComprehension,
    PatternPath,
    PatternPredicate,
    Projection,
    ProjectionItem,
    Property,
    Quantifier,
    Query,
    Reduce,
    RelationshipPattern,
    SingleQuery,
    Slice,
    SortKey,
    Subquery,
    Unary,
    Unwind,
    Variable,
)
from keepgraph.cypher.syntax.parser import parse
from keepgraph.errors import QueryError, QueryRefused, QuerySyntaxInvalid, QueryUnsupported

ONE, TWO, THREE = Literal(1), Literal(2), Literal(3)
A, B, C, N, X = (Variable(name) for name in "abcnx")


def expression(text):
    (item,) = parse(f"RETURN {text} AS it").parts[0].clauses[0].items
    return item.expression


def condition(text):
    return parse(f"MATCH (n) WHERE {text} RETURN n").parts[0].clauses[0].condition


def path_of(text):
    (path,) = parse(f"MATCH {text} RETURN 1").parts[0].clauses[0].paths
    return path


def clauses(text):
    (single,) = parse(text).parts
    return single.clauses


def node(variable=None, labels=None, properties=None, where=None):
    return NodePattern(variable, labels, properties, where)


def edge(direction="out", *, variable=None, types=None, properties=None, length=None, where=None):
    return RelationshipPattern(variable, types, direction, properties, length, where)


def way(*parts, variable=None, shortest=None):
    return Path(variable, shortest, parts[::2], parts[1::2])


def named(*names):
    return [LabelName(name) for name in names]


def failure(text):
    with pytest.raises(QueryError) as caught:
        parse(text)
    return caught.value


A_TO_B = way(node("a"), edge(), node("b"))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("1", ONE),
        ("-1", Literal(-1)),
        ("- 1", Literal(-1)),
        ("-9223372036854775808", Literal(-(2**63))),
        ("-0x8000000000000000", Literal(-(2**63))),
        ("9223372036854775807", Literal(2**63 - 1)),
        ("0x2A", Literal(42)),
        ("0o52", Literal(42)),
        ("0", Literal(0)),
        ("1.0", Literal(1.0)),
        (".5", Literal(0.5)),
        ("00.5", Literal(0.5)),
        ("1e9", Literal(1e9)),
        ("6.5E-3", Literal(6.5e-3)),
        ("-0.0", Literal(-0.0)),
        ("TRUE", Literal(True)),
        ("False", Literal(False)),
        ("null", Literal(None)),
        ("'it'", Literal("it")),
        ('"it\'s"', Literal("it's")),
        (r"'a\\b\'c\"d\n\t\r\b\f'", Literal("a\\b'c\"d\n\t\r\b\f")),
        (r"'\u00e9 \U0001F600 \uD83D\uDE00'", Literal("é 😀 😀")),
        ("'a\nb'", Literal("a\nb")),
        ("'// no comment'", Literal("// no comment")),
        ("$name", Parameter("name")),
        ("$1", Parameter("1")),
        ("$`x ``y`", Parameter("x `y")),
        ("größe", Variable("größe")),
        ("नाम", Variable("नाम")),
        ("`a ``b`", Variable("a `b")),
        ("count", Variable("count")),
        ("type", Variable("type")),
        ("end", Variable("end")),
        ("n.order", Property(N, "order")),
        ("n.`a b`.Match", Property(Property(N, "a b"), "Match")),
        ("$p.a", Property(Parameter("p"), "a")),
        ("a[1]", Index(A, ONE)),
        ("a[1..2]", Slice(A, ONE, TWO)),
        ("a[1..]", Slice(A, ONE, None)),
        ("a[..2]", Slice(A, None, TWO)),
        ("a[..]", Slice(A, None, None)),
        ("[]", ListLiteral(())),
        ("[1, [2]]", ListLiteral((ONE, ListLiteral((TWO,))))),
        ("{}", MapLiteral(())),
        ("{a: 1, `b c`: {in: 2}}", MapLiteral((("a", ONE), ("b c", MapLiteral((("in", TWO),)))))),
        ("{\"a\": 1, 'b c': 2}", MapLiteral((("a", ONE), ("b c", TWO)))),
        ("a IN (1, 2)", Binary("IN", A, ListLiteral((ONE, TWO)))),
        ("a IN (b)", Binary("IN", A, B)),
        (
            "n {.a, b: 1, x, .*}",
            MapProjection(N, (("a", Property(N, "a")), ("b", ONE), ("x", X)), True),
        ),
        ("n {}", MapProjection(N, (), False)),
        ("count {.*}", MapProjection(Variable("count"), (), True)),
        ("f()", Call("f", ())),
        ("count(*)", CountAll()),
        ("COUNT( DISTINCT n )", Call("COUNT", (N,), True)),
        ("duration.between(a, b)", Call("duration.between", (A, B))),
        ("n:A", HasLabels(N, LabelName("A"))),
        ("n:A:B", HasLabels(N, LabelAnd(tuple(named("A", "B"))))),
        ("n:A|B", HasLabels(N, LabelOr(tuple(named("A", "B"))))),
        ("(n:A&!B)", HasLabels(N, LabelAnd((LabelName("A"), LabelNot(LabelName("B")))))),
        ("n.x IS NULL", IsNull(Property(N, "x"), False)),
        ("n.x IS NOT NULL", IsNull(Property(N, "x"), True)),
        ("[x IN a]", ListComprehension("x", A, None, None)),
        ("[x IN a WHERE x:B | x]", ListComprehension("x", A, HasLabels(X, LabelName("B")), X)),
        ("[x IN a WHERE (x:B|C) | x]", ListComprehension("x", A, expression("x:B|C"), X)),
        ("[x IN a, b]", ListLiteral((Binary("IN", X, A), B))),
        ("[(a)-->(b) | b]", PatternComprehension(A_TO_B, None, B)),
        (
            "[p = (a)-->(b) WHERE a:C | p]",
            PatternComprehension(
                way(node("a"), edge(), node("b"), variable="p"), HasLabels(A, LabelName("C")), Variable("p")
            ),
        ),
        ("[(a)-->(b), 1]", ListLiteral((PatternPredicate(A_TO_B), ONE))),
        ("all(x IN a WHERE x)", Quantifier("all", "x", A, X)),
        ("SINGLE(x IN a WHERE x)", Quantifier("single", "x", A, X)),
        ("reduce(b = 1, x IN a | b + x)", Reduce("b", ONE, "x", A, Binary("+", B, X))),
        ("CASE WHEN a THEN 1 END", Case(None, ((A, ONE),), None)),
        ("case x when 1 then a when 2 then b else c end", Case(X, ((ONE, A), (TWO, B)), C)),
        ("(a)-->(b)", PatternPredicate(A_TO_B)),
        ("exists((a)-->(b))", PatternPredicate(A_TO_B)),
        ("exists(n.x)", Call("exists", (Property(N, "x"),))),
        (
            "shortestPath((a)-[*]-(b))",
            PatternPath(way(node("a"), edge("both", length=Length(None, None)), node("b"), shortest="shortest")),
        ),
        ("/* one */ 1 // more", ONE),
    ],
)
def test_an_expression_becomes_its_tree(text, tree):
    parsed = expression(text if "//" not in text or "'" in text else text + "\n")

    assert tree == parsed


@pytest.mark.parametrize(
    ("text", "clear"),
    [
        ("a OR b XOR c AND NOT n = x", "a OR (b XOR (c AND (NOT (n = x))))"),
        ("NOT NOT a", "NOT (NOT a)"),
        ("a AND b AND c", "(a AND b) AND c"),
        ("a = b <> c", "(a = b) AND (b <> c)"),
        ("a < b <= c > x", "((a < b) AND (b <= c)) AND (c > x)"),
        ("a = b IN c", "a = (b IN c)"),
        ("a IN b + c", "a IN (b + c)"),
        ("a IN b IN c", "(a IN b) IN c"),
        ("a = b IS NULL", "a = (b IS NULL)"),
        ("a STARTS WITH b + c AND a ends with b", "(a STARTS WITH (b + c)) AND (a ENDS WITH b)"),
        ("a CONTAINS b OR a =~ c", "(a CONTAINS b) OR (a =~ c)"),
        ("a + b IS NULL", "(a + b) IS NULL"),
        ("a - b - c", "(a - b) - c"),
        ("a + b * c % x", "a + ((b * c) % x)"),
        ("a ^ b ^ c", "(a ^ b) ^ c"),
        ("-a ^ b", "(-a) ^ b"),
        ("a ^ -b", "a ^ (-b)"),
        ("a * b ^ c", "a * (b ^ c)"),
        ("-a.x", "-(a.x)"),
        ("-a[1]", "-(a[1])"),
        ("a + b[1]", "a + (b[1])"),
        ("a - -b", "a - (-b)"),
        ("NOT a:B", "NOT (a:B)"),
        ("NOT (a)-->(b) AND c", "(NOT ((a)-->(b))) AND c"),
    ],
)
def test_operators_hold_together_by_their_strength(text, clear):
    assert expression(clear) == expression(text)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("(a) - (b)", Binary("-", A, B)),
        ("(a)-(b)", Binary("-", A, B)),
        ("(a)-[1]", Binary("-", A, ListLiteral((ONE,)))),
        ("(a)-[b]", Binary("-", A, ListLiteral((B,)))),
        ("(a)-[x IN b | x]", Binary("-", A, ListComprehension("x", B, None, X))),
        ("(a) < -(b)", Binary("<", A, Unary("-", B))),
        ("(a)-[b]-(c)", PatternPredicate(way(node("a"), edge("both", variable="b"), node("c")))),
        ("(a)--(b)", PatternPredicate(way(node("a"), edge("both"), node("b")))),
        ("(a)--(1)", Binary("-", A, Unary("-", ONE))),
        ("(a)<--()", PatternPredicate(way(node("a"), edge("in"), node()))),
        ("((a)-->(b))", PatternPredicate(A_TO_B)),
        ("(a {x: 1})", MapProjection(A, (("x", ONE),), False)),
        (
            "({x: 1})-->(b)",
            PatternPredicate(way(node(properties=MapLiteral((("x", ONE),))), edge(), node("b"))),
        ),
    ],
)
def test_brackets_are_a_pattern_only_where_an_arrow_follows(text, tree):
    assert tree == expression(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("()", way(node())),
        ("(n)", way(node("n"))),
        ("(order:Match {where: 1})", way(node("order", LabelName("Match"), MapLiteral((("where", ONE),))))),
        ("(:A:B)", way(node(labels=LabelAnd(tuple(named("A", "B")))))),
        ("(:A|B)", way(node(labels=LabelOr(tuple(named("A", "B")))))),
        ("(:(A|B)&C)", way(node(labels=LabelAnd((LabelOr(tuple(named("A", "B"))), LabelName("C")))))),
        ("(:A|B&C)", way(node(labels=LabelOr((LabelName("A"), LabelAnd(tuple(named("B", "C")))))))),
        ("(:!%)", way(node(labels=LabelNot(LabelWildcard())))),
        ("(n WHERE n.x)", way(node("n", where=Property(N, "x")))),
        ("(n:A WHERE n:B|C)", way(node("n", LabelName("A"), where=expression("n:B|C")))),
        ("(a)-->(b)", A_TO_B),
        ("(a)<--(b)", way(node("a"), edge("in"), node("b"))),
        ("(a)--(b)", way(node("a"), edge("both"), node("b"))),
        ("(a)<-->(b)", way(node("a"), edge("both"), node("b"))),
        ("(a)-[]-(b)", way(node("a"), edge("both"), node("b"))),
        ("(a)<-[r]-(b)", way(node("a"), edge("in", variable="r"), node("b"))),
        ("(a)<-[r]->(b)", way(node("a"), edge("both", variable="r"), node("b"))),
        ("(a) - [ : R ] - > (b)", way(node("a"), edge(types=LabelName("R")), node("b"))),
        ("(a)-[:A|:B|C]->(b)", way(node("a"), edge(types=LabelOr(tuple(named("A", "B", "C")))), node("b"))),
        ("(a)-[:!A]->(b)", way(node("a"), edge(types=LabelNot(LabelName("A"))), node("b"))),
        ("(a)-[{x: 1}]->(b)", way(node("a"), edge(properties=MapLiteral((("x", ONE),))), node("b"))),
        ("(a)-[x WHERE x.x]->(b)", way(node("a"), edge(variable="x", where=Property(X, "x")), node("b"))),
        (
            "(a)-[r:R*1..3 {x: 1}]->(b)",
            way(
                node("a"),
                edge(variable="r", types=LabelName("R"), properties=MapLiteral((("x", ONE),)), length=Length(1, 3)),
                node("b"),
            ),
        ),
        ("p = (a)-->(b)", way(node("a"), edge(), node("b"), variable="p")),
        ("((a)-->(b))", A_TO_B),
        (
            "p = shortestPath((a)-->(b))",
            way(node("a"), edge(), node("b"), variable="p", shortest="shortest"),
        ),
        ("allshortestpaths((a)-->(b))", way(node("a"), edge(), node("b"), shortest="all shortest")),
        ("(a)-->(b)<--(c)", way(node("a"), edge(), node("b"), edge("in"), node("c"))),
    ],
)
def test_a_pattern_becomes_its_tree(text, path):
    assert path == path_of(text)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("*", Length(None, None)),
        ("*2", Length(2, 2)),
        ("*1..3", Length(1, 3)),
        ("*..3", Length(None, 3)),
        ("*1..", Length(1, None)),
        ("*0..", Length(0, None)),
        ("* 1 .. 3", Length(1, 3)),
        ("*..", Length(None, None)),
    ],
)
def test_the_length_of_a_path_has_two_ends(text, length):
    assert length == path_of(f"(a)-[:R{text}]->(b)").relationships[0].length


def test_clauses_become_a_tree():
    parsed = clauses(
        "MATCH (n), (a) WHERE n.x OPTIONAL MATCH (b) UNWIND [1] AS x "
        "WITH DISTINCT *, 1 AS c ORDER BY a, b DESC, c ASCENDING SKIP 1 LIMIT 2 WHERE c "
        "RETURN n, a AS b, count( * ), n.x OFFSET $s;"
    )

    assert (
        Match(False, (way(node("n")), way(node("a"))), Property(N, "x")),
        Match(True, (way(node("b")),), None),
        Unwind(ListLiteral((ONE,)), "x"),
        Projection(
            False,
            True,
            True,
            (ProjectionItem(ONE, "c", True),),
            (SortKey(A, False), SortKey(B, True), SortKey(C, False)),
            ONE,
            TWO,
            C,
        ),
        Projection(
            True,
            False,
            False,
            (
                ProjectionItem(N, "n", False),
                ProjectionItem(A, "b", True),
                ProjectionItem(CountAll(), "count( * )", False),
                ProjectionItem(Property(N, "x"), "n.x", False),
            ),
            (),
            Parameter("s"),
            None,
        ),
    ) == parsed


def test_keywords_are_read_in_any_case():
    assert parse("MATCH (n) WHERE n.x IS NOT NULL RETURN DISTINCT n ORDER BY n DESC LIMIT 1") == parse(
        "mAtch (n) where n.x is Not nuLL return distinct n order By n desc limit 1"
    )


@pytest.mark.parametrize(("text", "all_rows"), [("UNION", False), ("UNION ALL", True), ("union distinct", False)])
def test_union_joins_queries(text, all_rows):
    parsed = parse(f"RETURN 1 AS a {text} RETURN 2 AS a {text} RETURN 3 AS a")

    assert (3, (all_rows, all_rows)) == (len(parsed.parts), parsed.union_all)


BARE = Query((SingleQuery((Match(False, (A_TO_B,), C),)),), ())


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("EXISTS { (a)-->(b) WHERE c }", Subquery("EXISTS", BARE)),
        ("exists { MATCH (a)-->(b) WHERE c }", Subquery("EXISTS", BARE)),
        ("COUNT { (a)-->(b) WHERE c } > 1", Binary(">", Subquery("COUNT", BARE), ONE)),
        ("COLLECT { RETURN 1 }", Subquery("COLLECT", parse("RETURN 1"))),
        (
            "EXISTS { MATCH (a) RETURN a UNION MATCH (b) RETURN b }",
            Subquery("EXISTS", parse("MATCH (a) RETURN a UNION MATCH (b) RETURN b")),
        ),
    ],
)
def test_a_subquery_is_a_pattern_or_a_query(text, tree):
    assert tree == condition(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [("n", "n"), ("`a b`", "a b"), ("n . name", "n . name"), ("(n)", "(n)"), ("1+ /* x */ 1", "1+ /* x */ 1")],
)
def test_without_an_alias_the_name_is_what_was_written(text, name):
    (item,) = clauses(f"RETURN {text} ")[0].items

    assert name == item.name


def test_every_part_knows_its_place():
    text = "MATCH (a:A {x: 1})-[r:R*1..2]->(b) WHERE a.x + 1 < b.y RETURN a, count(b) AS n"
    match, returned = clauses(text)
    path = match.paths[0]
    parts = [match, path, path.nodes[0], path.relationships[0], path.relationships[0].length]
    parts += [match.condition, match.condition.left, returned.items[1], returned.items[1].expression]

    assert [text[slice(*part.span)] for part in parts] == [
        "MATCH (a:A {x: 1})-[r:R*1..2]->(b) WHERE a.x + 1 < b.y",
        "(a:A {x: 1})-[r:R*1..2]->(b)",
        "(a:A {x: 1})",
        "-[r:R*1..2]->",
        "*1..2",
        "a.x + 1 < b.y",
        "a.x + 1",
        "count(b) AS n",
        "count(b)",
    ]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "UnexpectedSyntax"),
        (" // nothing", "UnexpectedSyntax"),
        ("RETURN [, ]", "UnexpectedSyntax"),
        ("RETURN {, }", "UnexpectedSyntax"),
        ("RETURN {1: 2}", "UnexpectedSyntax"),
        ("RETURN {1B2c3e67:1}", "UnexpectedSyntax"),
        ("RETURN {k1#k: 1}", "UnexpectedSyntax"),
        ("RETURN [[[]]", "UnexpectedSyntax"),
        ("RETURN 'open", "UnexpectedSyntax"),
        ("RETURN /* open", "UnexpectedSyntax"),
        ("RETURN `open", "UnexpectedSyntax"),
        ("RETURN ``", "UnexpectedSyntax"),
        ("RETURN $``", "UnexpectedSyntax"),
        (r"RETURN '\x'", "UnexpectedSyntax"),
        ("RETURN 1; RETURN 2", "UnexpectedSyntax"),
        ("RETURN a = NOT b", "UnexpectedSyntax"),
        ("RETURN all(x IN [1])", "UnexpectedSyntax"),
        ("MATCH (n) RETURN n.*", "UnexpectedSyntax"),
        (r"RETURN '\uH'", "InvalidUnicodeLiteral"),
        (r"RETURN '\U00110000'", "InvalidUnicodeLiteral"),
        (r"RETURN '\uD83D'", "InvalidUnicodeLiteral"),
        ("RETURN 42 — 41", "InvalidUnicodeCharacter"),
        ("RETURN a\u2014b", "InvalidUnicodeCharacter"),
        ("RETURN $a\u2014b", "InvalidUnicodeCharacter"),
        ("RETURN '\ud800'", "InvalidUnicodeCharacter"),
        ("RETURN '\0'", "InvalidUnicodeCharacter"),
        ("RETURN 0x", "InvalidNumberLiteral"),
        ("RETURN 0xG", "InvalidNumberLiteral"),
        ("RETURN 0x1x", "InvalidNumberLiteral"),
        ("RETURN 0o8", "InvalidNumberLiteral"),
        ("RETURN 01", "InvalidNumberLiteral"),
        ("RETURN 1e", "InvalidNumberLiteral"),
        ("RETURN 1.", "InvalidNumberLiteral"),
        ("RETURN 9223372h54775808", "InvalidNumberLiteral"),
        ("RETURN 9223372036854775808", "IntegerOverflow"),
        ("RETURN -9223372036854775809", "IntegerOverflow"),
        ("RETURN 2 - 9223372036854775808", "IntegerOverflow"),
        ("RETURN 0x8000000000000000", "IntegerOverflow"),
        ("RETURN " + "9" * 9999, "IntegerOverflow"),
        ("RETURN 1.34E999", "FloatingPointOverflow"),
        ("MATCH (a)-[:R..]->(b) RETURN a", "InvalidRelationshipPattern"),
        ("MATCH (a)-[:R*-2]->(b) RETURN a", "InvalidRelationshipPattern"),
        ("MATCH (a)-[:R*1..-2]->(b) RETURN a", "InvalidRelationshipPattern"),
        ("MATCH (a)-[:R*1.5]->(b) RETURN a", "InvalidRelationshipPattern"),
        ("MATCH (a)-->>(b) RETURN a", "InvalidRelationshipPattern"),
        ("MATCH (n $p) RETURN n", "InvalidParameterUse"),
        ("MATCH ()-[r:R $p]->() RETURN r", "InvalidParameterUse"),
        ("RETURN 1 UNION RETURN 2 UNION ALL RETURN 3", "InvalidClauseComposition"),
        ("MATCH (n)", "InvalidClauseComposition"),
        ("MATCH (n) WITH n", "InvalidClauseComposition"),
        ("RETURN 1 MATCH (n) RETURN n", "InvalidClauseComposition"),
        ("MATCH (n) RETURN n WHERE n.x", "InvalidClauseComposition"),
        ("MATCH (n) ORDER BY n RETURN n", "InvalidClauseComposition"),
        ("RETURN COLLECT { MATCH (n) }", "InvalidClauseComposition"),
    ],
)
def test_what_is_wrong_is_told_by_its_detail(text, detail):
    error = failure(text)

    assert (QuerySyntaxInvalid, "SyntaxError", detail) == (type(error), error.kind, error.detail)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("MATCH (n) RETURN n AS 'x'", "no quotes"),
        ("MATCH (match) RETURN 1", "`match`"),
        ("RETURN “x”", "straight quotes"),
        ("RETURN {a}", "$name"),
        ('{"query": "MATCH (n) RETURN n", "parameters": {}}', "alone as text"),
        ("RETURN 'it''s'", "\\'"),
        ("RETURN filter(x IN [1] WHERE x)", "[x IN list WHERE condition]"),
        ("MATCH p = SHORTEST 2 (a)-->(b) RETURN p", "shortestPath"),
        ("MATCH a-->b RETURN a", "round brackets"),
        ("MATCH (n) WHERE n.x NOT LIKE $name RETURN n", "CONTAINS toLower($part)"),
        ("MATCH (n) WHERE n.x LIKE 'a' + '%' RETURN n", "CONTAINS toLower($part)"),
    ],
)
def test_the_hint_says_what_to_write_instead(text, hint):
    assert hint in failure(text).hint


def test_a_message_names_line_and_column():
    error = failure("MATCH (n)\nWHERE n.x = \nRETURN n")

    assert error.message == "Expected an expression, but found `RETURN` (line 3, column 1)."
    assert error.span == (23, 29)


@pytest.mark.parametrize(("text", "near"), [("MTACH (n) RETURN n", "MATCH"), ("MATCH (n) RETRUN n", "RETURN")])
def test_a_misspelt_keyword_is_recognised(text, near):
    error = failure(text)

    assert near == error.candidates[0]
    assert near in error.hint


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("CREATE (n)", "CREATE"),
        ("merge (n) RETURN n", "MERGE"),
        ("MATCH (n) SET n.x = 1", "SET"),
        ("MATCH (n) DETACH DELETE n", "DETACH"),
        ("MATCH (n) WHERE n.x DELETE n", "DELETE"),
        ("MATCH (n) WITH n REMOVE n.x", "REMOVE"),
        ("MATCH (n) RETURN n CREATE (m)", "CREATE"),
        ("MATCH (n) FOREACH (x IN [1] | SET n.x = x)", "FOREACH"),
        ("LOAD CSV FROM 'x' AS row RETURN row", "LOAD"),
        ("DROP INDEX i", "DROP"),
        ("USE other MATCH (n) RETURN n", "USE"),
        ("MATCH (n) WHERE EXISTS { MATCH (n) SET n.x = 1 } RETURN n", "SET"),
        ("RETURN COUNT { CREATE (n) }", "CREATE"),
        ("MATCH (n) OPTIONAL CALL f() RETURN n", "CALL"),
    ],
)
def test_what_is_no_query_is_refused_by_its_word(text, word):
    error = failure(text)

    assert QueryRefused is type(error)
    assert error.message.startswith(word)
    assert word == text[slice(*error.span)].upper()


@pytest.mark.parametrize("word", ["create", "set", "delete", "call", "load", "show", "on", "do"])
def test_a_word_that_is_refused_as_a_clause_may_be_a_name(word):
    parse(f"MATCH ({word}:{word} {{{word}: 1}}) WHERE {word}.{word} = 1 RETURN {word} AS {word}")


@pytest.mark.parametrize(
    ("name", "rewrite"),
    [
        ("db.labels", "MATCH (n) UNWIND labels(n) AS label RETURN DISTINCT label"),
        ("db.relationshipTypes", "MATCH ()-[r]->() RETURN DISTINCT type(r) AS relationshipType"),
        ("db.propertyKeys", "MATCH (n) UNWIND keys(n) AS propertyKey RETURN DISTINCT propertyKey"),
        ("db.schema.visualization", None),
    ],
)
def test_a_procedure_that_only_reads_is_no_write_and_may_have_a_query_that_does_the_same(name, rewrite):
    error = failure(f"CALL {name}() YIELD x RETURN x")

    assert (QueryUnsupported, rewrite) == (type(error), error.rewrite)
    assert "RETURN DISTINCT type(r)" in error.hint
    if rewrite:
        parse(rewrite)


def test_a_list_of_indexes_is_no_write():
    error = failure("SHOW INDEXES")

    assert (QueryUnsupported, True) == (type(error), "RETURN DISTINCT type(r)" in error.hint)


def test_a_procedure_that_may_write_is_refused():
    assert QueryRefused is type(failure("CALL db.index.list() YIELD x RETURN x"))


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) CALL { MATCH (n) RETURN n } RETURN n",
        "MATCH ((a)-->(b)-->(c)){2} RETURN c",
        "EXPLAIN MATCH (n) RETURN n",
        "MATCH (n) USING INDEX n:A(x) RETURN n",
    ],
)
def test_what_other_dialects_know_is_unsupported_with_a_way_out(text):
    error = failure(text)

    assert QueryUnsupported is type(error)
    assert error.hint != QueryUnsupported.default_hint


DEEP = {
    "round": ("RETURN ", "("),
    "square": ("RETURN ", "["),
    "curly": ("RETURN ", "{a: "),
    "list comprehension": ("RETURN ", "[x IN "),
    "list": ("RETURN ", "[x IN a, "),
    "pattern comprehension": ("RETURN ", "[(a)-->() | "),
    "arrow": ("RETURN ", "(a)-["),
    "pattern": ("RETURN ", "(a)-[:R {x: "),
    "node": ("RETURN ", "(a {x: "),
    "call": ("RETURN ", "a.f("),
    "map projection": ("RETURN ", "n {a: "),
    "index": ("RETURN ", "a["),
    "case": ("RETURN ", "CASE WHEN "),
    "not": ("RETURN ", "NOT "),
    "minus": ("RETURN ", "- "),
    "subquery": ("MATCH (n) WHERE ", "EXISTS { MATCH (n) WHERE "),
    "condition": ("MATCH ", "(n WHERE EXISTS { "),
    "labels": ("MATCH (n:", "("),
    "no label": ("MATCH (n:", "!"),
    "path": ("MATCH ", "("),
    "power": ("RETURN 1", " ^ 1"),
    "sum": ("RETURN 1", " + 1"),
    "comparison": ("RETURN 1", " < 1"),
    "property": ("RETURN a", ".b"),
    "element": ("RETURN a", "[0]"),
    "clauses": ("", "UNWIND [1] AS x "),
    "union": ("RETURN 1", " UNION RETURN 1"),
    "hops": ("MATCH (a)", "-->(b)"),
}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("name", DEEP)
def test_deep_and_long_queries_are_an_error_soon(name):
    """
    Neither a RecursionError nor exponential time, with as many as fit.
    """
    begin, again = DEEP[name]
    error = failure(begin + again * min(5_000, 99_000 // len(again)))

    assert error.detail == "UnexpectedSyntax"


@pytest.mark.parametrize(
    "text",
    [
        "RETURN " + "[" * 40 + "]" * 40,
        "RETURN " + "(" * 90 + "1" + ")" * 90,
        "RETURN " + "[x IN " * 45 + "[1]" + " | x]" * 45,
        "RETURN " + "{a: " * 90 + "1" + "}" * 90,
        "MATCH (n) WHERE " + "EXISTS { MATCH (n) WHERE " * 20 + "true" + " }" * 20 + " RETURN n",
        "MATCH (n) WHERE n.x = 1" + " OR n.x = 1" * 2_000 + " RETURN n",
        "RETURN [" + "1, " * 9_000 + "1]",
    ],
)
def test_what_is_deep_or_long_within_reason_is_read(text):
    parse(text)


def test_a_long_row_of_conditions_says_the_same_in_a_shallow_tree():
    parsed = condition(" OR ".join(f"n.x = {number}" for number in range(1_000)))

    def values(part):
        return values(part.left) + values(part.right) if part.operator == "OR" else [part.right.value]

    def depth(part):
        return 1 + max(depth(part.left), depth(part.right)) if getattr(part, "operator", "") == "OR" else 0

    assert list(range(1_000)) == values(parsed)
    assert depth(parsed) < 25


def test_a_text_that_is_too_long_is_refused():
    assert "100000" in failure("RETURN '" + "x" * 100_000 + "'").message


FRAGMENTS = (
    "MATCH OPTIONAL WHERE RETURN WITH UNWIND AS UNION ALL ORDER BY SKIP LIMIT DISTINCT AND OR NOT IN IS NULL CASE WHEN"
    " THEN ELSE END EXISTS COUNT COLLECT all any reduce shortestPath CREATE CALL n m x.y :A 1 1.5 'a' $p ( ) [ ] { } -"
    " > < = <> <= .. . , | : ; * + / % ^ & ! ` ' \" // /* */ é \0 \ud800 —"
).split(" ")


@given(st.text())
def test_any_text_is_a_query_or_an_error(text):
    _read_or_refuse(text)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map(" ".join))
def test_any_words_are_a_query_or_an_error(text):
    _read_or_refuse(text)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_any_ending_is_a_query_or_an_error(text):
    _read_or_refuse(f"MATCH (n)-[r:R]->(m) WHERE n.x = {text} RETURN n")


def _read_or_refuse(text):
    try:
        outcome = parse(text)
    except QueryError as error:
        outcome = error

    start, end = outcome.span
    assert 0 <= start <= end <= len(text)
    if isinstance(outcome, QueryError):
        assert outcome.hint
        assert outcome.message.endswith(").")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_string_comes_through_its_quotes(text):
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")

    assert Literal(text) == expression(f"'{escaped}'")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_name_comes_through_its_backticks(name):
    quoted = "`" + name.replace("`", "``") + "`"

    assert Property(Variable(name), name) == expression(f"{quoted}.{quoted}")


@given(st.integers(-(2**63), 2**63 - 1))
def test_any_integer_comes_through(number):
    assert Literal(number) == expression(str(number))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_float_comes_through(number):
    assert Literal(number) == expression(repr(number))
