"""Words of the vocabulary that are near an unknown wording, and the calls that would add it: for refusals."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from keepgraph import store
from keepgraph.engine.vocabulary import definitions, graph_vocabulary
from keepgraph.model import VocabularyTerm
from keepgraph.store.transactions import Tx

MAX_NEAR = 8
_MAX_SIMILAR = 2
_SIMILAR = 80
"""The similarity, out of 100, from which a word may be what was meant."""

_NEAR = 65
"""The similarity from which a word counts as near. For 35 of 37 other wordings and 95 of 103 names with two typos, the
word that was meant is this near. An unrelated word has 1.5 words this near; without a floor, 7.2 were named.
"""

_MAX_COMPARED = 200
_MAX_QUOTED = 60


def similar(tx: Tx, kind: str, wording: str) -> list[str]:
    """Up to two words that may be meant: their names or labels are spelled like the wording; nearest first.

    Typos rarely change the first letter: "caused by" is no typo for "used by".
    """
    initial = graph_vocabulary.wording_key(wording)[:1]
    ranked = _rank(tx, kind, wording, is_compared=lambda key: key.startswith(initial))
    return [name for name, similarity in ranked if similarity >= _SIMILAR][:_MAX_SIMILAR]


def nearest(tx: Tx, kind: str, wording: str, *, first: Sequence[str] = (), limit: int = MAX_NEAR) -> list[str]:
    """The usable words near a wording, by their names and labels; those of `first` come first.

    All are returned if there are no more than `limit`, or if there is nothing to compare with.
    """
    usable = [term.name for term in _usable(tx, kind)]
    names_all = len(usable) <= limit or not wording
    ranked = [name for name, similarity in _rank(tx, kind, wording) if names_all or similarity >= _NEAR]
    return list(dict.fromkeys([*first, *ranked, *(usable if names_all else ())]))[:limit]


def describe_nearest(tx: Tx, kind: str, names: Sequence[str], *, fitting: Sequence[str] = ()) -> str:
    """The nearest words in a sentence, with how to see the others.

    Args:
        fitting: words that would fit in place of the wording, however they are spelled.
    """
    fitting = fitting[:MAX_NEAR]
    if len({*names, *fitting}) == len(_usable(tx, kind)):
        return f"Use one of {', '.join(dict.fromkeys([*names, *fitting]))}."
    near = [name for name in names if name not in fitting]
    parts = [f"Nearest {'is' if len(near) == 1 else 'are'} {', '.join(near)}"] if near else []
    if fitting:
        parts.append(f"{', '.join(fitting)} {'fits' if len(fitting) == 1 else 'fit'} here")
    return f"{'; '.join(parts) or 'None is near'}; get_ontology_structure or `kg vocabulary` shows all."


def describe_addition(tx: Tx, kind: str, wording: str, definition: Mapping[str, Any]) -> str:
    """How to add a word that the vocabulary lacks: with a set that has it, or as a new word.

    Args:
        definition: its definition, in the form of `schemas/v1/transfer/vocabulary_set.json`.
    """
    sentences = [f"The set {name} has it: `kg vocabulary set add {name}`." for name in _sets_with(tx, kind, wording)]
    name = graph_vocabulary.spell(wording)
    if name and name not in {term.name for term in graph_vocabulary.read(tx).terms(kind)}:
        group = "types" if kind == store.vocabulary.ENTITY_TYPE else "predicates"
        arguments = json.dumps({group: {name: dict(definition)}}, ensure_ascii=False)
        sentences.append(
            f"If none says it, add it: extend_vocabulary {arguments}, or `{_command(kind, name, definition)}`."
        )
    return " ".join(sentences)


def quote(wording: str) -> str:
    return repr(wording if len(wording) <= _MAX_QUOTED else wording[: _MAX_QUOTED - 3] + "…")


def _usable(tx: Tx, kind: str) -> tuple[VocabularyTerm, ...]:
    vocabulary = graph_vocabulary.read(tx)
    return vocabulary.usable_types if kind == store.vocabulary.ENTITY_TYPE else vocabulary.usable_predicates


def _rank(tx: Tx, kind: str, wording: str, *, is_compared: Callable[[str], bool] = bool) -> list[tuple[str, float]]:
    """Usable words with their similarity to a wording, nearest first; only as many as a hint may need.

    Args:
        is_compared: whether the key of a name or a label is compared with that of the wording.
    """
    from rapidfuzz import fuzz, process

    terms = _usable(tx, kind)
    labels = store.vocabulary.labels(tx, kind)
    choices = [
        (term.name, key)
        for term in terms
        for text in (term.name, *(label.label for label in labels.get(term.row, ()) if label.status != "hidden"))
        if is_compared(key := graph_vocabulary.wording_key(text))
    ]
    wanted, keys = graph_vocabulary.wording_key(wording[:_MAX_COMPARED]), [key for _, key in choices]
    similarities: dict[str, float] = {}
    # Not a partial ratio: by that, a short label such as "in" resembles most wordings.
    for scorer in (fuzz.ratio, fuzz.token_sort_ratio):
        for _, similarity, position in process.extract(wanted, keys, scorer=scorer, limit=_MAX_COMPARED):
            name = choices[position][0]
            similarities[name] = max(similarity, similarities.get(name, 0.0))
    return sorted(similarities.items(), key=lambda pair: -pair[1])


def _sets_with(tx: Tx, kind: str, wording: str) -> list[str]:
    """The sets that come with this program, are not in the graph, and have a wording as a name or a label."""
    present = {added.name for added in graph_vocabulary.read(tx).sets if added.retired_at is None}
    key = graph_vocabulary.wording_key(wording)
    if not key:
        return []
    return [name for name in definitions.shipped_names() if name not in present and key in _keys(name, kind)]


def _keys(set_name: str, kind: str) -> set[str]:
    definition = definitions.shipped(set_name)
    words = definition.types if kind == store.vocabulary.ENTITY_TYPE else definition.predicates
    return {
        graph_vocabulary.wording_key(text)
        for word in words
        for text in (word.name, *(label.text for label in word.labels))
    }


def _command(kind: str, name: str, definition: Mapping[str, Any]) -> str:
    options = [
        *(f"--parent {parent}" for parent in definition.get("parents", ())),
        *(f"--from {source}" for source in definition.get("sources", ())),
        *(f"--to {target}" for target in definition.get("targets", ())),
        *([f"--literal {definition['literal']}"] if "literal" in definition else []),
        *([f"--style {definition['style']}"] if "style" in definition else []),
    ]
    noun = "type" if kind == store.vocabulary.ENTITY_TYPE else "predicate"
    return " ".join(["kg vocabulary add", noun, name, *options])
