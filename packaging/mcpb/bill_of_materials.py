"""The bill of materials of a bundle: what is in it, with version, licence and origin, in CycloneDX 1.6 (JSON).

It is read from what was installed, not from what was asked for. It has no time and no number that changes with each
build: the same parts always make the same bill.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

import licences

from keepgraph import _version

ROOT = Path(__file__).resolve().parent.parent.parent


def of_folder(lib: Path, *, locked: Mapping[str, tuple[str, ...]], page: Mapping[str, Any]) -> dict[str, Any]:
    """The bill of the packages that are installed in a folder, and of those that the page was built of.

    Args:
        lib: the folder with the installed packages.
        locked: the SHA-256 digests of the files of each version, by "name==version": those that could be installed.
        page: the package-lock.json of the page.

    Raises:
        SystemExit: a licence is not accepted, or a package was installed that the lock does not have.
    """
    ours = {"type": "application", "name": "keepgraph", "version": _version.__version__, "bom-ref": "keepgraph"}
    components = sorted([*_python(lib, locked), *_npm(page)], key=lambda component: component["bom-ref"])
    described = json.dumps([ours, components], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_OID, described).urn,
        "version": 1,
        "metadata": {"component": ours | {"licenses": [{"expression": "MIT"}]}},
        "components": components,
        "dependencies": [{"ref": "keepgraph", "dependsOn": [component["bom-ref"] for component in components]}],
    }


def digests(lock: str) -> dict[str, tuple[str, ...]]:
    """The SHA-256 digests of each version in a lock, by "name==version"."""
    entries = re.split(r"\n(?=[a-z0-9])", lock)
    heads = ((re.match(r"[a-z0-9][^ ]*==[^ ]+", entry), entry) for entry in entries)
    return {head[0]: tuple(re.findall(r"sha256:([0-9a-f]{64})", entry)) for head, entry in heads if head}


def _python(lib: Path, locked: Mapping[str, tuple[str, ...]]) -> Iterator[dict[str, Any]]:
    for distribution in distributions(path=[str(lib)]):
        name = re.sub(r"[-_.]+", "-", distribution.name).lower()
        if name == "keepgraph":
            continue
        pinned = f"{name}=={distribution.version}"
        if pinned not in locked:
            raise SystemExit(f"{pinned} is in the bundle and not in its lock; write it anew with `make lock`")
        purl = f"pkg:pypi/{name}@{distribution.version}"
        yield _component(purl, name, distribution.version, _licence(distribution), scope="required") | {
            "externalReferences": [
                {
                    "type": "distribution",
                    "url": purl,
                    "comment": "One of the files with these digests was installed.",
                    "hashes": [{"alg": "SHA-256", "content": digest} for digest in locked[pinned]],
                }
            ]
        }


def _npm(page: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The packages of which something is in the page; those that only build it are not in the bundle."""
    shipped = {path: package for path, package in page["packages"].items() if not package.get("dev")}
    for name, version, licence in licences.of_npm({"packages": shipped}):
        _require_accepted(name, licence)
        purl = f"pkg:npm/{name.replace('@', '%40')}@{version}"
        yield _component(purl, name, version, str(licence), scope="required")


def _component(purl: str, name: str, version: str, licence: str, *, scope: str) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "scope": scope,
        "licenses": [{"expression": licence}],
    }


def _licence(distribution: Distribution) -> str:
    licence = licences.of_distribution(distribution)
    _require_accepted(distribution.name, licence)
    return str(licence)


def _require_accepted(name: str, licence: str | None) -> None:
    if not licences.is_accepted(licence):
        raise SystemExit(
            f"{name} is under {licence or 'no licence that its metadata states'}: see packaging/mcpb/licences.py"
        )
