"""Access over HTTP: the tokens of an issuer, the limits of each caller, and what is refused before a tool is called.

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

import json
import logging
import math
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import anyio.to_thread
import jwt

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


# OAuth 2.1, as a resource server: access tokens of an issuer that the user runs stand for tokens of this machine.

_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
_WELL_KNOWN = "/.well-known/oauth-protected-resource"
_SECONDS = 10.0
_LEEWAY_SECONDS = 30.0
_MAX_METADATA = 1_000_000
_MAX_TOKEN = 8_000

_log = logging.getLogger("keepgraph.mcp")


class Issuer:
    """An authorization server, and what it must say of a token.

    Args:
        url: the issuer, as in `iss`.
        resource: the URL of this server, as in `aud`.
    """

    def __init__(self, url: str, *, resource: str) -> None:
        self.url = url
        self.resource = resource
        parts = urlsplit(resource)
        self.metadata_path = _WELL_KNOWN + parts.path
        self.metadata_url = f"{parts.scheme}://{parts.netloc}{self.metadata_path}"
        self._keys: jwt.PyJWKClient | None = None

    def metadata(self) -> dict[str, Any]:
        """What a client needs to find the issuer (RFC 9728)."""
        return {
            "resource": self.resource,
            "authorization_servers": [self.url],
            "bearer_methods_supported": ["header"],
            "resource_name": "Keepgraph",
        }

    async def subject(self, token: str) -> str | None:
        """Whom a token was issued to, if it is one of this issuer for this server, and is valid now."""
        if token.count(".") != 2 or len(token) > _MAX_TOKEN:
            return None
        return await anyio.to_thread.run_sync(self._subject, token)

    def _subject(self, token: str) -> str | None:
        try:
            self._keys = self._keys or jwt.PyJWKClient(self._find_keys(), timeout=_SECONDS)
            claims = jwt.decode(
                token,
                self._keys.get_signing_key_from_jwt(token).key,
                algorithms=_ALGORITHMS,
                issuer=self.url,
                audience=self.resource,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWKClientConnectionError, errors.HandshakeFailed) as error:
            _log.warning("the keys of the issuer %s cannot be read: %s", self.url, error)
            return None
        except jwt.PyJWTError as error:
            _log.info("an OAuth token was refused: %s", error)
            return None
        return str(claims["sub"])

    def _find_keys(self) -> str:
        """The address of the keys of the issuer, from its metadata (RFC 8414, or OpenID Connect Discovery).

        Raises:
            errors.HandshakeFailed: it has none.
        """
        parts = urlsplit(self.url)
        root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
        for address in (
            f"{root}/.well-known/oauth-authorization-server{path}",
            f"{root}{path}/.well-known/openid-configuration",
        ):
            try:
                with urllib.request.urlopen(address, timeout=_SECONDS) as answer:  # noqa: S310 (http or https)
                    metadata = json.loads(answer.read(_MAX_METADATA))
                if metadata["issuer"] == self.url:
                    return str(metadata["jwks_uri"])
            except (OSError, ValueError, KeyError, TypeError):
                continue
        raise errors.HandshakeFailed(f"the issuer {self.url} does not answer with its metadata")


# Limits of each caller over HTTP, and counters of what was answered and refused.

_SECONDS_OF_LIMIT = 60.0
_BYTES = 1_000_000
_ROUNDING = 1e-6


class Limits:
    """What one caller may do: calls and bytes a minute, and calls at the same time."""

    def __init__(
        self,
        *,
        calls_per_minute: int,
        megabytes_per_minute: int,
        calls_at_once: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._calls = _Allowance(calls_per_minute, clock)
        self._bytes = _Allowance(megabytes_per_minute * _BYTES, clock)
        self._at_once = calls_at_once
        self._running = 0

    def take_request(self) -> None:
        """
        Raises:
            TooManyCalls, TooManyBytes: the caller must wait.
        """
        for allowance, error in ((self._calls, TooManyCalls), (self._bytes, TooManyBytes)):
            if seconds := allowance.seconds_to_wait():
                refusal = error("this token has used up its allowance for a minute")
                refusal.retry_after = seconds
                raise refusal
        self._calls.take(1)

    def take_bytes(self, count: int) -> None:
        """Count bytes that were received or sent."""
        self._bytes.take(count)

    @contextmanager
    def call(self) -> Iterator[None]:
        """A call in progress, while this context lasts.

        Raises:
            TooManyAtOnce: too many others are.
        """
        if self._running >= self._at_once:
            refusal = TooManyAtOnce(f"this token has {self._running} calls in progress")
            refusal.retry_after = 1
            raise refusal
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1


class _Allowance:
    """So much a minute, all of it at once if need be. What is taken may exceed it; then the next one waits longer."""

    def __init__(self, per_minute: int, clock: Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._left, self._at = float(per_minute), clock()

    def take(self, count: int) -> None:
        self._refill()
        self._left -= count

    def seconds_to_wait(self) -> int:
        """Whole seconds until something may be taken; 0 if it may be now."""
        self._refill()
        return 0 if self._left > 1 - _ROUNDING else math.ceil((1 - self._left) * _SECONDS_OF_LIMIT / self._per_minute)

    def _refill(self) -> None:
        now = self._clock()
        self._left = min(self._left + (now - self._at) * self._per_minute / _SECONDS_OF_LIMIT, float(self._per_minute))
        self._at = now


class Metrics:
    """Counters in Prometheus' text format. They name no token, no graph and no tool."""

    def __init__(self) -> None:
        self._answers: Counter[int] = Counter()
        self._refusals: Counter[str] = Counter()
        self._seconds = 0.0
        self._bytes: Counter[str] = Counter()
        self.in_progress = 0

    def count_answer(self, status: int, *, seconds: float, received: int, sent: int) -> None:
        self._answers[status] += 1
        self._seconds += seconds
        self._bytes.update(received=received, sent=sent)

    def count_refusal(self, code: str) -> None:
        self._refusals[code] += 1

    def text(self) -> str:
        rows: list[tuple[str, str, dict[str, float]]] = [
            ("requests_total", "counter", {f'{{status="{key}"}}': n for key, n in sorted(self._answers.items())}),
            ("refusals_total", "counter", {f'{{code="{key}"}}': n for key, n in sorted(self._refusals.items())}),
            ("request_seconds_sum", "counter", {"": round(self._seconds, 3)}),
            ("request_seconds_count", "counter", {"": sum(self._answers.values())}),
            ("bytes_total", "counter", {f'{{direction="{key}"}}': n for key, n in sorted(self._bytes.items())}),
            ("requests_in_progress", "gauge", {"": self.in_progress}),
        ]
        lines = []
        for name, kind, values in rows:
            lines.append(f"# TYPE keepgraph_{name} {kind}")
            lines += [f"keepgraph_{name}{labels} {value}" for labels, value in values.items()]
        return "\n".join(lines) + "\n"
