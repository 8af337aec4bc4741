"""What is dear to make and often not used: the methods of dataclasses, and patterns. They are made at the first use.

A short command imports many more than it uses: to write and compile the methods of its dataclasses took a third of its
time, and to compile its patterns a sixth.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801 (as the standard library names it)
        """`functools.cached_property` without a lock, as it is from Python 3.12: the lock took most of its time."""

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self._compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._compute(instance)
            return value

    def replace(instance: Any, **changes: Any) -> Any:
        """`dataclasses.replace` for a class of this module: it does not look at how each field is declared."""
        cls = type(instance)
        return cls(**{name: getattr(instance, name) for name in cls.__match_args__} | changes)

    def dataclass(*, slots: bool = False, frozen: bool = False) -> Callable[[type], type]:
        """`dataclasses.dataclass`; the bases of a class are made by this one too."""
        return lambda cls: _make(cls, slots=slots, frozen=frozen)


def _make(cls: Any, *, slots: bool, frozen: bool) -> type:
    parts = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    names = [name for name, annotation in cls.__annotations__.items() if not annotation.startswith("ClassVar")]
    inherited = {name: value for base in cls.__mro__[:0:-1] for name, value in vars(base).get("__own__", {}).items()}
    own = {name: parts.pop(name, MISSING) for name in names}
    for name in ("__init__", "__repr__", "__eq__", "__hash__", "__dataclass_fields__", "__dataclass_params__"):
        if parts.get(name) is None:
            parts[name] = _Later(own, frozen)
    if frozen:
        parts["__setattr__"] = parts["__delattr__"] = _refuse_to_set
    elif isinstance(parts["__hash__"], _Later):
        parts["__hash__"] = None
    parts["__own__"] = own
    if slots:
        parts["__slots__"] = [name for name in names if name not in inherited]
    parts["__match_args__"] = tuple(inherited | own)
    made: type = type(cls)(cls.__name__, cls.__bases__, parts)
    made.__qualname__ = cls.__qualname__
    return made


class _Later:
    """What the standard library would have put into a class: it does so at the first use.

    Attributes:
        fields: those of the class without its bases: the default, the `field`, or MISSING.
    """

    def __init__(self, fields: dict[str, Any], frozen: bool) -> None:
        self._fields, self._frozen = fields, frozen

    def __set_name__(self, owner: Any, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if self._name == "__init__":
            self._owner.__init__ = _constructor(self._owner)
        else:
            self._complete()
        # From the type, as Python looks up special methods.
        found = vars(self._owner)[self._name]
        return found.__get__(instance, owner) if hasattr(found, "__get__") and instance is not None else found

    def _complete(self) -> None:
        owner = self._owner
        parts = {name: getattr(owner, name) for name in ("__module__", "__qualname__", "__annotations__")}
        parts |= {name: value for name, value in self._fields.items() if value is not MISSING}
        standard = dataclasses.dataclass(frozen=self._frozen)(type(owner)(owner.__name__, owner.__bases__, parts))
        for name, value in list(vars(owner).items()):
            if isinstance(value, _Later) and name != "__init__":
                setattr(owner, name, vars(standard)[name])


def _constructor(cls: Any) -> Callable[..., None]:
    """The `__init__` that the standard library would write, for one or two defaults of each field."""
    scope: dict[str, Any] = {"__setattr": object.__setattr__, "__unset": MISSING}
    parameters, lines = [], []
    fields = {name: value for base in cls.__mro__[::-1] for name, value in vars(base).get("__own__", {}).items()}
    for name, value in fields.items():
        is_field = isinstance(value, dataclasses.Field)
        default = value.default if is_field else value
        factory = value.default_factory if is_field else MISSING
        given = f"__default_{name}"
        scope[given] = default if factory is MISSING else factory
        has_default = scope[given] is not MISSING
        if factory is not MISSING:
            given += "()"
        if not is_field or value.init:
            parameters.append(f"{name}={'__unset' if factory is not MISSING else given}" if has_default else name)
            given = name if factory is MISSING else f"{given} if {name} is __unset else {name}"
        elif not has_default:
            continue
        lines.append(f"__setattr(self, {name!r}, {given})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__(self, {', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"]), scope)  # noqa: S102
    constructor: Callable[..., None] = scope["__init__"]
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    return constructor


def _refuse_to_set(self: object, name: str, *_: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def compile(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile` at the first use; what is wrong in a pattern is raised then."""
    return _Pattern(pattern, flags)  # type: ignore[return-value]


class _Pattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # Kept in the instance, where the next look-up finds it without this method.
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value
