"""Hooks of the site: a link from a page to a file of the repository outside docs is shown as that file's name."""

from __future__ import annotations

import re
from typing import Any

_OUTSIDE = re.compile(r"\[([^]]+)\]\((\.\./[^)]+)\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page whose links all lead to pages of the site."""
    return _OUTSIDE.sub(lambda link: f"{link[1]} (`{link[2].removeprefix('../')}`)", markdown)
