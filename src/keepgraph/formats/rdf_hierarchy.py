"""Hierarchies in RDF: what is below something, and the refusal of cycles and of what is too deep."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from keepgraph import errors
from keepgraph.formats.rdf_statements import Iri

MAX_DEPTH = 100
"""Levels of a hierarchy, at most."""

MAX_ANCESTORS = 2_000_000
"""Pairs of a type and of a type above it, at any distance, at most."""


def descendants(roots: Iterable[str], edges: Iterable[tuple[Iri, Iri]]) -> set[Iri]:
    """What leads to one of the roots, by any number of edges."""
    children: dict[str, list[Iri]] = defaultdict(list)
    for child, parent in edges:
        children[parent].append(child)
    below: set[Iri] = set()
    pending = list(roots)
    while pending:
        for child in children.get(pending.pop(), ()):
            if child not in below:
                below.add(child)
                pending.append(child)
    return below


def refuse_cycles(parents: Mapping[Iri, Sequence[Iri]], name: Callable[[Iri], str]) -> None:
    """Check that nothing is below itself; `name` names it for people.

    Raises:
        errors.VocabularyConflict: something is below itself.
        errors.VocabularyInvalid: there are too many levels, or too many parents.
    """
    children: dict[Iri, list[Iri]] = defaultdict(list)
    for child, above in parents.items():
        for parent in above:
            children[parent].append(child)
    waiting = {iri: len(above) for iri, above in parents.items()}
    ancestors: dict[Iri, set[Iri]] = {}
    ancestor_count = 0
    level = [iri for iri, count in waiting.items() if count == 0]
    depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise errors.VocabularyInvalid(
                f"{name(level[0])!r} is more than {MAX_DEPTH} levels deep", hint="Import a part of the file."
            )
        below = []
        for iri in level:
            del waiting[iri]
            ancestors[iri] = set(parents[iri]).union(*(ancestors[parent] for parent in parents[iri]))
            ancestor_count += len(ancestors[iri])
            if ancestor_count > MAX_ANCESTORS:
                raise errors.VocabularyInvalid("its types have too many parents", hint="Import a part of the file.")
            for child in children[iri]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    below.append(child)
        level = below
    if waiting:
        cycle = _find_cycle(parents, waiting)
        shown = [name(iri) for iri in cycle[:10]] + ["…"] * (len(cycle) > 10)
        raise errors.VocabularyConflict(
            f"each of these is a kind of the next, and so of itself: {' → '.join([*shown, name(cycle[0])])}",
            hint="Take one of these statements out of the file: rdfs:subClassOf, skos:broader or skos:narrower.",
        )


def _find_cycle(parents: Mapping[Iri, Sequence[Iri]], waiting: Collection[Iri]) -> list[Iri]:
    """A cycle among what is below itself, or below a cycle: going up from there always ends in one."""
    path: dict[Iri, int] = {}
    iri = next(iter(waiting))
    while iri not in path:
        path[iri] = len(path)
        iri = next(parent for parent in parents[iri] if parent in waiting)
    return list(path)[path[iri] :]
