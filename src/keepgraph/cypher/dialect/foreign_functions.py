"""Foreign functions: those of other engines that this one lacks are refused, with what means the same here.

In a template `{0}` is the first argument, and `{each}` and `{all}` are variables that the query does not use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from keepgraph.cypher import aggregates, functions
from keepgraph.cypher.syntax import ast, unsupported_clauses
from keepgraph.cypher.syntax.tokenizer import describe_position
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.errors import QueryUnsupported

_MAX_SHOWN = 400
"""A longer expression is not useful advice."""

_NUMBERS = "Compute it with + - * / ^, sqrt(), reduce() and the aggregates."
_TEXTS = "Compare texts with CONTAINS, STARTS WITH, ENDS WITH or =~, and take them apart with split() and substring()."
_LISTS = "Use a list comprehension [x IN list WHERE … | …], reduce(), UNWIND or COLLECT { … }."
_MAPS = "Write a map {key: value}, n {.*, key: value}, or take properties(n) and keys(n)."
_DATES = "Use date(), datetime(), duration() and their components (d.year, d.epochSeconds); they read ISO texts."
_PATHS = "Write a pattern of variable length, MATCH p = (a)-[:TYPE*1..3]->(b), and take nodes(p) and relationships(p)."
_GRAPH = "Count and compare with MATCH, COUNT { … } and aggregates; shortestPath() finds the shortest way."
_SCHEMA = f"labels(n), type(r) and keys(n) show what one has. {unsupported_clauses.LISTS_OF_NAMES}"
_PLACES = (
    "Keep latitude and longitude as properties, and compute kilometres: 12742 * asin(sqrt(haversin(radians(b.lat - "
    "a.lat)) + cos(radians(a.lat)) * cos(radians(b.lat)) * haversin(radians(b.lon - a.lon))))."
)
_VECTORS = "Use `search` to find things by meaning; a query compares names and properties."
_CONVERSIONS = "Convert with toInteger(), toFloat(), toBoolean() and toString(), or with their …OrNull and …List kinds."
_AGGREGATES = "Use count, sum, avg, min, max, collect, stDev, percentileCont or percentileDisc."

_TEMPLATES: Final = {
    "apoc.text.join/2": "substring(reduce({all} = '', {each} IN {0} | {all} + {1} + {each}), size({1}))",
    "apoc.text.capitalize/1": "(toUpper(left({0}, 1)) + substring({0}, 1))",
    "apoc.text.decapitalize/1": "(toLower(left({0}, 1)) + substring({0}, 1))",
    "apoc.text.repeat/2": "reduce({all} = '', {each} IN range(1, {1}) | {all} + {0})",
    "apoc.coll.toset/1": "COLLECT {{ UNWIND {0} AS {each} RETURN DISTINCT {each} }}",
    "apoc.coll.sort/1": "COLLECT {{ UNWIND {0} AS {each} RETURN {each} ORDER BY {each} }}",
    "apoc.coll.sum/1": "reduce({all} = 0, {each} IN {0} | {all} + {each})",
    "apoc.coll.avg/1": "(reduce({all} = 0.0, {each} IN {0} | {all} + {each}) / size({0}))",
    "apoc.coll.max/1": "reduce({all} = head({0}), {each} IN {0} | CASE WHEN {each} > {all} THEN {each} ELSE {all} END)",
    "apoc.coll.min/1": "reduce({all} = head({0}), {each} IN {0} | CASE WHEN {each} < {all} THEN {each} ELSE {all} END)",
    "apoc.coll.contains/2": "({1} IN {0})",
    "apoc.coll.containsall/2": "all({each} IN {1} WHERE {each} IN {0})",
    "apoc.coll.flatten/1": "reduce({all} = [], {each} IN {0} | {all} + {each})",
    "apoc.coll.union/2": "COLLECT {{ UNWIND {0} + {1} AS {each} RETURN DISTINCT {each} }}",
    "apoc.coll.unionall/2": "({0} + {1})",
    "apoc.coll.intersection/2": "COLLECT {{ UNWIND [{all} IN {0} WHERE {all} IN {1}] AS {each} "
    "RETURN DISTINCT {each} }}",
    "apoc.coll.subtract/2": "COLLECT {{ UNWIND [{all} IN {0} WHERE NOT {all} IN {1}] AS {each} "
    "RETURN DISTINCT {each} }}",
    "apoc.coll.removeall/2": "[{each} IN {0} WHERE NOT {each} IN {1}]",
    "apoc.coll.occurrences/2": "size([{each} IN {0} WHERE {each} = {1}])",
    "apoc.coll.reverse/1": "reverse({0})",
    "apoc.coll.pairsmin/1": "[{each} IN range(0, size({0}) - 2) | [{0}[{each}], {0}[{each} + 1]]]",
    "apoc.map.get/2": "{0}[{1}]",
    "apoc.map.get/3": "coalesce({0}[{1}], {2})",
    "apoc.map.values/2": "[{each} IN {1} | {0}[{each}]]",
    "apoc.convert.tointeger/1": "toIntegerOrNull({0})",
    "apoc.convert.tofloat/1": "toFloatOrNull({0})",
    "apoc.convert.tostring/1": "toStringOrNull({0})",
    "apoc.convert.toboolean/1": "toBooleanOrNull({0})",
    "apoc.convert.tomap/1": "properties({0})",
    "apoc.date.currenttimestamp/0": "timestamp()",
    "apoc.date.parse/1": "datetime({0}).epochMillis",
    "apoc.date.format/1": "toString(datetime.fromEpochMillis({0}))",
    "apoc.date.fromiso8601/1": "datetime({0}).epochMillis",
    "apoc.date.toiso8601/1": "toString(datetime.fromEpochMillis({0}))",
    "apoc.path.elements/1": "reduce({all} = [head(nodes({0}))], {each} IN range(0, length({0}) - 1) | "
    "{all} + [relationships({0})[{each}], nodes({0})[{each} + 1]])",
    "apoc.agg.first/1": "head(collect({0}))",
    "apoc.agg.last/1": "last(collect({0}))",
    "apoc.agg.median/1": "percentileCont({0}, 0.5)",
    "apoc.node.degree/1": "COUNT {{ ({0})--() }}",
    "apoc.node.degree.out/1": "COUNT {{ ({0})-->() }}",
    "apoc.node.degree.in/1": "COUNT {{ ({0})<--() }}",
    "apoc.create.uuid/0": "randomUUID()",
    "cosh/1": "((exp({0}) + exp(-({0}))) / 2)",
    "sinh/1": "((exp({0}) - exp(-({0}))) / 2)",
    "tanh/1": "((exp({0}) - exp(-({0}))) / (exp({0}) + exp(-({0}))))",
    "coth/1": "((exp({0}) + exp(-({0}))) / (exp({0}) - exp(-({0}))))",
    "concat/2": "({0} + {1})",
    "concat/3": "({0} + {1} + {2})",
    "contains/2": "({0} CONTAINS {1})",
    "startswith/2": "({0} STARTS WITH {1})",
    "endswith/2": "({0} ENDS WITH {1})",
    "year/1": "date({0}).year",
    "month/1": "date({0}).month",
    "day/1": "date({0}).day",
}

_RENAMED: Final = {
    "apoc.text.tolower": "toLower", "apoc.text.toupper": "toUpper", "apoc.text.split": "split",
    "apoc.text.replace": "replace", "ceiling": "ceil", "ln": "log", "now": "datetime", "current_date": "date",
    "current_timestamp": "datetime", "local_time": "localtime", "local_datetime": "localdatetime",
    "zoned_time": "time", "zoned_datetime": "datetime", "duration_between": "duration.between",
    "path_length": "length", "element_id": "elementId", "collect_list": "collect", "array_agg": "collect",
    "stdev_samp": "stDev", "stdev_pop": "stDevP", "stddev": "stDev", "percentile_cont": "percentileCont",
    "percentile_disc": "percentileDisc", "to_string": "toString", "to_integer": "toInteger",
    "tostr": "toString", "tolowercase": "toLower", "touppercase": "toUpper", "nodeid": "id",
}  # fmt: skip

_HINTS_BY_PREFIX: Final[Mapping[str, str]] = {
    "apoc.text.": _TEXTS,
    "apoc.coll.": _LISTS,
    "apoc.map.": _MAPS,
    "apoc.convert.": _CONVERSIONS,
    "apoc.json.": _MAPS,
    "apoc.date.": _DATES,
    "apoc.temporal.": _DATES,
    "apoc.path.": _PATHS,
    "apoc.algo.": _GRAPH,
    "apoc.node.": _GRAPH,
    "apoc.nodes.": _GRAPH,
    "apoc.rel.": "Use type(r), startNode(r), endNode(r) and properties(r).",
    "apoc.label.": "Write n:Label, or 'Label' IN labels(n).",
    "apoc.agg.": _AGGREGATES,
    "apoc.number.": _NUMBERS,
    "apoc.math.": _NUMBERS,
    "apoc.meta.": _SCHEMA,
    "apoc.schema.": _SCHEMA,
    "apoc.": "APOC is not supported; patterns of variable length, lists and maps replace most of it.",
    "gds.similarity.": _VECTORS,
    "gds.": _GRAPH,
    "algo.": _GRAPH,
    "db.": _SCHEMA,
    "dbms.": _SCHEMA,
    "genai.": _VECTORS,
    "ai.": _VECTORS,
    "vector.": _VECTORS,
    "point.": _PLACES,
    "graph.": "There is only one graph, and every query reads it.",
}

_HINTS_BY_NAME: Final[Mapping[str, str]] = {
    **dict.fromkeys(("point", "distance"), _PLACES),
    **dict.fromkeys(("vector", "vector_distance", "vector_norm", "vector_dimension_count", "embedding"), _VECTORS),
    **dict.fromkeys(("file", "linenumber"), "Queries read only the graph; pass rows as a parameter."),
    **dict.fromkeys(("normalize", "soundex", "levenshtein", "format", "regexp_replace", "instr", "position"), _TEXTS),
    **dict.fromkeys(("string_agg", "group_concat", "listagg"), "Collect the texts, and join them with reduce()."),
    **dict.fromkeys(("datediff", "date_diff"), "Write duration.inDays(from, to).days."),
    **dict.fromkeys(("dateadd", "date_add", "date_sub"), "Write date + duration({days: 1})."),
    **dict.fromkeys(("date_trunc", "date_part", "strftime", "extract_date", "to_date", "todate"), _DATES),
    **dict.fromkeys(("row_number", "rank", "dense_rank", "lag", "lead"), "Order the rows, collect them, and number "
                    "them with range(0, size(list) - 1)."),
    **dict.fromkeys(("cast", "convert", "try_cast"), _CONVERSIONS),
    **dict.fromkeys(("mode", "variance", "var_samp", "var_pop", "median"), _AGGREGATES),
    "filter": "Write a list comprehension: [x IN list WHERE condition].",
    "extract": "Write a list comprehension: [x IN list | result].",
    "has": "Write n.key IS NOT NULL.",
    "property_exists": "Write n.key IS NOT NULL.",
    "isnull": "Write x IS NULL.",
    "notnull": "Write x IS NOT NULL.",
    "iif": "Write CASE WHEN condition THEN value ELSE value END.",
    "if": "Write CASE WHEN condition THEN value ELSE value END.",
    "greatest": "Take the last of a sorted list, or write CASE WHEN a > b THEN a ELSE b END.",
    "least": "Take the first of a sorted list, or write CASE WHEN a < b THEN a ELSE b END.",
    "mod": "Write a % b.",
    "power": "Write a ^ b.",
    "pow": "Write a ^ b.",
    "substr": "Write substring(text, start, length); it counts from 0.",
    "degree": _GRAPH,
    "pagerank": _GRAPH,
    "allreduce": _LISTS,
}  # fmt: skip

_TEMPLATES.update({"mod/2": "({0} % {1})", "power/2": "({0} ^ {1})", "pow/2": "({0} ^ {1})"})
_TEMPLATES.update(
    {"isnull/1": "({0} IS NULL)", "notnull/1": "({0} IS NOT NULL)", "median/1": "percentileCont({0}, 0.5)"}
)
_TEMPLATES.update(
    dict.fromkeys(("greatest/2",), "CASE WHEN {0} > {1} THEN {0} ELSE {1} END")
    | dict.fromkeys(("least/2",), "CASE WHEN {0} < {1} THEN {0} ELSE {1} END")
    | dict.fromkeys(("iif/3", "if/3"), "CASE WHEN {0} THEN {1} ELSE {2} END")
)

_NAMES: Final = frozenset(key.partition("/")[0] for key in _TEMPLATES) | _RENAMED.keys() | _HINTS_BY_NAME.keys()


_OPERATIONS = (ast.Binary, ast.Unary, ast.IsNull, ast.HasLabels, ast.Case)


def refuse(query: ast.Query, text: str) -> None:
    """Refuse functions that only other engines have.

    Raises:
        QueryUnsupported: with the expression that means the same here, where there is one, for the first of them.
    """
    calls = [part for part in walk(query) if isinstance(part, ast.Call) and _is_foreign(part.name)]
    if not calls:
        return
    first = min(calls, key=lambda call: call.span)
    raise QueryUnsupported(
        f"{first.name}() is not known here ({describe_position(text, first.span[0])}).",
        detail="UnknownFunction",
        reason="apoc_unsupported" if first.name.lower().startswith("apoc.") else "function_unsupported",
        span=first.span,
        hint=_advice(first, text),
    )


def _is_foreign(name: str) -> bool:
    """Whether another engine has a function of this name, and this one has not."""
    if functions.find(name) is not None or aggregates.find(name) is not None:
        return False
    lower = name.lower()
    return lower in _NAMES or any(lower.startswith(prefix) for prefix in _HINTS_BY_PREFIX)


def _advice(call: ast.Call, text: str) -> str | None:
    """What to write for a call: its arguments in the template of the function, or else advice in words."""
    lower, count = call.name.lower(), len(call.arguments)
    arguments = [text[slice(*each.span)] for each in call.arguments]
    if lower in _RENAMED:
        written = f"{_RENAMED[lower]}({'DISTINCT ' * call.distinct}{', '.join(arguments)})"
    elif f"{lower}/{count}" in _TEMPLATES and not call.distinct:
        operands = [
            f"({argument})" if isinstance(each, _OPERATIONS) else argument
            for each, argument in zip(call.arguments, arguments, strict=True)
        ]
        written = _TEMPLATES[f"{lower}/{count}"].format(*operands, each="one", all="whole")
    else:
        return _hint(lower)
    return f"Write {written}." if len(written) <= _MAX_SHOWN else _hint(lower)


def _hint(name: str) -> str | None:
    """What to do instead, in words."""
    return _HINTS_BY_NAME.get(name) or next(
        (text for prefix, text in _HINTS_BY_PREFIX.items() if name.startswith(prefix)), None
    )


def procedure_hint(name: str) -> str | None:
    """What to do instead of calling this procedure, in words."""
    lower = name.lower()
    if lower.startswith("db.index.fulltext."):
        return "Write WHERE toLower(n.name) CONTAINS 'ada'; search finds names in other spellings."
    if lower.startswith("db.index.vector."):
        return _VECTORS
    return _hint(lower) if "." in name else None
