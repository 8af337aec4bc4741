"""Notes as entities: their identity, and the facts that their structure states.

The annotations of the text of a note name its entity by id. Facts written in a note are asserted by its text, with its
file as the source; so a change withdraws what the file no longer says, and a deletion all that only it said.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import date, datetime, time
from itertools import chain

from keepgraph import errors, lazy, store
from keepgraph.engine.knowledge import entities, entity_changes, facts, literals, merges, predicates
from keepgraph.engine.knowledge.predicates import LITERAL
from keepgraph.engine.texts import forgetting, note_folders, storage
from keepgraph.engine.texts.documents import may_name_entity
from keepgraph.engine.texts.note_folders import Folder, Note
from keepgraph.engine.texts.storage import Annotation
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import identifiers, markdown, name_similarity, normalisation, notes
from keepgraph.language.markdown import Link
from keepgraph.language.normalisation import Name
from keepgraph.language.notes import NoteContent, Task
from keepgraph.model import Entity, Episode, Fact, Ref, Role
from keepgraph.store.provenance import digest
from keepgraph.store.transactions import Tx

_NOTE, _TO_DO, _OBSERVED = "note", "to do", "noted"
"""What the vocabulary calls the type of a note, the type of a task, and the predicate of an observation."""

_EVENT, _HAPPENED_ON, _WRITTEN_ON = "event", "takes place on", "created on"
_MAX_NAMES_TRIED = 100
_MAX_REWORDED = 100
_MIN_LIKENESS = 0.7
_FOLDERS_OF_ALL = frozenset(["pages", "journals"])
"""The folders in which Logseq keeps notes of every type."""

_PLURAL_ENDINGS = ("s", "es", "e", "en", "n", "x")
_CACHE_KEY = "words of types"
_BLOCK_ID = lazy.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NUMBER = lazy.compile(r"\d+")
_LINKED, _CITED = "[[", "@"
"""How what a statement waits for begins: a link, or the key of a citation."""


def identify(tx: Tx, folder: Folder, note: Note, previous: Note | None) -> Entity:
    """The entity of a note, with the names and the type that it has now; a new one if there is none.

    An entity with the name of the note that belongs to no other note is its entity: somebody recorded it, or a link
    created it.

    Args:
        previous: what the note was when it was last read; None if it is new.
    """
    explicit, assumed = _types(tx, folder, note)
    owner = folder.owners.get(note.path)
    entity = entities.find_by_id(tx, owner) if owner else None
    if entity is None:
        entity = _find_unowned(tx, folder, note, explicit)
        if entity is None:
            entity = _create(tx, folder, note, explicit or assumed, is_assumed=explicit is None)
        previous = None
    elif previous and previous.name != note.name:
        named = _find_unowned(tx, folder, note, explicit)
        if named and named.row != entity.row and not _is_assumed(tx, entity):
            # Somebody recorded both: the note now belongs to the other, and neither is renamed.
            entity, previous = named, None
    folder.own(note.path, entity.id)
    before = _types(tx, folder, previous)[0] if previous else None
    given = given_type(tx, folder, note.path)
    given_before = folder.given.get(previous.path) if previous else None
    if explicit == given != given_before and (given_before or _is_assumed(tx, entity)):
        before = None  # the settings have changed, not the text
    names = dict.fromkeys([note.stem, *note.aliases, *_identifiers(note), *folder.titles_of(note)])
    for name in {**names, note_folders.slug(note.stem): None}:
        _absorb(tx, folder, note, entity, name)
    if explicit and (explicit not in (before, entity.type) or _is_assumed(tx, entity)):
        entity = _retype(tx, folder, note, entity, explicit)
    if (previous or entity).name != note.name:
        entity = _rename(tx, folder, note, entity)
    names[note.name] = None
    keys = set(map(normalisation.key, names))
    lost = _names(previous) - keys if previous else set()
    known = {normalisation.key(alias) for alias in store.entities.aliases(tx, entity)}
    for key in lost & known:
        store.entities.delete_alias(tx, entity, key)
    for alias in names:
        if normalisation.key(alias) not in known:
            _add_alias(tx, entity, alias)
    return entity


def check_types(tx: Tx, types: Mapping[str, str]) -> None:
    """Check the types that the settings give the notes of folders.

    Raises:
        errors.SettingsInvalid: one is not in the vocabulary; the hint names the nearest.
    """
    for folder, name in types.items():
        if _type_called(tx, name) is None:
            unknown = entities.unknown(tx, name)
            raise errors.SettingsInvalid(f"[vault] types, {folder}: {unknown.message}", hint=unknown.hint)


def given_type(tx: Tx, folder: Folder, path: str) -> str | None:
    """The type that the settings give the notes of the nearest folder around a path, if any."""
    named = next((folder.types[name] for name in reversed(path.split("/")[:-1]) if name in folder.types), None)
    return _type_called(tx, named) if named else None


def annotation(tx: Tx, folder: Folder, note: Note, entity: Entity) -> Annotation:
    """What the text of a note is annotated with: its entity, and the type that the settings give it."""
    given = given_type(tx, folder, note.path)
    return {"how": "given", "id": entity.id, **({"type": given} if given else {})}


def forget(tx: Tx, episode: Episode) -> None:
    """Delete the text of a note whose file is gone, with what only it says, and its entity if nothing else names it."""
    entity = entity_of(tx, episode)
    aliases = store.entities.aliases(tx, entity) if entity else []
    if entity is None or not {*map(normalisation.key, aliases)} <= _names(
        note_folders.read(store.episodes.text(tx, episode), episode.source.replace("\\", "/"))
    ):
        forgetting.delete(tx, episode)
        return
    # Aliases that are newer than the entity would keep it.
    for alias in aliases:
        store.entities.delete_alias(tx, entity, normalisation.key(alias))
    forgetting.delete(tx, episode)
    if entity.row in store.entities.by_rows(tx, [entity.row]):
        for alias in aliases:
            _add_alias(tx, entity, alias)


def is_new(tx: Tx, folder: Folder, note: Note) -> bool:
    """Whether `identify` would create the entity of a note that is not stored, or give it another type."""
    explicit, _ = _types(tx, folder, note)
    entity = _find_unowned(tx, folder, note, explicit)
    return entity is None or explicit not in (None, entity.type)


def is_forgotten(tx: Tx, folder: Folder, note: Note, episode: Episode) -> bool:
    """Whether somebody has forgotten the entity of a note, and nothing has its name again: then it is a text alone."""
    if store.provenance.ITSELF not in store.provenance.open_statements(tx, episode.row):
        return False
    return _find_unowned(tx, folder, note, _types(tx, folder, note)[0]) is None


def record(
    tx: Tx,
    folder: Folder,
    note: Note,
    entity: Entity,
    episode: Episode,
    *,
    previous: Note | None,
    is_moved: bool = False,
) -> list[str]:
    """Record what a note states, and withdraw what its text no longer states.

    Facts that somebody has deleted, retracted or ended since then are not recorded again.

    Args:
        previous: what the note was when it was last read; None if it is new.
        is_moved: whether the path of the file has changed since then.

    Returns:
        Why values of its fields are not recorded: `due: 2026-13-45`.
    """
    recorder = _Recorder(replace(tx, episode=episode.row), folder, note, entity, episode.source)
    before = store.provenance.of_episode(tx, episode.row) if previous or is_moved else []
    if previous or is_moved:
        recorder.remember(previous.content.tasks if previous else (), episode)
    recorder.record_all()
    if previous or is_moved or recorder.open:
        store.provenance.set_open_statements(tx, episode.row, recorder.open)
    if not before:
        return recorder.unread
    withdrawn = forgetting.withdraw_unstated(tx, episode, [row for row, _, _ in before], stated=recorder.kept)
    if is_moved:
        rows = [row for row, _, _ in store.provenance.of_episode(tx, episode.row)]
        store.provenance.set_source(tx, rows, source=episode.source)
    if withdrawn:
        created_at = {episode.recorded_at, *(recorded_at for _, _, recorded_at in before)}
        forgetting.delete_unsupported_entities(tx, forgetting.ends_of(withdrawn), created_at)
    return recorder.unread


def late(tx: Tx, folder: Folder) -> list[str]:
    """The sources of the notes that name what was not in the graph when they were read, and is now."""
    is_known: dict[tuple[str, str], bool] = {}
    sources: dict[str, None] = {}
    for source, _, name in store.provenance.open_in_folder(tx, folder.root):
        if name is None or source in sources:
            continue
        path = folder.within(source)
        where = posixpath.dirname(path), name
        if where not in is_known:
            cited = _cited(tx, name[len(_CITED) :]) if name.startswith(_CITED) else None
            is_known[where] = cited is not None or folder.find(name[len(_LINKED) : -2], within=path) is not None
        if is_known[where]:
            sources[source] = None
    return list(sources)


def shared_aliases(tx: Tx, folder: Folder, note: Note) -> Iterator[tuple[str, Entity]]:
    """The aliases of a note that another note has as its name or an alias, with the entity of the other note."""
    for alias in note.aliases:
        key = normalisation.key(alias)
        named = [*store.entities.by_key(tx, key), *(entity for entity, _ in store.entities.by_alias_key(tx, key))]
        if other := next((entity for entity in named if folder.is_of_other(entity, note.path)), None):
            yield alias, other


def describe(tx: Tx, folder: Folder, note: Note) -> dict[str, object]:
    """What a note would become, for a preview. Reads only."""
    explicit, assumed = _types(tx, folder, note)
    content = note.content
    links = [*content.links, *(link for statement in content.statements for link in statement.links)]
    targets = {link.target for link in links if may_name_entity(link)}
    return {
        "file": note.path,
        "type": explicit or assumed,
        "name": note.name,
        "aliases": [alias for alias in dict.fromkeys([note.stem, *note.aliases]) if alias != note.name],
        "links": len(targets),
        "new": sorted(target for target in targets if not folder.find(target, within=note.path)),
        "tags": list(content.tags),
        "tasks": [task.name for task in content.tasks if task.state is None],
        "decisions": list(_decisions(tx, folder, note, explicit)),
    }


def entity_of(tx: Tx, episode: Episode) -> Entity | None:
    """The entity of a note, given its text; None if the text is not a note."""
    ids = [each["id"] for chunk in store.episodes.chunks(tx, episode)[:1] for each in chunk.annotations if "id" in each]
    return entities.find_by_id(tx, ids[0] or "") if ids and episode.kind == storage.DOCUMENT else None


def linked(tx: Tx, episode: Episode, text: str) -> dict[str, Entity]:
    """The entities that the links of a note lead to, by target as written: the other ends of the facts it states."""
    stated = store.facts.by_rows(tx, [fact for _, fact, _ in store.provenance.of_episode(tx, episode.row)])
    ends = {end.row: end for end in forgetting.ends_of(stated)}
    by_key: dict[str, Entity] = {}
    for end in ends.values():
        for name in (end.name, note_folders.last_part(end.name), *store.entities.aliases(tx, end)):
            by_key.setdefault(normalisation.key(name), end)
    targets = {
        link.target: note_folders.path_key(link.target) for link in markdown.parse(text).links[: notes.MAX_OF_A_KIND]
    }
    found = {target: by_key.get(key) or by_key.get(note_folders.last_part(key)) for target, key in targets.items()}
    return {target: entity for target, entity in found.items() if entity is not None}


# The kind of a note, and its name


def _types(tx: Tx, folder: Folder, note: Note) -> tuple[str | None, str]:
    """The type that a note, its folder or a field gives, if any; and the type to assume otherwise."""
    vocabulary = graph_vocabulary.read(tx)
    wanted = next(filter(None, _wanted_types(tx, folder, note)), None)
    if wanted in vocabulary.decision_types and not folder.has_decisions:
        wanted = None
    assumed = _type_called(tx, _NOTE) or vocabulary.default_type("reference")
    # A daily note is a note, whatever it contains.
    return (wanted or assumed if note.content.is_daily else wanted), assumed


def _wanted_types(tx: Tx, folder: Folder, note: Note) -> Iterator[str | None]:
    """The type that each sign of a note stands for, if any, the strongest sign first."""
    content = note.content
    if content.kind:
        yield _type_called(tx, content.kind)
    for tag in content.labels:
        yield _type_named(tx, note_folders.last_part(tag))
    for name in reversed(note.path.split("/")[:-1]):
        if name in _FOLDERS_OF_ALL:
            continue
        # A folder named after notes gives them no other type.
        named = _type_of_folder(tx, name, folder.types)
        yield None if named == _type_called(tx, _NOTE) else named
    if _has_deadline(tx, content):
        yield _type_called(tx, _TO_DO)
    if _is_record_of_decision(tx, note):
        yield _decision_type(tx)


def _type_called(tx: Tx, wording: str) -> str | None:
    try:
        found = entities.assumed_type(tx, wording)
    except errors.EntityTypeUnknown:
        return None
    return None if found.is_abstract else found.name


def _type_named(tx: Tx, word: str) -> str | None:
    """The usable type with this word as its name or as a preferred label, in any language."""
    entity_type, is_preferred = _type_words(tx).get(_fold(word), (None, False))
    return entity_type if is_preferred else None


def _type_of_folder(tx: Tx, name: str, given: Mapping[str, str]) -> str | None:
    """The type of the notes in a folder: from the settings, else the type whose plural is the name of the folder.

    A name in the singular counts only for people: the notes in a folder Work are not works.
    """
    if name in given:
        return _type_called(tx, given[name])
    words, key = _type_words(tx), _fold(name)
    for singular in (
        graph_vocabulary.singular(key),
        *(key.removesuffix(end) for end in _PLURAL_ENDINGS if key.endswith(end)),
    ):
        if singular in words:
            return words[singular][0]
    named = words.get(key, (None, False))[0]
    return named if named and graph_vocabulary.read(tx).style(named) == "person" else None


def _type_words(tx: Tx) -> dict[str, tuple[str, bool]]:
    """The usable types by folded name and label, and whether the word is the name or a preferred label."""
    vocabulary = graph_vocabulary.read(tx)
    cache = graph_vocabulary.cache_of(vocabulary.revision)
    if _CACHE_KEY not in cache:
        words: dict[str, tuple[str, bool]] = {}
        labels = store.vocabulary.labels(tx, store.vocabulary.ENTITY_TYPE)
        for term in vocabulary.usable_types:
            words[_fold(term.name)] = term.name, True
        for term in vocabulary.usable_types:
            for label in sorted(labels.get(term.row, ()), key=lambda label: label.status != "preferred"):
                words.setdefault(_fold(label.label), (term.name, label.status == "preferred"))
        cache[_CACHE_KEY] = words
    return cache[_CACHE_KEY]  # type: ignore[no-any-return]


def _has_deadline(tx: Tx, content: NoteContent) -> bool:
    return any(
        term.name in literals.deadlines(tx)
        for statement in content.statements
        if statement.text
        for term in graph_vocabulary.find_all(tx, store.vocabulary.PREDICATE, statement.wording)[:1]
    )


def _is_record_of_decision(tx: Tx, note: Note) -> bool:
    """Whether a note is an architecture decision record: numbered, not dated, with a section for the decision."""
    is_numbered = note.stem[:4].isdigit() and notes.day_of(note.stem) is None
    return is_numbered and any(_is_decision(tx, heading) for heading, _ in note.content.sections)


def _decision_type(tx: Tx) -> str | None:
    vocabulary = graph_vocabulary.read(tx)
    return next(filter(vocabulary.is_usable_type, vocabulary.decision_types), None)


def _is_decision(tx: Tx, word: str) -> bool:
    """Whether a word is a heading for decisions: Decision, Entscheidungen."""
    named = _type_named(tx, word) or _type_of_folder(tx, word, {})
    return named in graph_vocabulary.read(tx).decision_types


def _find_unowned(tx: Tx, folder: Folder, note: Note, explicit: str | None) -> Entity | None:
    """The one entity with a name of the note that belongs to no other note and may be of its type."""
    vocabulary = graph_vocabulary.read(tx)
    for name in dict.fromkeys([*folder.names_of(note.path), *folder.titles_of(note)]):
        named = store.entities.by_key(tx, normalisation.key(name))
        free = [entity for entity in named if not folder.is_of_other(entity, note.path)]
        if explicit:
            assumed = store.entities.among(tx, [entity.row for entity in free])
            fitting = [entity for entity in free if vocabulary.is_kind_of(entity.type, explicit)]
            free = fitting or [entity for entity in free if entity.row in assumed]
        if len(free) == 1:
            return free[0]
    return None


def _absorb(tx: Tx, folder: Folder, note: Note, entity: Entity, name: str) -> None:
    """Merge entities that links created under another name of the note, before that name was read, into its entity."""
    if len(folder.notes_named(name)) > (note_folders.path_key(name) == note_folders.path_key(note.stem)):
        return
    others = [other for other in store.entities.by_key(tx, normalisation.key(name)) if other.row != entity.row]
    assumed = store.entities.among(tx, [other.row for other in others]) if others else set()
    for other in others:
        if other.row in assumed and not folder.is_of_other(other, note.path):
            with suppress(errors.InvalidRequest, errors.Conflict):
                merges.merge(tx, keep=entity, absorb=other, across_types=True)


def _create(tx: Tx, folder: Folder, note: Note, entity_type: str, *, is_assumed: bool) -> Entity:
    entity = entities.create(tx, entity_type, _free_name(tx, folder, note, entity_type))
    if is_assumed:
        store.entities.mark(tx, [entity.row])
    return entity


def _retype(tx: Tx, folder: Folder, note: Note, entity: Entity, entity_type: str) -> Entity:
    """Give an entity the type of its note, and a name that is free in that type; the owner stays a person."""
    name = _free_name(tx, folder, note, entity_type, besides=entity)
    try:
        return entity_changes.change(tx, entity, entity_type=entity_type, name=name, keep_old_name=False).entity
    except (errors.NameTaken, errors.EntityTypeUnknown):
        return entity


def _is_assumed(tx: Tx, entity: Entity) -> bool:
    return bool(store.entities.among(tx, [entity.row]))


def _rename(tx: Tx, folder: Folder, note: Note, entity: Entity) -> Entity:
    name = _free_name(tx, folder, note, entity.type, besides=entity)
    if name == entity.name:
        return entity
    try:
        return entity_changes.change(tx, entity, name=name, keep_old_name=False).entity
    except errors.NameTaken:
        return entity


def _free_name(tx: Tx, folder: Folder, note: Note, entity_type: str, *, besides: Entity | None = None) -> str:
    """The title of a note; if another note or an entity of its type has it: the folder and the title, the path …"""
    in_folder = f"{posixpath.basename(posixpath.dirname(note.path)) or folder.name}/{note.name}"
    numbered = (f"{note.name[: entities.MAX_NAME - 6]} ({number})" for number in range(2, _MAX_NAMES_TRIED))
    for name in chain(folder.titles_of(note), (in_folder, note.stem, note_folders.without_suffix(note.path)), numbered):
        name = note_folders.bounded(name)
        if (key := normalisation.key(name)) and not any(
            (other.type == entity_type or folder.is_of_other(other, note.path))
            for other in store.entities.by_key(tx, key)
            if besides is None or other.row != besides.row
        ):
            return name
    return tx.new_id("note")


def _names(note: Note) -> set[str]:
    """The keys of the names that a note gives its entity."""
    names = [note.stem, note.name, *note.aliases]
    return set(map(normalisation.key, [*names, *map(identifiers.spelling, names), *_identifiers(note)]))


def _identifiers(note: Note) -> list[str]:
    """The identifiers in the fields of a note, such as a DOI; not the addresses of pages."""
    found = [identifiers.canonical(one.text, key=one.wording) for one in note.content.statements if one.text]
    return [one for one in found if one and identifiers.kind(one) != identifiers.PAGE]


def _add_alias(tx: Tx, entity: Entity, alias: str) -> None:
    """Add an alias, unless it is invalid or names another entity of the type."""
    with suppress(errors.AliasInvalid, errors.AliasTaken):
        entities.add_aliases(tx, entity, [alias])


# What a note states


class _Recorder:
    """Records the facts of one note.

    Attributes:
        open: its statements that somebody has removed, and those that wait for something, by their digests.
        kept: the facts, by row, that it states and somebody has retracted or ended.
        unread: why values of its fields are not what their predicates take.
    """

    def __init__(self, tx: Tx, folder: Folder, note: Note, entity: Entity, source: str) -> None:
        self._tx, self._folder, self._note, self._entity, self._source = tx, folder, note, entity, source
        self._vocabulary = graph_vocabulary.keep(tx)
        self._stated: dict[int, Fact] = {}
        self._removed: set[int] = set()
        self._tasks_before: dict[Task, Task] = {}
        self.open: dict[int, str | None] = {}
        self.kept: set[int] = set()
        self.unread: list[str] = []

    def remember(self, tasks: Sequence[Task], episode: Episode) -> None:
        """What the note stated when it was last read, also by tasks that were reworded since, and what was removed."""
        assertions = store.provenance.statements(self._tx, episode.row).values()
        by_row = {fact.row: fact for fact in store.facts.by_rows(self._tx, [fact for fact, _ in assertions])}
        self._stated = {statement: by_row[fact] for fact, statement in assertions if statement is not None}
        open_before = store.provenance.open_statements(self._tx, episode.row)
        self._removed = {statement for statement, waits_for in open_before.items() if waits_for is None}
        self._tasks_before = dict(_reworded(tasks, self._note.content.tasks))
        for task, before in self._tasks_before.items():
            for words, *_ in self._statements_of(task):
                was, is_now = _task_digest(before, words), _task_digest(task, words)
                if was in self._stated:
                    self._stated.setdefault(is_now, self._stated[was])
                if was in self._removed:
                    self._removed.add(is_now)

    def _is_removed(self, statement: int) -> bool:
        """Whether somebody has removed the fact of a statement."""
        fact = self._stated.get(statement)
        if fact and (fact.retracted_at or fact.valid_to):
            self.kept.add(fact.row)
            return True
        if statement in self._removed:
            self.open[statement] = None
            return True
        return False

    def record_all(self) -> None:
        content = self._note.content
        tags = self._of_role("tags")
        for tag in dict.fromkeys([*content.tags, *filter(None, [content.status])]):
            self._add(digest("#", tag), self._entity, tags, tag)
        if content.day:
            event = _type_called(self._tx, _EVENT)
            is_event = event is not None and self._vocabulary.is_kind_of(self._entity.type, event)
            called = self._called(_HAPPENED_ON if is_event else _WRITTEN_ON)
            self._add(digest("day"), self._entity, called, content.day)
        links = list(content.links)
        for field in content.statements:
            links += [link for link in field.links if not self._relate(field.wording, link, field.is_field)]
            if field.text:
                self._relate_text(field.wording, field.text)
        for link in links:
            statement = digest(_LINKED, note_folders.path_key(link.target))
            if not self._is_removed(statement):
                self._mention(statement, self._target(link, statement))
        for tag in content.tags:
            self._lead_to_note(tag)
        for key in content.citations:
            statement = digest(_CITED, key)
            if not self._is_removed(statement):
                cited = _cited(self._tx, key)
                self._mention(statement, cited)
                if cited is None:
                    self.open[statement] = f"{_CITED}{key}"
        noted = self._called(_OBSERVED) if content.observations else None
        for category, text in content.observations:
            if not (self._folder.has_decisions and _is_decision(self._tx, category)):
                self._add(digest("noted", category, text), self._entity, noted, f"{category}: {text}")
        if content.tasks:
            self._record_tasks(content.tasks)
        self._record_decisions()

    def _mention(self, statement: int, target: Entity | None) -> None:
        if target is not None and target.row != self._entity.row:
            self._add(statement, target, self._of_role("mentions"), self._entity)

    def _lead_to_note(self, tag: str) -> None:
        """Let a tag that is the name of a note lead to it, as in Logseq, now or when there is such a note."""
        statement = digest(_LINKED, note_folders.path_key(tag))
        if self._is_removed(statement):
            return
        if self._folder.find(tag, within=self._note.path):
            [link] = markdown.links_in(f"[[{tag}]]") or [None]
            self._mention(statement, self._target(link, statement) if link else None)
        else:
            self.open[statement] = f"{_LINKED}{tag}]]"

    def _record_tasks(self, tasks: Sequence[Task]) -> None:
        entity_type = _type_called(self._tx, _TO_DO)
        if entity_type is None or self._of_role("part_of") is None:
            return
        for task in tasks:
            entity = self._task_entity(task, entity_type)
            for words, predicate, value, since in self._statements_of(task):
                statement = _task_digest(task, words)
                if not self._is_removed(statement) and entity is not None:
                    self._add(statement, entity, predicate, value or self._entity, since=since)

    def _statements_of(self, task: Task) -> Iterator[tuple[tuple[str, ...], str | None, str | None, str | None]]:
        """What a task states: the words of each statement, its predicate, its literal and its day."""
        tags = self._of_role("tags")
        yield (), self._of_role("part_of"), None, None
        for wording, value in task.fields:
            yield (wording, value), self._called(wording, LITERAL), value, None
        for tag in task.tags:
            yield ("#", tag), tags, tag, None
        if task.state:
            yield (task.state,), tags, task.state, task.closed_on

    def _task_entity(self, task: Task, entity_type: str) -> Entity | None:
        """The entity that this task of the note was before, by a new name if it was reworded; else one by its name."""
        statements = [_task_digest(task, words) for words, *_ in self._statements_of(task)]
        entity = next((self._stated[one].subject for one in statements if one in self._stated), None)
        before = self._tasks_before.get(task)
        if entity and before and before.name != task.name:
            # A name of another task is not taken.
            if store.entities.by_key(self._tx, normalisation.key(task.name), of_types=[entity_type]):
                entity = None
            else:
                with suppress(errors.InvalidRequest, errors.Conflict):
                    name = note_folders.bounded(task.name)
                    entity = entity_changes.change(self._tx, entity, name=name, keep_old_name=False).entity
        if entity or statements[0] in self._removed:
            return entity
        return self._task_called(task.name, entity_type)

    def _task_called(self, name: str, entity_type: str) -> Entity:
        """The task of this note with this name; another note's task of that name is another task.

        Of several, later ones also have the name or the path of their note.
        """
        for full in (name, *(f"{name} ({label})" for label in (self._note.name, self._note.path))):
            text = note_folders.bounded(full)
            named = store.entities.by_key(self._tx, normalisation.key(text), of_types=[entity_type])
            if not named:
                return entities.create(self._tx, entity_type, text)
            if not store.provenance.is_stated_by_other_document(self._tx, named[0].row, besides=self._tx.episode or 0):
                break
        return named[0]

    def _record_decisions(self) -> None:
        part_of, decides = self._of_role("part_of"), self._of_role("decides")
        if not self._folder.has_decisions or part_of is None or (decision_type := _decision_type(self._tx)) is None:
            return
        day = self._note.content.day
        decided: dict[str, Entity] = {}
        for name in _decisions(self._tx, self._folder, self._note, self._entity.type):
            statement = digest("decided", name)
            if one := self._subject(statement, decision_type, name):
                decided[name] = one
                self._add(statement, one, part_of, self._entity, since=day)
        if self._entity.type in self._vocabulary.decision_types:
            inside = posixpath.dirname(self._note.path) or self._folder.name
            self._add(digest("decided"), self._entity, part_of, inside, since=day)
            decided = {"": self._entity}
        if decides is None:
            return
        person_type = self._vocabulary.default_type("person")
        for decider in self._note.content.deciders:
            words = decider.target if isinstance(decider, Link) else decider
            statements = {digest("decides", words, name): one for name, one in decided.items()}
            stated = {statement: one for statement, one in statements.items() if not self._is_removed(statement)}
            if not stated:
                continue
            person = (
                self._target(decider, None) if isinstance(decider, Link) else self._find_or_create(person_type, decider)
            )
            if person is not None:
                person = self._fitting(person, self._vocabulary.predicate_by_name[decides].sources) or person
                for statement, one in stated.items():
                    self._add(statement, person, decides, one, since=day)

    def _subject(self, statement: int, entity_type: str, name: str) -> Entity | None:
        """What a statement is about: what it was before, else what has the name; a new one unless it was removed."""
        if statement in self._stated:
            return self._stated[statement].subject
        if statement in self._removed:
            named = store.entities.by_key(self._tx, normalisation.key(name), of_types=[entity_type])
            return named[0] if len(named) == 1 else None
        return self._find_or_create(entity_type, name)

    def _find_or_create(self, entity_type: str, name: str) -> Entity | None:
        """The entity of this type and name; None if several have it, or the name is invalid."""
        with suppress(errors.InvalidRequest, errors.Conflict):
            ref = Ref(type=entity_type, name=name)
            return entities.find_or_create(self._tx, ref, error_class=errors.InvalidArguments)[0]
        return None

    def _relate(self, wording: str, link: Link, is_field: bool) -> bool:
        """Record a link under the predicate that a wording means; returns whether one fits both ends."""
        statement = digest(wording, note_folders.path_key(link.target))
        if self._is_removed(statement):
            return True
        target = self._target(link, statement)
        if target is None or target.row == self._entity.row:
            return True
        try:
            matches = predicates.find_matches(self._tx, self._read_as(wording) if is_field else wording)
        except errors.PredicateUnknown:
            matches = []
        for match in matches:
            if match.predicate.literal_kind is not None:
                continue
            subject = self._fitting(self._entity, match.sources, may_change=is_field)
            fitting = self._fitting(target, match.targets) if subject else None
            if subject and fitting:
                self._entity = subject
                ends = (fitting, subject) if match.is_reversed else (subject, fitting)
                self._add(statement, ends[0], match.predicate.name, ends[1])
                return True
        self.open.pop(statement, None)
        return False

    def _relate_text(self, wording: str, text: str) -> None:
        """Record a field with a text, if its wording means a predicate and the text may be its object."""
        statement = digest(wording, text)
        if predicate := self._called(wording, LITERAL):
            self._add(statement, self._entity, predicate, text)
        elif self._called(wording := self._read_as(wording)):
            self._add(statement, self._entity, wording, Ref(name=text))

    def _read_as(self, field: str) -> str:
        """A field as a wording of the vocabulary: a noun that is none by itself is read with a verb (“lead is”)."""
        return field if self._called(field) or not self._called(f"{field} is") else f"{field} is"

    def _fitting(self, entity: Entity, allowed: Sequence[str], *, may_change: bool = True) -> Entity | None:
        """The entity, if its type is among these, or its assumed type can be changed to one of them."""
        if self._vocabulary.fits_side(allowed, entity.type):
            return entity
        if not may_change:
            return None
        chosen = entities.choose(self._vocabulary, entity.name, [allowed], is_cased=True)
        chosen = chosen or entities.first_usable(self._vocabulary, allowed)
        changed = entities.change_assumed_type(self._tx, entity, chosen) if chosen else None
        if changed is not None:
            self._vocabulary = graph_vocabulary.read(self._tx)
        return changed

    def _target(self, link: Link, statement: int | None) -> Entity | None:
        """What a link leads to: a note, else what has the name, else a new entity; None for an attachment.

        Where it leads to no note, its statement waits for one.
        """
        path = self._folder.find(link.target, within=self._note.path)
        may_name = may_name_entity(link)
        if path is None and statement is not None and (may_name or note_folders.day_meant(link.target)):
            self.open[statement] = f"{_LINKED}{link.target}]]"
        owner = self._folder.owners.get(path) if path else None
        if owner and (entity := entities.find_by_id(self._tx, owner)):
            return entity
        if path is None and (not may_name or link.target.endswith("/")):
            return None
        # A note that has not been read yet is found by these names when it is.
        name = note_folders.bounded(
            self._folder.names_of(path)[0] if path else note_folders.day_meant(link.target) or link.name
        )
        if not normalisation.key(name):
            return None
        named = entities.all_named(self._tx, Name(link.target)) if "/" in link.target else []  # a permalink
        named = named or entities.all_named(self._tx, Name(name))
        if path is not None:
            named = [entity for entity in named if not self._folder.is_of_other(entity, path)]
        if len(named) == 1:
            return named[0]
        if named:
            own = [entity for entity in named if self._folder.is_a_note(entity)]
            return own[0] if len(own) == 1 else named[0]
        note_type = _type_called(self._tx, _NOTE) or self._vocabulary.default_type("reference")
        entity = entities.create(self._tx, note_type, name)
        store.entities.mark(self._tx, [entity.row])
        return entity

    def _of_role(self, role: Role) -> str | None:
        return next(iter(self._vocabulary.names_of_role(role)), None)

    def _called(self, wording: str, object_type: str | None = None) -> str | None:
        """The name of the predicate that a wording means, if any; if asked for, one that takes a literal."""
        words: dict[tuple[str, str | None], str | None] = self._tx.memo.setdefault((_CACHE_KEY,), {})
        if (wording, object_type) not in words:
            terms = graph_vocabulary.find_all(self._tx, store.vocabulary.PREDICATE, wording)
            fitting = [term for term in terms if object_type is None or getattr(term, "literal_kind", None) is not None]
            words[wording, object_type] = fitting[0].name if fitting else None
        return words[wording, object_type]

    def _add(
        self,
        statement: int,
        subject: Entity,
        predicate: str | None,
        target: Entity | Ref | str,
        *,
        since: str | None = None,
    ) -> None:
        """Record the fact of a statement; what the vocabulary refuses stays in the text alone."""
        if predicate is None or self._is_removed(statement):
            return
        end = Ref(id=target.id) if isinstance(target, Entity) else target
        end = self._dated(predicate, end) if isinstance(end, str) else end
        # A refused fact may leave something behind: an entity that was created for a name.
        may_create = isinstance(end, Ref) and end.id is None
        try:
            with self._tx.savepoint() if may_create else nullcontext():
                facts.record(
                    self._tx,
                    subject=Ref(id=subject.id),
                    predicate=predicate,
                    object=end,
                    source=self._source[-facts.MAX_SOURCE :],
                    valid_from=since,
                    may_correct=False,
                    stated_as=statement,
                )
        except errors.LiteralInvalid as error:
            self.unread.append(error.message)
        except (errors.InvalidRequest, errors.Conflict):
            pass

    def _dated(self, predicate: str, text: str) -> str:
        """The text; if it gives a day as people do (“tomorrow”), that day, counted from the day of the note."""
        day, term = self._note.content.day, self._vocabulary.predicate_by_name[predicate]
        if day and term.literal_kind == "date":
            written = datetime.combine(date.fromisoformat(day), time(12), self._tx.zone)
            with suppress(errors.LiteralInvalid):
                return literals.read(replace(self._tx, now=written), term, text)
        return text


def _cited(tx: Tx, key: str) -> Entity | None:
    """The one entity called by the key of a citation, with or without `@`; for a block of Logseq, its page."""
    if _BLOCK_ID.fullmatch(key):
        episodes = store.episodes.with_phrases(tx, [f'"{key}"'], limit=_MAX_NAMES_TRIED)
        pages = [one for one in episodes if f"id:: {key}" in store.episodes.text(tx, one)]
        return entity_of(tx, pages[0]) if pages else None
    cited = entities.all_named(tx, Name(f"@{key}")) or entities.all_named(tx, Name(key))
    return cited[0] if len(cited) == 1 else None


def _decisions(tx: Tx, folder: Folder, note: Note, entity_type: str | None) -> Iterator[str]:
    """The decisions in a note; none if the note itself is a decision."""
    if not folder.has_decisions or entity_type in graph_vocabulary.read(tx).decision_types:
        return
    for heading, texts in note.content.sections:
        if _is_decision(tx, heading):
            yield from filter(normalisation.key, texts)
    fields = [(field.wording, field.text) for field in note.content.statements if field.is_field and field.text]
    # One word in such a line is a status: “Decision: pending”.
    labelled = [(label, text) for label, text in note.content.labelled if " " in text]
    for word, text in [*fields, *labelled, *note.content.observations]:
        if _is_decision(tx, word):
            yield text


def _task_digest(task: Task, words: Sequence[str]) -> int:
    """The digest of a statement of a task: the id of its line says which it is, else its words."""
    return digest("task", task.block_id or normalisation.key(task.name), *words)


def _reworded(before: Sequence[Task], now: Sequence[Task]) -> Iterator[tuple[Task, Task]]:
    """The tasks of a note that were there before, also in other words, each with what it was.

    The id of a line decides; else the two share most words and all numbers, and of several the nearest in order counts.
    """
    was = {normalisation.key(task.name): task for task in before}
    yield from ((task, was[key]) for task in now if (key := normalisation.key(task.name)) in was)
    kept = was.keys() & {normalisation.key(task.name) for task in now}
    left, came = (
        [(place, one) for place, one in enumerate(tasks) if normalisation.key(one.name) not in kept][:_MAX_REWORDED]
        for tasks in (before, now)
    )
    pairs = [
        (_likeness(old, new), -abs(place - other), old.name, new.name, old, new)
        for place, old in left
        for other, new in came
    ]
    done: set[str] = set()
    for likeness, _, old_name, new_name, old, new in sorted(pairs, key=lambda pair: pair[:4], reverse=True):
        if likeness >= _MIN_LIKENESS and done.isdisjoint((f"-{old_name}", f"+{new_name}")):
            done |= {f"-{old_name}", f"+{new_name}"}
            yield new, old


def _likeness(old: Task, new: Task) -> float:
    if old.block_id or new.block_id:
        return float(old.block_id == new.block_id)
    if _NUMBER.findall(old.name) != _NUMBER.findall(new.name):
        return 0.0
    return name_similarity.string_similarity(normalisation.key(old.name), normalisation.key(new.name))


def _fold(word: str) -> str:
    return Name(graph_vocabulary.wording_key(word)).folded
