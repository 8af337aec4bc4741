"""Evidence of proposals as digests, by which one that was decided is known to rest on nothing new."""

from __future__ import annotations

import re
from collections.abc import Iterable

from keepgraph import store
from keepgraph.language import normalisation, utf8
from keepgraph.store.purge import PUBLIC_ID
from keepgraph.store.transactions import Tx

MAX_EVIDENCE = 500
"""Of a proposal, so many pieces of evidence are compared."""

_DIGITS = 24
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def digests(tx: Tx, evidence: Iterable[str]) -> tuple[str, ...]:
    """One digest for each different piece of evidence, sorted.

    A fact counts by what it says, so that the same one recorded again is the same evidence; an episode by its text; an
    entity by its id, or by the id of the one that it was merged into. Any other text counts by its words: the figures
    in it may change.
    """
    pieces = sorted(set(evidence))[:MAX_EVIDENCE]
    ids = [piece for piece in pieces if PUBLIC_ID.fullmatch(piece)]
    known = store.review_evidence.contents(tx, ids)
    return tuple(sorted({utf8.digest(known.get(piece) or _words(piece))[:_DIGITS] for piece in pieces}))


def _words(text: str) -> str:
    if PUBLIC_ID.fullmatch(text):
        return text
    return _NUMBER.sub("#", normalisation.clean(text).casefold())
