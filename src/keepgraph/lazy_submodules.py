"""Lazy loading of submodules (PEP 562): one is loaded when something in it is first used, not where it is imported."""

from __future__ import annotations

import importlib
import os.path
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


def getter(package: str) -> Callable[[str], ModuleType]:
    """A module `__getattr__` for `package` that gives its submodules before they are loaded.

    When one is loaded, the import system binds it to its package in the place of what stood for it.
    """

    def get(name: str) -> ModuleType:
        module = f"{package}.{name}"
        path = os.path.join(os.path.dirname(str(sys.modules[package].__file__)), name)
        if os.path.isfile(path + ".py"):
            return _Unloaded(module)  # type: ignore[return-value]
        if name.startswith("_") or not os.path.isdir(path):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(module)

    return get


def load(*modules: ModuleType) -> None:
    """Load modules now that would be loaded later, where somebody waits for it."""
    for module in modules:
        if isinstance(module, _Unloaded):
            module._load()


class _Loaded:
    """Has the names of a module, and binds what is set to it."""


class _Unloaded(_Loaded):
    """Stands for a module until something is asked of it."""

    def __init__(self, module: str) -> None:
        object.__setattr__(self, "__name__", module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._load(), name, value)

    def _load(self) -> ModuleType:
        module = importlib.import_module(self.__name__)
        # Threads that load it at once come to the same.
        object.__setattr__(self, "__dict__", vars(module))
        object.__setattr__(self, "__class__", _Loaded)
        return module
