"""The line format of exports: its version, and the default values that a line leaves out."""

from __future__ import annotations

VERSION = 1
"""The version of the format, which this code reads and writes. A file of a newer one is refused."""

IMPORTED = "imported"
"""The vocabulary version of entity types and predicates that came with an imported file."""

DEFAULT_GROUP = "default"
DEFAULT_CONFIDENCE = 1.0
