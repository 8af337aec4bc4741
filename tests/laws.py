"""How many examples of a law are tried: a few in every run, many in the sweeps (`make test-laws`)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

IS_SWEEP = bool(os.environ.get("KEEPGRAPH_SWEEP"))


def examples(few: int, *, sweep: int) -> Callable[[Any], Any]:
    """Try so many examples of a property; in the sweeps, more."""

    def decorate(law: Any) -> Any:
        return pytest.mark.law(settings(max_examples=sweep if IS_SWEEP else few)(law))

    return decorate
