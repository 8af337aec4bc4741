"""A graph in a folder that something synchronises, or on a network file system, is named; any other is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from keepgraph.profiles import profile

SYNCHRONISED = {
    "Dropbox/notes": "Dropbox",
    "Dropbox (Personal)": "Dropbox",
    "Library/Mobile Documents/com~apple~CloudDocs/x": "iCloud Drive",
    "iCloudDrive": "iCloud Drive",
    "OneDrive": "OneDrive",
    "OneDrive - Analytical Engines Ltd/graph": "OneDrive",
    "Library/CloudStorage/OneDrive-Personal/x": "OneDrive",
    "Library/CloudStorage/Box-Box": "Box",
    "Google Drive/My Drive": "Google Drive",
    "GoogleDrive-ada@example.org/My Drive": "Google Drive",
    "Nextcloud/x/y": "Nextcloud",
}
CONTENTS = {
    ".stfolder": "Syncthing",
    ".dropbox": "Dropbox",
    ".dropbox.cache": "Dropbox",
    "._sync_0a1b.db": "Nextcloud",
    ".sync_0a1b.db": "Nextcloud",
    ".tmp.drivedownload": "Google Drive",
}
MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:30 / /mnt/team rw - nfs4 server:/export rw
31 22 0:31 / /mnt/a\\040share rw shared:2 master:1 - cifs //server/share rw
32 30 0:32 / /mnt/team/local rw - xfs /dev/sdb1 rw
33 22 0:33 / /home/ada/far rw - fuse.sshfs ada@server: rw
"""


@pytest.mark.parametrize(("folder", "service"), SYNCHRONISED.items())
def test_a_folder_with_the_name_that_a_service_gives_it_is_named(tmp_path, folder, service):
    assert profile.find_shared_folder(tmp_path / folder / "graph.db") == f"is synchronised by {service}"


@pytest.mark.parametrize(("content", "service"), CONTENTS.items())
def test_a_folder_with_what_a_service_keeps_in_it_is_named(tmp_path, content, service):
    (tmp_path / "shared" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "shared" / content).touch()
    assert (
        profile.find_shared_folder(tmp_path / "shared" / "deep" / "er" / "graph.db") == f"is synchronised by {service}"
    )


def test_the_settings_of_a_service_in_the_home_folder_mean_nothing(tmp_path):
    (tmp_path / ".dropbox").mkdir()

    assert profile.find_shared_folder(tmp_path / "notes" / "graph.db") is None


def test_a_link_into_such_a_folder_is_followed(tmp_path):
    (tmp_path / "Dropbox").mkdir()
    (tmp_path / "mine").symlink_to(tmp_path / "Dropbox")

    assert profile.find_shared_folder(tmp_path / "mine" / "graph.db") == "is synchronised by Dropbox"


@pytest.mark.parametrize("folder", ["", "Dropbox notes", "my Nextcloud setup", "drive", "Box", "notes/OneDrives"])
def test_any_other_folder_is_not(tmp_path, folder):
    assert profile.find_shared_folder(tmp_path / folder / "graph.db") is None


@pytest.mark.parametrize(
    ("folder", "file_system"),
    [
        ("/mnt/team/x", "nfs4"),
        ("/mnt/a share", "cifs"),
        ("/home/ada/far", "fuse.sshfs"),
        ("/mnt/team/local/x", None),
        ("/mnt/teams", None),
        ("/home/ada", None),
    ],
)
def test_a_network_file_system_is_named_by_its_type(tmp_path, monkeypatch, folder, file_system):
    (tmp_path / "mounts").write_text(MOUNTS)
    monkeypatch.setattr(profile, "_MOUNTS", tmp_path / "mounts")
    expected = file_system and f"is on a network file system ({file_system})"

    assert expected == profile.find_shared_folder(Path(folder) / "graph.db")
