"""The line format of exports: its version, and the default values that a line leaves out."""

from __future__ import annotations

VERSION = 5
"""The newest version, which this code reads and writes. A graph that an older version could hold is written in that, so
that older programs can read it: version 1 has neither episodes nor words, version 2 words with nothing but a
description, version 3 all of the vocabulary and proposed facts, version 4 owners and narratives, and version 5
decisions on proposals."""

IMPORTED = "imported"
"""The vocabulary version of entity types and predicates that came with an imported file."""

DEFAULT_GROUP = "default"
DEFAULT_CONFIDENCE = 1.0
