"""Hooks of the site: links to files of the repository outside docs, and what a search ranks first."""

from __future__ import annotations

import re
from typing import Any

_OUTSIDE = re.compile(r"\[([^]]+)\]\((\.\./[^)]+)\)")

_BOOSTS = {"Reference": 0.5, "For programmers": 0.2}
"""What a hit on a page of these sections counts in the search; elsewhere 1. Most readers look for a guide."""


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The page with names of files outside the site in place of links to them, and with its weight in the search."""
    sections = [ancestor.title for ancestor in page.ancestors]
    page.meta["search"] = {"boost": min((_BOOSTS.get(section, 1.0) for section in sections), default=1.0)}
    return _OUTSIDE.sub(lambda link: f"{link[1]} (`{link[2].removeprefix('../')}`)", markdown)
