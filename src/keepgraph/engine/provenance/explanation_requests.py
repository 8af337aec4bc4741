"""The one fact, entity, text or call that somebody asks about, and its explanation."""

from __future__ import annotations

import re

from keepgraph import errors
from keepgraph.engine.provenance import entity_explanations, fact_explanations
from keepgraph.engine.provenance.explanations import Explanation
from keepgraph.engine.resolution import resolver
from keepgraph.engine.texts import forget_targets
from keepgraph.engine.texts.forget_targets import Target
from keepgraph.language.normalisation import Name
from keepgraph.model import Entity, Episode, Fact
from keepgraph.store.transactions import Tx

_NUMBER = re.compile(r"#?\d{1,18}")
_NAMED_AS_A_TEXT = (
    {forget_targets.ENTITY, forget_targets.TEXT},
    {forget_targets.FACT, forget_targets.TEXT},
)
_NOT_FOUND = (errors.EntityNotFound, errors.FactNotFound, errors.EpisodeNotFound)


def explain(tx: Tx, what: str, *, kind: str | None = None) -> Explanation:
    """Explain what is meant: by its id, its name or alias, its sentence, its title, or "call 12".

    A name similar to just one entity's is taken for it, and the explanation says so.

    Raises:
        errors.Ambiguous: several things fit; they are the candidates.
        errors.EntityNotFound, FactNotFound, EpisodeNotFound, ChangeNotFound: none fits; similar ones are candidates.
    """
    try:
        return _explain(tx, _find(tx, what, kind))
    except _NOT_FOUND as error:
        if kind is None and _NUMBER.fullmatch(what.strip()):
            return entity_explanations.explain_call(tx, int(what.strip().lstrip("#")))
        name = Name(what)
        resolution = resolver.resolve(tx, name) if kind in (None, forget_targets.ENTITY) and name.key else None
        if resolution is not None and resolution.entity is not None:
            return entity_explanations.explain(tx, resolution.entity, resolution=resolution)
        raise type(error)(
            f"no {kind or 'entity, fact, text or call'} is called {what.strip()[:60]!r}",
            hint="If you mean a candidate, pass its id."
            if error.candidates
            else (resolution.hint if resolution is not None and resolution.hint else error.hint),
            candidates=error.candidates,
        ) from None


def _find(tx: Tx, what: str, kind: str | None) -> Target:
    """What is meant; a name means the entity, and a sentence the fact, even if a text has that name.

    Raises:
        errors.KeepgraphError: see `explain`.
    """
    try:
        return forget_targets.find(tx, what, kind=kind)
    except errors.Ambiguous as error:
        kinds = [candidate.get("kind") for candidate in error.candidates]
        if kind is None and set(kinds) in _NAMED_AS_A_TEXT:
            (preferred,) = set(kinds) - {forget_targets.TEXT}
            if kinds.count(preferred) == 1:
                return forget_targets.find(tx, what, kind=preferred)
        raise errors.Ambiguous(
            f"several things are called {what.strip()[:60]!r}",
            hint="Pass the id of the one you mean, or its kind.",
            candidates=error.candidates,
        ) from None


def _explain(tx: Tx, target: Target) -> Explanation:
    if isinstance(target, Fact):
        return fact_explanations.explain(tx, target)
    if isinstance(target, Entity):
        return entity_explanations.explain(tx, target)
    if isinstance(target, Episode):
        return fact_explanations.explain_text(tx, target)
    return entity_explanations.explain_call(tx, target)
