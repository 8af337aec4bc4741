"""Pins all dependencies, with the hash of each of their files, for every platform and every Python that is promised.

Needs uv, which resolves for all of them at once; `make lock` installs it. Knows no index: that of the machine is asked.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

LOCKS = {
    "dev": ("dev", "embeddings"),
    "light": ("meaning", "analysis"),
    "bundle": (),
    "build": None,
    "site": None,
}
"""Each lock, and the extras that it has besides the dependencies; None: only what is named below.

The first has all, and the others keep to its versions.
"""

BUILD = ["hatchling>=1.26", "editables>=0.5"]
"""What builds our own package, where pip does not make an environment of its own for that."""

ALONE = {"build": BUILD, "site": ["mkdocs-material>=9.7,<10"]}
"""Locks without our dependencies: what builds the package, and what builds the site of the documents."""

OURS = "keepgraph-minilm"
"""Built here, and in no index."""

OF_THE_MACHINE = re.compile(r"(torch|triton|cuda-.*|nvidia-.*)$")
"""PyTorch, and libraries of graphics cards: which build is right depends on the machine, and no bundle has it."""


def main() -> None:
    """Write all locks anew."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if uv is None:
        sys.exit("uv is not installed; `make lock` installs it into .venv")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = project["requires-python"].removeprefix(">=")
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    for name, extras in LOCKS.items():
        lines = ALONE[name] if extras is None else requirements(project, extras)
        if name == "dev":
            lines += BUILD
        resolved = resolve(uv, lines, pins=pins, oldest=oldest)
        if name == "dev":
            pins = "\n".join(line.removesuffix(" \\") for line in resolved.splitlines() if not line.startswith(" "))
        (HERE / f"{name}.txt").write_text(without_the_machines(resolved), encoding="utf-8")


def requirements(project: dict[str, Any], extras: Sequence[str]) -> list[str]:
    """The requirements of the project and of some extras, with those of the extras that these name, and not ours."""
    optional = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for extra in extras for line in _of_extra(optional, extra))]
    return sorted({line for line in lines if not line.startswith(OURS)})


def _of_extra(optional: dict[str, list[str]], extra: str) -> Iterator[str]:
    for line in optional[extra]:
        if named := re.fullmatch(r"keepgraph\[(.+)\]", line):
            yield from _of_extra(optional, named[1])
        else:
            yield line


def resolve(uv: str, lines: Sequence[str], *, pins: str, oldest: str) -> str:
    """The versions that fit together, with markers where they differ, and their hashes, as pip reads them."""
    with tempfile.TemporaryDirectory() as temporary:
        wanted, pinned = Path(temporary, "wanted.in"), Path(temporary, "pinned.txt")
        wanted.write_text("\n".join(lines), encoding="utf-8")
        pinned.write_text(pins, encoding="utf-8")
        options = ["--universal", "--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--quiet"]
        command = [uv, "pip", "compile", *options, "--python-version", oldest, "--constraint", str(pinned), str(wanted)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")  # noqa: S603 (uv)
    return done.stdout


def without_the_machines(resolved: str) -> str:
    """A lock without what is chosen for each machine."""
    entries = re.split(r"\n(?=[a-z0-9])", resolved.strip())
    kept = [entry for entry in entries if not OF_THE_MACHINE.match(entry.partition("==")[0])]
    return "\n".join(["# Written by `make lock`; not to be edited.", *kept, ""])


if __name__ == "__main__":
    main()
