"""The line format of exports: its version, and the default values that a line leaves out."""

from __future__ import annotations

VERSION = 2
"""The newest version, which this code reads and writes. A graph without episodes and without imported words is written
in version 1, which has neither, so that older programs can read it."""

IMPORTED = "imported"
"""The vocabulary version of entity types and predicates that came with an imported file."""

DEFAULT_GROUP = "default"
DEFAULT_CONFIDENCE = 1.0
