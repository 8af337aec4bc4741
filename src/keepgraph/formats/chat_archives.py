"""Files of chat exports: a JSON array of conversations, or a zip file with such arrays, read within limits."""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import IO, Any, NamedTuple

from keepgraph import errors
from keepgraph.formats import records
from keepgraph.formats.records import Episode, ReadError, Record, Skipped, Turn

# Streaming reader of JSON arrays: one element after the other, without holding the whole file.
#
# The standard library has no incremental parser. Here a buffer slides over the text: its decoder tries to read an
# element from the buffer, and the buffer grows until the element is complete or too long.

_MAX_ELEMENT_CHARACTERS = 64_000_000
"""Characters of an element, at most; for an export of chats, an element is a whole conversation."""

_READ_CHARACTERS = 1 << 20
# A string, a bracket, or the quotation mark of a string whose end is not in the buffer yet.
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.DOTALL)
_REST_OF_STRING = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_WHITE_SPACE = re.compile(r"\s*")


class _Element(NamedTuple):
    """An element of an array: its number, from 1, and its value, or the error if it cannot be read."""

    number: int
    value: Any
    error: errors.KeepgraphError | None = None


def read_elements(source: IO[str], *, max_characters: int = _MAX_ELEMENT_CHARACTERS) -> Iterator[_Element]:
    """The elements of an array in order. An element that cannot be read gives an error, and those after it follow.

    If even the end of an element cannot be found, its error is the last result. Memory: at most twice the longest
    element.
    """
    buffer = _ArrayBuffer(source, max_characters)
    if buffer.peek() != "[":
        yield _Element(0, None, errors.InvalidArguments("it is not an array of JSON"))
        return
    buffer.advance(1)
    number = 0
    after_comma = False
    while True:
        following = buffer.peek()
        if following == "]" and (number == 0 or not after_comma):
            return
        number += 1
        if not following:
            yield _Element(number, None, errors.InvalidArguments("the file is truncated: its array does not end"))
            return
        element, can_continue = buffer.read_element(number)
        yield element
        if not can_continue:
            return
        following = buffer.peek()
        after_comma = following == ","
        if after_comma:
            buffer.advance(1)
        elif following != "]":
            problem = "is not followed by a comma" if following else "is the last; the file ends before its array does"
            yield _Element(number + 1, None, errors.InvalidArguments(f"element {number} {problem}"))
            return


class _ArrayBuffer:
    """A buffer that slides over a text, and a position in it."""

    def __init__(self, source: IO[str], max_characters: int) -> None:
        self._source, self._max_characters = source, max_characters
        self._decoder = json.JSONDecoder()
        self._buffer, self._position = "", 0

    def peek(self) -> str:
        """Skip white space and return the next character, without consuming it; "" at the end of the text."""
        while True:
            blank = _WHITE_SPACE.match(self._buffer, self._position)
            self._position = blank.end() if blank else self._position
            if self._position < len(self._buffer):
                return self._buffer[self._position]
            if not self._read_more(_READ_CHARACTERS):
                return ""

    def advance(self, characters: int) -> None:
        self._position += characters

    def read_element(self, number: int) -> tuple[_Element, bool]:
        """The element at the position, and whether reading can continue after it."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._position)
                if end < len(self._buffer) or self._buffer[end - 1] in '}]"':
                    self._position = end
                    return _Element(number, value), True
                problem = "it ends in the middle"  # a number may continue after the buffer
            except json.JSONDecodeError as error:
                problem = error.msg
            except RecursionError:
                return self._skip_element(number, "it is nested too deep")
            except ValueError as error:
                return self._skip_element(number, str(error))
            held = len(self._buffer) - self._position
            if held > self._max_characters:
                return self._skip_element(number, f"{problem}, within {self._max_characters:,} characters")
            # The buffer doubles each time, so that a long element is parsed only a few times from its start.
            if not self._read_more(max(_READ_CHARACTERS, held)):
                return self._skip_element(number, problem)

    def _skip_element(self, number: int, problem: str) -> tuple[_Element, bool]:
        can_continue = self._skip_to_end()
        return _Element(number, None, errors.InvalidArguments(f"not JSON that can be read: {problem}")), can_continue

    def _skip_to_end(self) -> bool:
        """Go to the end of an element by counting brackets, with a small buffer; whether the end was found."""
        depth = 0
        while True:
            for token in _STRING_OR_BRACKET.finditer(self._buffer, self._position):
                self._position = token.end()
                sign = token.group()
                if sign == '"':
                    break
                depth += 1 if sign in "[{" else -1 if sign in "]}" else 0
                if depth <= 0 and sign[0] != '"':
                    return depth == 0
            else:
                self._position = len(self._buffer)
                if not self._read_more(_READ_CHARACTERS):
                    return False
                continue
            if not self._skip_string():
                return False

    def _skip_string(self) -> bool:
        """Go to the end of a string that is longer than the buffer; whether the end was found."""
        while True:
            rest = _REST_OF_STRING.match(self._buffer, self._position)
            self._position = rest.end() if rest else self._position
            if self._buffer[self._position : self._position + 1] == '"':
                self._position += 1
                return True
            if not self._read_more(_READ_CHARACTERS):
                return False

    def _read_more(self, characters: int) -> bool:
        """Drop what is before the position and append more of the text; False at the end of the text."""
        text = self._source.read(characters)
        self._buffer = self._buffer[self._position :] + text
        self._position = 0
        return bool(text)


MAX_UNPACKED_BYTES = 8_000_000_000
"""Bytes of all conversations of a zip file when unpacked, at most."""

_MAX_COMPRESSION_RATIO = 200
_MIN_CHECKED_BYTES = 100_000_000
"""A member that unpacks to more than these bytes and to more than this multiple of its packed size is a zip bomb."""

_MEMBER_NAME = re.compile(r"(?:[^/]+/)*conversations(?:[-_]\d+)?\.json")
_ZIP_SIGNATURE = b"PK\x03\x04"


def is_zip(start: bytes) -> bool:
    return start.startswith(_ZIP_SIGNATURE)


@contextmanager
def open_conversations(file: IO[bytes]) -> Iterator[Iterator[_Element]]:
    """The conversations of a file in order, numbered through all members of a zip file.

    Raises:
        errors.InvalidArguments: a zip file that is damaged, encrypted, unpacks to too much, or has no conversations.
    """
    file.seek(0)
    if not is_zip(file.read(4)):
        with records.open_text(file) as source:
            yield read_elements(source)
        return
    with _translate_zip_errors():
        archive = zipfile.ZipFile(file)
    with archive, closing(_zip_elements(archive)) as elements:
        yield elements


@contextmanager
def _translate_zip_errors() -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise errors.InvalidArguments(f"the zip file is damaged: {error}", hint="Download it once more.") from error
    except (RuntimeError, NotImplementedError) as error:
        raise errors.InvalidArguments(
            f"the zip file cannot be opened: {error}", hint="Unpack it, and import its conversations.json."
        ) from error


def _zip_elements(archive: zipfile.ZipFile) -> Generator[_Element, None, None]:
    members = sorted(
        (entry for entry in archive.infolist() if _MEMBER_NAME.fullmatch(entry.filename)), key=_member_order
    )
    if not members:
        raise errors.InvalidArguments(
            "there is no conversations.json in the zip file", hint="Claude and ChatGPT send one by mail."
        )
    number = unpacked_bytes = 0
    with _translate_zip_errors():
        for member in members:
            with archive.open(member) as stream:
                limited = _LimitedReader(stream, bytes_before=unpacked_bytes, packed_bytes=member.compress_size)
                with records.open_text(io.BufferedReader(limited)) as source:
                    before = number
                    for element in read_elements(source):
                        number = before + element.number
                        yield element._replace(number=number)
                unpacked_bytes = limited.unpacked_bytes


def _member_order(member: zipfile.ZipInfo) -> tuple[str, int]:
    """By folder, then by number: conversations.json, conversations-2.json, conversations-10.json."""
    numbers = re.findall(r"\d+", member.filename.rsplit("/", 1)[-1])
    return member.filename.rsplit("/", 1)[0], int(numbers[0]) if numbers else -1


class _LimitedReader(io.RawIOBase):
    """Reads a member of a zip file, and refuses to unpack more of it than is allowed."""

    def __init__(self, stream: IO[bytes], *, bytes_before: int, packed_bytes: int) -> None:
        self._stream, self._bytes_before, self._packed_bytes = stream, bytes_before, packed_bytes
        self.unpacked_bytes = bytes_before

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """
        Raises:
            errors.InvalidArguments: it unpacks to too much, or was compressed more than conversations can be.
        """
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.unpacked_bytes += len(data)
        member_bytes = self.unpacked_bytes - self._bytes_before
        max_member_bytes = max(_MIN_CHECKED_BYTES, self._packed_bytes * _MAX_COMPRESSION_RATIO)
        if self.unpacked_bytes > MAX_UNPACKED_BYTES or member_bytes > max_member_bytes:
            raise errors.InvalidArguments(
                "the zip file unpacks to more than the limit for conversations",
                hint="If it is what the service sent you, unpack it, and import its conversations.json.",
            )
        return len(data)


# Chat exports of Claude and ChatGPT: each conversation is an episode.

CLAUDE, CHATGPT = "claude", "chatgpt"

_HUMAN, _ASSISTANT = "human", "assistant"


_ID = re.compile(r"[\w.-]{1,100}", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_URLS = {CLAUDE: "https://claude.ai/chat/", CHATGPT: "https://chatgpt.com/c/"}
_ROLES = {"user": _HUMAN, "human": _HUMAN, "assistant": _ASSISTANT}
_REASONING_KINDS = ("thoughts", "reasoning_recap", "thinking", "redacted_thinking")


def detect_service(conversation: Any) -> str | None:
    """The service that a conversation comes from; None if the value is not a conversation."""
    if isinstance(conversation, dict):
        if "chat_messages" in conversation:
            return CLAUDE
        if "mapping" in conversation:
            return CHATGPT
    return None


def read_chat_export(file: IO[bytes]) -> Iterator[Record]:
    """Every conversation as an episode, in the order of the file; one without any text is Skipped."""
    with open_conversations(file) as elements:
        try:
            for number, element, error in elements:
                yield ReadError(number, error) if error else _parse_conversation(number, element)
        except errors.InvalidArguments as error:
            yield ReadError(0, error)


def _parse_conversation(number: int, conversation: Any) -> Record:
    service = detect_service(conversation)
    if service is None:
        problem = "it is not a conversation of Claude or ChatGPT: it has neither chat_messages nor a mapping"
        return ReadError(number, errors.InvalidArguments(problem))
    skipped: Counter[str] = Counter()
    turns = tuple((_claude_turns if service == CLAUDE else _chatgpt_turns)(conversation, skipped))
    if not turns:
        return Skipped(number, "conversation without words")
    started_at = _parse_time(conversation.get("created_at", conversation.get("create_time"))) or next(
        (turn.at for turn in turns if turn.at), None
    )
    title = conversation.get("name") if service == CLAUDE else conversation.get("title")
    return Episode(
        position=number,
        source=_conversation_source(service, conversation, turns[0], started_at),
        name=" ".join(records.replace_invalid(title).split()) if isinstance(title, str) else "",
        started_at=started_at,
        turns=turns,
        skipped=dict(skipped),
    )


def _conversation_source(
    service: str, conversation: Mapping[str, Any], first: Turn, started_at: datetime | None
) -> str:
    """The address of a conversation. Without an id it is a digest of its first turn, which stays when it grows."""
    for name in ("uuid", "conversation_id", "id"):
        if isinstance(value := conversation.get(name), str) and _ID.fullmatch(value):
            return _URLS[service] + value
    beginning = f"{started_at} {first.speaker} {first.text}"
    return f"{_URLS[service]}#{hashlib.sha256(beginning.encode()).hexdigest()[:32]}"


def _claude_turns(conversation: Mapping[str, Any], skipped: Counter[str]) -> Iterator[Turn]:
    for message in _as_list(conversation.get("chat_messages")):
        if not isinstance(message, dict):
            skipped["unreadable message"] += 1
            continue
        speaker = _ROLES.get(str(message.get("sender")))
        text = _claude_text(message, skipped)
        if speaker is None:
            skipped[f"{_label(message.get('sender'))} message"] += 1
        elif text.strip():
            yield Turn(speaker, text, _parse_time(message.get("created_at")))


def _claude_text(message: Mapping[str, Any], skipped: Counter[str]) -> str:
    """The text of a message, then the text of its attachments."""
    parts: list[str] = []
    for block in _as_list(message.get("content")):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            parts.append(block["text"])
        else:
            skipped[_part_kind(kind)] += 1
    if not any(part.strip() for part in parts):
        parts = [message["text"]] if isinstance(message.get("text"), str) else []
    for attachment in _as_list(message.get("attachments")):
        content = attachment.get("extracted_content") if isinstance(attachment, dict) else None
        if isinstance(content, str) and content.strip():
            parts.append(f"[{_label(attachment.get('file_name') or 'attachment')}]\n{content}")
        else:
            skipped["attachment"] += 1
    skipped["attachment"] += len(_as_list(message.get("files")))
    skipped += Counter()  # removes counts of zero
    return records.replace_invalid("\n\n".join(part for part in parts if part.strip()))


def _chatgpt_turns(conversation: Mapping[str, Any], skipped: Counter[str]) -> Iterator[Turn]:
    mapping = conversation.get("mapping")
    if not isinstance(mapping, dict):
        skipped["unreadable conversation"] += 1
        return
    branch = _current_branch(mapping, conversation.get("current_node"))
    other_messages = sum(
        1 for node, value in mapping.items() if node not in branch and isinstance(value, dict) and value.get("message")
    )
    if other_messages:
        skipped["message of another branch"] += other_messages
    for node in branch:
        message = mapping[node].get("message")
        if isinstance(message, dict):
            turn = _chatgpt_turn(message, skipped)
            if turn:
                yield turn


def _current_branch(mapping: Mapping[str, Any], current: Any) -> dict[str, None]:
    """The nodes from the root to the current node of the conversation; if none is given, to the latest leaf."""
    nodes = {node: value for node, value in mapping.items() if isinstance(value, dict)}
    if current not in nodes if isinstance(current, str) else True:
        leaves = [node for node, value in nodes.items() if not _as_list(value.get("children"))]
        current = max(leaves or nodes, key=lambda node: _created_at(nodes[node]), default=None)
    upwards: dict[str, None] = {}
    while isinstance(current, str) and current in nodes and current not in upwards:
        upwards[current] = None
        current = nodes[current].get("parent")
    return dict.fromkeys(reversed(upwards))


def _created_at(node: Mapping[str, Any]) -> datetime:
    """When the message of a node was written; a node without a time comes before all others."""
    message = node.get("message")
    return (_parse_time(message.get("create_time")) if isinstance(message, dict) else None) or _EPOCH


def _chatgpt_turn(message: Mapping[str, Any], skipped: Counter[str]) -> Turn | None:
    author, content, metadata = (
        part if isinstance(part, dict) else {}
        for part in (message.get("author"), message.get("content"), message.get("metadata"))
    )
    role, kind = author.get("role"), content.get("content_type")
    speaker = _ROLES.get(str(role))
    if speaker is None or metadata.get("is_visually_hidden_from_conversation") or kind == "user_editable_context":
        if role != "system" or _chatgpt_text(content, Counter()).strip():
            skipped[f"{_label(role if speaker is None else 'hidden')} message"] += 1
        return None
    if message.get("recipient") not in (None, "all"):
        skipped["tool call"] += 1
        return None
    if kind in _REASONING_KINDS:
        skipped["thought"] += 1
        return None
    text = _chatgpt_text(content, skipped)
    return Turn(speaker, text, _parse_time(message.get("create_time"))) if text.strip() else None


def _chatgpt_text(content: Mapping[str, Any], skipped: Counter[str]) -> str:
    parts: list[str] = []
    for part in _as_list(content.get("parts")) or [content.get("text")]:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            part = part["text"]  # the transcription of speech
        if isinstance(part, str):
            parts.append(part)
        elif part is not None:
            skipped[_part_kind(part.get("content_type") if isinstance(part, dict) else None)] += 1
    return records.replace_invalid("\n\n".join(part for part in parts if part.strip()))


def _part_kind(kind: Any) -> str:
    """The name of a skipped part in the report."""
    if kind in ("tool_use", "tool_result", "token_budget"):
        return "tool call"
    if kind in _REASONING_KINDS:
        return "thought"
    if isinstance(kind, str) and ("image" in kind or "audio" in kind or "video" in kind):
        return "picture or sound"
    return f"{_label(kind)} part"


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _label(value: Any) -> str:
    """A value of the file as it can be shown in a report: on one line, and short."""
    shown = " ".join(records.replace_invalid(value).split()) if isinstance(value, str) else ""
    return shown[:60] or "unknown"


def _parse_time(value: Any) -> datetime | None:
    """An instant from seconds since 1970 or from ISO 8601 (UTC if it has no offset); None if it is neither."""
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value)
            return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return _EPOCH + timedelta(seconds=value)
    except (ValueError, OverflowError):
        pass
    return None
