"""The errors of the public interface: one tree, with a stable code for each leaf.

KeepgraphError
├── InvalidRequest                the request is not valid by itself
│   ├── InvalidArguments          INVALID_ARGUMENTS
│   ├── UnknownTool               UNKNOWN_TOOL
│   ├── SubjectRequired           SUBJECT_REQUIRED
│   ├── ObjectRequired            OBJECT_REQUIRED
│   ├── EntityTypeUnknown         ENTITY_TYPE_UNKNOWN
│   ├── PredicateUnknown          PREDICATE_UNKNOWN
│   ├── EndsInvalid               ENDS_INVALID
│   ├── LiteralInvalid            LITERAL_INVALID
│   ├── VocabularyInvalid         VOCABULARY_INVALID
│   ├── VocabularySetUnknown      VOCABULARY_SET_UNKNOWN
│   ├── ConfidenceOutOfRange      CONFIDENCE_OUT_OF_RANGE
│   ├── ValidityInvalid           VALIDITY_INVALID
│   ├── AliasInvalid              ALIAS_INVALID
│   ├── NameOrAliasRequired       NAME_OR_ALIAS_REQUIRED
│   ├── NameOrAliasTooLong        NAME_OR_ALIAS_TOO_LONG
│   ├── ProjectRequired           PROJECT_REQUIRED
│   ├── SinceInvalid              SINCE_INVALID
│   ├── MomentInvalid             MOMENT_INVALID
│   ├── ScopeUnknown              SCOPE_UNKNOWN
│   ├── MessageInvalid            MESSAGE_INVALID
│   ├── EntityNotFound            ENTITY_NOT_FOUND
│   ├── FactNotFound              FACT_NOT_FOUND
│   ├── EpisodeNotFound           EPISODE_NOT_FOUND
│   ├── CommunityNotFound         COMMUNITY_NOT_FOUND
│   ├── ProposalNotFound          PROPOSAL_NOT_FOUND
│   ├── EpisodeInvalid            EPISODE_INVALID
│   ├── QueryRequired             QUERY_REQUIRED
│   ├── PathNotAllowed            PATH_NOT_ALLOWED
│   ├── DocumentUnreadable        DOCUMENT_UNREADABLE
│   ├── FormatUnknown             FORMAT_UNKNOWN
│   ├── ChangeNotFound            CHANGE_NOT_FOUND
│   ├── NotConfirmed              NOT_CONFIRMED
│   ├── TraversalNotFound         TRAVERSAL_NOT_FOUND
│   ├── TraversalTooLarge         TRAVERSAL_TOO_LARGE
│   ├── TraversalEmpty            TRAVERSAL_EMPTY
│   ├── FilterInvalid             FILTER_INVALID
│   ├── DimensionMismatch         DIMENSION_MISMATCH
│   └── QueryError                a Cypher query, by the stage that stopped it
│       ├── QuerySyntaxInvalid    QUERY_SYNTAX_INVALID
│       ├── QueryUnsupported      QUERY_UNSUPPORTED
│       ├── QueryRefused          QUERY_REFUSED
│       ├── QueryInconsistent     QUERY_INCONSISTENT
│       ├── QueryFailed           QUERY_FAILED
│       ├── QueryTooLarge         QUERY_TOO_LARGE
│       └── QueryTooSlow          QUERY_TOO_SLOW
├── Conflict                      the request is valid, but conflicts with what the graph holds
│   ├── Ambiguous                 AMBIGUOUS
│   ├── AliasTaken                ALIAS_TAKEN
│   ├── NameTaken                 NAME_TAKEN
│   ├── TypesDiffer               TYPES_DIFFER
│   ├── ProposalClosed            PROPOSAL_CLOSED
│   ├── VocabularyConflict        VOCABULARY_CONFLICT
│   ├── LaterChanges              LATER_CHANGES
│   ├── Purged                    PURGED
│   ├── ImportConflict            IMPORT_CONFLICT
│   └── IdempotencyKeyReused      IDEMPOTENCY_KEY_REUSED
├── GraphFileError                the file, not the request
│   ├── GraphNotFound             GRAPH_NOT_FOUND
│   ├── GraphUnavailable          GRAPH_UNAVAILABLE
│   ├── GraphBusy                 GRAPH_BUSY
│   ├── GraphWriteFailed          GRAPH_WRITE_FAILED
│   ├── GraphReadOnly             GRAPH_READ_ONLY
│   ├── GraphTooNew               GRAPH_TOO_NEW
│   ├── GraphDamaged              GRAPH_DAMAGED
│   ├── GraphSchemaDiffers        GRAPH_SCHEMA_DIFFERS
│   ├── GraphNotEncrypted         GRAPH_NOT_ENCRYPTED
│   ├── KeyMissing                KEY_MISSING
│   ├── KeyWrong                  KEY_WRONG
│   ├── KeyInvalid                KEY_INVALID
│   ├── BackupFailed              BACKUP_FAILED
│   ├── BackupNotFound            BACKUP_NOT_FOUND
│   ├── MigrationEdited           MIGRATION_EDITED
│   ├── ProfileNotFound           PROFILE_NOT_FOUND
│   ├── ProfileExists             PROFILE_EXISTS
│   └── SettingsInvalid           SETTINGS_INVALID
├── ClientError                   how a client starts the server, not the graph
│   ├── ClientConfigInvalid       CLIENT_CONFIG_INVALID
│   └── HandshakeFailed           HANDSHAKE_FAILED
├── ModelUnavailable              MODEL_UNAVAILABLE
├── Cancelled                     CANCELLED
├── DeadlineExceeded              DEADLINE_EXCEEDED
└── InternalError                 INTERNAL_ERROR
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar


class KeepgraphError(Exception):
    """What went wrong, and what to do next.

    Attributes:
        code: never changes; decide by this, not by the message.
        message: what was wrong, for a person to read.
        hint: what to do next.
        example: the arguments of a call that works, if one is known.
        candidates: entities or words of the vocabulary that may be meant, best first.
    """

    code: ClassVar[str] = "INTERNAL_ERROR"
    default_hint: ClassVar[str | None] = None

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        example: Mapping[str, Any] | None = None,
        candidates: Sequence[Any] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.default_hint
        self.example = example
        self.candidates = list(candidates)

    def answer(self) -> dict[str, Any]:
        """The error as every interface answers it: {error, message, hint?, example?, candidates?}."""
        envelope: dict[str, Any] = {"error": self.code, "message": self.message}
        if self.hint:
            envelope["hint"] = self.hint
        if self.example is not None:
            envelope["example"] = dict(self.example)
        if self.candidates:
            envelope["candidates"] = self.candidates
        return envelope

    def text(self) -> str:
        """The error as the message of a protocol: code, message and hint."""
        return f"{self.code}: {self.message}. {self.hint or ''}".strip()


class InvalidRequest(KeepgraphError):
    """The request is not valid by itself: an argument is wrong, or names something that does not exist."""


class InvalidArguments(InvalidRequest):
    code = "INVALID_ARGUMENTS"
    default_hint = "Correct the argument named; the tool's input schema says what it takes (`kg tool schema NAME`)."


class UnknownTool(InvalidRequest):
    code = "UNKNOWN_TOOL"
    default_hint = "List the tools and use one of their names."


class SubjectRequired(InvalidRequest):
    code = "SUBJECT_REQUIRED"
    default_hint = 'Give the subject as {"type": …, "name": …}, or as {"id": "ent_…"} for an entity that exists.'


class ObjectRequired(InvalidRequest):
    code = "OBJECT_REQUIRED"
    default_hint = (
        'Give the object as {"type": …, "name": …}, as {"id": "ent_…"}, '
        'or as {"literal": "text"} for a tag, a status or a short note.'
    )


class EntityTypeUnknown(InvalidRequest):
    code = "ENTITY_TYPE_UNKNOWN"
    default_hint = "Use one of the entity types of the vocabulary."


class PredicateUnknown(InvalidRequest):
    code = "PREDICATE_UNKNOWN"
    default_hint = "Use one of the predicates of the vocabulary."


class EndsInvalid(InvalidRequest):
    """The predicate does not connect the types of the subject and the object."""

    code = "ENDS_INVALID"
    default_hint = "Use a predicate that connects these types, or entities of the types it connects."


class LiteralInvalid(InvalidRequest):
    """The literal is not of the kind the predicate takes: a date, a number, a URL."""

    code = "LITERAL_INVALID"
    default_hint = "Write a date as 2026-11-22, a number with digits only, a web address with https://."


class VocabularyInvalid(InvalidRequest):
    """The definition of a word or a set is inconsistent."""

    code = "VOCABULARY_INVALID"
    default_hint = "Words are lower case and joined by underscores; the types they name must exist."


class VocabularySetUnknown(InvalidRequest):
    code = "VOCABULARY_SET_UNKNOWN"
    default_hint = "`kg vocabulary set` lists the sets."


class ConfidenceOutOfRange(InvalidRequest):
    code = "CONFIDENCE_OUT_OF_RANGE"
    default_hint = "Give a number from 0 to 1: 1.0 for a statement, lower for an inference."


class ValidityInvalid(InvalidRequest):
    code = "VALIDITY_INVALID"
    default_hint = (
        "Give a date as YYYY-MM-DD (for a month, its first day) or an instant (2026-05-01T09:30:00+02:00), "
        "valid_from before valid_to."
    )


class AliasInvalid(InvalidRequest):
    code = "ALIAS_INVALID"
    default_hint = "Give aliases as a list of up to 20 names of 1 to 200 characters each."


class NameOrAliasRequired(InvalidRequest):
    code = "NAME_OR_ALIAS_REQUIRED"
    default_hint = 'Give a name, an alias or an id, such as "Priya" or "project:Atlas".'


class NameOrAliasTooLong(InvalidRequest):
    code = "NAME_OR_ALIAS_TOO_LONG"
    default_hint = "Names have at most 200 characters; give only the name, not the sentence around it."


class ProjectRequired(InvalidRequest):
    code = "PROJECT_REQUIRED"
    default_hint = "Name the project, with 1 to 200 characters."


class SinceInvalid(InvalidRequest):
    code = "SINCE_INVALID"
    default_hint = "Give a calendar date as YYYY-MM-DD, such as 2026-05-01; it means the local day."


class MomentInvalid(InvalidRequest):
    code = "MOMENT_INVALID"
    default_hint = "Give a date (2026-05-01) or an instant (2026-05-01T09:30:00+02:00)."


class ScopeUnknown(InvalidRequest):
    code = "SCOPE_UNKNOWN"
    default_hint = "Name an existing project or group, or leave the scope out for everywhere."


class MessageInvalid(InvalidRequest):
    code = "MESSAGE_INVALID"
    default_hint = "Pass the user's message, 1 to 8000 characters; for a longer one, only its question."


class EntityNotFound(InvalidRequest):
    code = "ENTITY_NOT_FOUND"
    default_hint = "Look it up with recall_entity and pass its id, or its type and exact name."


class FactNotFound(InvalidRequest):
    code = "FACT_NOT_FOUND"
    default_hint = "Recall the entity it is about; its facts are listed with their ids (fact_…)."


class EpisodeNotFound(InvalidRequest):
    code = "EPISODE_NOT_FOUND"
    default_hint = "Use an id from `search` or get_episodes (ep_…)."


class CommunityNotFound(InvalidRequest):
    code = "COMMUNITY_NOT_FOUND"
    default_hint = "Build the communities first, then call again with their uuids (com_…)."


class ProposalNotFound(InvalidRequest):
    code = "PROPOSAL_NOT_FOUND"
    default_hint = "Use an id from review_proposals (prop_…)."


class EpisodeInvalid(InvalidRequest):
    code = "EPISODE_INVALID"
    default_hint = "Give the text, and each episode of several a name too."


class QueryRequired(InvalidRequest):
    code = "QUERY_REQUIRED"
    default_hint = "Say what to look for, in your own words."


class PathNotAllowed(InvalidRequest):
    code = "PATH_NOT_ALLOWED"
    default_hint = (
        "Ask the user to run `kg ingest PATH`, or to allow the folder in the settings of the profile: "
        '[documents] roots = ["~/Notes"].'
    )


class DocumentUnreadable(InvalidRequest):
    code = "DOCUMENT_UNREADABLE"
    default_hint = "Name an existing Markdown or text file that you may read."


class FormatUnknown(InvalidRequest):
    code = "FORMAT_UNKNOWN"
    default_hint = "docs/import.md lists the import formats."


class ChangeNotFound(InvalidRequest):
    code = "CHANGE_NOT_FOUND"
    default_hint = "get_history or `kg log` lists calls and changes with their numbers."


class NotConfirmed(InvalidRequest):
    code = "NOT_CONFIRMED"
    default_hint = "Ask the user first; then call again with confirm set to true."


class TraversalNotFound(InvalidRequest):
    code = "TRAVERSAL_NOT_FOUND"
    default_hint = "Start again with traversal_init, or give the whole chain to `traverse`."


class TraversalTooLarge(InvalidRequest):
    code = "TRAVERSAL_TOO_LARGE"
    default_hint = "Filter before this step, or start with fewer."


class TraversalEmpty(InvalidRequest):
    code = "TRAVERSAL_EMPTY"
    default_hint = "Start with n_from_type, e_from_type, search_keyword or search_vector_text."


class FilterInvalid(InvalidRequest):
    code = "FILTER_INVALID"
    default_hint = (
        'A filter is {"properties": [[{"key": "name", "operator": "==", "value": "Ada"}]]}: the outer list is OR, '
        "the inner lists are AND."
    )


class DimensionMismatch(InvalidRequest):
    code = "DIMENSION_MISMATCH"
    default_hint = "Give a vector of this graph's model, or let search_vector_text embed a text."


class QueryError(InvalidRequest):
    """A Cypher query that was refused or failed.

    Attributes:
        stage: the stage of the compiler, or of execution, that raised it.
        kind: openCypher's type of the error, as spelt in its conformance kit (`SyntaxError`, `TypeError` …).
        detail: openCypher's detail (`UndefinedVariable` …); "*" is any.
        span: the wrong part of the query, as offsets of its first and last character; None if unknown.
        rewrite: a query that runs and means the same, if known.
    """

    stage: ClassVar[str] = "execution"
    default_kind: ClassVar[str] = "SyntaxError"
    default_reason: ClassVar[str | None] = None

    def __init__(
        self,
        message: str,
        *,
        detail: str = "*",
        kind: str | None = None,
        span: tuple[int, int] | None = None,
        hint: str | None = None,
        rewrite: str | None = None,
        reason: str | None = None,
        candidates: Sequence[Any] = (),
    ) -> None:
        super().__init__(message, hint=hint, candidates=candidates)
        self._reason = reason or self.default_reason
        self.kind = kind or self.default_kind
        self.detail = detail
        self.span = span
        self.rewrite = rewrite

    @property
    def reason(self) -> str:
        """The reason in snake case: `write_operation`, or the detail, such as `undefined_variable`."""
        if self._reason:
            return self._reason
        word = self.detail if self.detail != "*" else self.code.removeprefix("QUERY_").title().replace("_", "")
        return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in word).lstrip("_")

    def answer(self) -> dict[str, Any]:
        """The error as run_cypher answers it: {type: "error", error: {stage, reason, explanation …}, code}."""
        details: dict[str, Any] = {
            "stage": self.stage,
            "reason": self.reason,
            "explanation": self.message,
            "suggestion": self.hint or "",
        }
        if self.rewrite:
            details["rewrite"] = self.rewrite
        if self.span:
            details["span"] = list(self.span)
        if self.candidates:
            details["candidates"] = self.candidates
        return {"type": "error", "error": details, "code": self.code}


class QuerySyntaxInvalid(QueryError):
    code = "QUERY_SYNTAX_INVALID"
    stage = "syntax"
    default_hint = "Correct the query at the position named."


class QueryUnsupported(QueryError):
    code = "QUERY_UNSUPPORTED"
    stage = "dialect"
    default_hint = "Write it with MATCH, WITH, WHERE, UNWIND and RETURN."


class QueryRefused(QueryError):
    code = "QUERY_REFUSED"
    stage = "security"
    default_reason = "write_operation"
    default_hint = "Queries are read-only. Write with record_fact, `change` or `forget`."


class QueryInconsistent(QueryError):
    code = "QUERY_INCONSISTENT"
    stage = "semantics"
    default_hint = "Check the variables and kinds of values at the position named."


class QueryFailed(QueryError):
    code = "QUERY_FAILED"
    stage = "execution"
    default_kind = "TypeError"
    default_hint = "Test the kind of a value before using it, or convert it (toInteger, toString …)."


class QueryTooLarge(QueryError):
    code = "QUERY_TOO_LARGE"
    stage = "safety"
    default_kind = "ArgumentError"
    default_hint = "Ask for less: more conditions, fewer hops, a smaller LIMIT."


class QueryTooSlow(QueryError):
    code = "QUERY_TOO_SLOW"
    stage = "safety"
    default_kind = "ArgumentError"
    default_hint = "Ask for less: name labels and relationship types, fewer hops, a start with a known name."


class Conflict(KeepgraphError):
    """The request is valid by itself, but conflicts with what the graph holds."""


class Ambiguous(Conflict):
    code = "AMBIGUOUS"
    default_hint = "Pass the id of the one you mean."


class AliasTaken(Conflict):
    code = "ALIAS_TAKEN"
    default_hint = "Use another alias; if the two are the same thing, record facts under the existing name."


class NameTaken(Conflict):
    """Another entity of the type has this name or alias."""

    code = "NAME_TAKEN"
    default_hint = "If they are the same thing, merge them; otherwise use another name."


class TypesDiffer(Conflict):
    code = "TYPES_DIFFER"
    default_hint = (
        "If they are the same thing, set across_types (`kg merge --across-types`); the entity kept keeps its type."
    )


class ProposalClosed(Conflict):
    """The proposal is decided or settled, or what it is about has changed since."""

    code = "PROPOSAL_CLOSED"
    default_hint = "Call review_proposals for the open ones."


class VocabularyConflict(Conflict):
    """The word already exists, is still in use, or would be a kind of itself."""

    code = "VOCABULARY_CONFLICT"
    default_hint = "get_ontology_structure shows the existing words and how often each is used."


class LaterChanges(Conflict):
    code = "LATER_CHANGES"
    default_hint = "Undo the later calls first, newest first, or correct it with a new fact."


class Purged(Conflict):
    """What should be undone was purged, wholly or in an earlier version."""

    code = "PURGED"
    default_hint = "Purged records cannot be restored. Record it again if needed."


class ImportConflict(Conflict):
    code = "IMPORT_CONFLICT"
    default_hint = "Nothing of this line was imported. Correct the file or the graph, and import again."


class IdempotencyKeyReused(Conflict):
    code = "IDEMPOTENCY_KEY_REUSED"
    default_hint = "Use a new idempotency key for a new request; repeat a key only to retry the same one."


class GraphFileError(KeepgraphError):
    """The file could not be opened, read or written; the request itself may be fine."""


class GraphNotFound(GraphFileError):
    code = "GRAPH_NOT_FOUND"
    default_hint = "Record something first (`kg record …`), or name another file with --db or KG_DB."


class GraphUnavailable(GraphFileError):
    code = "GRAPH_UNAVAILABLE"
    default_hint = "Check that the file is a Keepgraph database and that you may read it."


class GraphBusy(GraphFileError):
    code = "GRAPH_BUSY"
    default_hint = "Another program is writing. Nothing was changed; try again."


class GraphWriteFailed(GraphFileError):
    code = "GRAPH_WRITE_FAILED"
    default_hint = "Nothing was changed. Check free space and permissions, then try again."


class GraphReadOnly(GraphFileError):
    code = "GRAPH_READ_ONLY"
    default_hint = "Nothing was changed. Start without --read-only, or make the file and its folder writable."


class GraphTooNew(GraphFileError):
    code = "GRAPH_TOO_NEW"
    default_hint = "A newer version wrote this file: upgrade Keepgraph."


class GraphDamaged(GraphFileError):
    code = "GRAPH_DAMAGED"
    default_hint = "`kg doctor` shows what is damaged; `kg restore` restores a backup and keeps this file."


class GraphSchemaDiffers(GraphFileError):
    """A table, index, trigger or view is missing, extra, or different from what the migrations make."""

    code = "GRAPH_SCHEMA_DIFFERS"
    default_hint = (
        "`kg doctor` names each part, and `kg doctor --fix` repairs those without rows; `kg restore` restores a "
        "backup; `kg export FILE` saves what is readable."
    )


class GraphNotEncrypted(GraphFileError):
    code = "GRAPH_NOT_ENCRYPTED"
    default_hint = "To encrypt it: `kg encrypt`. To go on without: remove the key (KG_KEY, KG_KEY_FILE, or [key])."


class KeyMissing(GraphFileError):
    code = "KEY_MISSING"
    default_hint = "Name the key file in KG_KEY_FILE, or restore the key you exported: `kg key import FILE`."


class KeyWrong(GraphFileError):
    code = "KEY_WRONG"
    default_hint = "Find the key it was encrypted with, and restore it: `kg key import FILE`, or KG_KEY_FILE."


class KeyInvalid(GraphFileError):
    code = "KEY_INVALID"
    default_hint = "A key is 64 hexadecimal digits, on its own line in a key file that only you can read."


class BackupFailed(GraphFileError):
    code = "BACKUP_FAILED"
    default_hint = "The graph is unchanged. Check free space and permissions, then try again."


class BackupNotFound(GraphFileError):
    code = "BACKUP_NOT_FOUND"
    default_hint = "`kg backup --list` shows the backups."


class MigrationEdited(GraphFileError):
    code = "MIGRATION_EDITED"
    default_hint = "Open it with the version that made it; `kg export` there and `kg import` here move it."


class ProfileNotFound(GraphFileError):
    code = "PROFILE_NOT_FOUND"
    default_hint = "`kg profile list` shows the profiles; `kg profile create NAME` creates one."


class ProfileExists(GraphFileError):
    code = "PROFILE_EXISTS"
    default_hint = "Choose another name, or use the existing profile (`kg profile use NAME`)."


class SettingsInvalid(GraphFileError):
    code = "SETTINGS_INVALID"
    default_hint = "Correct the settings file, or move it away to use the defaults."


class ClientError(KeepgraphError):
    """A client's configuration, or the server it starts, is at fault; the graph may be fine."""


class ClientConfigInvalid(ClientError):
    code = "CLIENT_CONFIG_INVALID"
    default_hint = "Nothing was changed. Correct the file, or move it away, and run this again."


class HandshakeFailed(ClientError):
    code = "HANDSHAKE_FAILED"
    default_hint = "Run `kg serve` yourself to see what it says."


class ModelUnavailable(KeepgraphError):
    code = "MODEL_UNAVAILABLE"
    default_hint = "Names are still found exactly, by alias and by spelling."


class Cancelled(KeepgraphError):
    code = "CANCELLED"
    default_hint = "Nothing was changed."


class DeadlineExceeded(KeepgraphError):
    code = "DEADLINE_EXCEEDED"
    default_hint = "Nothing was changed. Ask for less, or try again when the machine is less busy."


class InternalError(KeepgraphError):
    code = "INTERNAL_ERROR"
    default_hint = "This is a fault in Keepgraph, not in your request. Nothing was changed; please report it."


def leaves(root: type[KeepgraphError] = KeepgraphError) -> dict[str, type[KeepgraphError]]:
    """The error classes by their codes."""
    classes: dict[str, type[KeepgraphError]] = {}
    for child in root.__subclasses__():
        if "code" in vars(child):
            classes[child.code] = child
        classes.update(leaves(child))
    return classes


@cache
def of_code(code: str) -> type[KeepgraphError]:
    """The error class with a code."""
    return leaves()[code]
