"""The one entity, fact, text or call that somebody asks to forget. Never a near one: those are only candidates.

A request in English gives the kind of thing to forget, and the words that name it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from keepgraph import errors, lazy, store
from keepgraph.engine.knowledge import entities, facts
from keepgraph.engine.maintenance import call_descriptions
from keepgraph.engine.resolution import resolver
from keepgraph.engine.texts import episodes, storage
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.english import with_article
from keepgraph.language import common_words, normalisation, utf8
from keepgraph.language.normalisation import Name
from keepgraph.language.phrase_matching import Occurrences
from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Episode, Fact
from keepgraph.store.transactions import Tx

ENTITY, FACT, TEXT, CALL = "entity", "fact", "text", "call"

MAX_CANDIDATES = 5

# So many things with the same words are compared with a sentence or a title.
_MAX_COMPARED = 50
_MAX_WORDS = 12

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

Target = Entity | Fact | Episode | int
"""What is to be forgotten; a call by its number."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to understand what was asked: the words to look for, and the kind of thing; None for any."""

    words: str
    kind: str | None


def find(tx: Tx, what: str, *, kind: str | None = None) -> Target:
    """The one thing that is meant, by its id, its name or alias, its title or its sentence, as they are written.

    Only "the note about …" finds a text by words: the one text that has them all, as they are written.

    Raises:
        errors.Ambiguous: several fit.
        errors.EntityNotFound, FactNotFound, EpisodeNotFound, ChangeNotFound: none fits; near ones are candidates.
    """
    what = utf8.replace_surrogates(what).replace("\0", " ")
    if (target := _by_id(tx, what.strip().lower(), kind)) is not None:
        return target
    request = parse(what)
    if kind == CALL:
        return _last_or_call(tx, what, request)
    if (request.is_last or request.kind == CALL) and kind in (None, request.kind):
        return _call_or_named(tx, what, request, kind)
    words = unquoted(" ".join(what.split()))
    readings = [_Reading(words, kind)]
    if kind is None or request.kind in (None, kind):
        readings.append(_Reading(request.words, kind or request.kind))
    for reading in dict.fromkeys(readings):
        if (target := _choose(_written_so(tx, reading))) is not None:
            return target
    if kind is None and request.kind == TEXT:
        named = _named(tx, without_determiner(words))
        if (target := _choose([*named, *_texts_with_words(tx, request.words)])) is not None:
            return target
    raise _not_found(tx, readings[-1])


def find_texts(tx: Tx, what: str) -> list[Episode]:
    """The texts that are meant, to read or correct one: the last, those with this title, else those with the words."""
    request = parse(what)
    if request.is_last and request.kind == TEXT:
        newest = store.episodes.newest_recorded(tx)
        return [newest] if newest else []
    if titled := _titled(tx, unquoted(" ".join(what.split()))) or _titled(tx, request.words):
        return titled
    phrases = _phrases(request.words)
    return store.episodes.with_phrases(tx, phrases, limit=MAX_CANDIDATES + 1) if phrases else []


def describe(target: Entity | Fact | Episode) -> dict[str, str]:
    """A thing as a candidate: its kind, its id, and its name or sentence."""
    if isinstance(target, Entity):
        return {"kind": ENTITY, "id": target.id, "type": target.type, "name": target.name}
    if isinstance(target, Fact):
        return {"kind": FACT, "id": target.id, "name": facts.sentence(target)}
    return {"kind": TEXT, "id": target.id, "name": target.name}


def _describe_call(tx: Tx, number: int) -> dict[str, str]:
    """A call as a candidate: its number, and what it was about."""
    call = store.journal.find_call(tx, number)
    about = call_descriptions.describe_number(tx, number)
    return {"kind": CALL, "id": f"call {number}", "name": f"{call[1]}: {about}" if call and about else about}


def _by_id(tx: Tx, text: str, kind: str | None) -> Target | None:
    """The thing with this id; None if the text is not an id.

    Raises:
        errors.EntityNotFound, FactNotFound, EpisodeNotFound: there is none with this id.
        errors.InvalidArguments: it is the id of another kind of thing than was asked for.
    """
    prefixes = {"ent_": ENTITY, "fact_": FACT, "ep_": TEXT}
    named = next((named for prefix, named in prefixes.items() if re.fullmatch(rf"{prefix}[0-9a-z]{{26}}", text)), None)
    if named is None:
        return None
    if kind and kind != named:
        message = f"{text} is the id of {with_article(named)}, not of {with_article(kind)}"
        raise errors.InvalidArguments(message, hint="Leave kind out.")
    if named == FACT:
        return facts.find(tx, text)
    if named == TEXT:
        return episodes.find(tx, text)
    entity = entities.find_by_id(tx, text)
    if entity is None:
        raise errors.EntityNotFound(f"there is no entity {text!r}")
    return entity


def _call_or_named(tx: Tx, what: str, request: Request, kind: str | None) -> Target:
    """What "call 12" or "the last note" means, unless something else has exactly that name.

    Raises:
        errors.Ambiguous: something else has that name too.
        errors.ChangeNotFound, EpisodeNotFound: there is neither.
    """
    named = _written_so(tx, _Reading(unquoted(" ".join(what.split())), kind))
    try:
        meant = _last_or_call(tx, what, request)
    except (errors.ChangeNotFound, errors.EpisodeNotFound):
        if (target := _choose(named)) is not None:
            return target
        raise
    others = [match for match in named if match != meant]
    if isinstance(meant, Episode):
        return _choose([meant, *others]) or meant
    if not others:
        return meant
    if not store.journal.list_calls(tx, limit=1, only=meant):
        return _choose(others) or meant
    raise _ambiguous(
        [_describe_call(tx, meant), *map(describe, others)],
        hint='Ask which one is meant, and pass its id; for the call, with kind "call".',
    )


def _last_or_call(tx: Tx, what: str, request: Request) -> Episode | int:
    """The newest text, or a call by its number or the last one."""
    if request.is_last and request.kind == TEXT:
        newest = store.episodes.newest_recorded(tx)
        if newest is None:
            raise errors.EpisodeNotFound("there is no text yet")
        return newest
    number = re.fullmatch(r"\s*(?:call)?\s*#?(\d{1,18})\s*", request.words, re.IGNORECASE)
    if number:
        return int(number[1])
    is_last = request.is_last or what.strip().lower() in ("last", "latest", "previous")
    last = store.journal.find_last_undoable_call(tx) if is_last else None
    if last is None:
        raise errors.ChangeNotFound(
            f"{what.strip()[:60]!r} is not a call" if not is_last else "there is no call that can be forgotten",
            hint='Give its number: "call 12".',
        )
    return last


def _written_so(tx: Tx, reading: _Reading) -> list[Entity | Fact | Episode]:
    """What has these words as its name, alias, title, path or sentence, or as its whole text."""
    if not reading.words:
        return []
    matches: list[Entity | Fact | Episode] = []
    if reading.kind in (None, ENTITY):
        matches += _named(tx, reading.words)
    if reading.kind in (None, TEXT):
        matches += _titled(tx, reading.words)
    if reading.kind in (None, FACT):
        matches += _saying(tx, reading.words)
    return matches


def _named(tx: Tx, words: str) -> list[Entity]:
    """The entities with this name or alias; or in `type:name` or "the type name", those of this type."""
    readings: list[tuple[str, Sequence[str] | None]] = [(words, None)]
    vocabulary = graph_vocabulary.read(tx)
    typed = [words.partition(":")]
    if words.startswith("the "):
        typed.append(words.removeprefix("the ").partition(" "))
    for before, divider, name in typed:
        # In words, a capital begins a name: Event Horizon is not an event.
        entity_type = before.strip().lower() if divider == ":" else before
        if entity_type in vocabulary.type_by_name and name.strip():
            readings.append((name, vocabulary.with_subtypes([entity_type])))
    for text, types in readings:
        key = Name(text).key
        by_name = store.entities.by_key(tx, key, of_types=types) if key else []
        by_alias = store.entities.by_alias_key(tx, key, of_types=types) if key else []
        if matches := {entity.row: entity for entity in (*by_name, *(entity for entity, _ in by_alias))}:
            return list(matches.values())
    return []


def _titled(tx: Tx, words: str) -> list[Episode]:
    """The texts with this title or path, else those that say just this."""
    titled = store.episodes.by_name(tx, words, limit=_MAX_COMPARED)
    titled += [
        episode
        for episode in store.episodes.by_source(tx, words, kind=storage.DOCUMENT)
        if episode.row not in {other.row for other in titled}
    ]
    return titled or store.episodes.by_digest(tx, utf8.digest(utf8.replace_surrogates(words)))


def _saying(tx: Tx, words: str) -> list[Fact]:
    """The facts with this sentence, or with subject, predicate and object written like this."""
    phrases = _phrases(words, all_words=True)
    if len(phrases) < 2:
        return []
    wanted = normalisation.key(words)
    return [
        fact
        for fact in store.facts.with_phrases(tx, phrases, limit=_MAX_COMPARED)
        if wanted in (normalisation.key(facts.sentence(fact)), normalisation.key(_triple(fact)))
    ]


def _triple(fact: Fact) -> str:
    return f"{fact.subject.name} {fact.predicate} {fact.object.name if fact.object else fact.literal}"


def _texts_with_words(tx: Tx, words: str) -> list[Episode]:
    """The texts with all these words; none if there is just one word and they have only its stem."""
    phrases = _phrases(words)
    texts = store.episodes.with_phrases(tx, phrases, limit=MAX_CANDIDATES + 1) if phrases else []
    if len(texts) == 1 and not _says(store.episodes.text(tx, texts[0]), words):
        return []
    return texts


def _says(text: str, words: str) -> bool:
    """Whether a text has all these words as written, in any case."""
    spaced = _segmented(text.replace("’", "'"))
    return all(Occurrences([_segmented(word)]).are_in(spaced) for word in _telling_words(words))


def _similar(tx: Tx, reading: _Reading) -> list[Entity | Fact | Episode]:
    """What comes near: the entities with a near name, and the texts and facts with these words. Only candidates."""
    similar: list[Entity | Fact | Episode] = [*_near_entities(tx, reading)]
    phrases = _phrases(reading.words)
    if phrases and reading.kind in (None, TEXT):
        similar += store.episodes.with_phrases(tx, phrases, limit=MAX_CANDIDATES)
    if phrases and reading.kind in (None, FACT):
        similar += store.facts.with_phrases(tx, phrases, limit=MAX_CANDIDATES)
    return similar[: 2 * MAX_CANDIDATES]


def _near_entities(tx: Tx, reading: _Reading) -> list[Entity]:
    """The entities whose names come near, or that mean the same: they are only candidates."""
    name = Name(reading.words[: entities.MAX_NAME])
    if reading.kind not in (None, ENTITY) or not name.key:
        return []
    resolution = resolver.resolve(tx, name)
    found = [resolution.entity] if resolution.entity else []
    return [*found, *(candidate.entity for candidate in resolution.candidates)][:MAX_CANDIDATES]


def _phrases(text: str, *, all_words: bool = False) -> list[str]:
    """The words of a text for a full-text query; without stop words, unless all are asked for."""
    words = _words(text) if all_words else _telling_words(text)
    return [f'"{_segmented(word)}"' for word in dict.fromkeys(words)][:_MAX_WORDS]


def _telling_words(text: str) -> list[str]:
    return [word for word in _words(text) if not common_words.is_stop_word(word)]


def _words(text: str) -> list[str]:
    return [match[0].lower().replace("’", "'") for match in _WORD.finditer(text)]


def _segmented(text: str) -> str:
    return normalisation.segment_characters(text) or text


def _choose(matches: Sequence[Entity | Fact | Episode]) -> Entity | Fact | Episode | None:
    """The only match, if any.

    Raises:
        errors.Ambiguous: there are several.
    """
    if len(matches) > 1:
        raise _ambiguous([describe(match) for match in matches], hint="Ask which one is meant, and pass its id.")
    return matches[0] if matches else None


def _ambiguous(candidates: Sequence[dict[str, str]], *, hint: str) -> errors.Ambiguous:
    count = f"more than {MAX_CANDIDATES}" if len(candidates) > MAX_CANDIDATES else f"{len(candidates)}"
    return errors.Ambiguous(
        f"{count} things fit; nothing was forgotten", hint=hint, candidates=candidates[:MAX_CANDIDATES]
    )


def _not_found(tx: Tx, reading: _Reading) -> errors.KeepgraphError:
    """The error if nothing has the name, with similar names."""
    candidates = [describe(match) for match in _similar(tx, reading)]
    error_class = {FACT: errors.FactNotFound, TEXT: errors.EpisodeNotFound}.get(
        reading.kind or ENTITY, errors.EntityNotFound
    )
    thing = reading.kind or "entity, fact or text"
    hint = "Ask whether one of the candidates is meant, and pass its id." if candidates else None
    return error_class(
        f"no {thing} is called {reading.words[:60]!r}; nothing was forgotten",
        hint=hint or "Look it up with `search` or recall_entity, and pass its id.",
        candidates=candidates,
    )


_TEXT_NOUNS = (
    r"(?:notes?|texts?|messages?|memos?|documents?|e-?mails?|mails?|letters?|conversations?|minutes|pages?|episodes?"
    r"|entry|entries|memory|memories)"
)
_LAST = r"(?:last|latest|newest|most recent|previous)"
_DETERMINER = r"(?:[Tt]he|[Mm]y|[Yy]our|[Oo]ur|[Tt]hat|[Tt]his|[Aa]n?)\s+"
_BEGINNING = lazy.compile(_DETERMINER)

_CALL = lazy.compile(r"(?:the\s+)?call\s+#?(\d{1,18})", re.IGNORECASE)
# In all that follows the nouns are in lower case. With a capital they are part of a name: the Blue Note, Last Letters.
_LAST_CALL = lazy.compile(
    rf"(?:[Tt]he\s+)?{_LAST}\s+(?:call|thing|change)"
    r"|[Ww]hat (?:[Ii]|we|you) (?:have )?just (?:told you|said|recorded|added|did)"
    r"|[Ww]hat was just (?:said|recorded|added)"
)
_LAST_TEXT = lazy.compile(rf"(?:{_DETERMINER})?{_LAST}\s+{_TEXT_NOUNS}")
_TEXT = lazy.compile(
    rf"{_DETERMINER}{_TEXT_NOUNS}\s*(?::|(?=[\"“”„«»])|\b(?:about|on|of|from|with|for|that says|which says|saying"
    r"|called|titled|named|where|in which)\b)\s*(.+)",
    re.DOTALL,
)
_TEXT_AT_END = lazy.compile(rf"{_DETERMINER}(.+?)\s+{_TEXT_NOUNS}", re.DOTALL)
_FACT = lazy.compile(
    r"(?:the\s+|this\s+|that\s+)?fact\s*(?::|that|about)?\s+(.+)|that\s+(.+)", re.IGNORECASE | re.DOTALL
)
_EVERYTHING = lazy.compile(
    r"(?:[Ee]verything|[Aa]nything|[Ww]hatever|[Aa]ll(?=\s+(?:that\s+)?(?:you|[Ii]|we)\s))"
    r"(?:\s+(?:that\s+)?(?:you|[Ii]|we)\s+(?:know|have|kept|said|remember|told you))?\s+(?:about|on|of)\s+(.+)"
    r"|[Ww]ho\s+(.+?)\s+is",
    re.DOTALL,
)
_QUOTES = "\"'“”„«»‘’` "


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked to be forgotten.

    Attributes:
        words: the name, title, sentence or words that are left; the number of a call.
        kind: entity, fact, text or call, if the words say so; else None.
        is_last: whether the newest of its kind is meant.
    """

    words: str
    kind: str | None = None
    is_last: bool = False


def parse(what: str) -> Request:
    """Read what somebody asks to forget: "the note about the licence" is a text, with the words "the licence".

    Only with a determiner: "Letters from Iceland" is a title.
    """
    text = " ".join(what.split()).rstrip(".!?") or what.strip()
    if call := _CALL.fullmatch(text):
        return Request(call[1], "call")
    if _LAST_CALL.fullmatch(text):
        return Request("", "call", is_last=True)
    if _LAST_TEXT.fullmatch(text):
        return Request("", "text", is_last=True)
    for pattern, kind in ((_TEXT, "text"), (_EVERYTHING, "entity"), (_FACT, "fact"), (_TEXT_AT_END, "text")):
        if match := pattern.fullmatch(text):
            return Request(unquoted(next(group for group in match.groups() if group)), kind)
    return Request(unquoted(text))


def without_determiner(text: str) -> str:
    """A text without the article or the possessive before it: "the blue note" may be what is called Blue Note."""
    return _BEGINNING.sub("", text)


def unquoted(text: str) -> str:
    """A text without the quotation marks around it."""
    return text.strip(_QUOTES) or text.strip()
