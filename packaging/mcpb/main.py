"""Starts Keepgraph's server from the packages that lie beside this file. Knows where they are, and no more."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = "packages"


def main() -> None:
    """Serve the profile of `--profile=NAME`; the one in use where the client was given no name."""
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    if (HERE / "python-version").exists():  # compiled packages lie beside it
        built_for = (HERE / "python-version").read_text(encoding="utf-8").strip()
        if running != built_for:
            sys.exit(f"This bundle is for Python {built_for}, and this is Python {running} ({sys.executable}).")
    sys.path.insert(0, str(HERE / PACKAGES))
    sys.argv[1:] = ["serve", *(word for word in sys.argv[1:] if not _left_open(word))]

    from keepgraph.cli import main as kg

    kg()


def _left_open(word: str) -> bool:
    """Whether this is an option to which the person gave no value: clients then leave the placeholder, or nothing."""
    _, _, value = word.partition("=")
    return not value.strip() or value.startswith("${")


if __name__ == "__main__":
    main()
