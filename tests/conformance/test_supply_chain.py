"""What is installed and shipped: pinned with hashes, complete, in a bill of materials, under accepted licences."""

from __future__ import annotations

import json
import re
import tomllib
from email.message import Message
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from keepgraph import package_files

REPOSITORY = Path(__file__).parents[2]
LOCKS = REPOSITORY / "packaging" / "locks"

if not LOCKS.is_dir():
    pytest.skip("what is shipped is built from a checkout", allow_module_level=True)

INSTALLED_BY_NAME = re.compile(r"(?:pip|pipx|uv tool) install [^`\n]*(?<![/\w-])keepgraph(?:-minilm)?(?=[\[`' \n]|$)")

NAMES = ["build", "bundle", "dev", "light", "site"]
PLATFORMS = [
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"},
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "aarch64"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix", "platform_machine": "arm64"},
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "platform_machine": "AMD64"},
]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


@pytest.fixture
def mcpb(monkeypatch) -> Path:
    """The scripts that build the bundle, which import each other by their names."""
    folder = REPOSITORY / "packaging" / "mcpb"
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.fixture
def licences(mcpb) -> ModuleType:
    import licences

    return licences


@pytest.fixture
def bill_of_materials(mcpb) -> ModuleType:
    import bill_of_materials

    return bill_of_materials


def entries(name: str) -> list[str]:
    """The entries of a lock, each with the lines of its hashes."""
    text = (LOCKS / f"{name}.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return re.split(r"\n(?! )", "\n".join(lines).strip())


def pinned(name: str, environment: dict[str, str]) -> dict[str, str]:
    """What a lock installs there: versions by name."""
    versions = {}
    for entry in entries(name):
        requirement = Requirement(entry.partition(" \\")[0])
        if requirement.marker is None or requirement.marker.evaluate(environment):
            (version,) = requirement.specifier
            assert canonicalize_name(requirement.name) not in versions
            versions[canonicalize_name(requirement.name)] = version.version
    return versions


def environments() -> list[dict[str, str]]:
    python = {"implementation_name": "cpython", "platform_python_implementation": "CPython", "extra": ""}
    return [
        {**platform, **python, "python_version": version, "python_full_version": f"{version}.1"}
        for platform in PLATFORMS
        for version in PYTHONS
    ]


def required(extras: tuple[str, ...]) -> list[Requirement]:
    """What pyproject.toml asks for, with the extras, and the extras of ours that these name."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [Requirement(line) for line in project["dependencies"]]
    open_extras = [*extras]
    for extra in open_extras:
        for line in project["optional-dependencies"][extra]:
            requirement = Requirement(line)
            if requirement.name == "keepgraph":
                open_extras += sorted(requirement.extras)
            else:
                wanted.append(requirement)
    return [requirement for requirement in wanted if requirement.name != "keepgraph-minilm"]


@pytest.mark.parametrize("name", NAMES)
def test_a_lock_has_a_version_and_hashes_for_each_entry_and_nothing_else(name):
    allowed = re.compile(r"[a-z0-9-]+==[\w.!+]+( ; [^\\\n]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+")
    locked = entries(name)

    assert len(locked) > 5
    assert [entry for entry in locked if not allowed.fullmatch(entry)] == []
    assert "://" not in "\n".join(locked)


@pytest.mark.parametrize(
    ("name", "extras"), [("bundle", ()), ("light", ("meaning", "analysis")), ("dev", ("dev", "embeddings"))]
)
def test_a_lock_has_what_the_project_asks_for_on_every_platform_and_python(name, extras):
    missing = [
        (str(requirement), environment["sys_platform"], environment["python_version"])
        for environment in environments()
        for versions in [pinned(name, environment)]
        for requirement in required(extras)
        if requirement.marker is None or requirement.marker.evaluate(environment)
        if not requirement.specifier.contains(versions.get(canonicalize_name(requirement.name), "0"))
    ]

    assert missing == []


@pytest.mark.parametrize("name", ["bundle", "light", "build"])
def test_locks_keep_to_the_versions_of_the_lock_for_development(name):
    """
    What is shipped has the versions that the tests ran with.
    """
    for environment in environments():
        tested = pinned("dev", environment)
        differing = {
            package: version for package, version in pinned(name, environment).items() if version != tested.get(package)
        }

        assert differing == {}


@pytest.mark.parametrize("name", ["bundle", "dev"])
def test_a_lock_has_all_that_its_packages_need(name):
    """
    pip installs a lock without asking what its packages need.
    """
    versions = pinned(name, {})
    lacking = set()
    for package in versions:
        try:
            lines = metadata.requires(package) or []
        except metadata.PackageNotFoundError:
            continue
        for requirement in map(Requirement, lines):
            is_needed = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            version = versions.get(canonicalize_name(requirement.name))
            if is_needed and requirement.name != "torch" and (version is None or version not in requirement.specifier):
                lacking.add(f"{package} needs {requirement}")

    assert lacking == set()


@pytest.mark.parametrize("name", ["build", "bundle", "light"])
def test_what_a_release_is_built_with_needs_no_pytorch(name):
    """
    It is half a gigabyte, and a wheel needs none of it.
    """
    assert pinned(name, {}).keys() & {"torch", "sentence-transformers", "transformers", "scikit-learn"} == set()


# Licences


def test_all_that_is_installed_is_under_an_accepted_licence(licences):
    of_the_locks = {package for name in NAMES for package in pinned(name, {})}
    named = {
        canonicalize_name(each.name): licences.of_distribution(each)
        for each in metadata.distributions()
        if canonicalize_name(each.name) in of_the_locks | {"keepgraph", "keepgraph-minilm"}
    }

    assert len(named) > 50
    assert {name: licence for name, licence in named.items() if not licences.is_accepted(licence)} == {}


def test_all_packages_of_the_page_are_under_an_accepted_licence(licences):
    package_lock = json.loads((REPOSITORY / "ui" / "package-lock.json").read_text(encoding="utf-8"))
    packages = list(licences.of_npm(package_lock))

    assert len(packages) > 10
    assert [package for package in packages if not licences.is_accepted(package[2])] == []


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", True),
        ("Apache-2.0 OR GPL-3.0-only", True),
        ("MIT AND GPL-2.0-or-later", False),
        ("(MIT OR AGPL-3.0-only) AND BSD-3-Clause", True),
        ("(MIT OR AGPL-3.0-only) AND GPL-3.0-only", False),
        ("MIT OR Apache-2.0 AND GPL-3.0-only", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-3.0-only WITH LLVM-exception", False),
        ("AGPL-3.0-or-later", False),
        ("GPL-3.0-only", False),
        ("LGPL-3.0-only", False),
        ("MIT BSD-3-Clause", False),
        ("(MIT", False),
        ("MIT AND", False),
        ("", False),
        (None, False),
    ],
)
def test_a_licence_is_accepted_if_all_that_hold_at_once_are(licences, expression, expected):
    assert licences.is_accepted(expression) is expected


class Distribution:
    """A distribution of which only the metadata matters."""

    def __init__(self, **fields: str) -> None:
        self.metadata = Message()
        self.metadata["Name"] = "some-package"
        for name, value in fields.items():
            self.metadata[name.replace("_", "-")] = value


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"License_Expression": "GPL-3.0-only", "License": "MIT"}, "GPL-3.0-only"),
        ({"License": "Apache 2.0"}, "Apache-2.0"),
        ({"License": "MPL-2.0 AND MIT"}, "MPL-2.0 AND MIT"),
        ({"Classifier": "License :: OSI Approved :: BSD License"}, "BSD-3-Clause"),
        ({"License": "free for all", "Classifier": "License :: OSI Approved :: MIT License"}, "MIT"),
        (
            {"License": "MIT", "Classifier": "License :: OSI Approved :: GNU General Public License v3 (GPLv3)"},
            "MIT AND GNU General Public License v3 (GPLv3)",
        ),
        ({"License": "see the file"}, None),
        ({}, None),
    ],
)
def test_a_licence_is_read_from_the_metadata(licences, fields, expected):
    licence = licences.of_distribution(Distribution(**fields))

    assert licence == expected


# The bill of materials


PAGE = {
    "packages": {
        "": {"version": "0"},
        "node_modules/preact": {"version": "11.2.0", "license": "MIT"},
        "node_modules/esbuild": {"version": "0.28.2", "license": "MIT", "dev": True},
    }
}


def install(lib: Path, name: str, version: str, licence: str) -> None:
    folder = lib / f"{name}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nLicense-Expression: {licence}\n"
    )


def test_a_bill_names_what_was_installed_and_what_is_in_the_page(bill_of_materials, tmp_path):
    install(tmp_path, "Some_Package", "1.0", "MIT")
    locked = {"some-package==1.0": ("a" * 64, "b" * 64), "other==2.0": ("c" * 64,)}
    bill = bill_of_materials.of_folder(tmp_path, locked=locked, page=PAGE)
    again = bill_of_materials.of_folder(tmp_path, locked=locked, page=PAGE)

    assert bill == again
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert [part["purl"] for part in bill["components"]] == ["pkg:npm/preact@11.2.0", "pkg:pypi/some-package@1.0"]
    assert [part["licenses"] for part in bill["components"]] == [[{"expression": "MIT"}]] * 2
    assert [each["content"] for each in bill["components"][1]["externalReferences"][0]["hashes"]] == [
        "a" * 64,
        "b" * 64,
    ]
    assert bill["dependencies"][0]["dependsOn"] == [part["bom-ref"] for part in bill["components"]]


@pytest.mark.parametrize(
    ("version", "licence", "message"), [("1.0", "AGPL-3.0-only", "AGPL-3.0-only"), ("1.1", "MIT", "not in its lock")]
)
def test_a_bundle_with_a_refused_licence_or_an_unlocked_package_is_not_built(
    bill_of_materials, tmp_path, version, licence, message
):
    install(tmp_path, "some-package", version, licence)

    with pytest.raises(SystemExit, match=message):
        bill_of_materials.of_folder(tmp_path, locked={"some-package==1.0": ("a" * 64,)}, page=PAGE)


def test_the_digests_of_a_lock_are_read_by_version(bill_of_materials):
    locked = bill_of_materials.digests((LOCKS / "bundle.txt").read_text(encoding="utf-8"))

    assert len(entries("bundle")) == len(locked)
    assert all(digests for digests in locked.values())


def test_no_line_installs_by_a_name_that_a_stranger_could_have_registered():
    pages = [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md"), REPOSITORY / "Makefile"]
    lines = [line for page in pages for line in INSTALLED_BY_NAME.findall(page.read_text(encoding="utf-8"))]

    assert INSTALLED_BY_NAME.search("pip install --find-links dist 'keepgraph[meaning]'")
    assert lines == []


def test_the_lines_of_installation_name_the_files_of_this_version():
    version = metadata.version("keepgraph")
    weights = tomllib.loads((REPOSITORY / "packaging/minilm/pyproject.toml").read_text(encoding="utf-8"))
    named = {
        wheel
        for page in ("README.md", "docs/install.md")
        for wheel in re.findall(r"dist/(keepgraph[\w.-]*\.whl)", (REPOSITORY / page).read_text(encoding="utf-8"))
    }

    assert f"keepgraph_minilm-{weights['project']['version']}-py3-none-any.whl" == package_files.WEIGHTS
    assert named == {f"keepgraph-{version}-py3-none-any.whl", package_files.WEIGHTS}
