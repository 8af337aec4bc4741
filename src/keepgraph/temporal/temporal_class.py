"""The base class of the temporal types, so that an `isinstance` check need not load them."""


class Temporal:
    """A date, a time, a date with a time, or a duration; the six types are in temporal/types.py."""

    __slots__ = ()
