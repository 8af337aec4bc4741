"""Ablation of the rules of names: what each of them carries on the cases that are kept for checking.

    python tests/benchmarks/ablation.py [--all] [FOLDER]

Every function of the modules of names that says yes or no, or that finds something, is switched off by itself: it then
says no, or finds nothing. A rule carries the cases that are right with it and not without it, less those that are
right without it and not with it. Words of a list are read by such functions too (a nickname, an abbreviation), so the
lists are covered by them.

A case is asked again only where the function said or found something when it was asked the first time.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import name_resolution

MODULES = tuple(
    importlib.import_module(f"keepgraph.{name}")
    for name in (
        *(
            f"language.{name}"
            for name in (
                "abbreviations given_names identifiers inflection name_conflicts name_features "
                "name_similarity name_variants opposites paraphrases referring_expressions romanisation "
                "statements typos word_alignment"
            ).split()
        ),
        *(f"engine.resolution.{name}" for name in ("candidates", "embedding", "fuzzy", "resolver")),
    )
)
CACHES = tuple(
    each
    for name, module in list(sys.modules.items())
    if name.startswith(("keepgraph.language", "keepgraph.engine.resolution"))
    for each in vars(module).values()
    if hasattr(each, "cache_info") and each.cache_info().maxsize
)
MAX_SHARE = 0.25
"""A function that says something in more of the cases than this is no special case, and is left out."""

MIN_CARRIED = 2
"""At least this many cases a rule has to carry to stay (CONTRIBUTING.md)."""


@dataclass(frozen=True)
class Rule:
    """A function that can be switched off, and what it returns then."""

    module: ModuleType
    name: str
    off: Any = field(compare=False)

    @property
    def title(self) -> str:
        return f"{self.module.__name__.removeprefix('keepgraph.')}.{self.name}"


@dataclass(frozen=True)
class Carried:
    """What becomes of the cases without a rule: right answers lost and gained, and false answers more and fewer.

    A right answer is also none where none should be found; a false one is a wrong entity, or one where none should be.
    """

    rule: Rule
    asked: int
    lost: int
    gained: int
    more_false: int
    fewer_false: int

    @property
    def net(self) -> int:
        return self.lost - self.gained


def rules() -> Iterator[Rule]:
    """The functions of the modules that say yes or no, or find something, by what they are annotated to return."""
    for module in MODULES:
        for name, function in vars(module).items():
            # A function with a cache is an object with `__wrapped__`.
            if getattr(function, "__module__", None) != module.__name__ or not callable(function):
                continue
            returned = inspect.get_annotations(getattr(function, "__wrapped__", function)).get("return")
            if returned is not None and (off := _off(returned, module)):
                yield Rule(module, name, off[0])


def _off(returned: str, module: ModuleType) -> tuple[Any] | None:
    """What a function returns that is switched off, in a tuple; None where it can only be there."""
    no_match = getattr(module, "NO_MATCH", None)
    by_type: Mapping[str, Any] = {"bool": False, "float": 0.0, "Similarity": no_match}
    if returned in by_type:
        return (by_type[returned],) if by_type[returned] is not None else None
    if "None" in returned:
        return (None,)
    kinds: Mapping[str, Any] = {"list": [], "frozenset": frozenset(), "Sequence": (), "Iterator": ()}
    kind = "Sequence" if returned.endswith(", ...]") else returned.partition("[")[0]
    return (kinds[kind],) if kind in kinds else None


def carried(folder: Path, *, max_share: float = MAX_SHARE) -> list[Carried]:
    """What every rule carries on the cases of a folder that speaks in no larger share of them, the least first."""
    with ExitStack() as stack:
        asked: list[tuple[dict[str, Any], Callable[[str], name_resolution.Answer]]] = []
        for file in name_resolution.graphs(folder):
            entities, cases = name_resolution.read(file)
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            graph = stack.enter_context(name_resolution.graph_of(entities, scratch / "names.db"))
            asked += [(case, name_resolution.ours(graph)) for case in cases]
        every = list(rules())
        before, spoke = _recorded(every, asked)
        found = []
        for rule in every:
            places = spoke[rule]
            if len(places) > max_share * len(asked):
                continue
            with switched_off(rule):
                after = {place: _verdict(*asked[place]) for place in places}
            changes = [(before[place], after[place]) for place in places]
            found.append(
                Carried(
                    rule,
                    len(places),
                    lost=sum(one == "right" != other for one, other in changes),
                    gained=sum(one != "right" == other for one, other in changes),
                    more_false=sum(one != "false" == other for one, other in changes),
                    fewer_false=sum(one == "false" != other for one, other in changes),
                )
            )
    return sorted(found, key=lambda each: (each.net, each.rule.title))


def _recorded(
    every: Sequence[Rule], asked: Sequence[tuple[dict[str, Any], Callable[[str], name_resolution.Answer]]]
) -> tuple[list[str], Mapping[Rule, list[int]]]:
    """The verdict on every case, and in which cases each rule said or found something."""
    speaking: set[Rule] = set()
    spoke: dict[Rule, list[int]] = defaultdict(list)
    verdicts = []
    with ExitStack() as stack:
        for rule in every:
            stack.enter_context(_patched(rule, _recorder(rule, speaking)))
        for place, (case, find) in enumerate(asked):
            _forget_words()
            speaking.clear()
            verdicts.append(_verdict(case, find))
            for rule in speaking:
                spoke[rule].append(place)
    return verdicts, spoke


def _verdict(case: dict[str, Any], find: Callable[[str], name_resolution.Answer]) -> str:
    """Whether the answer is right, is false, or is missing."""
    answer, _ = find(case["asked"])
    if answer == case["expect"]:
        return "right"
    return "false" if answer is not None else "missed"


@contextmanager
def switched_off(rule: Rule) -> Iterator[None]:
    """Without a rule: it says no, or finds nothing."""
    with _patched(rule, lambda _: lambda *arguments, **named: rule.off):
        yield


def _recorder(rule: Rule, speaking: set[Rule]) -> Callable[[Any], Any]:
    def around(function: Any) -> Any:
        @wraps(function)
        def recorded(*arguments: Any, **named: Any) -> Any:
            result = function(*arguments, **named)
            if isinstance(result, Iterator):
                result = list(result)
            if result != rule.off and (result or not isinstance(rule.off, list | tuple | frozenset)):
                speaking.add(rule)
            return result

        return recorded

    return around


@contextmanager
def _patched(rule: Rule, around: Callable[[Any], Any]) -> Iterator[None]:
    original = getattr(rule.module, rule.name)
    setattr(rule.module, rule.name, around(original))
    _forget_words()
    try:
        yield
    finally:
        setattr(rule.module, rule.name, original)
        _forget_words()


def _forget_words() -> None:
    """Empty the caches of words and pairs of words; those that hold a lexicon have no bound, and stay."""
    for cached in CACHES:
        cached.cache_clear()


def table(folder: Path = name_resolution.TEST, *, every: bool = False) -> list[str]:
    """The lines of a table of the rules that carry fewer cases than a rule has to, or of all of them."""
    found = carried(folder)
    shown = found if every else [each for each in found if each.net < MIN_CARRIED]
    lines = [
        f"{len(found)} rules, {len(shown)} shown; what changes without each",
        "",
        "| rule | cases in which it speaks | right lost | right gained | more false | fewer false | carries |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in shown:
        numbers = (each.asked, each.lost, each.gained, each.more_false, each.fewer_false, each.net)
        lines.append(f"| {each.rule.title} | " + " | ".join(map(str, numbers)) + " |")
    return lines


if __name__ == "__main__":
    given = [Path(each) for each in sys.argv[1:] if not each.startswith("--")]
    print("\n".join(table(*given, every="--all" in sys.argv)))
