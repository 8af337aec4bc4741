"""Proposals: entities and facts inferred from a chunk, which nobody has accepted. No entity and no fact is written.

An entity is proposed for a name that the graph does not know: a speaker, a link, a tag, a proper name in the text. A
fact is proposed for a sentence that states it in plain words (`language.relation_extraction`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepgraph import lazy, store
from keepgraph.engine.resolution.text_names import NamesInText
from keepgraph.engine.texts.chunk_mentions import Detection, Detector
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.language import common_words, known_words, name_styles, normalisation, proper_names, relation_extraction
from keepgraph.language.mention_detection import AnnotatedText
from keepgraph.language.normalisation import Name
from keepgraph.language.proper_names import ProperName
from keepgraph.language.relation_extraction import ExtractedFact
from keepgraph.model import Entity, NameStyle, ProposalDraft, Role
from keepgraph.temporal import timestamps

MAX_NAMES = 200
"""At most this many names, and as many facts, are proposed from one chunk."""

# Confidence of a proposed entity: its name only looks like one, or somebody wrote it as one (speaker, link, tag).
_LIKELY_NAME = 0.5
_EXPLICIT_NAME = 0.8

# Nothing with a longer name is proposed. In characters.
_MAX_NAME = 200

_WORDING_OF_COMPANIES = "company"
_WORDING_OF_PLACES = "place"
_KEY_END = lazy.compile(r"[*_]{0,2}::?[*_]{0,2}\s")
_JSON_KEY_END = lazy.compile(r'"\s*:')
_KEY_SEPARATOR = "\x1f"


def propose(detector: Detector, detection: Detection) -> tuple[ProposalDraft, ...]:
    """The entities and facts to propose from a chunk in which mentions have been detected."""
    vocabulary = detector.names.vocabulary
    drafts = _Drafts(vocabulary)
    _propose_speaker(drafts, vocabulary, detection)
    _propose_annotations(drafts, detector, detection)
    _propose_names(drafts, detector, detection, detection.text, detection.in_text, with_evidence=True)
    if detection.title:
        title = AnnotatedText(detection.title)
        _propose_names(drafts, detector, detection, title, detection.in_title, with_evidence=False)
    about = _topic(detector, detection)
    written_on = timestamps.local_date(detection.episode.occurred_at, detector.names.tx.zone)
    _propose_decisions(drafts, detector, detection.text.text, written_on)
    _propose_facts(drafts, detector, detection.text.text, written_on, about=about)
    known = [hit.entity for reading in detection.in_text.known for hit in reading.hits]
    return tuple(drafts.without_parts_of_names(known)[: 2 * MAX_NAMES])


class _Drafts:
    """The drafts of one chunk, in the order in which they are found; of two with the same key, the first."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._drafts: dict[tuple[str, str], ProposalDraft] = {}

    def add(self, draft: ProposalDraft) -> None:
        self._drafts.setdefault((draft.kind, draft.key), draft)

    def entity(self, key: str) -> ProposalDraft | None:
        return self._drafts.get(("entity", key))

    def change_type(self, draft: ProposalDraft, entity_type: str) -> None:
        self._drafts["entity", draft.key] = replace(draft, subject_type=entity_type)

    def without_parts_of_names(self, known: Sequence[Entity]) -> list[ProposalDraft]:
        """All but first or last names that are a part of a longer name in the same chunk: Priya of Priya Raman.

        Args:
            known: the entities that the chunk names.
        """
        names = [(key, draft.subject_type) for (kind, key), draft in self._drafts.items() if kind == "entity"]
        names += [(normalisation.key(entity.name), entity.type) for entity in known]
        full = [key.split() for key, type_ in names if " " in key and self._vocabulary.style(type_) != "statement"]
        parts = {word for words in full for word in (words[0], words[-1])}
        return [draft for draft in self._drafts.values() if draft.kind != "entity" or draft.key not in parts]


def _propose_speaker(drafts: _Drafts, vocabulary: Vocabulary, detection: Detection) -> None:
    speaker = detection.unknown_speaker
    if speaker is None:
        return
    key = normalisation.key(speaker)
    if len(speaker) <= _MAX_NAME and speaker[:1].isupper() and not common_words.is_rarely_name(key):
        person_type = vocabulary.default_type("person")
        drafts.add(ProposalDraft("entity", key, person_type, speaker, confidence=_EXPLICIT_NAME))


def _propose_annotations(drafts: _Drafts, detector: Detector, detection: Detection) -> None:
    """Propose entities for links, tags and names that the caller gave."""
    for name, given_type in detection.unknown_annotations:
        if len(name) <= _MAX_NAME:
            entity_type = given_type or _type_of_name(detector, name, name_styles.guess(name))
            key = normalisation.key(name)
            drafts.add(ProposalDraft("entity", key, entity_type, name, confidence=_EXPLICIT_NAME))


def _propose_names(
    drafts: _Drafts,
    detector: Detector,
    detection: Detection,
    text: AnnotatedText,
    found: NamesInText,
    *,
    with_evidence: bool,
) -> None:
    """Propose entities for the proper names in a text.

    Args:
        found: the known names in it, and the names that a known one is a part of.
        with_evidence: whether the sentence around a name is its evidence; not so in a title, which is not in the chunk.
    """
    names = [*found.longer, *proper_names.detect(text, besides=[*found.known, *found.longer])][:MAX_NAMES]
    known_keys = detector.names.by_keys(normalisation.key(name.name) for name in names)
    for name in names:
        key = normalisation.key(name.name)
        if not key or len(name.name) > _MAX_NAME or key in known_keys:
            continue
        if _is_key(detector, detection, text.text, name):
            continue
        start, stop = text.sentence_around(name.start, name.end) if with_evidence else (None, None)
        entity_type = _type_of_name(detector, _with_legal_form(text, name), name.style)
        drafts.add(
            ProposalDraft("entity", key, entity_type, name.name, confidence=_LIKELY_NAME, start=start, stop=stop)
        )


def _is_key(detector: Detector, detection: Detection, text: str, name: ProperName) -> bool:
    """Whether a name is the key of a value: in JSON, or as a word of the vocabulary that begins a line: `Leiter: …`."""
    if detection.episode.kind == "json":
        return bool(_JSON_KEY_END.match(text, name.end))
    line = text[text.rfind("\n", 0, name.start) + 1 : name.start]
    if not _KEY_END.match(text, name.end) or line.strip("> -*_"):
        return False
    kinds = (store.vocabulary.ENTITY_TYPE, store.vocabulary.PREDICATE)
    return any(graph_vocabulary.find(detector.names.tx, kind, name.name) for kind in kinds)


def _type_of_name(detector: Detector, name: str, style: NameStyle) -> str:
    """The type for a name if only its style is known: that of companies, of places, or the default of the style.

    A legal form or an institution is an organisation; a city or a country is known as a place.
    """
    vocabulary = detector.names.vocabulary
    wording = None
    if style == "term" and (Name(name).legal_form or name_styles.is_institution(name)):
        wording = _WORDING_OF_COMPANIES
    elif style == "term" and known_words.is_place(name.lower()):
        wording = _WORDING_OF_PLACES
    found = wording and graph_vocabulary.find(detector.names.tx, store.vocabulary.ENTITY_TYPE, wording)
    if found and any(found.name == usable.name for usable in vocabulary.usable_types):
        return found.name
    return vocabulary.default_type(style)


def _with_legal_form(text: AnnotatedText, name: ProperName) -> str:
    """A name with the word after it, where that is a legal form, which is not taken for a part of the name."""
    last = name.start + name.name.rfind(" ") + 1
    after = text.word(text.neighbours(last, name.end)[1])
    return f"{name.name} {after}" if Name(f"{name.name} {after}").legal_form else name.name


def _topic(detector: Detector, detection: Detection) -> str | None:
    """The name of what a chunk is about; None if that is not known.

    It is the one project that the caller gave, else the only known project in the nearest heading or the title, else
    the entity whose name is that heading or title.
    """
    project_types = detector.names.vocabulary.project_types
    given = [annotation for annotation in detection.chunk.annotations if annotation.get("how") == "given"]
    given_names = {
        annotation["name"]
        for annotation in given
        if annotation.get("name") and (annotation.get("type") is None or annotation["type"] in project_types)
    }
    if len(given_names) == 1:
        return given_names.pop()
    headings = [heading.strip() for heading in detection.chunk.heading.split("›") if heading.strip()]
    title = [detection.episode.name] if detection.episode.kind != "message" else []
    for heading in [*reversed(headings), *title]:
        named = [hit.entity for reading in detector.in_title(heading).known for hit in reading.hits]
        projects = {entity.name for entity in named if entity.type in project_types}
        if len(projects) == 1:
            return projects.pop()
        if hits := detector.names.by_keys([normalisation.key(heading)]):
            return next(iter(hits.values()))[0].entity.name
    return None


def _propose_decisions(drafts: _Drafts, detector: Detector, text: str, written_on: str) -> None:
    for decision in relation_extraction.extract_decisions(text, written_on=written_on)[:MAX_NAMES]:
        key = normalisation.key(decision.name)
        if key and not detector.names.by_keys([key]):
            drafts.add(
                ProposalDraft(
                    "entity",
                    key,
                    _type_of_style(detector.names.vocabulary, "statement"),
                    decision.name,
                    confidence=decision.confidence,
                    start=decision.start,
                    stop=decision.end,
                )
            )


def _propose_facts(drafts: _Drafts, detector: Detector, text: str, written_on: str, *, about: str | None) -> None:
    for fact in relation_extraction.extract_facts(text, about=about, written_on=written_on)[:MAX_NAMES]:
        if draft := _fact_draft(drafts, detector, fact):
            drafts.add(draft)


def _fact_draft(drafts: _Drafts, detector: Detector, fact: ExtractedFact) -> ProposalDraft | None:
    """The draft of a fact, after its unknown ends were proposed as entities.

    None if the vocabulary has no predicate for it, the ends do not fit, or the graph has the fact already.
    """
    tx, vocabulary = detector.names.tx, detector.names.vocabulary
    subjects, objects = (
        [hit.entity for hit in detector.names.by_name(Name(name))] for name in (fact.subject, fact.object)
    )
    project_types = vocabulary.project_types
    if fact.object_style == "title" and objects and all(entity.type not in project_types for entity in objects):
        return None  # a decision belongs to a project
    subject, subject_type = _end(vocabulary, subjects, fact.subject, fact.subject_style)
    target, object_type = _end(vocabulary, objects, fact.object, fact.object_style)
    predicate = _predicate(vocabulary, fact.role, subject_type, object_type)
    if predicate is None or max(len(subject), len(target)) > _MAX_NAME:
        return None
    rows = [entity.row for entity in subjects], [entity.row for entity in objects]
    if subjects and objects and store.proposals.fact_exists(tx, rows[0], predicate, rows[1]):
        return None
    for entities, name, entity_type in ((subjects, subject, subject_type), (objects, target, object_type)):
        if not entities:
            _propose_end(drafts, vocabulary, name, entity_type, fact)
    return ProposalDraft(
        kind="fact",
        key=_KEY_SEPARATOR.join((normalisation.key(subject), predicate, normalisation.key(target))),
        subject_type=subject_type,
        subject=subject,
        predicate=predicate,
        object_type=object_type,
        object=target,
        confidence=fact.confidence,
        start=fact.start,
        stop=fact.end,
    )


def _predicate(vocabulary: Vocabulary, role: Role, subject_type: str, object_type: str) -> str | None:
    """The first usable predicate in a role that connects these types."""
    return next(
        (
            term.name
            for term in vocabulary.of_role(role)
            if term.retired_at is None and vocabulary.fits(term, subject_type, object_type)
        ),
        None,
    )


def _type_of_style(vocabulary: Vocabulary, style: NameStyle) -> str:
    """The type for an unknown end of a stated fact, where a statement is a decision, and a title is of a project."""
    preferred = {"statement": vocabulary.decision_types, "title": vocabulary.project_types}.get(style, ())
    usable = [term.name for term in vocabulary.usable_types if term.name in preferred]
    return usable[0] if usable else vocabulary.default_type(style)


def _end(vocabulary: Vocabulary, entities: Sequence[Entity], name: str, style: NameStyle) -> tuple[str, str]:
    """The name and the type of one end of a fact: as the graph has it, else as the text does."""
    entity_type = _type_of_style(vocabulary, style)
    candidates = [entity for entity in entities if vocabulary.is_kind_of(entity.type, entity_type)] or list(entities)
    return (candidates[0].name, candidates[0].type) if candidates else (name, entity_type)


def _propose_end(drafts: _Drafts, vocabulary: Vocabulary, name: str, entity_type: str, fact: ExtractedFact) -> None:
    """Propose one end of a fact as an entity, if it is written like a name; the fact shows its type best."""
    key = normalisation.key(name)
    existing = drafts.entity(key)
    style = vocabulary.style(entity_type)
    if existing is not None:
        if style != "term":
            drafts.change_type(existing, entity_type)
    elif any(c.isupper() for c in name) and style != "statement":
        drafts.add(
            ProposalDraft("entity", key, entity_type, name, confidence=_LIKELY_NAME, start=fact.start, stop=fact.end)
        )
