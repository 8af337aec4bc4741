"""Lazy loading of submodules (PEP 562): `store.facts` is imported when it is first used, not with `store`."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType


def getter(package: str) -> Callable[[str], ModuleType]:
    """A module `__getattr__` for `package` that imports its submodules on first use.

    The import system binds a loaded submodule to its package, so this runs once per submodule and process.
    """

    def load(name: str) -> ModuleType:
        module = f"{package}.{name}"
        if name.startswith("_") or importlib.util.find_spec(module) is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(module)

    return load
