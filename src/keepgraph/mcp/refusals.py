"""What the server over HTTP refuses before any tool is called: one more branch of the tree in errors.py.

RequestRefused
├── TokenRequired                 TOKEN_REQUIRED
├── TokenExpired                  TOKEN_EXPIRED
├── GraphNotAllowed               GRAPH_NOT_ALLOWED
├── RequestInvalid                REQUEST_INVALID
├── RequestTooLarge               REQUEST_TOO_LARGE
├── RequestTooSlow                REQUEST_TOO_SLOW
├── TooManyCalls                  TOO_MANY_CALLS
├── TooManyBytes                  TOO_MANY_BYTES
└── TooManyAtOnce                 TOO_MANY_AT_ONCE
"""

from __future__ import annotations

from keepgraph import errors


class RequestRefused(errors.KeepgraphError):
    """The server over HTTP refuses a request, before any tool is called.

    Attributes:
        status: the HTTP status of the answer.
        retry_after: after how many seconds another try may succeed.
    """

    status: int = 403
    retry_after: int | None = None


class TokenRequired(RequestRefused):
    code = "TOKEN_REQUIRED"
    default_hint = "Send a token as `Authorization: Bearer …`; `kg token add NAME` makes one."
    status = 401


class TokenExpired(RequestRefused):
    code = "TOKEN_EXPIRED"
    default_hint = "Make a new one: `kg token add NAME`."
    status = 401


class GraphNotAllowed(RequestRefused):
    code = "GRAPH_NOT_ALLOWED"
    default_hint = "Use a graph that this token is for, or a token for that graph."


class RequestInvalid(RequestRefused):
    """A wrong host, origin, path, method, type or length."""

    code = "REQUEST_INVALID"
    default_hint = "docs/http.md says what a request must be like."


class RequestTooLarge(RequestRefused):
    code = "REQUEST_TOO_LARGE"
    default_hint = "Send less at a time."
    status = 413


class RequestTooSlow(RequestRefused):
    code = "REQUEST_TOO_SLOW"
    default_hint = "Nothing was changed. Send the whole request within ten seconds."
    status = 408


class TooManyCalls(RequestRefused):
    code = "TOO_MANY_CALLS"
    default_hint = "Nothing was changed. Wait as long as Retry-After says."
    status = 429


class TooManyBytes(RequestRefused):
    code = "TOO_MANY_BYTES"
    default_hint = "Nothing was changed. Wait as long as Retry-After says."
    status = 429


class TooManyAtOnce(RequestRefused):
    code = "TOO_MANY_AT_ONCE"
    default_hint = "Nothing was changed. Wait for an answer before the next call."
    status = 429
