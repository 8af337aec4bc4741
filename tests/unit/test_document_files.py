"""Files of documents: which paths a tool may name, and how files are read and decoded."""

from __future__ import annotations

import os
import sys

import pytest

from keepgraph import errors
from keepgraph.engine.texts import document_files

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path.resolve() / "notes"
    made.mkdir()
    return made


def write(folder, *names: str, text: str = "words") -> None:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text} of {name}")


@needs_links
def test_a_folder_that_becomes_a_link_leads_nowhere(folder, tmp_path):
    """
    Between finding a file and opening it, its folder was changed for a link.
    """
    write(tmp_path, "others/a.md")
    (folder / "sub").symlink_to(tmp_path / "others")

    with pytest.raises(errors.DocumentUnreadable, match="leads out"):
        document_files.read_file(folder / "sub" / "a.md", folder)


@needs_links
def test_a_file_that_becomes_a_link_is_not_read(folder, tmp_path):
    write(tmp_path, "secret.md")
    (folder / "a.md").symlink_to(tmp_path / "secret.md")

    with pytest.raises(errors.DocumentUnreadable):
        document_files.read_file(folder / "a.md", folder)


def test_what_cannot_be_looked_at_is_not_gone(folder, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "no")

    assert document_files.file_is_gone(str(folder / "a.md"))
    monkeypatch.setattr(os, "lstat", refuse)
    assert not document_files.file_is_gone(str(folder / "a.md"))


@pytest.mark.parametrize(
    ("content", "text", "replaced"),
    [
        (b"caf\xc3\xa9\r\n", "café\r\n", False),
        (b"\xef\xbb\xbfcaf\xc3\xa9", "café", False),
        ("café".encode("utf-16"), "café", False),
        (b"\xfe\xff" + "café".encode("utf-16-be"), "café", False),
        (b"caf\xe9!", "caf\ufffd!", True),
        (b"\xff\xfea\x00b", "a\ufffd", True),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd", True),
        (b"", "", False),
    ],
)
def test_text_is_utf8_or_says_that_it_is_utf16(content, text, replaced):
    assert document_files.decode(content, "a.md") == (text, replaced)


@pytest.mark.parametrize("content", [b"a\0b", b"\x89PNG\r\n\x1a\n\0\0", "ab\0".encode("utf-16")])
def test_what_has_nul_in_it_is_no_text(content):
    with pytest.raises(errors.DocumentUnreadable, match="not text"):
        document_files.decode(content, "a.md")


# Which paths


def test_a_path_within_an_allowed_folder_is_allowed(folder):
    write(folder, "sub/a.md")
    expected = os.path.realpath(folder / "sub" / "a.md")

    for named in (str(folder / "sub" / "a.md"), "sub/a.md", f"{folder}/sub/../sub/a.md"):
        assert str(document_files.allowed_path(named, roots=["/nowhere", str(folder)])) == expected
    assert document_files.allowed_path(str(folder), roots=[str(folder)]) == folder.resolve()


@pytest.mark.parametrize("named", ["/etc/passwd", "../secret.md", "{}/../secret.md", "{}2/a.md", "/"])
def test_a_path_outside_is_not(named, folder, tmp_path):
    write(tmp_path, "secret.md", "notes2/a.md")

    with pytest.raises(errors.PathNotAllowed):
        document_files.allowed_path(named.format(folder), roots=[str(folder)])


@needs_links
def test_a_link_out_of_an_allowed_folder_leads_nowhere(folder, tmp_path):
    write(tmp_path, "others/a.md")
    (folder / "out").symlink_to(tmp_path / "others")

    with pytest.raises(errors.PathNotAllowed):
        document_files.allowed_path("out/a.md", roots=[str(folder)])


def test_nothing_is_allowed_where_nothing_is_said(folder):
    with pytest.raises(errors.PathNotAllowed) as caught:
        document_files.allowed_path(str(folder), roots=[])

    assert '[documents] roots = ["~/Notes"]' in caught.value.hint
