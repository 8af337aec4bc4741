"""Literal values: whether two literals of a predicate say the same, or are two amounts of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keepgraph.engine.knowledge import literals
from keepgraph.language.normalisation import Name
from keepgraph.model import Fact, Predicate, Role

if TYPE_CHECKING:
    from keepgraph.language.quantities import Quantity

_UNMEASURED_ROLES: tuple[Role, ...] = ("mentions", "tags")


def are_same_value(predicate: Predicate, fact: Fact, other: Fact) -> bool:
    """Whether the literals of two facts agree, one perhaps more precisely: 1990 and 1990-05-03."""
    if fact.literal is None or other.literal is None:
        return False
    one, two = fact.literal.strip(), other.literal.strip()
    if Name(one).key == Name(two).key:
        return True
    if predicate.literal_kind == "date":
        shorter, longer = sorted((one, two), key=len)
        is_partial = longer.startswith(shorter) and longer[len(shorter) : len(shorter) + 1] in ("-", "T")
        is_day_of_any_year = shorter.startswith("--") and longer[4:10] == shorter[1:]
        return is_partial or is_day_of_any_year
    if predicate.literal_kind == "number":
        return float(one) == float(two) if _is_number(one) and _is_number(two) else False
    first, second = _amount(one), _amount(two)
    return first is not None and second is not None and first.may_equal(second)


def may_be_quantity(predicate: Predicate, literal: str) -> bool:
    """Whether a literal can be one of two amounts where only one is right: a number, or a measure with its unit."""
    # A predicate that takes any literal, such as what somebody said, may well have several.
    if predicate.role in _UNMEASURED_ROLES or predicate.literal_kind not in ("number", "text"):
        return False
    return any(character.isdecimal() for character in literal)


def differ_in_quantity(predicate: Predicate, fact: Fact, other: Fact) -> bool:
    """Whether two literals are different amounts of one kind, whatever the rounding."""
    if fact.literal is None or other.literal is None:
        return False
    one, two = fact.literal.strip(), other.literal.strip()
    if predicate.literal_kind == "number":
        return _is_number(one) and _is_number(two) and float(one) != float(two)
    first, second = _amount(one), _amount(two)
    if first is None or second is None or not first.dimension:
        return False
    return first.dimension == second.dimension and not first.may_equal(second)


def _amount(literal: str) -> Quantity | None:
    """The amount, if a literal is exactly one; else None."""
    # Imported here, because most facts have no amounts.
    from keepgraph.language import quantities

    amounts = quantities.find(literal)
    return amounts[0] if len(amounts) == 1 and amounts[0].words.strip() == literal else None


def _is_number(text: str) -> bool:
    return literals.normalise(text, "number", None) is not None
