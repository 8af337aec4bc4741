"""Builds the bundles that Claude Desktop installs with a click. Knows the form of their manifests, and no tool.

One (MCPB 0.3) holds all packages, for one platform and one Python. The other (0.4, of type uv) holds Keepgraph alone,
for every platform: the client's uv fetches the packages that it needs, in the versions that it finds.

What the manifest says comes from pyproject.toml, the catalogue of tools and the prompts of the server.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import bill_of_materials

from keepgraph import _version
from keepgraph.mcp import prompts
from keepgraph.tools.contract import catalogue

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

LOCK = ROOT / "packaging" / "locks" / "bundle.txt"

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def main(words: Sequence[str] | None = None) -> None:
    """Build the bundles, and say where they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="the folder for the bundle")
    into = parser.parse_args(words).into
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        complete, small = Path(temporary, "complete"), Path(temporary, "uv")
        lay_out(complete)
        sys.stdout.write(f"{pack(complete, into / file_name())}\n")
        lay_out_for_uv(small)
        sys.stdout.write(f"{pack(small, into / f'keepgraph-{_version.__version__}-uv.mcpb')}\n")


def file_name() -> str:
    """The compiled parts are for one platform and one Python: the name says which."""
    return f"keepgraph-{_version.__version__}-{sysconfig.get_platform()}-py{PYTHON}.mcpb"


def lay_out(folder: Path) -> None:
    """Put into a folder all that the bundle holds."""
    server = folder / "server"
    server.mkdir(parents=True)
    install(server / "packages")
    shutil.copy(HERE / "main.py", server / "main.py")
    (server / "python-version").write_text(f"{PYTHON}\n", encoding="utf-8")
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, folder / name)
    _write_json(folder / "manifest.json", manifest())
    _write_json(folder / "bill-of-materials.cdx.json", materials(server / "packages"))


def lay_out_for_uv(folder: Path) -> None:
    """Put into a folder what a bundle of type uv holds: Keepgraph, and a project that names what it needs.

    Keepgraph itself is not named there: whoever registers that name at an index would decide what is installed.
    """
    source = folder / "src"
    source.mkdir(parents=True)
    install(source / "packages", lock=None)
    shutil.copy(HERE / "main.py", source / "main.py")
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, folder / name)
    project = _project()
    lines = [
        "[project]",
        'name = "keepgraph-bundle"',
        f'version = "{_version.__version__}"',
        f'requires-python = "{project["requires-python"]}"',
        f"dependencies = {json.dumps(project['dependencies'], indent=4)}",
        "",
        "[tool.uv]",
        "package = false",
        "",
    ]
    (folder / "pyproject.toml").write_text("\n".join(lines), encoding="utf-8")
    _write_json(folder / "manifest.json", manifest_for_uv())


def install(lib: Path, *, lock: Path | None = LOCK) -> None:
    """Install the package, and what a lock names, into a folder, without what would tell of this machine."""
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--no-compile",
        "--no-deps",
    ]
    into = ["--upgrade", "--target", str(lib)]
    if lock:
        subprocess.run([*pip, *into, "--require-hashes", "--requirement", str(lock)], check=True)  # noqa: S603 (our pip)
    subprocess.run([*pip, *into, "--no-build-isolation", str(ROOT)], check=True)  # noqa: S603
    # Scripts that begin with the path of this Python, and records of where we built.
    shutil.rmtree(lib / "bin", ignore_errors=True)
    shutil.rmtree(lib / "Scripts", ignore_errors=True)
    for name in ("direct_url.json", "RECORD", "REQUESTED"):
        for file in lib.glob(f"*.dist-info/{name}"):
            file.unlink()


def materials(lib: Path) -> dict[str, Any]:
    """What is in the bundle, with versions, licences and origins; a licence that is not accepted ends the build."""
    page = json.loads((ROOT / "ui" / "package-lock.json").read_text(encoding="utf-8"))
    locked = bill_of_materials.digests(LOCK.read_text(encoding="utf-8"))
    return bill_of_materials.of_folder(lib, locked=locked, page=page)


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


def manifest_for_uv() -> dict[str, Any]:
    """What the bundle of type uv says of itself: as the other, but for how and where it is started."""
    start = ["run", "--directory", "${__dirname}", "src/main.py", "--profile=${user_config.profile}"]
    return {
        **manifest(),
        "manifest_version": "0.4",
        "server": {
            "type": "uv",
            "entry_point": "src/main.py",
            "mcp_config": {"command": "uv", "args": start, "env": {}},
        },
        "compatibility": {
            "platforms": ["darwin", "linux", "win32"],
            "runtimes": {"python": _project()["requires-python"]},
        },
    }


def manifest() -> dict[str, Any]:
    """What the bundle says of itself."""
    project = _project()
    after = f"{sys.version_info.major}.{sys.version_info.minor + 1}"
    shown = {tool.name: tool for tool in catalogue.tools(catalogue.DEFAULT_TOOLSETS)}
    return {
        "manifest_version": "0.3",
        "name": project["name"],
        "display_name": "Keepgraph",
        "version": _version.__version__,
        "description": project["description"],
        "author": {"name": project["authors"][0]["name"]},
        "license": project["license"],
        "keywords": project["keywords"],
        "server": {
            "type": "python",
            "entry_point": "server/main.py",
            "mcp_config": {
                "command": "python" if sys.platform == "win32" else "python3",
                # -I: neither variables nor packages of the person's own Python get in between.
                "args": ["-I", "${__dirname}/server/main.py", "--profile=${user_config.profile}"],
                "env": {},
            },
        },
        "tools": [{"name": tool.name, "description": tool.description.partition("\n")[0]} for tool in shown.values()],
        "prompts": [_prompt(prompt, shown) for prompt in prompts.all_prompts(shown)],
        "compatibility": {
            "platforms": [sys.platform],
            "runtimes": {"python": f">={PYTHON},<{after}"},
        },
        "user_config": {
            "profile": {
                "type": "string",
                "title": "Profile",
                "description": "The name of a profile, as in kg --profile NAME. Empty for the one that kg uses.",
                "required": False,
                "default": "",
            },
        },
    }


def pack(folder: Path, bundle: Path) -> Path:
    """Zip a folder: the same files always make the same zip."""
    bundle.unlink(missing_ok=True)
    files = sorted(file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, file in sorted((file.relative_to(folder).as_posix(), file) for file in files):
            about = zipfile.ZipInfo(name, LONG_AGO)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.create_system = 3  # Unix, wherever it is built: what follows is its way to write a mode
            about.external_attr = 0o100644 << 16
            archive.writestr(about, file.read_bytes())
    return bundle


def _write_json(file: Path, value: dict[str, Any]) -> None:
    file.write_text(f"{json.dumps(value, ensure_ascii=False, indent=2)}\n", encoding="utf-8")


def _prompt(prompt: Any, shown: Collection[str]) -> dict[str, Any]:
    names = [argument.name for argument in prompt.arguments]
    arguments = {name: f"${{arguments.{name}}}" for name in names}
    (message,) = prompts.fill(prompt.name, arguments, shown=shown).messages
    return {"name": prompt.name, "description": prompt.description, "arguments": names, "text": message.content.text}


if __name__ == "__main__":
    main()
