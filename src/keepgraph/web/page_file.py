"""The file of the page: one HTML file with its script and its style in it, and the policy that allows no other."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from keepgraph.model import KeyLocation
from keepgraph.profiles import keys

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


# The file by which a browser gets the address with the token: readable by its owner alone, and gone with the server.
#
# A command line can be read by every user of a machine, so the token is never an argument of the browser: its argument
# is this file, which sends it on. The method is that of Jupyter Server (`use_redirect_file`).

_DOCUMENT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>Opening Keepgraph</title>
</head>
<body><p><a href="{address}">Open Keepgraph</a></p></body>
</html>
"""


@contextmanager
def file_to(address: str) -> Iterator[Path]:
    """A file with mode 0600, in a folder of its own with mode 0700, that sends a browser to an address."""
    folder = Path(tempfile.mkdtemp(prefix="keepgraph-"))
    file = folder / "open.html"
    try:
        with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as out:
            out.write(_DOCUMENT.format(address=html.escape(address, quote=True)))
        yield file
    finally:
        with suppress(OSError):
            file.unlink(missing_ok=True)
            folder.rmdir()


# Whether the key of an encrypted graph is still within reach: without it, nobody goes on reading the graph.

SECONDS_BETWEEN_CHECKS = 60.0


class KeyCheck:
    """A check, made at most once a minute, whether the key is no longer where it was at the start.

    It is not while the keyring of the system is locked. Where the key of the graph was not there at the start, because
    a program gave it, and where the graph has none, it never is.
    """

    def __init__(self, graph: Path, location: KeyLocation | None, *, clock: Callable[[], float]) -> None:
        self._graph = graph
        self._location = location if location is not None and keys.is_available(graph, location) else None
        self._clock = clock
        self._last = clock()

    def is_lost(self) -> bool:
        now = self._clock()
        if self._location is None or now - self._last < SECONDS_BETWEEN_CHECKS:
            return False
        self._last = now
        return not keys.is_available(self._graph, self._location)
