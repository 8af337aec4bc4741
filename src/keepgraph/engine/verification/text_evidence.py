"""Textual evidence: a sentence that states a relation between two entities, or denies it.

No model is asked. A sentence counts if it names both, in words that the vocabulary knows for the relation, in the
right direction. A question, supposition, plan, doubt or statement about the past is not evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from keepgraph import errors, store
from keepgraph.engine.knowledge import predicates
from keepgraph.engine.knowledge.predicates import PredicateMatch
from keepgraph.engine.knowledge.relations import RelationWordings
from keepgraph.engine.resolution import resolver
from keepgraph.engine.resolution.text_names import Lookup
from keepgraph.engine.texts.chunk_mentions import Detector
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import (
    contradictions,
    factuality,
    grounding,
    inflection,
    relation_extraction,
    sentences,
)
from keepgraph.language.contradictions import ClaimPair, Comparison
from keepgraph.language.factuality import CueKind
from keepgraph.language.grounding import Wording
from keepgraph.language.normalisation import Name
from keepgraph.model import Entity
from keepgraph.store.transactions import Tx

Verdict: TypeAlias = Literal["says", "denies", "uncertain", "silent"]

MAX_CHUNKS = 100
"""How many stored chunks that mention both are read, newest first."""

MAX_CHARACTERS = 200_000
"""How much of the caller's texts is read."""

_MAX_SENTENCE = 600
_BREAK = r"[ \t]*\r?\n[ \t]*"
_GOES_ON = "".join(rf"(?<!\s{word})" for word in "at in of to on by for the with from and is a an that as".split())
_WRAPPED = re.compile(  # before small letters, after a word that asks for another, after a long line
    rf"(?<=[\w,”\"’)]){_BREAK}(?=[a-z])|(?=\s)(?!{_GOES_ON}){_BREAK}(?=[A-Z])|(?<=[^\n]{{50}}[\w,]){_BREAK}(?=[A-Z])"
)
_MAX_PLACES = 4  # of a name in a sentence
_CUES_BY_WEIGHT: tuple[CueKind, ...] = ("question", "condition", "doubt", "possibility", "plan", "past")


@dataclass(frozen=True, slots=True)
class TextVerdict:
    """What texts say about a relation.

    Attributes:
        verdict: "says" if a sentence states the relation, "denies" if one states that it does not hold,
            "uncertain" if one only asks, supposes, plans or doubts it, or says that it was so, or if the texts
            disagree; else "silent".
        sentence: the decisive sentence, its white space collapsed; empty if silent.
        source: the public id of the sentence's episode; None for a text that the caller gave.
        reason: one plain sentence that says why.
    """

    verdict: Verdict
    sentence: str
    source: str | None
    reason: str


def judge(
    tx: Tx, *, subject: Entity | str, predicate: str, object: Entity | str, texts: Sequence[str] = ()
) -> TextVerdict:
    """What the given texts, or else the stored ones that mention both, say about a relation.

    The caller's texts are read first, and the stored ones only if those are silent. If some sentences state the
    relation and others deny it, it is uncertain.

    Args:
        subject, object: entities, which are recognised by their names and aliases, or names.
        predicate: the name of a predicate, or a wording of a relation.
    """
    reader = _Reader(tx, subject, predicate, object)
    given = ((text[:MAX_CHARACTERS], None) for text in texts)
    for verdicts in (reader.read(given), reader.read(_stored_texts(tx, subject, object))):
        verdict = _joined(list(verdicts))
        if verdict.verdict != "silent":
            return verdict
    return TextVerdict("silent", "", None, "No sentence states it about both.")


def _joined(verdicts: Sequence[TextVerdict]) -> TextVerdict:
    """The verdict of several sentences."""
    first = {verdict.verdict: verdict for verdict in reversed(verdicts)}
    says, denies = first.get("says"), first.get("denies")
    if says and denies:
        return TextVerdict(
            "uncertain", says.sentence, says.source, f"The texts disagree: another says “{_short(denies.sentence)}”."
        )
    return says or denies or first.get("uncertain") or TextVerdict("silent", "", None, "")


class _Reader:
    """Reads texts for one relation."""

    def __init__(self, tx: Tx, subject: Entity | str, predicate: str, object: Entity | str) -> None:
        self._tx = tx
        self._wordings = RelationWordings(tx)
        lookup = Lookup(tx, [tx.group])
        self._subject = _name_pattern(tx, lookup, subject)
        self._object = _name_pattern(tx, lookup, object)
        self._predicates = _predicates(tx, predicate)
        self._forms = _forms(tx, predicate, self._predicates)
        vocabulary = graph_vocabulary.read(tx)
        self._roles = {
            role: is_reversed
            for name, is_reversed in sorted(self._predicates, reverse=True)
            if (role := vocabulary.predicate_by_name[name].role)
        }

    def read(self, texts: Iterable[tuple[str, str | None]]) -> Iterator[TextVerdict]:
        """The verdicts of the sentences that name both, for texts with the ids of their episodes."""
        if self._subject is None or self._object is None:
            return
        for text, source in texts:
            unwrapped = _unwrapped(text)
            spans = [(sentence.start, sentence.end) for sentence in sentences.split(unwrapped)]
            every = [" ".join(unwrapped[start:end].split()) for start, end in spans]
            for index, words in enumerate(every):
                if len(words) > _MAX_SENTENCE:
                    continue
                subjects, objects = _places(self._subject, words), _places(self._object, words)
                if subjects and objects and (verdict := self._verdict(words, subjects, objects, source)):
                    yield _in_context(verdict, "".join(every[index + 1 : index + 2]))

    def _verdict(
        self, sentence: str, subjects: list[tuple[int, int]], objects: list[tuple[int, int]], source: str | None
    ) -> TextVerdict | None:
        """The verdict of a sentence, by the pair of places that says most; None if it is about something else."""
        pairs = [(one, other) for one in subjects for other in objects if one[1] <= other[0] or other[1] <= one[0]]
        pairs.sort(key=lambda pair: max(pair[0][0], pair[1][0]) - min(pair[0][1], pair[1][1]))
        for one, other in pairs:
            is_reversed = other < one
            first, second = (other, one) if is_reversed else (one, other)
            for wording in grounding.wordings(sentence, first, second):
                kinds = self._stands_for(wording, wording.is_reversed != is_reversed)
                if kinds is not None:
                    return _of_cues(sentence, source, kinds)
        return self._verdict_of_role(sentence, source)

    def _verdict_of_role(self, sentence: str, source: str | None) -> TextVerdict | None:
        """That a sentence states the relation in the words of its role: `Ben's manager is Ada`."""
        for fact in relation_extraction.extract_facts(sentence) if self._roles else ():
            names = (fact.object, fact.subject) if self._roles.get(fact.role) else (fact.subject, fact.object)
            if fact.role in self._roles and all(
                pattern is not None and pattern.fullmatch(name)
                for pattern, name in zip((self._subject, self._object), names, strict=True)
            ):
                return TextVerdict("says", sentence, source, "A sentence states it.")
        return None

    def _stands_for(self, wording: Wording, is_reversed: bool) -> frozenset[CueKind] | None:
        """The cues of a wording if it means the relation in this direction; else None."""
        for match in self._wordings.find(wording.text):
            if (match.predicate.name, match.is_reversed != is_reversed) in self._predicates:
                return wording.cues
        key = graph_vocabulary.wording_key(wording.text)
        if not any((form, is_reversed) in self._forms for form in inflection.verb_forms(key)):
            return None
        tense = inflection.tense(key, is_passive=False)
        if tense == "present" or (not self._predicates and not wording.cues and tense != "future"):
            return wording.cues
        if wording.is_universal_denial:
            return wording.cues
        return wording.cues | frozenset[CueKind](("past" if tense == "past" else "plan",))


def _unwrapped(text: str) -> str:
    """A text with lines joined where one continues in the next; the offsets stay the same."""
    return _WRAPPED.sub(lambda match: " " * len(match[0]), text)


def _in_context(verdict: TextVerdict, after: str) -> TextVerdict:
    """The verdict of a sentence in context: uncertain if the sentence after it retracts it."""
    if verdict.verdict in ("says", "denies") and factuality.takes_back(after):
        reason = "A sentence says it, but the next one denies it, or makes it uncertain."
        return TextVerdict("uncertain", verdict.sentence, verdict.source, reason)
    return verdict


def _of_cues(sentence: str, source: str | None, kinds: frozenset[CueKind]) -> TextVerdict:
    unreal = next((kind for kind in _CUES_BY_WEIGHT if kind in kinds), None)
    if unreal is not None:
        return TextVerdict("uncertain", sentence, source, f"A sentence says it, but {factuality.REASONS[unreal]}.")
    if "negation" in kinds:
        return TextVerdict("denies", sentence, source, "A sentence denies it.")
    return TextVerdict("says", sentence, source, "A sentence states it.")


def find_matches(tx: Tx, wording: str) -> list[PredicateMatch]:
    """The predicates that a wording may mean, inflected ones too; empty if none is known."""
    try:
        return predicates.find_matches(tx, wording)
    except errors.PredicateUnknown:
        return list(RelationWordings(tx).find(wording))


def _predicates(tx: Tx, predicate: str) -> frozenset[tuple[str, bool]]:
    """The predicates that a wording means, each with whether its ends are swapped; symmetric ones either way."""
    matches = find_matches(tx, predicate)
    found = {(match.predicate.name, match.is_reversed) for match in matches}
    symmetric = {match.predicate.name for match in matches if "symmetric" in match.predicate.flags}
    return frozenset(found | {(name, is_reversed) for name in symmetric for is_reversed in (False, True)})


def _forms(tx: Tx, wording: str, predicates: frozenset[tuple[str, bool]]) -> frozenset[tuple[tuple[str, ...], bool]]:
    """The forms of the verbs in the names and labels of predicates and of their inverses, with their directions."""
    vocabulary = graph_vocabulary.read(tx)
    labels = store.vocabulary.labels(tx, store.vocabulary.PREDICATE)
    texts = [] if predicates else [(wording, False)]
    for name, is_reversed in predicates:
        for term_name, exchanged in ((name, False), *((inverse, True) for inverse in vocabulary.inverses(name))):
            term = vocabulary.predicate_by_name[term_name]
            names = [term.name, *(label.label for label in labels.get(term.row, ()))]
            texts += [(text, is_reversed != exchanged) for text in names]
    return frozenset(
        (form, is_reversed)
        for text, is_reversed in texts
        for form in inflection.verb_forms(graph_vocabulary.wording_key(text))
    )


def _name_pattern(tx: Tx, lookup: Lookup, thing: Entity | str) -> re.Pattern[str] | None:
    """A pattern for the names of an entity: its name, its aliases, and, for a person, a part that nobody else has."""
    names = [thing] if isinstance(thing, str) else [thing.name, *store.entities.aliases(tx, thing)]
    if isinstance(thing, Entity) and len(words := thing.name.split()) > 1:
        for part in (words[0], words[-1]):
            if [hit.entity.row for hit in lookup.persons(part.lower())] == [thing.row]:
                names.append(part)
    alternatives = sorted({r"\s".join(map(re.escape, name.split())) for name in names if name.strip()}, key=len)
    if not alternatives:
        return None
    return re.compile(rf"(?<![\w-])(?:{'|'.join(reversed(alternatives))})(?![\w-])", re.IGNORECASE)


def _places(pattern: re.Pattern[str], sentence: str) -> list[tuple[int, int]]:
    """Where a name stands in a sentence by itself, not as part of a longer name."""
    places = []
    for match in pattern.finditer(sentence):
        begins_capital = match[0][:1].isupper()
        before, after = sentence[: match.start()], sentence[match.end() :]
        goes_on = begins_capital and re.match(r"\s(?!I\b)[A-Z]\w", after)
        preceded = re.search(r"(?<![.!?:;,–—\"“(])\s([A-Z][\w.]*)\s$", f" {before}") if begins_capital else None
        opens = preceded and before.strip() == preceded[1]
        if not goes_on and not (preceded and not opens):
            places.append(match.span())
    return places[:_MAX_PLACES]


def _stored_texts(tx: Tx, subject: Entity | str, object: Entity | str) -> Iterator[tuple[str, str]]:
    """The stored chunks that mention both, newest first, each with the id of its episode."""
    rows: list[int] = []
    if isinstance(subject, Entity) and isinstance(object, Entity):
        rows = store.mentions.chunks_with_both(tx, subject, object, limit=MAX_CHUNKS)
    else:
        names = [thing if isinstance(thing, str) else thing.name for thing in (subject, object)]
        if all(any(map(str.isalnum, name)) for name in names):
            match = " AND ".join(map(store.full_text.phrase, names))
            rows = store.mentions.chunks_with_words(tx, match, group=tx.group, limit=MAX_CHUNKS)
    chunks = store.episodes.chunks_by_rows(tx, rows)
    episodes = store.episodes.by_rows(tx, list({chunk.episode for chunk in chunks.values()}))
    for row in rows:
        if row in chunks:
            yield chunks[row].text, episodes[chunks[row].episode].id


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= 160 else f"{sentence[:159]}…"


# Conflicts between two texts: compared by rules, with the names and words of the graph, and by a model if configured.
#
# The rules are in `language.contradictions`. A model of entailment, whose folder the settings may name, is asked only
# where the rules leave it open; without one, open pairs stay undecided.

_SURE_OF_CONTRADICTION = 0.9
"""A model decides on a contradiction where its probability is at least this, whichever text is read first."""

_SURE_OF_NONE = 0.1
"""A model decides that two sentences are compatible where the probability of a contradiction is at most this."""

_MAX_CHARACTERS = 20_000
_MAX_MODEL_PAIRS = 5


@dataclass(frozen=True, slots=True)
class _TextComparison:
    """How two texts relate to each other.

    Attributes:
        comparison: the verdict, with the pairs of sentences as they are in the texts.
        model: what the model of entailment did: "used", or why it could not be used; None if it was not asked.
        is_cut: whether a text was too long to be read to its end.
    """

    comparison: Comparison
    model: str | None
    is_cut: bool


def check(
    tx: Tx, first: str, second: str, *, first_about: str | None = None, second_about: str | None = None
) -> _TextComparison:
    """Whether two texts contradict each other.

    Names that the graph knows are compared as entities: an alias equals the name. If the vocabulary allows a predicate
    one object at a time, two objects of it are a contradiction.

    Args:
        first_about, second_about: the subject of each text, by name or id; a pronoun at its beginning stands for it.
    """
    names = [_entity_name(tx, about) for about in (first_about, second_about)]
    detector = Detector(tx, tx.group)
    originals: list[dict[str, str]] = [{}, {}]
    texts = [
        _with_entity_names(detector, text[:_MAX_CHARACTERS], map_)
        for text, map_ in zip((first, second), originals, strict=True)
    ]
    comparison = contradictions.compare(
        texts[0], texts[1], first_about=names[0], second_about=names[1], is_exclusive=_exclusive_wordings(tx)
    )
    comparison, model = _decide_by_model(tx, comparison)
    pairs = tuple(
        replace(pair, first=originals[0].get(pair.first, pair.first), second=originals[1].get(pair.second, pair.second))
        for pair in comparison.pairs
    )
    is_cut = max(len(first), len(second)) > _MAX_CHARACTERS
    return _TextComparison(replace(comparison, pairs=pairs), model, is_cut)


def _entity_name(tx: Tx, about: str | None) -> str | None:
    """The name of the entity that a caller means, or what the caller gave."""
    name = Name(about or "")
    if not name.key:
        return None
    entity = resolver.resolve(tx, name).entity
    return entity.name if entity else name.text


def _with_entity_names(detector: Detector, text: str, originals: dict[str, str]) -> str:
    """A text with other names of its entities replaced by their names; fills in its sentences by the results."""
    rewritten = []
    for sentence in sentences.split(text):
        original = text[sentence.start : sentence.end]
        named = original
        for reading in reversed(detector.in_title(original).known):
            if len(reading.hits) == 1:
                named = named[: reading.start] + reading.hits[0].entity.name + named[reading.end :]
        originals[" ".join(named.split())] = " ".join(original.split())
        rewritten.append(named)
    return "\n\n".join(rewritten)


def _exclusive_wordings(tx: Tx) -> Callable[[str], bool]:
    """Whether a wording means a predicate whose subjects have one object at a time."""
    wordings = RelationWordings(tx)

    def is_exclusive(wording: str) -> bool:
        return any(map(_is_exclusive, wordings.find(wording)))

    return is_exclusive


def _is_exclusive(match: PredicateMatch) -> bool:
    flag = "inverse_functional" if match.is_reversed else "functional"
    return flag in match.predicate.flags


def _decide_by_model(tx: Tx, comparison: Comparison) -> tuple[Comparison, str | None]:
    """The comparison with what the configured model says about the pairs that the rules leave open."""
    folder = tx.settings.entailment_model
    undecided = list(contradictions.unresolved(comparison.pairs))[:_MAX_MODEL_PAIRS]
    if folder is None or comparison.verdict != "undecided" or not undecided:
        return comparison, None
    from keepgraph.ml import cross_encoders

    both_ways = [texts for pair in undecided for texts in ((pair.first, pair.second), (pair.second, pair.first))]
    try:
        scores = cross_encoders.compute_entailment(both_ways, folder=folder)
    except errors.ModelUnavailable as error:
        return comparison, error.message
    decided = {}
    for pair, forward, back in zip(undecided, scores[::2], scores[1::2], strict=True):
        decided[pair] = _decided(pair, least=min(forward.contradiction, back.contradiction),
                                 greatest=max(forward.contradiction, back.contradiction))  # fmt: skip
    return contradictions.join([decided.get(pair, pair) for pair in comparison.pairs]), "used"


def _decided(pair: ClaimPair, *, least: float, greatest: float) -> ClaimPair:
    """A pair as a model decides it by the least and the greatest probability of a contradiction."""
    if least >= _SURE_OF_CONTRADICTION:
        return replace(
            pair,
            verdict="contradiction",
            kind="model",
            confidence=round(least, 2),
            explanation="The entailment model finds a contradiction.",
        )
    if greatest <= _SURE_OF_NONE:
        return replace(
            pair,
            verdict="compatible",
            kind="model",
            confidence=round(1 - greatest, 2),
            explanation="The entailment model finds no contradiction.",
        )
    return pair
