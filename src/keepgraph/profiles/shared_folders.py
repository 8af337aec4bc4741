"""Synchronised folders and network file systems, where a database does not belong.

A synchroniser copies the file and its log one after the other, while they change, and SQLite's locks do not reach other
machines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

ADVICE = (
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


def find(file: Path) -> str | None:
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
