"""Analysis of a question: its words for full-text search, the names in it, and its text without those names.

A name may be that of something in the graph, exactly or nearly, or of a speaker in texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TypeVar

from keepgraph import errors, lazy, store
from keepgraph.engine import vector_backfill
from keepgraph.engine.knowledge.entities import MAX_NAME
from keepgraph.engine.resolution import fuzzy, text_names
from keepgraph.engine.resolution.text_names import Lookup, Reading
from keepgraph.engine.retrieval import fusion, neighbourhood
from keepgraph.engine.retrieval.fusion import Hit, Key, Ranking
from keepgraph.engine.retrieval.neighbourhood import Distances
from keepgraph.engine.retrieval.search_request import EDGES, EPISODES, NODE_DISTANCE, SearchRequest
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import (
    common_words,
    first_person,
    given_names,
    mention_detection,
    name_similarity,
    normalisation,
    proper_names,
    word_forms,
)
from keepgraph.language.mention_detection import AnnotatedText
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import NameStyle
from keepgraph.store.derived_tables import FACT_VECTORS, NAME_VECTORS, VECTOR_KINDS, VectorKind
from keepgraph.store.transactions import Tx

MAX_PHRASES = 32
"""How many different words of a question are searched for; of a longer one, its most frequent words."""

MAX_EMBEDDED_CHARACTERS = 2000
"""How many characters of a question are embedded; the model reads no more."""

_MIN_FUNCTION_WORDS = 2
"""With this many different function words of a language, some of the graph may be in that language."""

FIRST_UNSPACED_CHARACTER = "\u0e00"
"""The least character of a script without spaces, or whose words take endings as Korean ones do."""

_MAX_RUNS = 100
"""How many runs of characters a pair of characters is looked for in, the shortest first."""

_WORD = lazy.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = lazy.compile(r"['’]s?(?!\w)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, ready for the retrievers.

    Attributes:
        text: as asked, without surrounding white space.
        phrases: its words for a full-text query; none if it has no words.
        phrases_for_chunks: the same without the names of speakers, which are in every second turn of a conversation.
        without_names: the text that is compared with turns of conversations by vector, without the names of speakers
            and known persons: a name draws the vector to greetings (ADR 0028).
    """

    text: str
    names: tuple[QuestionName, ...]
    phrases: tuple[str, ...]
    phrases_for_chunks: tuple[str, ...]
    without_names: str

    @property
    def speakers(self) -> frozenset[str]:
        """The keys of the speakers that are named."""
        return frozenset(key for name in self.names for key in name.speakers)

    @property
    def nodes(self) -> tuple[Key, ...]:
        """The entities and the proposed names that are named, each once."""
        keys = (
            key
            for name in self.names
            for key in (*(row for row, _ in name.entities), *(-row for row in name.proposals))
        )
        return tuple(dict.fromkeys(keys))


def analyse(tx: Tx, question: str, *, groups: Sequence[str]) -> Question:
    """Analyse a question, with the names that the graph knows in these groups."""
    text = question.strip()
    names = detect(tx, text, groups=groups)
    without_speakers = _without(text, [name for name in names if name.speakers])
    without_persons = _without(text, [name for name in names if name.speakers or name.is_person])
    forms = _forms(tx, text)
    words = phrases(text, forms=forms)
    return Question(
        text,
        tuple(names),
        phrases=words,
        phrases_for_chunks=phrases(without_speakers, forms=forms) or words,
        without_names=(without_persons if _content_words(without_persons) else text)[:MAX_EMBEDDED_CHARACTERS],
    )


def phrases_with_forms(tx: Tx, text: str) -> tuple[str, ...]:
    """The words of a question, each with the forms of it that the graph has: see `phrases`."""
    return phrases(text, forms=_forms(tx, text))


def phrases(text: str, *, forms: Mapping[str, Sequence[str]] = MappingProxyType({})) -> tuple[str, ...]:
    """The words of a text without stop words, each quoted for a full-text query; if all are stop words, all of them.

    The ending of a possessive is left out; otherwise the text would need it, too. A run of characters of a script
    without spaces is searched for as a whole, and by its pairs of neighbours.

    Args:
        forms: by lower-case word: any of them is searched for instead of the word.
    """
    counts: Counter[str] = Counter()
    for word in _content_words(text) or _words(text):
        counts.update(_segments(_POSSESSIVE.sub("", word.lower())))
    most_frequent = sorted(counts, key=lambda phrase: -counts[phrase])[:MAX_PHRASES]
    return tuple(_any_of([phrase, *forms.get(phrase, ())]) for phrase in most_frequent)


def _any_of(words: Sequence[str]) -> str:
    quoted = " OR ".join(f'"{word}"' for word in words)
    return f"({quoted})" if len(words) > 1 else quoted


def _forms(tx: Tx, text: str) -> Mapping[str, Sequence[str]]:
    """What else in the graph is a word of a question, by the phrase of the word: its other forms, and unspaced runs."""
    words = [word.lower() for word in _words(text)]
    return {**_inflected(tx, words, is_ascii=text.isascii()), **({} if text.isascii() else _unspaced(tx, words))}


def _inflected(tx: Tx, words: Sequence[str], *, is_ascii: bool) -> Mapping[str, Sequence[str]]:
    """The forms of words that are in the graph; none if they are English."""
    known = word_forms.languages(words)
    if known is None and not is_ascii:
        known = word_forms.LANGUAGES
    elif known is None:
        known = tx.cached("languages of words", lambda: _languages_of_graph(tx))
    if not known:
        return {}
    telling = [word for word in dict.fromkeys(words) if word not in word_forms.function_words()][:MAX_PHRASES]
    terms = store.full_text.terms(tx, {prefix for word in telling for prefix in word_forms.prefixes(word, known)})
    return {word: word_forms.forms(word, terms, of_languages=known) for word in telling}


def _unspaced(tx: Tx, words: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """The runs of characters in names and facts that have a pair of neighbouring characters of words without spaces.

    The index of texts has each character as a word; those of names and facts have runs.
    """
    segments = [segment for word in words for segment in _segments(word)[1:]]
    pairs = {pair: pair.replace(" ", "") for pair in dict.fromkeys(segments) if pair >= FIRST_UNSPACED_CHARACTER}
    if not pairs:
        return {}
    terms = store.full_text.terms_with(tx, list(pairs.values())[:MAX_PHRASES], least=FIRST_UNSPACED_CHARACTER)
    return {pair: [term for term in terms if run in term][:_MAX_RUNS] for pair, run in pairs.items()}


def _languages_of_graph(tx: Tx) -> frozenset[str]:
    """The languages besides English that some texts or facts may be in, by the function words in them."""
    counts = store.full_text.kinds_of_words(tx, word_forms.most_frequent_words())
    return frozenset(language for language, count in counts.items() if count >= _MIN_FUNCTION_WORDS)


def has_content(text: str) -> bool:
    """Whether a text has any word that is not a stop word."""
    return bool(_content_words(text))


def _content_words(text: str) -> list[str]:
    return [word for word in _words(text) if not _is_stop_word(word.lower().replace("’", "'"))]


def _words(text: str) -> list[str]:
    return [match[0] for match in _WORD.finditer(text)]


def _is_stop_word(word: str) -> bool:
    return common_words.is_stop_word(word) or ("'" in word and common_words.is_stop_word(word.partition("'")[0]))


def _segments(word: str) -> list[str]:
    """The word; in a script without spaces, also its pairs of neighbouring characters."""
    segmented = normalisation.segment_characters(word)
    if segmented is None:
        return [word]
    characters = segmented.split()
    pairs = [f"{one} {other}" for one, other in pairwise(characters)]
    return [word, *(pairs or characters)]


def _without(text: str, names: Sequence[QuestionName]) -> str:
    """A text without some names, and without the endings that make them possessives."""
    parts, position = [], 0
    for name in names:
        parts.append(text[position : name.start])
        possessive = _POSSESSIVE.match(text, name.end)
        position = possessive.end() if possessive else name.end
    parts.append(text[position:])
    return " ".join("".join(parts).split())


# The vectors of a question: embedded once, for as many of the kinds of results as are compared with it.
#
# A loaded model computes them in its own thread, while words and names are looked up.

T = TypeVar("T")
_OTHER_KINDS = (NAME_VECTORS, FACT_VECTORS)

_MAX_COUNTED = 10_000
"""The most rows waiting for a vector that are counted: after an import it may be a million."""

_Packed = tuple[bytes, bytes]
"""A vector as embedding and signs, in stored form."""


class QuestionVectors:
    """A question as vectors; the first reader waits for them.

    Args:
        state: in words: on, how many vectors are missing, or why they are off.
        packed: waits for the vectors, that of the whole question last; None if there are none.
        waiting: the kinds where some have no vector yet.
    """

    def __init__(
        self,
        state: str = "on",
        packed: Callable[[], Sequence[_Packed]] | None = None,
        *,
        waiting: frozenset[VectorKind] = frozenset(),
    ) -> None:
        self.state = state
        self.waiting = waiting
        self._wait = packed

    @property
    def full(self) -> _Packed | None:
        """Of the whole question, compared with names, facts and documents; None if there are no vectors."""
        return self._packed[-1] if self._packed else None

    @property
    def without_names(self) -> _Packed | None:
        """Of the question without the names of people, compared with turns of conversations."""
        return self._packed[0] if self._packed else None

    @cached_property
    def _packed(self) -> Sequence[_Packed]:
        return self._wait() if self._wait is not None else ()


def embed(tx: Tx, question: Question, *, kinds: frozenset[str]) -> QuestionVectors:
    """Embed a question, if there are vectors to compare it with; a missing model is a state, not an error."""
    if "embedding" not in tx.settings.steps:
        return QuestionVectors(state="off: by the settings")
    if reason := vector_backfill.unavailable_reason(tx):
        return QuestionVectors(state=f"off: {reason}")
    missing = _missing_vectors(tx)
    waiting = frozenset(kind for kind, count in missing.items() if count)
    state = "; ".join(["on", *_describe(tx, missing)])
    if not question.text or store.vectors.model_and_dimension(tx) is None:
        return QuestionVectors(state, waiting=waiting)
    from keepgraph.ml import embedder

    # Each text costs a pass of the model, and not every search compares both.
    for_turns = question.without_names if kinds != {EDGES} else question.text
    compares_whole = store.episodes.any_document(tx) or (
        kinds != {EPISODES} and any(store.vectors.any_made(tx, kind) for kind in _OTHER_KINDS)
    )
    texts = list(dict.fromkeys([for_turns, question.text] if compares_whole else [for_turns]))

    def compute() -> Sequence[_Packed]:
        beginnings = [text[:MAX_EMBEDDED_CHARACTERS] for text in texts]
        return vector_backfill.pack(embedder.embed(beginnings, model=tx.settings.model))

    try:
        store.vectors.load_extension(tx)
        wait = _in_thread(compute) if embedder.is_loaded(tx.settings.model) else _at_once(compute)
        store.vector_search.note_search(tx)
    except errors.ModelUnavailable as error:
        return QuestionVectors(state=f"off: {error.message}")
    return QuestionVectors(state, wait, waiting=waiting)


def _at_once(compute: Callable[[], T]) -> Callable[[], T]:
    """Compute now, in this thread."""
    computed = compute()
    return lambda: computed


def _in_thread(compute: Callable[[], T]) -> Callable[[], T]:
    """Begin to compute in another thread; the returned function waits for the result."""
    from concurrent.futures import ThreadPoolExecutor

    thread = ThreadPoolExecutor(1, thread_name_prefix="question vectors")
    # What interrupts the call interrupts the thread too.
    computed = thread.submit(copy_context().run, compute)
    thread.shutdown(wait=False)
    return computed.result


def _missing_vectors(tx: Tx) -> Mapping[VectorKind, int]:
    """How many of each kind have no vector yet; counted once for each state of the graph, and not to the end."""
    return tx.cached(
        "missing vectors",
        lambda: {kind: store.vectors.count_missing(tx, kind, at_most=_MAX_COUNTED) for kind in VECTOR_KINDS},
    )


def _describe(tx: Tx, missing: Mapping[VectorKind, int]) -> list[str]:
    """How many of each kind have no vector yet, or are too many to be compared, in words."""
    waiting = [
        vector_backfill.describe_missing(count, kind.noun, at_most=_MAX_COUNTED)
        for kind, count in missing.items()
        if count
    ]
    too_many = [kind.noun for kind in VECTOR_KINDS if store.vector_search.has_too_many(tx, kind)]
    return waiting + [f"{noun}s are too many to be compared by their meaning" for noun in too_many]


# The context of one search: the analysed question, its vectors, and what the retrievers have found so far.


@dataclass(slots=True)
class SearchContext:
    """What all retrievers of one search may use.

    Attributes:
        hits: the fused hits of each kind that has been retrieved already, best first.
        mentioned: what the best chunks mention, once it has been looked up.
    """

    tx: Tx
    request: SearchRequest
    question: Question
    vectors: QuestionVectors
    hits: dict[str, list[Hit]] = field(default_factory=dict)
    mentioned: Ranking | None = None
    _distances: Distances | None = None
    _spoken: dict[Key, bool] = field(default_factory=dict)

    @property
    def centres(self) -> tuple[Key, ...]:
        """The nodes that distances are measured from: those of the request, else those that the question names."""
        if self.request.centre is not None and self.request.reranker == NODE_DISTANCE:
            return (self.request.centre,)
        return self.request.starting_nodes or self.question.nodes

    def spoken_by_named(self, chunks: Sequence[Key]) -> set[Key]:
        """The chunks said by a speaker whom the question names; each chunk is examined once."""
        speakers = sorted(self.question.speakers)
        if not speakers:
            return set()
        if unknown := [chunk for chunk in chunks if chunk not in self._spoken]:
            spoken = store.episodes.spoken_by(self.tx, unknown, speakers)
            self._spoken.update((chunk, chunk in spoken) for chunk in unknown)
        return {chunk for chunk in chunks if self._spoken[chunk]}

    @property
    def distances(self) -> Distances:
        """The distances from the centres, measured once."""
        if self._distances is None:
            self._distances = neighbourhood.measure(self.tx, self.centres, self.request.filters)
        return self._distances


_MAX_CHARACTERS = 2000
"""Names are searched for in the beginning of a long question."""

_MAX_GUESSES = 3
"""How many unknown names are compared with known ones, in how many groups, for how many results: each costs time."""

_MAX_WORDS_OF_A_NAME = 4
"""A question of at most this many words, without a known name, may itself be a name."""

_NAME_WORD = lazy.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class QuestionName:
    """A name in a question, and what it may mean: entities, names that are only proposed, and speakers.

    Attributes:
        start, end: offsets in the question.
        entities: by row number, each with its certainty, from 0 to 1.
        proposals: by row number.
        speakers: by their keys.
        is_person: whether it is the name of a known person; not a proposed name, whose type is a guess.
    """

    start: int
    end: int
    entities: tuple[tuple[int, float], ...] = ()
    proposals: tuple[int, ...] = ()
    speakers: tuple[str, ...] = ()
    is_person: bool = False


@dataclass(frozen=True, slots=True)
class _Speakers:
    """The speakers in the texts of a graph.

    Attributes:
        keys: those of their names.
        spellings: their names, and words that are part of only one of these, each as it is written there, by key.
        key_of: the key of the speaker, by the key of the name or of such a word.
    """

    keys: frozenset[str]
    spellings: Mapping[str, str]
    key_of: Mapping[str, str]


def detect(tx: Tx, text: str, *, groups: Sequence[str]) -> list[QuestionName]:
    """Detect the names in a question that the graph knows, exactly or nearly; in order.

    First names and aliases as written, and words that are part of only one speaker's name; then what looks
    like a name: nicknames of speakers, and what fuzzy resolution takes it for. A question that names nobody may be
    about the owner of the graph: "what do you know about me?"
    """
    beginning = text[:_MAX_CHARACTERS]
    speakers = _speakers(tx)
    annotated = AnnotatedText(beginning)
    lookup = Lookup(tx, groups)
    spans = list(mention_detection.candidate_spans(annotated))
    keys = list(dict.fromkeys(span.key for span in spans))
    known = lookup.by_keys(keys)
    proposed = store.retrieval.proposed_names(tx, keys, groups=groups)
    others = {key: [name for _, name in names] for key, names in proposed.items()}
    for key in keys:
        if key in speakers.spellings:
            others.setdefault(key, []).append(speakers.spellings[key])
    unknown = [key for key in keys if key.isalpha() and key not in known and key not in others]
    # Other words are rarely names in a question.
    parts = [key for key in unknown if given_names.contains(key) or not common_words.is_english(key)][:_MAX_GUESSES]
    found = text_names.find(
        lookup,
        annotated,
        spans=spans,
        words=[span for span in spans if span.key in parts],
        others=others,
        persons=speakers.spellings,
    ).known
    names = [_known_name(lookup, reading, proposed.get(reading.key, ()), speakers) for reading in found]
    names += _guessed_names(tx, annotated, found, speakers, groups=groups)
    if not names:
        names = _owners(tx, beginning, groups=groups)
    return [_with_speakers(tx, name, speakers) for name in sorted(names, key=lambda name: name.start)]


def lacks_owner(tx: Tx, text: str, *, groups: Sequence[str]) -> bool:
    """Whether a question is about the person who asks, names nothing known, and nobody owns these groups."""
    beginning = text[:_MAX_CHARACTERS]
    if _span_of_asker(beginning) is None or store.groups.rows(tx, groups):
        return False
    # Names that are only similar do not count: "me" is not nearly "Mel".
    exact_only = replace(tx, settings=replace(tx.settings, steps=()))
    return not detect(exact_only, text, groups=groups)


def _speakers(tx: Tx) -> _Speakers:
    def read() -> _Speakers:
        names = store.episodes.speakers(tx)
        owners: dict[str, set[str]] = {}
        for key in names:
            for word in key.split() if " " in key else ():
                owners.setdefault(word, set()).add(key)
        key_of = {word: min(keys) for word, keys in owners.items() if len(keys) == 1 and word not in names}
        parts = {part.casefold(): part for name in names.values() for part in name.split()}
        spellings = {word: parts.get(word, word) for word in key_of} | names
        return _Speakers(frozenset(names), spellings, key_of | {key: key for key in names})

    return tx.cached("speakers", read)


def _known_name(
    names: Lookup, reading: Reading, proposals: Sequence[tuple[int, str]], speakers: _Speakers
) -> QuestionName:
    """A name that the graph knows as written."""
    speaker = speakers.key_of.get(reading.key)
    if speaker is None and not reading.hits:
        speaker = next(iter(_speaker_by_nickname(Name(reading.key), speakers)), None)
    return QuestionName(
        start=reading.start,
        end=reading.end,
        entities=tuple(
            (hit.entity.row, fusion.ALIAS if hit.is_alias or reading.how == "part" else fusion.EXACT_NAME)
            for hit in reading.hits
        ),
        proposals=tuple(row for row, _ in proposals),
        speakers=(speaker,) if speaker else (),
        is_person=speaker is not None or any(map(names.is_person, reading.hits)),
    )


def _guessed_names(
    tx: Tx, annotated: AnnotatedText, known: Sequence[Reading], speakers: _Speakers, *, groups: Sequence[str]
) -> list[QuestionName]:
    """What looks like a name, or is the whole question, and is unknown, with what it may still mean."""
    text = annotated.text
    spans = [(name.start, name.end, name.name) for name in proper_names.detect(annotated, besides=known)]
    spans = spans[:_MAX_GUESSES]
    if not spans and not known and 0 < len(_NAME_WORD.findall(text)) <= _MAX_WORDS_OF_A_NAME and len(text) <= MAX_NAME:
        spans = [(0, len(text), text)]
    names = []
    for start, end, written in spans:
        name = Name(written)
        nicknamed = _speaker_by_nickname(name, speakers)
        similar = _similar_entities(tx, name, groups=groups)
        if nicknamed or similar:
            entities = tuple((row, score) for row, score, _ in similar)
            is_person = bool(nicknamed) or any(style == "person" for _, _, style in similar)
            names.append(QuestionName(start, end, entities, speakers=nicknamed, is_person=is_person))
    return names


def _owners(tx: Tx, text: str, *, groups: Sequence[str]) -> list[QuestionName]:
    """The words that mean the owner of the graph, if the question is about the person asking and names nobody."""
    span = _span_of_asker(text)
    rows = store.groups.rows(tx, groups) if span else ()
    return [QuestionName(*span, tuple((row, fusion.ALIAS) for row in rows), is_person=True)] if span and rows else []


@lru_cache(maxsize=8)
def _span_of_asker(text: str) -> tuple[int, int] | None:
    """The words by which a question is about the person asking; None if it is not, or names somebody."""
    span = first_person.find_in_question(text)
    if span is None or any(not first_person.is_pronoun(name.name) for name in proper_names.detect(text, besides=())):
        return None
    return span


def _speaker_by_nickname(name: Name, speakers: _Speakers) -> tuple[str, ...]:
    """The speaker with this nickname, if there is only one."""
    is_word = name.folded and " " not in name.folded
    nicknames = given_names.nicknames(name.folded) if is_word else frozenset()
    keys = [key for key in speakers.keys if key.partition(" ")[0] in nicknames]
    return tuple(keys) if len(keys) == 1 else ()


def _similar_entities(tx: Tx, name: Name, *, groups: Sequence[str]) -> list[tuple[int, float, NameStyle]]:
    """Entities with a similar name, as row number, score and the style of their names."""
    if "fuzzy" not in tx.settings.steps:
        return []
    similar = []
    vocabulary = graph_vocabulary.read(tx)
    for group in groups[:_MAX_GUESSES]:
        for candidate in fuzzy.rank(replace(tx, group=group), name, include_weak=False):
            if candidate.score >= name_similarity.MATCH_THRESHOLD:
                similar.append((candidate.entity.row, candidate.score, vocabulary.style(candidate.entity.type)))
    return sorted(similar, key=lambda scored: -scored[1])[:_MAX_GUESSES]


def _with_speakers(tx: Tx, name: QuestionName, speakers: _Speakers) -> QuestionName:
    """The name with the speakers who are the entities that it means: texts may call them by another name."""
    if not speakers.keys or not name.entities:
        return name
    keys = store.retrieval.keys_of_entities(tx, [row for row, _ in name.entities])
    return replace(name, speakers=tuple(dict.fromkeys([*name.speakers, *(keys & speakers.keys)])))
