"""What a request to the local server must be like: for our address, from our page, with the token, in JSON, small.

The conventions are those of Jupyter. A page elsewhere that is opened in the same browser can send requests to any
address of this machine, under any name that it owns (DNS rebinding), and other users of this machine can connect to the
port: none of them knows the token.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from typing import Any, NoReturn

MAX_BODY = 1_000_000
"""In bytes."""


class Refused(Exception):
    """A request that is refused.

    Attributes:
        status: the status of the answer.
    """

    def __init__(self, status: HTTPStatus, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the page asks for it."""

    tool: str
    arguments: Mapping[str, Any]


def check_host(headers: Message, *, host: str) -> None:
    """Refuse a request for another name than ours, before anything else about it is read.

    Raises:
        Refused: 403, also where the header is missing or there are several.
    """
    if headers.get_all("Host") != [host]:
        raise Refused(HTTPStatus.FORBIDDEN, f"this server answers to http://{host} alone")


def check_call(headers: Message, *, host: str, token: str) -> int:
    """Check the headers of a call, and give the length of its body.

    Raises:
        Refused: 403 another origin; 401 no token or another one; 415 not JSON; 411 or 413 no length, or too long.
    """
    origin, site = headers.get_all("Origin"), headers.get("Sec-Fetch-Site", "same-origin")
    if origin != [f"http://{host}"] or site != "same-origin":
        raise Refused(HTTPStatus.FORBIDDEN, "only the page of this server may call it")
    scheme, _, given = headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), token.encode()):
        raise Refused(
            HTTPStatus.UNAUTHORIZED,
            "the token is missing, or of an earlier start",
            hint="Use the page that `kg ui` opened last, or start `kg ui` again.",
        )
    if headers.get_content_type() != "application/json" or headers.get("Content-Type") is None:
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a call is JSON", hint="Send application/json.")
    length = headers.get("Content-Length", "")
    if not (length.isascii() and length.isdigit()) or headers.get("Transfer-Encoding"):
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "the length of the call is missing")
    if len(length) > len(str(MAX_BODY)) or int(length) > MAX_BODY:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a call may have at most {MAX_BODY:,} bytes")
    return int(length)


def read_call(body: bytes) -> ToolCall:
    """The call in a body.

    Raises:
        Refused: 400, it is no call.
    """
    try:
        call = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Refused(HTTPStatus.BAD_REQUEST, "the call is not JSON in UTF-8") from None
    if not isinstance(call, dict) or set(call) - {"tool", "arguments"}:
        raise Refused(HTTPStatus.BAD_REQUEST, "a call is an object with tool and arguments")
    tool, arguments = call.get("tool"), call.get("arguments", {})
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, "the tool of a call is its name, its arguments are an object")
    return ToolCall(tool, arguments)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
