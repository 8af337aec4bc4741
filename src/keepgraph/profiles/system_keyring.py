"""The system keyring as a place for keys."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import errors
from keepgraph.model import Key
from keepgraph.profiles import keys

SERVICE = "keepgraph"
"""The service name of our entries in the keyring."""


def read(name: str) -> list[Key]:
    """The keys in the keyring under a name.

    Raises:
        errors.KeyMissing: it has none, is locked, or does not exist; the message says which.
    """
    import keyring
    from keyring.errors import KeyringError

    try:
        text = keyring.get_password(SERVICE, name)
    except (KeyringError, OSError, RuntimeError) as error:
        raise errors.KeyMissing(f"the system keyring cannot be read ({type(error).__name__})") from error
    if text is None:
        raise errors.KeyMissing(f"the system keyring has no key for {name}")
    return keys.parse(text.encode(), "the keyring")


def write(name: str, saved: Sequence[Key]) -> None:
    """Replace the keys in the keyring under a name.

    Raises:
        errors.KeyMissing: there is no keyring, or it is locked.
    """
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(SERVICE, name, "\n".join(key.digits for key in saved))
    except (KeyringError, OSError, RuntimeError) as error:
        raise errors.KeyMissing(
            f"the system keyring cannot keep a key ({type(error).__name__})",
            hint="Keep it in a file instead: --key file.",
        ) from error


def delete(name: str) -> None:
    """Delete the keys under a name, if there are any.

    Raises:
        errors.KeyMissing: there is no keyring, or it refuses.
    """
    import keyring
    from keyring.errors import KeyringError

    try:
        if keyring.get_password(SERVICE, name) is not None:
            keyring.delete_password(SERVICE, name)
    except (KeyringError, OSError, RuntimeError) as error:
        raise errors.KeyMissing(f"the system keyring did not delete {name} ({type(error).__name__})") from error
