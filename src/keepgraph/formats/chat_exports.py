"""Reads the conversations that Claude and ChatGPT export, from the .json or the .zip. Knows no graph."""

from __future__ import annotations

import hashlib
import io
import math
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import IO, Any

from keepgraph import errors
from keepgraph.formats import streams
from keepgraph.formats.records import Episode, LeftOut, Record, Trouble, Turn

CLAUDE, CHATGPT = "claude", "chatgpt"

HUMAN, ASSISTANT = "human", "assistant"

UNPACKED_AT_MOST = 8_000_000_000
"""Bytes of conversations in a zip file."""

_TIMES_AT_MOST = 200
"""How much larger than in the zip file they may be; more is a trap. From the first 100 MB on."""

_UNJUDGED = 100_000_000
_MEMBER = re.compile(r"(?:[^/]+/)*conversations(?:[-_]\d+)?\.json")
_ZIP = b"PK\x03\x04"
_ID = re.compile(r"[\w.-]{1,100}", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_WHERE = {CLAUDE: "https://claude.ai/chat/", CHATGPT: "https://chatgpt.com/c/"}
_ROLES = {"user": HUMAN, "human": HUMAN, "assistant": ASSISTANT}
_THOUGHT = ("thoughts", "reasoning_recap", "thinking", "redacted_thinking")


def says(element: Any) -> str | None:
    """Which service a conversation comes from; None where it is none."""
    if isinstance(element, dict):
        if "chat_messages" in element:
            return CLAUDE
        if "mapping" in element:
            return CHATGPT
    return None


def is_zip(start: bytes) -> bool:
    return start.startswith(_ZIP)


@contextmanager
def conversations(file: IO[bytes]) -> Iterator[Iterator[streams.Element]]:
    """The conversations of a file one after the other, numbered on through all members of a zip file.

    Raises:
        errors.InvalidArguments: a zip file that is damaged, locked, a trap, or has none.
    """
    file.seek(0)
    packed = is_zip(file.read(4))
    if not packed:
        with streams.text(file) as source:
            yield streams.elements(source)
        return
    with _trouble_of_zip():
        folder = zipfile.ZipFile(file)
    with folder, closing(_of_members(folder)) as every:
        yield every


def read(file: IO[bytes]) -> Iterator[Record]:
    """Every conversation as an episode, in the order of the file. One without a word is left out, and said to be."""
    with conversations(file) as every:
        try:
            for number, element, error in every:
                yield Trouble(number, error) if error else _record(number, element)
        except errors.InvalidArguments as error:
            yield Trouble(0, error)


# Zip files


@contextmanager
def _trouble_of_zip() -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise errors.InvalidArguments(f"the zip file is damaged: {error}", hint="Download it once more.") from error
    except (RuntimeError, NotImplementedError) as error:
        raise errors.InvalidArguments(
            f"the zip file cannot be opened: {error}", hint="Unpack it, and import its conversations.json."
        ) from error


def _of_members(folder: zipfile.ZipFile) -> Generator[streams.Element, None, None]:
    members = sorted((each for each in folder.infolist() if _MEMBER.fullmatch(each.filename)), key=_by_number)
    if not members:
        raise errors.InvalidArguments(
            "there is no conversations.json in the zip file", hint="Claude and ChatGPT send one by mail."
        )
    number = unpacked = 0
    with _trouble_of_zip():
        for member in members:
            with folder.open(member) as opened:
                counted = _Counted(opened, before=unpacked, packed=member.compress_size)
                with streams.text(io.BufferedReader(counted)) as source:
                    first = number
                    for element in streams.elements(source):
                        number = first + element.number
                        yield element._replace(number=number)
                unpacked = counted.read_so_far


def _by_number(member: zipfile.ZipInfo) -> tuple[str, int]:
    numbers = re.findall(r"\d+", member.filename.rsplit("/", 1)[-1])
    return member.filename.rsplit("/", 1)[0], int(numbers[0]) if numbers else -1


class _Counted(io.RawIOBase):
    """What is unpacked of a member of a zip file, as long as it may be so much."""

    def __init__(self, opened: IO[bytes], *, before: int, packed: int) -> None:
        self._opened, self._before, self._packed = opened, before, packed
        self.read_so_far = before

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """
        Raises:
            errors.InvalidArguments: it is too much, or was packed smaller than any conversation can be.
        """
        read = self._opened.read(len(buffer))
        buffer[: len(read)] = read
        self.read_so_far += len(read)
        here = self.read_so_far - self._before
        if self.read_so_far > UNPACKED_AT_MOST or here > max(_UNJUDGED, self._packed * _TIMES_AT_MOST):
            raise errors.InvalidArguments(
                "the zip file unpacks to more than conversations can be",
                hint="If it is what the service sent you, unpack it, and import its conversations.json.",
            )
        return len(read)


# Conversations


def _record(number: int, said: Any) -> Record:
    service = says(said)
    if service is None:
        problem = "it is no conversation of Claude or of ChatGPT: it has neither chat_messages nor a mapping"
        return Trouble(number, errors.InvalidArguments(problem))
    left_out: Counter[str] = Counter()
    turns = tuple((_turns_of_claude if service == CLAUDE else _turns_of_chatgpt)(said, left_out))
    if not turns:
        return LeftOut(number, "conversation without words")
    at = _instant(said.get("created_at", said.get("create_time"))) or next((turn.at for turn in turns if turn.at), None)
    title = said.get("name") if service == CLAUDE else said.get("title")
    return Episode(
        place=number,
        source=_source(service, said, turns[0], at),
        name=" ".join(streams.whole(title).split()) if isinstance(title, str) else "",
        at=at,
        turns=turns,
        left_out=dict(left_out),
    )


def _source(service: str, said: Mapping[str, Any], first: Turn, at: datetime | None) -> str:
    """Where a conversation can be read; one without an id gets one of how it began, which stays when it grows."""
    for name in ("uuid", "conversation_id", "id"):
        if isinstance(given := said.get(name), str) and _ID.fullmatch(given):
            return _WHERE[service] + given
    beginning = f"{at} {first.speaker} {first.text}"
    return f"{_WHERE[service]}#{hashlib.sha256(beginning.encode()).hexdigest()[:32]}"


def _turns_of_claude(said: Mapping[str, Any], left_out: Counter[str]) -> Iterator[Turn]:
    for message in _listed(said.get("chat_messages")):
        if not isinstance(message, dict):
            left_out["unreadable message"] += 1
            continue
        speaker = _ROLES.get(str(message.get("sender")))
        text = _words_of_claude(message, left_out)
        if speaker is None:
            left_out[f"{_short(message.get('sender'))} message"] += 1
        elif text.strip():
            yield Turn(speaker, text, _instant(message.get("created_at")))


def _words_of_claude(message: Mapping[str, Any], left_out: Counter[str]) -> str:
    """What was written, and then what was attached as text."""
    parts: list[str] = []
    for block in _listed(message.get("content")):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            parts.append(block["text"])
        else:
            left_out[_noise(kind)] += 1
    if not any(part.strip() for part in parts):
        parts = [message["text"]] if isinstance(message.get("text"), str) else []
    for attached in _listed(message.get("attachments")):
        content = attached.get("extracted_content") if isinstance(attached, dict) else None
        if isinstance(content, str) and content.strip():
            parts.append(f"[{_short(attached.get('file_name') or 'attachment')}]\n{content}")
        else:
            left_out["attachment"] += 1
    left_out["attachment"] += len(_listed(message.get("files")))
    left_out += Counter()
    return streams.whole("\n\n".join(part for part in parts if part.strip()))


def _turns_of_chatgpt(said: Mapping[str, Any], left_out: Counter[str]) -> Iterator[Turn]:
    mapping = said.get("mapping")
    if not isinstance(mapping, dict):
        left_out["unreadable conversation"] += 1
        return
    branch = _branch(mapping, said.get("current_node"))
    elsewhere = sum(
        1 for node, held in mapping.items() if node not in branch and isinstance(held, dict) and held.get("message")
    )
    if elsewhere:
        left_out["message of another branch"] += elsewhere
    for node in branch:
        message = mapping[node].get("message")
        if isinstance(message, dict):
            turn = _turn_of_chatgpt(message, left_out)
            if turn:
                yield turn


def _branch(mapping: Mapping[str, Any], current: Any) -> dict[str, None]:
    """The nodes from the root to the one where the conversation stands; without it, to the latest leaf."""
    nodes = {node: held for node, held in mapping.items() if isinstance(held, dict)}
    if current not in nodes if isinstance(current, str) else True:
        leaves = [node for node, held in nodes.items() if not _listed(held.get("children"))]
        current = max(leaves or nodes, key=lambda node: _written(nodes[node]), default=None)
    upwards: dict[str, None] = {}
    while isinstance(current, str) and current in nodes and current not in upwards:
        upwards[current] = None
        current = nodes[current].get("parent")
    return dict.fromkeys(reversed(upwards))


def _written(node: Mapping[str, Any]) -> datetime:
    message = node.get("message")
    return (_instant(message.get("create_time")) if isinstance(message, dict) else None) or _EPOCH


def _turn_of_chatgpt(message: Mapping[str, Any], left_out: Counter[str]) -> Turn | None:
    author, content, metadata = (
        part if isinstance(part, dict) else {}
        for part in (message.get("author"), message.get("content"), message.get("metadata"))
    )
    role, kind = author.get("role"), content.get("content_type")
    speaker = _ROLES.get(str(role))
    if speaker is None or metadata.get("is_visually_hidden_from_conversation") or kind == "user_editable_context":
        if role != "system" or _words_of_chatgpt(content, Counter()).strip():
            left_out[f"{_short(role if speaker is None else 'hidden')} message"] += 1
        return None
    if message.get("recipient") not in (None, "all"):
        left_out["tool call"] += 1
        return None
    if kind in _THOUGHT:
        left_out["thought"] += 1
        return None
    text = _words_of_chatgpt(content, left_out)
    return Turn(speaker, text, _instant(message.get("create_time"))) if text.strip() else None


def _words_of_chatgpt(content: Mapping[str, Any], left_out: Counter[str]) -> str:
    parts: list[str] = []
    for part in _listed(content.get("parts")) or [content.get("text")]:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            part = part["text"]  # what was spoken
        if isinstance(part, str):
            parts.append(part)
        elif part is not None:
            left_out[_noise(part.get("content_type") if isinstance(part, dict) else None)] += 1
    return streams.whole("\n\n".join(part for part in parts if part.strip()))


def _noise(kind: Any) -> str:
    if kind in ("tool_use", "tool_result", "token_budget"):
        return "tool call"
    if kind in _THOUGHT:
        return "thought"
    if isinstance(kind, str) and ("image" in kind or "audio" in kind or "video" in kind):
        return "picture or sound"
    return f"{_short(kind)} part"


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []


def _short(word: Any) -> str:
    """A word of the file, as it can be shown in a report."""
    shown = " ".join(streams.whole(word).split()) if isinstance(word, str) else ""
    return shown[:60] or "unknown"


def _instant(given: Any) -> datetime | None:
    """Seconds since 1970, or ISO 8601; without an offset it is UTC. None where it is neither."""
    try:
        if isinstance(given, str):
            moment = datetime.fromisoformat(given)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given):
            return _EPOCH + timedelta(seconds=given)
    except (ValueError, OverflowError):
        pass
    return None
