"""Mention detection in a chunk: which entities it names in its words, its title, its speaker, its links and tags.

How a known name is recognised in a text is in `resolution.text_names`.
"""

from __future__ import annotations

from dataclasses import replace

from keepgraph import store
from keepgraph.engine.resolution import text_names
from keepgraph.engine.resolution.text_names import Lookup, NamesInText
from keepgraph.language import first_person, markdown, normalisation
from keepgraph.language.mention_detection import AnnotatedText
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import Chunk, Entity, Episode, Mention
from keepgraph.store.transactions import Tx

# How much more of a text than its name is compared with that name, as white space is not alike in both. In characters.
_TITLE_MARGIN = 200
_ROLES = frozenset("user assistant human system ai bot me you agent tool model unknown speaker".split())


@dataclass(frozen=True, slots=True)
class Detection:
    """What was detected in a chunk.

    Attributes:
        title: the name of the episode, with its first chunk; empty elsewhere, and where the text begins with it.
        mentions: each entity once, by the first way in which it is mentioned: text, title, speaker, annotations.
        in_text, in_title: the names in the text and in the title.
        unknown_speaker: the name of the speaker, where no entity has it.
        unknown_annotations: names and types of links, tags and given names that no entity has; None: no type is given.
            Not tags of the front matter: they say what a text is about, and are not names by themselves.
    """

    episode: Episode
    chunk: Chunk
    text: AnnotatedText
    title: str
    mentions: tuple[Mention, ...]
    in_text: NamesInText
    in_title: NamesInText
    unknown_speaker: str | None
    unknown_annotations: tuple[tuple[str, str | None], ...]


class Detector:
    """Detects mentions in chunks of one group, in one transaction."""

    def __init__(self, tx: Tx, group: str) -> None:
        self.names = Lookup(replace(tx, group=group), [group])
        self._names_in_titles: dict[str, NamesInText] = {}
        self._given: dict[str, Entity | None] = {}

    def detect(self, episode: Episode, chunk: Chunk, *, is_first: bool) -> Detection:
        """What a chunk mentions.

        Args:
            is_first: whether it is the first chunk of its episode; then the title of the episode is read with it.
        """
        text = AnnotatedText(markdown.shown(chunk.text) if episode.kind == "document" else chunk.text)
        title = episode.name if is_first and not _title_repeats_text(episode, chunk) else ""
        in_text = text_names.find(self.names, text)
        in_title = self.in_title(title) if title else NamesInText()
        by_row: dict[int, Mention] = {}
        for names, has_place in ((in_text, True), (in_title, False)):
            for reading in names.known:
                place = (reading.start, reading.end) if has_place else ()
                for hit in reading.hits:
                    how = "alias" if hit.is_alias else "name"
                    by_row.setdefault(hit.entity.row, Mention(chunk.row, hit.entity.row, how, *place))
        unknown_speaker = self._detect_speaker(chunk, by_row)
        unknown_annotations = self._detect_annotations(chunk, by_row)
        return Detection(
            episode=episode,
            chunk=chunk,
            text=text,
            title=title,
            mentions=tuple(by_row.values()),
            in_text=in_text,
            in_title=in_title,
            unknown_speaker=unknown_speaker,
            unknown_annotations=tuple(unknown_annotations),
        )

    def in_title(self, title: str) -> NamesInText:
        """The names in a title or a heading; cached, as many chunks have the same."""
        if title not in self._names_in_titles:
            self._names_in_titles[title] = text_names.find(self.names, AnnotatedText(title))
        return self._names_in_titles[title]

    def _detect_speaker(self, chunk: Chunk, by_row: dict[int, Mention]) -> str | None:
        """Add the mentions of the speaker; returns the name of the speaker where no entity has it."""
        speaker = Name(chunk.speaker or "")
        if not speaker.key or speaker.key in _ROLES:
            return None
        hits = self.names.by_name(speaker)
        for hit in hits:
            by_row.setdefault(hit.entity.row, Mention(chunk.row, hit.entity.row, "speaker"))
        return None if hits else speaker.text

    def _detect_annotations(self, chunk: Chunk, by_row: dict[int, Mention]) -> list[tuple[str, str | None]]:
        """Add the mentions by links, tags and what the caller gave; returns the names and types that no entity has."""
        unknown = []
        for annotation in chunk.annotations:
            how = annotation.get("how") or "given"
            if public_id := annotation.get("id"):
                if public_id not in self._given:
                    tx = self.names.tx
                    found = store.entities.by_id(tx, public_id) or store.entities.by_former_id(tx, public_id)
                    self._given[public_id] = found
                if entity := self._given[public_id]:
                    by_row.setdefault(entity.row, Mention(chunk.row, entity.row, how))
                continue
            name = Name(annotation.get("name") or "")
            if not name.key:
                continue
            hits = self.names.by_name(name, of_type=annotation.get("type") if how == "given" else None)
            for hit in hits:
                by_row.setdefault(hit.entity.row, Mention(chunk.row, hit.entity.row, how))
            if not hits and first_person.is_pronoun(name.text):
                if owner := store.groups.find(self.names.tx):
                    by_row.setdefault(owner.row, Mention(chunk.row, owner.row, how))
            elif not hits and (how != "tag" or f"#{name.text}" in chunk.text):
                given_type = self.names.vocabulary.default_type("term") if how == "tag" else annotation.get("type")
                unknown.append((name.text, given_type))
        return unknown


def _title_repeats_text(episode: Episode, chunk: Chunk) -> bool:
    """Whether the name of an episode is only the beginning of its text; that of a message never is a title."""
    beginning = normalisation.clean(chunk.text[: 2 * len(episode.name) + _TITLE_MARGIN])
    return episode.kind == "message" or beginning.startswith(normalisation.clean(episode.name).rstrip("…").rstrip())
