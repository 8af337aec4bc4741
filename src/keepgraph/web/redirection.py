"""The file by which a browser gets the address with the token: readable by its owner alone, and gone with the server.

A command line can be read by every user of a machine, so the token is never an argument of the browser: its argument is
this file, which sends it on. The method is that of Jupyter Server (`use_redirect_file`).
"""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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
