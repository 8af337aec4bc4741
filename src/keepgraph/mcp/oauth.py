"""OAuth 2.1, as a resource server: access tokens of an issuer that the user runs stand for tokens of this machine."""

from __future__ import annotations

import json
import logging
import urllib.request
from typing import Any
from urllib.parse import urlsplit

import anyio.to_thread
import jwt

from keepgraph import errors

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
