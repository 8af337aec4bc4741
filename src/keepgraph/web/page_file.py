"""The file of the page: one HTML file with its script and its style in it, and the policy that allows no other."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

PLACE_OF_GRAPH = "<!--graph-->"
"""Where the data of a graph is put into the page, before its script."""

_SCRIPT = re.compile(r"<script(?: type=\"?module\"?)?>(.*?)</script>", re.DOTALL)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


@cache
def read() -> str:
    """The page as it was built, without data."""
    return (resources.files(__package__) / "view.html").read_text(encoding="utf-8")


@cache
def content_security_policy() -> str:
    """The policy of the page: its own script and style by their SHA-256, calls to its own server, and nothing else."""
    scripts = " ".join(_hash_source(script) for script in _SCRIPT.findall(read()))
    styles = " ".join(_hash_source(style) for style in _STYLE.findall(read()))
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def with_graph(graph: Mapping[str, Any]) -> str:
    """The page with the data of a graph in it, so that it needs no server.

    The data is JSON, compressed by zlib (RFC 1950) and written in base64; what is around it is JSON too, in which
    nothing can end the element that holds it.

    Raises:
        ValueError: the page has no place for the data, or a number of the data is not finite.
    """
    page = read()
    if page.count(PLACE_OF_GRAPH) != 1:
        raise ValueError(f"the page must have {PLACE_OF_GRAPH} just once")
    plain = json.dumps(graph, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    deflated = base64.b64encode(zlib.compress(plain.encode("utf-8", "replace"), 9)).decode("ascii")
    element = f'<script type="application/json" id="graph">{escaped_json({"deflate": deflated})}</script>'
    return page.replace(PLACE_OF_GRAPH, element)


def escaped_json(value: Any) -> str:
    """JSON that can stand within an element of HTML: no tag begins or ends in it, and no line of a script ends."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _hash_source(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"
