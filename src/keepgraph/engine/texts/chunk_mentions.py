"""Mention detection in a chunk: which entities it names in its words, its title, its speaker, its links and tags.

How a known name is recognised in a text is in `language.mention_detection`; here the names come from the graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from keepgraph import store
from keepgraph.engine.resolution import name_parts
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import common_words, first_person, longer_names, mention_detection, normalisation
from keepgraph.language.mention_detection import AnnotatedText, NameMatch
from keepgraph.language.normalisation import Name
from keepgraph.language.proper_names import ProperName
from keepgraph.lazy import dataclass
from keepgraph.model import Chunk, Episode, Mention
from keepgraph.store.transactions import Tx

# Lookup of the names of one group: by key, by prefix, and of persons by a part of their name; each is read once.


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity by one of its names.

    Attributes:
        written: the name or alias, or the part of it, as the graph has it.
        row: the row of the entity.
        type: its type.
        name: its name.
        how: whether `written` is its "name" or an "alias".
    """

    written: str
    row: int
    type: str
    name: str
    how: str


class NameLookup:
    """The names of a group, with a cache for the texts that are read in one transaction."""

    def __init__(self, tx: Tx, group: str) -> None:
        self.tx = replace(tx, group=group)
        self.group = group
        self.vocabulary = graph_vocabulary.read(tx)
        self._by_key: dict[str, tuple[NamedEntity, ...]] = {}
        self._is_prefix: dict[str, bool] = {}
        self._person_by_part: dict[str, NamedEntity | None] = {}

    def by_keys(self, keys: Iterable[str]) -> dict[str, tuple[NamedEntity, ...]]:
        """Those of the keys that are names, each with the entities that have it."""
        requested = set(keys)
        missing = sorted(requested - self._by_key.keys())
        entities: dict[str, list[NamedEntity]] = defaultdict(list)
        rows = store.mentions.entities_by_keys(self.tx, missing, group=self.group) if missing else ()
        for key, written, row, entity_type, name, how in rows:
            entities[key].append(NamedEntity(written, row, entity_type, name, how))
        self._by_key.update({key: tuple(entities.get(key, ())) for key in missing})
        return {key: self._by_key[key] for key in requested if self._by_key[key]}

    def by_name(self, name: Name, *, of_type: str | None = None) -> tuple[NamedEntity, ...]:
        """The entities with this name; else the only person with this first or last name.

        Args:
            of_type: only entities of this type and its subtypes; None for any.
        """
        types = None if of_type is None else self.vocabulary.with_subtypes([of_type])
        entities = self.by_keys([name.key]).get(name.key, ())
        if matches := tuple(entity for entity in entities if types is None or entity.type in types):
            return matches
        person = self.person_by_part(name.key) if " " not in name.key else None
        return (person,) if person and (types is None or person.type in types) else ()

    def prefixes(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys with which some name begins."""
        requested = set(keys)
        if missing := sorted(requested - self._is_prefix.keys()):
            prefixes = set(store.mentions.prefixes_of_names(self.tx, missing, group=self.group))
            self._is_prefix.update({key: key in prefixes for key in missing})
        return {key for key in requested if self._is_prefix[key]}

    def person_by_part(self, key: str) -> NamedEntity | None:
        """The only person whose first or last name has this key; None where there is none, or there are several."""
        if key not in self._person_by_part:
            self._person_by_part[key] = self._read_person_by_part(key)
        return self._person_by_part[key]

    def _read_person_by_part(self, key: str) -> NamedEntity | None:
        persons = name_parts.persons(self.tx, key, groups=[self.group])
        if len(persons) != 1:
            return None
        entity = persons[0].entity
        return NamedEntity(persons[0].written, entity.row, entity.type, entity.name, "name")


# How much more of a text than its name is compared with that name, as white space is not alike in both. In characters.
_TITLE_MARGIN = 200
_ROLES = frozenset("user assistant human system ai bot me you agent tool model unknown speaker".split())


@dataclass(frozen=True, slots=True)
class Detection:
    """What was detected in a chunk.

    Attributes:
        title: the name of the episode, with its first chunk; empty elsewhere, and where the text begins with it.
        mentions: each entity once, by the first way in which it is mentioned: text, title, speaker, annotations.
        text_matches, title_matches: the known names in the text and in the title.
        longer_in_text, longer_in_title: unknown names there that a known one is only a part of.
        unknown_speaker: the name of the speaker, where no entity has it.
        unknown_annotations: names and types of links, tags and given names that no entity has; None: no type is given.
            Not tags of the front matter: they say what a text is about, and are no names by themselves.
    """

    episode: Episode
    chunk: Chunk
    text: AnnotatedText
    title: str
    mentions: tuple[Mention, ...]
    text_matches: tuple[NameMatch, ...]
    title_matches: tuple[NameMatch, ...]
    longer_in_text: tuple[ProperName, ...]
    longer_in_title: tuple[ProperName, ...]
    unknown_speaker: str | None
    unknown_annotations: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class _NamesInText:
    """The known names in a text, with their entities; and unknown names that a known one is only a part of."""

    known: list[tuple[NameMatch, NamedEntity]]
    longer: tuple[ProperName, ...]


class Detector:
    """Detects mentions in chunks of one group, in one transaction."""

    def __init__(self, tx: Tx, group: str) -> None:
        self.names = NameLookup(tx, group)
        self._names_in_titles: dict[str, _NamesInText] = {}

    def detect(self, episode: Episode, chunk: Chunk, *, is_first: bool) -> Detection:
        """What a chunk mentions.

        Args:
            is_first: whether it is the first chunk of its episode; then the title of the episode is read with it.
        """
        text = AnnotatedText(chunk.text)
        title = episode.name if is_first and not _title_repeats_text(episode, chunk) else ""
        in_text = self._names_in_text(text)
        in_title = self._in_title(title) if title else _NamesInText([], ())
        by_row: dict[int, Mention] = {}
        for match, entity in in_text.known:
            by_row.setdefault(entity.row, Mention(chunk.row, entity.row, entity.how, match.start, match.end))
        for _, entity in in_title.known:
            by_row.setdefault(entity.row, Mention(chunk.row, entity.row, entity.how))
        unknown_speaker = self._detect_speaker(chunk, by_row)
        unknown_annotations = self._detect_annotations(chunk, by_row)
        return Detection(
            episode=episode,
            chunk=chunk,
            text=text,
            title=title,
            mentions=tuple(by_row.values()),
            text_matches=tuple(match for match, _ in in_text.known),
            title_matches=tuple(match for match, _ in in_title.known),
            longer_in_text=in_text.longer,
            longer_in_title=in_title.longer,
            unknown_speaker=unknown_speaker,
            unknown_annotations=tuple(unknown_annotations),
        )

    def entities_in_title(self, title: str) -> list[tuple[NameMatch, NamedEntity]]:
        """The known names in a title or a heading, with their entities."""
        return self._in_title(title).known

    def _in_title(self, title: str) -> _NamesInText:
        """What is named in a title; cached, as many chunks have the same."""
        if title not in self._names_in_titles:
            self._names_in_titles[title] = self._names_in_text(AnnotatedText(title))
        return self._names_in_titles[title]

    def _names_in_text(self, text: AnnotatedText) -> _NamesInText:
        """The known names in a text, each with every entity that has it, and the unknown names around some of them."""
        spans = list(mention_detection.candidate_spans(text, self.names.prefixes(mention_detection.prefix_keys(text))))
        by_key = self.names.by_keys(span.key for span in spans)
        words = [
            span
            for span in mention_detection.word_spans(text)
            if span.key not in by_key and common_words.may_be_part_of_name(text.text[span.start : span.end], span.key)
        ]
        by_part = {key: (person,) for key in {span.key for span in words} if (person := self.names.person_by_part(key))}
        entities = by_key | by_part
        matches = mention_detection.detect(
            text,
            {key: [entity.written for entity in named] for key, named in entities.items()},
            spans=[span for span in (*spans, *words) if span.key in entities],
        )
        style = self.names.vocabulary.style
        persons = {
            match.key for match in matches if any(style(entity.type) == "person" for entity in entities[match.key])
        }
        longer = longer_names.find(text, matches, persons=persons)
        known = [
            (match, entity)
            for match in matches
            for entity in entities[match.key]
            if match not in longer or longer_names.is_same_name(longer[match], entity.name, entity.written)
        ]
        found = {match for match, _ in known}
        unknown = {name.start: name for match, name in longer.items() if name and match not in found}
        return _NamesInText(known, tuple(unknown.values()))

    def _detect_speaker(self, chunk: Chunk, by_row: dict[int, Mention]) -> str | None:
        """Add the mentions of the speaker; returns the name of the speaker where no entity has it."""
        speaker = Name(chunk.speaker or "")
        if not speaker.key or speaker.key in _ROLES:
            return None
        entities = self.names.by_name(speaker)
        for entity in entities:
            by_row.setdefault(entity.row, Mention(chunk.row, entity.row, "speaker"))
        return None if entities else speaker.text

    def _detect_annotations(self, chunk: Chunk, by_row: dict[int, Mention]) -> list[tuple[str, str | None]]:
        """Add the mentions by links, tags and what the caller gave; returns the names and types that no entity has."""
        unknown = []
        for annotation in chunk.annotations:
            how = annotation.get("how") or "given"
            if public_id := annotation.get("id"):
                row = store.mentions.entity_row(self.names.tx, public_id)
                if row is not None:
                    by_row.setdefault(row, Mention(chunk.row, row, how))
                continue
            name = Name(annotation.get("name") or "")
            if not name.key:
                continue
            entities = self.names.by_name(name, of_type=annotation.get("type") if how == "given" else None)
            for entity in entities:
                by_row.setdefault(entity.row, Mention(chunk.row, entity.row, how))
            if not entities and first_person.is_pronoun(name.text):
                if owner := store.owners.find(self.names.tx):
                    by_row.setdefault(owner.row, Mention(chunk.row, owner.row, how))
            elif not entities and (how != "tag" or f"#{name.text}" in chunk.text):
                given_type = self.names.vocabulary.default_type("term") if how == "tag" else annotation.get("type")
                unknown.append((name.text, given_type))
        return unknown


def _title_repeats_text(episode: Episode, chunk: Chunk) -> bool:
    """Whether the name of an episode is only the beginning of its text; that of a message never is a title."""
    beginning = normalisation.clean(chunk.text[: 2 * len(episode.name) + _TITLE_MARGIN])
    return episode.kind == "message" or beginning.startswith(normalisation.clean(episode.name).rstrip("…").rstrip())
