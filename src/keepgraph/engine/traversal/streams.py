"""Streams: the entities, facts or vectors that a traversal has reached, as row numbers in order.

In the view of a traversal every current fact is also a node, a triplet, with links to its subject, its object and the
vector of its sentence. So a fact is in a stream as a triplet, as an edge between entities, as one of its links, or as
its vector; the row number is that of the fact in each case.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from keepgraph import errors

MAX_ITEMS = 100_000


class Kind(Enum):
    """What the row numbers of a stream are."""

    NOTHING = "nothing"
    ENTITIES = "entities"
    TRIPLETS = "triplets"
    EDGES = "edges"
    LINKS_TO_SUBJECT = "links to subjects"
    LINKS_TO_OBJECT = "links to objects"
    LINKS_TO_VECTOR = "links to vectors"
    VECTORS = "vectors"


LINKS = frozenset((Kind.LINKS_TO_SUBJECT, Kind.LINKS_TO_OBJECT, Kind.LINKS_TO_VECTOR))


@dataclass(frozen=True, slots=True)
class Stream:
    """A snapshot of what was reached: things deleted later are skipped when it is read.

    Attributes:
        rows: of entities or of facts; one may be there several times.
        scores: of each row, where it comes from a search.
    """

    kind: Kind = Kind.NOTHING
    rows: Sequence[int] = ()
    scores: Sequence[float] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def select(self, positions: Sequence[int]) -> Stream:
        """The stream with these of its rows, in this order."""
        return Stream(
            self.kind,
            array("q", [self.rows[position] for position in positions]),
            None if self.scores is None else [self.scores[position] for position in positions],
        )


def collect(kind: Kind, rows: Iterable[int]) -> Stream:
    """A stream of rows.

    Raises:
        errors.TraversalTooLarge: there are more than MAX_ITEMS.
    """
    collected = array("q")
    count = 0
    for count, row in enumerate(rows, 1):
        if count <= MAX_ITEMS:
            collected.append(row)
    if count > MAX_ITEMS:
        raise errors.TraversalTooLarge(
            f"this step leads to {count:,} {kind.value}, and a traversal holds at most {MAX_ITEMS:,}",
            hint="Filter before this step: filter_items by name or entity_type, or begin with n_from_type of one type.",
        )
    return Stream(kind, collected)
