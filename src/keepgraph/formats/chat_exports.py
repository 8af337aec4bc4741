"""Chat exports of Claude and ChatGPT: each conversation is an episode."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import IO, Any

from keepgraph import errors
from keepgraph.formats import chat_archives, text_streams
from keepgraph.formats.records import Episode, ReadError, Record, Skipped, Turn

CLAUDE, CHATGPT = "claude", "chatgpt"

HUMAN, ASSISTANT = "human", "assistant"


_ID = re.compile(r"[\w.-]{1,100}", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_URLS = {CLAUDE: "https://claude.ai/chat/", CHATGPT: "https://chatgpt.com/c/"}
_ROLES = {"user": HUMAN, "human": HUMAN, "assistant": ASSISTANT}
_REASONING_KINDS = ("thoughts", "reasoning_recap", "thinking", "redacted_thinking")


def detect_service(conversation: Any) -> str | None:
    """The service that a conversation comes from; None if the value is not a conversation."""
    if isinstance(conversation, dict):
        if "chat_messages" in conversation:
            return CLAUDE
        if "mapping" in conversation:
            return CHATGPT
    return None


def read(file: IO[bytes]) -> Iterator[Record]:
    """Every conversation as an episode, in the order of the file; one without any text is Skipped."""
    with chat_archives.open_conversations(file) as elements:
        try:
            for number, element, error in elements:
                yield ReadError(number, error) if error else _parse_conversation(number, element)
        except errors.InvalidArguments as error:
            yield ReadError(0, error)


def _parse_conversation(number: int, conversation: Any) -> Record:
    service = detect_service(conversation)
    if service is None:
        problem = "it is no conversation of Claude or of ChatGPT: it has neither chat_messages nor a mapping"
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
        name=" ".join(text_streams.replace_invalid(title).split()) if isinstance(title, str) else "",
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
    return text_streams.replace_invalid("\n\n".join(part for part in parts if part.strip()))


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
    return text_streams.replace_invalid("\n\n".join(part for part in parts if part.strip()))


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
    shown = " ".join(text_streams.replace_invalid(value).split()) if isinstance(value, str) else ""
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
