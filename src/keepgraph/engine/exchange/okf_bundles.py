"""A graph as a bundle of the Open Knowledge Format, and the edits of such a bundle brought back by ids (ADR 0078).

An edit of a line, of the front matter or of a text is a change if the graph still says what was written; if it says
something else by now, that is a conflict, which is reported and changes nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from keepgraph import _version, errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.exchange import conversion, import_state, import_vocabulary, importer
from keepgraph.engine.exchange.conversion import TextPart
from keepgraph.engine.knowledge import ending, entity_changes, proposed_facts, relations
from keepgraph.engine.knowledge.relations import Relation
from keepgraph.engine.texts import corrections
from keepgraph.engine.texts.storage import Outcome
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.english import count_noun
from keepgraph.formats import okf_pages
from keepgraph.formats.okf_pages import Line, Page, Statement
from keepgraph.language import chunking, normalisation, utf8
from keepgraph.model import Entity, RecordedFact, Ref
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx
from keepgraph.store.transfer import EntityRow, FactExportRow
from keepgraph.temporal import timestamps

WORDS = "vocabulary.jsonl"
"""The file of the words that another graph may lack."""

_TEXT = "Text"
_MAX_TAGS = 200
_MAX_SOURCES = 100
_MAX_PROPERTIES = 4_000
_MAX_FACTS = 100_000


@dataclass(frozen=True, slots=True)
class Conflict:
    """What was not brought back, and why.

    Attributes:
        place: the path of the page, and the line, if it is one.
    """

    place: str
    reason: str


@dataclass(slots=True)
class BundleReport:
    """What an import did, counted by kind: changed, added, retracted, proposed, texts; and what it did not.

    Attributes:
        are_edits: whether the graph knew pages of the bundle, so that only edits were brought back.
    """

    are_edits: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    conflicts: list[Conflict] = field(default_factory=list)


# Export


def pages(tx: Tx, *, only: Container[str] | None = None) -> Iterator[tuple[str, Page]]:
    """The pages of the group with their paths, entities in the order of their ids, then texts.

    A fact of a predicate with the role `tags` is a tag of the front matter, if its validity is open.

    Args:
        only: the ids of the entities and texts whose pages are built; None for all.
    """
    rows = [row for batch in store.transfer.entities(tx) for row in batch if row.group == tx.group]
    paths = _paths((row.type, row.name, row.id) for row in rows)
    names = {row.id: row.name for row in rows}
    wanted = [row for row in rows if only is None or row.id in only]
    subjects = {row.id for row in wanted}
    by_subject: dict[str, list[tuple[FactExportRow, list[str]]]] = {}
    for batch in store.transfer.facts(tx):
        kept = [fact for fact in batch if fact.retracted_at is None and fact.subject in subjects]
        assertions = store.transfer.assertions(tx, [fact.row for fact in kept])
        for fact in kept:
            sources = dict.fromkeys(each.source for _, each in assertions.get(fact.row, ()) if each.source)
            by_subject.setdefault(fact.subject, []).append((fact, list(sources)))
    tags = graph_vocabulary.read(tx).names_of_role("tags")
    aliases = store.transfer.aliases(tx, [row.row for row in wanted])
    for row in wanted:
        own = {alias: scope for alias, _, scope in aliases.get(row.row, ())}
        yield paths[row.id], _entity_page(tx, row, own, by_subject.get(row.id, ()), names, paths, tags)
    episodes = [episode for episode in store.transfer.episodes(tx) if episode.group == tx.group]
    text_paths = _paths((okf_pages.TEXTS, episode.name, episode.id) for episode in episodes)
    for episode in episodes:
        if only is not None and episode.id not in only:
            continue
        text = "".join(chunk.text for chunk in store.transfer.chunks(tx, episode.row))
        front: dict[str, Any] = {"type": _TEXT, "title": okf_pages.one_line(episode.name), "kind": episode.kind}
        front |= {"sources": [{"resource": okf_pages.one_line(episode.source)}]} if episode.source else {}
        front |= {"generated": {"by": _actor(), "at": episode.occurred_at}, "id": episode.id}
        front |= {"details": {"text": {"pinned": True}}} if episode.pinned else {}
        yield text_paths[episode.id], Page(front, f"\n{text}")


def words(tx: Tx) -> list[dict[str, Any]]:
    """The lines of the words that another graph may lack."""
    return list(import_vocabulary.write(tx))


def _actor() -> str:
    return f"keepgraph/{_version.__version__}"


def _paths(named: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """The path of each page, by id: a folder a type, and in it a file a name."""
    taken: dict[str, set[str]] = {}
    paths = {}
    for folder, name, public_id in named:
        folder = okf_pages.file_name(folder, taken=(), id=public_id)
        names = taken.setdefault(folder.casefold(), set())
        file = okf_pages.file_name(name, taken=names, id=public_id)
        names.add(file.casefold())
        paths[public_id] = f"{folder}/{file}.md"
    return paths


def _entity_page(
    tx: Tx,
    row: EntityRow,
    aliases: Mapping[str, str],
    facts: Sequence[tuple[FactExportRow, list[str]]],
    names: Mapping[str, str],
    paths: Mapping[str, str],
    tags: Container[str],
) -> Page:
    now = tx.at
    tagged = [fact for fact, _ in facts if fact.predicate in tags and not (fact.valid_from or fact.valid_to)]
    tagged = tagged if len(tagged) <= _MAX_TAGS else []
    lines_of = [(fact, sources) for fact, sources in facts if fact not in tagged]
    sources = dict.fromkeys(source for _, of_fact in lines_of for source in of_fact)
    labels = {source: f"s{number}" for number, source in enumerate(list(sources)[:_MAX_SOURCES], start=1)}
    current: list[tuple[str, str]] = []
    earlier: list[tuple[str, str]] = []
    for fact, of_fact in sorted(lines_of, key=lambda each: each[0].id):
        line = _statement(tx, fact, of_fact, names, paths, labels).line()
        (earlier if fact.valid_to and fact.valid_to <= now else current).append((fact.id, line))
    ends = [fact.valid_to for fact, _ in facts if fact.valid_to and fact.valid_to > now]
    properties = json.loads(row.properties) if len(row.properties) <= _MAX_PROPERTIES else {}
    front = {
        "type": row.type,
        "title": row.name,
        "description": row.summary,
        "tags": sorted({fact.literal or names.get(fact.object or "", "") for fact in tagged} - {""}),
        "aliases": list(aliases),
        "sources": [{"id": label, "resource": okf_pages.one_line(source)} for source, label in labels.items()],
        "generated": {"by": _actor(), "at": row.created_at},
        "stale_after": timestamps.local_date(min(ends), tx.zone) if ends else "",
        "properties": properties,
        "details": _details(lines_of, aliases),
        "id": row.id,
    }
    notes = {label: source for source, label in labels.items()}
    return Page(
        {key: value for key, value in front.items() if value}, okf_pages.body(row.name, current, earlier, notes)
    )


def _details(facts: Iterable[tuple[FactExportRow, list[str]]], aliases: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What the lines and the aliases of a page do not say, by fact id or alias, in the words of an export."""
    every = {fact.id: _detail(fact.confidence, fact.scope, fact.pinned) for fact, _ in facts}
    every |= {alias: _detail(1.0, scope, 0) for alias, scope in aliases.items()}
    return {name: detail for name, detail in every.items() if detail}


def _detail(confidence: float, scope: str, pinned: int) -> dict[str, Any]:
    detail: dict[str, Any] = {} if confidence == 1 else {"confidence": confidence}
    detail |= {"scope": json.loads(scope)} if scope != "[]" else {}
    return detail | ({"pinned": True} if pinned else {})


def _detail_of(page: Page, name: str) -> dict[str, Any]:
    """What the details of a page say about a fact or an alias, without impossible values."""
    details = page.front.get("details")
    detail = details.get(name) if isinstance(details, dict) else None
    detail = detail if isinstance(detail, dict) else {}
    confidence, scope = detail.get("confidence"), detail.get("scope")
    checked: dict[str, Any] = {}
    if isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0 <= confidence <= 1:
        checked["confidence"] = confidence
    if isinstance(scope, list) and all(isinstance(project, str) for project in scope):
        checked["scope"] = scope
    return checked | ({"pinned": True} if detail.get("pinned") is True else {})


def _statement(
    tx: Tx,
    fact: FactExportRow,
    sources: Sequence[str],
    names: Mapping[str, str],
    paths: Mapping[str, str],
    labels: Mapping[str, str],
) -> Statement:
    return Statement(
        predicate=fact.predicate.replace("_", " "),
        object=fact.literal if fact.literal is not None else names.get(fact.object or "", fact.object or ""),
        is_literal=fact.literal is not None,
        path=paths.get(fact.object or ""),
        since=timestamps.since(fact.valid_from, tx.zone),
        until=timestamps.until(fact.valid_to, tx.zone),
        notes=tuple(labels[source] for source in sources if source in labels),
    )


# Import


def import_bundle(
    database: Database,
    found: Mapping[str, Page],
    *,
    folder: str,
    words: Sequence[Mapping[str, Any]] = (),
    preview: bool,
) -> BundleReport:
    """Bring a bundle of ours into a graph, in one call.

    A graph that knows none of its pages gets them all, with their ids. In another one, what was edited becomes changes.

    Args:
        found: the pages by their paths.
        folder: the name of the bundle; the source of what is added.
        words: the lines of its vocabulary file.
        preview: whether to take everything back in the end.
    """
    report = BundleReport()
    with database.write(import_state.TOOL, dry_run=preview) as tx:
        tx = store.journal.begin_call(tx)
        if any(page.id and _is_known(tx, page.id) for page in found.values()):
            report.are_edits = True
            _Edits(tx, found, folder, report).apply()
        else:
            _import_new(tx, found, folder, words, report)
        store.transfer.note(tx, file=folder)
    return report


def _is_known(tx: Tx, public_id: str) -> bool:
    return bool(knowledge.entities.find_by_id(tx, public_id) or store.episodes.by_id(tx, public_id))


def _import_new(
    tx: Tx, found: Mapping[str, Page], folder: str, words: Sequence[Mapping[str, Any]], report: BundleReport
) -> None:
    """Import all pages as lines of an export: what they say is known from now on, with the sources that they name.

    What somebody added to the pages since they were written is an edit, as in a graph that knows them.
    """
    now = tx.at
    ids = {path: page.id for path, page in found.items() if page.id and page.id.startswith("ent_")}
    paths = {page.id: path for path, page in found.items() if page.id}
    lines: dict[str, list[dict[str, Any]]] = {"entity": [], "episode": [], "fact": []}
    tagged: list[tuple[str, str]] = []
    for path, page in found.items():
        if page.id and page.id.startswith("ep_"):
            lines["episode"].append(_episode_line(page, now))
            continue
        if page.id is None:
            continue
        lines["entity"].append(_entity_line(page, path, now))
        sources = {
            each.get("id"): each.get("resource") for each in _list(page.front.get("sources")) if isinstance(each, dict)
        }
        for line in page.lines:
            if line.fact is None:
                continue
            statement = line.statement()
            target = ids.get(statement.path or "") if statement else None
            if statement is None or not (statement.is_literal or target):
                report.conflicts.append(
                    Conflict(f"{path}: {line.text[:100]}", "the line is not a fact, or its page is missing")
                )
                continue
            try:
                since, until = knowledge.facts.parse_validity(tx, statement.since, statement.until)
            except errors.InvalidRequest as error:
                report.conflicts.append(Conflict(f"{path}: {line.text[:100]}", error.message))
                continue
            fact = {
                "kind": "fact",
                "id": line.fact,
                "subject": page.id,
                "predicate": statement.predicate.replace(" ", "_"),
                "object": target,
                "literal": None if target else statement.object,
                "text": line.text[2:],
                "recorded_at": now,
                "valid_from": since,
                "valid_to": until,
                **_detail_of(page, line.fact),
                "provenance": [
                    {"source": sources[note], "tool": import_state.TOOL}
                    for note in statement.notes
                    if sources.get(note)
                ],
            }
            lines["fact"].append({key: value for key, value in fact.items() if value not in (None, [])})
        tagged += [(page.id, str(tag)) for tag in _list(page.front.get("tags"))]
    state = import_state.ImportState()
    every = [*words, *lines["entity"], *lines["episode"], *lines["fact"]]
    for written, result in zip(every, importer.import_lines(tx, every, state), strict=True):
        if result.error:
            place = str(written.get("id", written["kind"]))
            report.conflicts.append(Conflict(paths.get(place, place), result.error.message))
        elif result.created:
            report.counts[_COUNTED.get(str(written["kind"]), "words")] += 1
    tx.memo.clear()
    for subject, tag in tagged:
        _record_tag(tx, subject, tag, source=folder)
        report.counts["facts"] += 1
    _Edits(tx, found, folder, report).apply()  # additions to the pages


def _record_tag(tx: Tx, subject: str, tag: str, *, source: str) -> None:
    """Tag an entity with the one thing that has this name, else with the word."""
    predicate = graph_vocabulary.read(tx).names_of_role("tags")[0]
    named = knowledge.entities.all_named(tx, normalisation.Name(tag))
    target = Ref(id=named[0].id) if len(named) == 1 else tag
    knowledge.facts.record(
        tx, subject=Ref(id=subject), predicate=predicate, object=target, source=source, refuse_misfits=False
    )


_COUNTED = {"entity": "entities", "episode": "texts", "fact": "facts"}


def _entity_line(page: Page, path: str, now: str) -> dict[str, Any]:
    generated = page.front.get("generated")
    at = generated.get("at") if isinstance(generated, dict) else None
    at = at if isinstance(at, str) else now
    line = {
        "kind": "entity",
        "id": page.id,
        "type": page.front["type"],
        "name": _title(page, path),
        "summary": str(page.front.get("description") or ""),
        "properties": page.front.get("properties") if isinstance(page.front.get("properties"), dict) else {},
        "created_at": at,
        "aliases": [_alias_line(page, str(alias), at) for alias in _list(page.front.get("aliases"))],
    }
    return {key: value for key, value in line.items() if value not in ("", {}, [])}


def _alias_line(page: Page, alias: str, at: str) -> str | dict[str, Any]:
    scope = _detail_of(page, alias).get("scope")
    return {"alias": alias, "created_at": at, "scope": scope} if scope else alias


def _episode_line(page: Page, now: str) -> dict[str, Any]:
    text = page.body.removeprefix("\n")
    kind = str(page.front.get("kind", "text"))
    generated, sources = page.front.get("generated"), _list(page.front.get("sources"))
    at = str(generated.get("at") or now) if isinstance(generated, dict) else now
    source = sources[0].get("resource") if sources and isinstance(sources[0], dict) else None
    chunks = [{"text": chunk.text} for chunk in chunking.split(text, kind="text")]
    line = {
        "kind": "episode",
        "id": page.id,
        "episode_kind": kind,
        "name": str(page.front.get("title") or page.id),
        "source": source,
        "digest": utf8.digest(text),
        "occurred_at": at,
        "recorded_at": now,
        "chunks": chunks,
        "pinned": _detail_of(page, "text").get("pinned"),
    }
    return {key: value for key, value in line.items() if value is not None}


class _Edits:
    """The edits of the pages of a bundle, applied to the graph that it came from."""

    def __init__(self, tx: Tx, found: Mapping[str, Page], folder: str, report: BundleReport) -> None:
        self._tx, self._folder, self._report = tx, folder, report
        self._ids = {path: page.id for path, page in found.items() if page.id}
        self._edited = {path: page for path, page in found.items() if page.revision is None or page.is_edited}
        ids = {page.id for page in self._edited.values() if page.id}
        self._current = {page.id: page for _, page in pages(tx, only=ids)} if ids else {}
        self._refused = {conflict.place for conflict in report.conflicts}

    def apply(self) -> None:
        for path, page in self._edited.items():
            with self._reporting(path):
                self._apply_page(path, page)

    @contextmanager
    def _reporting(self, place: str) -> Iterator[None]:
        """A part of the import that is taken back if it is refused; the reason becomes a conflict."""
        before, conflicts = Counter(self._report.counts), len(self._report.conflicts)
        try:
            with self._tx.savepoint():
                yield
        except (errors.InvalidRequest, errors.Conflict) as error:
            self._report.counts = before
            del self._report.conflicts[conflicts:]
            self._tx.memo.clear()
            self._conflict(place, error.message)

    def _conflict(self, place: str, reason: str) -> None:
        if place not in self._refused:
            self._report.conflicts.append(Conflict(okf_pages.one_line(place), reason))

    def _apply_page(self, path: str, page: Page) -> None:
        if page.id is None:
            entity = self._create(path, page)
            lines, current = page.lines, None
        elif (current := self._current.get(page.id)) is None:
            return self._conflict(path, f"{page.id} is no longer in this graph")
        elif page.id.startswith("ep_"):
            return self._apply_text(path, page, current)
        else:
            found = knowledge.entities.find_by_id(self._tx, page.id)
            if found is None:
                return self._conflict(path, f"{page.id} is no longer in this graph")
            entity, lines = self._apply_front(path, page, current, found), page.lines
        self._apply_lines(path, page, lines, current, entity)
        if page.prose and (current is None or page.prose not in current.body):
            part, source = (
                TextPart(page.prose, annotations=({"how": "given", "id": entity.id},)),
                f"{self._folder}/{path}",
            )
            existing = store.episodes.first_by_source(self._tx, source, kind="text")
            outcome = conversion.upsert(
                self._tx, [part], kind="text", name=entity.name, source=source, existing=existing
            )
            self._report.counts["texts"] += outcome is not Outcome.UNCHANGED
        return None

    def _create(self, path: str, page: Page) -> Entity:
        entity, created = knowledge.entities.find_or_create(
            self._tx, Ref(type=str(page.front["type"]), name=_title(page, path)), error_class=errors.InvalidArguments
        )
        self._report.counts["entities"] += created
        aliases = [str(alias) for alias in _list(page.front.get("aliases"))]
        summary = str(page.front.get("description") or "") or None
        entity_changes.change(self._tx, entity, summary=summary, add_aliases=aliases)
        self._ids[path] = entity.id
        self._tag(entity, [str(tag) for tag in _list(page.front.get("tags"))], ())
        return entity

    def _apply_text(self, path: str, page: Page, current: Page) -> None:
        if (page.front, page.body) == (current.front, current.body):
            return None
        if page.revision != "-".join(current.digests()):
            return self._conflict(path, "the text was changed here too")
        episode = store.episodes.by_id(self._tx, page.id or "")
        if episode is None:
            return self._conflict(path, f"{page.id} is no longer in this graph")
        text, title = page.body.removeprefix("\n"), str(page.front.get("title") or "")
        corrections.correct(
            self._tx,
            episode,
            new=text if text != current.body.removeprefix("\n") else None,
            title=title if title != current.front["title"] else None,
        )
        self._report.counts["changed"] += 1
        return None

    def _apply_front(self, path: str, page: Page, current: Page, entity: Entity) -> Entity:
        own = {key: page.front.get(key) for key in _EDITABLE}
        theirs = {key: current.front.get(key) for key in _EDITABLE}
        head, written = page.digests()[0], (page.revision or "").partition("-")[0]
        if own == theirs or head == written:
            return entity
        if current.digests()[0] != written:
            self._conflict(path, "title, tags, aliases or another field were changed here too")
            return entity
        before, after = ([str(alias) for alias in _list(values["aliases"])] for values in (theirs, own))
        properties = {}
        if own["properties"] != theirs["properties"]:
            mine, other = (
                dict(value) if isinstance(value, dict) else {} for value in (own["properties"], theirs["properties"])
            )
            properties = {key: mine.get(key) for key in {*mine, *other} if mine.get(key) != other.get(key)}
        title = _title(page, path)
        changed = entity_changes.change(
            self._tx,
            entity,
            name=title if title != entity.name else None,
            entity_type=str(own["type"]) if own["type"] != theirs["type"] else None,
            summary=str(own["description"] or "") if own["description"] != theirs["description"] else None,
            properties=properties,
            add_aliases=[alias for alias in after if alias not in before],
            remove_aliases=[alias for alias in before if alias not in after],
        )
        old, new = (set(map(str, _list(values["tags"]))) for values in (theirs, own))
        self._tag(changed.entity, sorted(new - old), sorted(old - new))
        self._report.counts["changed"] += sum(own[key] != theirs[key] for key in _EDITABLE)
        return changed.entity

    def _tag(self, entity: Entity, added: Sequence[str], removed: Sequence[str]) -> None:
        for tag in added:
            _record_tag(self._tx, entity.id, tag, source=self._folder)
        tags = graph_vocabulary.read(self._tx).names_of_role("tags")
        lost = {normalisation.key(tag) for tag in removed}
        for fact in store.facts.about(self._tx, entity, at=self._tx.at, limit=_MAX_FACTS) if lost else ():
            tag = fact.object.name if fact.object else fact.literal or ""
            if fact.predicate in tags and fact.subject.row == entity.row and normalisation.key(tag) in lost:
                knowledge.facts.retract(self._tx, fact)

    def _apply_lines(self, path: str, page: Page, lines: Sequence[Line], current: Page | None, entity: Entity) -> None:
        parsed = okf_pages.parse(current.write())[0] if current else None
        now_there = {line.fact: line for line in parsed.lines if line.fact} if parsed else {}
        seen: set[str] = set()
        said: set[tuple[str, str]] = set()
        for line in lines:
            place, here = f"{path}: {line.text[:100]}", now_there.get(line.fact or "")
            if statement := line.statement():
                said.add((statement.predicate, statement.object))
            with self._reporting(place):
                if line.fact is None or line.fact in seen:
                    self._add(place, line, entity)
                elif not line.is_edited or (here and here.text == line.text):
                    pass
                elif here is None or okf_pages.digest(here.text) != line.written:
                    why = "the fact was changed here too" if here else "the fact is no longer in this graph"
                    self._conflict(place, why)
                elif statement is None:
                    self._conflict(place, "the line is no longer a fact; delete it to retract the fact")
                else:
                    self._change(line.fact, statement, entity)
            seen.add(line.fact or "")
        missing = [
            fact
            for fact, line in now_there.items()
            if fact not in seen and (each := line.statement()) and (each.predicate, each.object) not in said
        ]
        if missing and current and page.revision != "-".join(current.digests()):
            self._conflict(path, f"the page lacks {count_noun(len(missing), 'fact')} of this graph; both were changed")
            return
        for fact_id in missing:
            knowledge.facts.retract(self._tx, knowledge.facts.find(self._tx, fact_id))
            self._report.counts["retracted"] += 1

    def _change(self, fact_id: str, statement: Statement, entity: Entity) -> None:
        fact = knowledge.facts.find(self._tx, fact_id)
        target = self._target(statement)
        is_same = fact.predicate == statement.predicate.replace(" ", "_") and (
            fact.literal == statement.object
            if statement.is_literal
            else fact.object is not None and isinstance(target, Ref) and target.id == fact.object.id
        )
        starts = timestamps.since(fact.valid_from, self._tx.zone)
        if is_same and statement.until and statement.since == starts:
            ending.end(self._tx, [fact], valid_to=statement.until, source=self._folder)
        else:
            knowledge.facts.retract(self._tx, fact)
            recorded = self._record(entity, statement.predicate, target, statement, confidence=fact.confidence)
            if not recorded.deduplicated:
                store.scopes.replace_fact(self._tx, fact, recorded.fact)
        self._report.counts["changed"] += 1

    def _add(self, place: str, line: Line, entity: Entity) -> None:
        """A line that somebody added: a fact, or a proposed one if the vocabulary lacks its word."""
        statement = line.statement()
        if statement is None:
            return self._conflict(
                place, "the line states no fact: write `- works at [Name](/path.md)` or `- word: value`"
            )
        try:
            with self._tx.savepoint():
                recorded = self._record(entity, statement.predicate, self._target(statement), statement)
            self._report.counts["added"] += recorded.effect != "nothing_changed"
        except errors.PredicateUnknown:
            relation = Relation(
                entity.name, statement.predicate, statement.object, entity.type, source=self._folder, evidence=line.text
            )
            proposed_facts.propose(self._tx, relation, relations.WORDING)
            self._report.counts["proposed"] += 1
        return None

    def _target(self, statement: Statement) -> Ref | str:
        if statement.is_literal:
            return statement.object
        if public_id := self._ids.get(statement.path or ""):
            return Ref(id=public_id)
        named = knowledge.entities.all_named(self._tx, normalisation.Name(statement.object))
        return Ref(id=named[0].id) if len(named) == 1 else Ref(name=statement.object)

    def _record(
        self, entity: Entity, predicate: str, target: Ref | str, statement: Statement, *, confidence: float = 1.0
    ) -> RecordedFact:
        return knowledge.facts.record(
            self._tx,
            subject=Ref(id=entity.id),
            predicate=predicate,
            object=target,
            source=self._folder,
            confidence=confidence,
            valid_from=statement.since,
            valid_to=statement.until,
        )


_EDITABLE = ("type", "title", "description", "tags", "aliases", "properties")


def _title(page: Page, path: str) -> str:
    return str(page.front.get("title") or path.rpartition("/")[2].removesuffix(".md"))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
