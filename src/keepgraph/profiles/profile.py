"""Profiles by name: the graph file of each, the default profile, and folders where a graph does not belong."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath

from keepgraph import errors, lazy, permissions
from keepgraph.profiles import settings_file

DEFAULT = "default"

_NAME = lazy.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
"""Names that Windows reserves for devices."""


def data_folder() -> Path:
    """The folder of the graphs of all profiles, by the conventions of the platform."""
    # Imported here because it is not needed if a file is named.
    from platformdirs import user_data_path

    return _platform_folder(user_data_path)


def config_folder() -> Path:
    """The folder of the active profile and the keys, apart from the graphs: a copy of one lacks the other."""
    from platformdirs import user_config_path

    return _platform_folder(user_config_path)


def path(name: str) -> Path:
    """The graph file of a profile, whether it exists or not.

    Raises:
        errors.InvalidArguments: this cannot be the name of a profile.
    """
    if not _NAME.fullmatch(name) or name in _RESERVED:
        raise errors.InvalidArguments(
            f"{name[:60]!r} cannot be the name of a profile",
            hint="Use up to 40 lower-case letters, digits, - and _, beginning with a letter or a digit.",
        )
    return data_folder() / f"{name}.db"


def find(name: str) -> Path:
    """The graph file of an existing profile; the default profile need not exist.

    Raises:
        errors.ProfileNotFound: there is none of this name.
    """
    file = path(name)
    traces = (file, settings_file.path(file), file.with_suffix(".backups"))
    if name != DEFAULT and not any(trace.exists() for trace in traces):
        from difflib import get_close_matches

        similar = get_close_matches(name, list_names(), n=1)
        raise errors.ProfileNotFound(
            f"there is no profile {name!r}{f'; did you mean {similar[0]}?' if similar else ''}", candidates=similar
        )
    return file


def list_names() -> list[str]:
    """The names of all profiles that have a graph or settings."""
    folder = data_folder()
    names = {file.stem for pattern in ("*.db", "*.toml") for file in folder.glob(pattern)} if folder.is_dir() else set()
    return sorted(name for name in names if _NAME.fullmatch(name))


def active() -> str:
    """The profile used if none is named."""
    try:
        name = _active_profile_file().read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return DEFAULT
    except (OSError, UnicodeDecodeError) as error:
        raise errors.SettingsInvalid(f"{_active_profile_file()} cannot be read: {error}") from error
    return name or DEFAULT


def use(name: str) -> None:
    """Make a profile the one used if none is named."""
    find(name)
    permissions.write(_active_profile_file(), f"{name}\n")


def selected_graph(environment: Mapping[str, str] = os.environ) -> Path:
    """The graph if a command line names none: from KG_DB, KG_PROFILE, or `kg profile use`."""
    if file := environment.get("KG_DB", "").strip():
        return permissions.expanded(file)
    if profile := environment.get("KG_PROFILE", "").strip():
        return find(profile)
    name = active()
    try:
        return find(name)
    except errors.ProfileNotFound as error:
        raise errors.ProfileNotFound(
            f"the profile {name!r}, chosen with `kg profile use`, does not exist",
            hint="Choose another: kg profile use NAME.",
        ) from error


def name_of(graph: Path) -> str | None:
    """The name of the profile that a graph belongs to; None for a file elsewhere."""
    try:
        folder = data_folder()
    except errors.InvalidArguments:
        return None  # without a home folder, there are no profiles
    return graph.stem if graph.suffix == ".db" and graph.parent.resolve() == folder.resolve() else None


def command_prefix(graph: Path) -> str:
    """The beginning of a command for a graph, to show a person: `kg --profile work`."""
    name = name_of(graph)
    return f"kg --db {graph}" if name is None else "kg" if name == active() else f"kg --profile {name}"


def _platform_folder(folder: Callable[..., Path]) -> Path:
    try:
        return folder("keepgraph", appauthor=False)
    except (RuntimeError, KeyError) as error:
        raise errors.InvalidArguments(
            "there is no home folder for a profile", hint="Set HOME, or name a file with --db."
        ) from error


def _active_profile_file() -> Path:
    return config_folder() / "active-profile"


# Synchronised folders and network file systems, where a database does not belong.
#
# A synchroniser copies the file and its log one after the other, while they change, and SQLite's locks do not reach
# other machines.

SHARED_FOLDER_ADVICE = (
    "Keep the graph in a folder that is not synchronised (a profile is in one), and put copies there: "
    "`kg backup FILE`, or `kg export FILE`."
)

# Names of folders as the programs make them, perhaps followed by an account or a company.
_BY_NAME = (
    (re.compile(r"Dropbox( \(.+\))?", re.IGNORECASE), "Dropbox"),
    (re.compile(r"Mobile Documents|com~apple~CloudDocs|iCloud ?Drive", re.IGNORECASE), "iCloud Drive"),
    (re.compile(r"OneDrive( ?-.*)?", re.IGNORECASE), "OneDrive"),
    (re.compile(r"Google ?Drive( ?-.*)?|DriveFS|\.shortcut-targets-by-id", re.IGNORECASE), "Google Drive"),
    (re.compile(r"Nextcloud\d*", re.IGNORECASE), "Nextcloud"),
    (re.compile(r"ownCloud\d*", re.IGNORECASE), "ownCloud"),
    (re.compile(r"SynologyDrive|CloudStation", re.IGNORECASE), "Synology Drive"),
    (re.compile(r"pCloud ?Drive|pCloudDrive", re.IGNORECASE), "pCloud"),
    (re.compile(r"MEGA(sync)?"), "MEGA"),
    (re.compile(r"Seafile", re.IGNORECASE), "Seafile"),
)
# Files and folders that the programs keep in a synchronised folder, whatever its name.
_BY_CONTENT = (
    (".stfolder", "Syncthing"),
    (".dropbox", "Dropbox"),
    (".dropbox.cache", "Dropbox"),
    (".nextcloudsync.log", "Nextcloud"),
    (".owncloudsync.log", "ownCloud"),
    (".sync_*.db", "Nextcloud"),
    ("._sync_*.db", "Nextcloud"),
    (".tmp.drivedownload", "Google Drive"),
    (".tmp.driveupload", "Google Drive"),
    (".sync/ID", "Resilio Sync"),
)
_CLOUD_STORAGE = "CloudStorage"
"""On macOS, ~/Library/CloudStorage has a folder for each service: `OneDrive-Personal`, `Box-Box`."""

_NETWORK_TYPES = re.compile(
    r"nfs4?|cifs|smb[23fs]*|afs|ceph|glusterfs|lustre|ncpfs|davfs2?|9p|fuse\.(sshfs|rclone|ceph|glusterfs|davfs2?|s3fs)"
    r"|fuse\.(gvfsd-fuse|google-drive-ocamlfuse|onedriver)"
)
_MOUNTS = Path("/proc/self/mountinfo")


def find_shared_folder(file: Path) -> str | None:
    """What shares the folder of a file with other machines, as in "is synchronised by Dropbox"; None if nothing does.

    It looks at the names of folders, the traces of such programs in them, and the type of the file system.
    """
    folder = file.resolve().parent
    if service := _find_service(folder):
        return f"is synchronised by {service}"
    if str(folder).startswith("\\\\"):
        return "is on another machine on the network"
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    file_system = _file_system_of(folder, mounts.splitlines())
    return f"is on a network file system ({file_system})" if _NETWORK_TYPES.fullmatch(file_system) else None


def _find_service(folder: Path) -> str | None:
    for name, parent in zip(folder.parts[::-1], folder.parts[-2::-1], strict=False):
        if parent == _CLOUD_STORAGE:
            return name.partition("-")[0]
    for name in folder.parts:
        for pattern, service in _BY_NAME:
            if pattern.fullmatch(name):
                return service
    for ancestor in (folder, *folder.parents):
        for pattern_of_files, service in _BY_CONTENT:
            try:
                content = next(ancestor.glob(pattern_of_files), None)
                # Dropbox keeps settings in a folder ~/.dropbox, and marks a synchronised folder with a file.
                if content is not None and (pattern_of_files != ".dropbox" or content.is_file()):
                    return service
            except OSError:
                break  # the folder cannot be listed
    return None


def _file_system_of(folder: Path, mounts: Iterable[str]) -> str:
    """The type of the file system of a folder, from the lines of mountinfo (see proc(5)); empty if unknown.

    The last mount on a path counts.
    """
    longest, file_system = -1, ""
    for line in mounts:
        before, separator, after = line.partition(" - ")
        fields = before.split(" ")
        if not separator or len(fields) < 5:
            continue
        place = PurePosixPath(re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), fields[4]))
        if PurePosixPath(folder).is_relative_to(place) and len(place.parts) >= longest:
            longest, file_system = len(place.parts), after.split(" ")[0]
    return file_system
