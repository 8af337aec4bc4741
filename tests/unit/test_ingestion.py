"""Which files of a folder are taken in, what is read in them, and which paths a tool may name."""

from __future__ import annotations

import os
import sys

import pytest

from keepgraph import errors
from keepgraph.engine.texts import ingestion
from keepgraph.engine.texts.ingestion import Report
from keepgraph.engine.upkeep.jobs import Drive

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path.resolve() / "notes"
    made.mkdir()
    return made


@pytest.fixture
def ingest(graph):
    def call(path, **options) -> Report:
        return ingestion.ingest(Drive(graph.database, tool="test"), path, **options)

    return call


@pytest.fixture
def sources(graph):
    def stored(folder) -> list[str]:
        with graph.database.read("test") as tx:
            from keepgraph.engine.texts import documents

            return [os.path.relpath(each, folder) for each in sorted(documents.known(tx, str(folder)))]

    return stored


def write(folder, *names: str, text: str = "words") -> None:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text} of {name}")


# Which files


def test_markdown_and_text_are_taken_in_and_nothing_else(folder, ingest, sources):
    write(folder, "a.md", "b.MARKDOWN", "c.mdx", "d.txt", "e.png", "f", "g.md.bak", "md", "sub/deep/h.md")
    report = ingest(folder)

    assert sources(folder) == ["a.md", "b.MARKDOWN", "c.mdx", "d.txt", "sub/deep/h.md"]
    assert (report.added, report.failed, report.skipped) == (5, [], [])


def test_hidden_folders_and_those_of_others_are_left_out(folder, ingest, sources):
    write(
        folder, "a.md", ".obsidian/b.md", ".trash/c.md", ".git/d.md", "sub/.hidden/e.md", ".f.md", "node_modules/g.md"
    )
    ingest(folder)

    assert sources(folder) == ["a.md"]


def test_folders_below_are_left_out_where_asked(folder, ingest, sources):
    write(folder, "a.md", "sub/b.md")
    ingest(folder, recursive=False)

    assert sources(folder) == ["a.md"]


@needs_links
def test_links_are_not_followed_and_said(folder, tmp_path, ingest, sources):
    write(tmp_path, "secret.md", "others/x.md")
    write(folder, "a.md")
    (folder / "b.md").symlink_to(tmp_path / "secret.md")
    (folder / "c").symlink_to(tmp_path / "others")
    (folder / "d.md").symlink_to("nowhere")
    (folder / "loop").symlink_to(folder)
    report = ingest(folder)

    assert sources(folder) == ["a.md"]
    assert {each.code for each in report.skipped} == {ingestion.LINK}
    assert len(report.skipped) == 4


@needs_links
def test_a_folder_that_becomes_a_link_leads_nowhere(folder, tmp_path):
    """
    Between finding a file and opening it, its folder was changed for a link.
    """
    write(tmp_path, "others/a.md")
    (folder / "sub").symlink_to(tmp_path / "others")

    with pytest.raises(errors.DocumentUnreadable, match="leads out"):
        ingestion.read_file(folder / "sub" / "a.md", folder)


@needs_links
def test_a_file_that_becomes_a_link_is_not_read(folder, tmp_path):
    write(tmp_path, "secret.md")
    (folder / "a.md").symlink_to(tmp_path / "secret.md")

    with pytest.raises(errors.DocumentUnreadable):
        ingestion.read_file(folder / "a.md", folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_is_not_waited_for(folder, ingest):
    os.mkfifo(folder / "a.md")
    report = ingest(folder)

    assert [each.code for each in report.skipped] == [ingestion.NOT_A_FILE]
    with pytest.raises(errors.DocumentUnreadable, match="not a regular file"):
        ingestion.read_file(folder / "a.md", folder)


def test_a_folder_called_like_a_document_is_a_folder(folder, ingest, sources):
    write(folder, "sub.md/a.md")
    ingest(folder)

    assert sources(folder) == ["sub.md/a.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="names are UTF-8 there")
def test_a_name_that_is_no_utf8_is_a_name(folder, ingest, sources):
    file = os.fsencode(folder) + b"/caf\xe9.md"
    with open(file, "w") as opened:
        opened.write("words")
    report = ingest(folder)
    again = ingest(folder)

    assert sources(folder) == ["caf\\xe9.md"]
    assert (report.added, again.unchanged) == (1, 1)
    assert not ingestion.is_gone(str(folder / "caf\\xe9.md"))
    os.unlink(file)
    assert ingest(folder).missing == [str(folder / "caf\\xe9.md")]


def test_what_cannot_be_looked_at_is_not_gone(folder, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "no")

    assert ingestion.is_gone(str(folder / "a.md"))
    monkeypatch.setattr(os, "lstat", refuse)
    assert not ingestion.is_gone(str(folder / "a.md"))


# What is in them


@pytest.mark.parametrize(
    ("content", "text", "mended"),
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
def test_text_is_utf8_or_says_that_it_is_utf16(content, text, mended):
    assert ingestion.decoded(content, "a.md") == (text, mended)


@pytest.mark.parametrize("content", [b"a\0b", b"\x89PNG\r\n\x1a\n\0\0", "ab\0".encode("utf-16")])
def test_what_has_nul_in_it_is_no_text(content):
    with pytest.raises(errors.DocumentUnreadable, match="not text"):
        ingestion.decoded(content, "a.md")


def test_what_is_too_large_is_refused_and_the_rest_is_taken_in(folder, ingest, monkeypatch):
    monkeypatch.setattr(ingestion, "LARGEST_FILE", 1_000_000)
    write(folder, "a.md")
    (folder / "b.md").write_text("x" * 1_000_001)
    report = ingest(folder)

    assert [(each.path, each.code) for each in report.failed] == [(str(folder / "b.md"), "DOCUMENT_UNREADABLE")]
    assert report.added == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_said(folder, ingest):
    write(folder, "a.md", "b.md", "sub/c.md")
    (folder / "a.md").chmod(0)
    (folder / "sub").chmod(0)
    report = ingest(folder)
    (folder / "sub").chmod(0o700)

    assert len(report.failed) == 2
    assert report.added == 1


# Which paths


def test_a_path_within_an_allowed_folder_is_allowed(folder):
    write(folder, "sub/a.md")
    expected = os.path.realpath(folder / "sub" / "a.md")

    for named in (str(folder / "sub" / "a.md"), "sub/a.md", f"{folder}/sub/../sub/a.md"):
        assert str(ingestion.allowed(named, roots=["/nowhere", str(folder)])) == expected
    assert ingestion.allowed(str(folder), roots=[str(folder)]) == folder.resolve()


@pytest.mark.parametrize("named", ["/etc/passwd", "../secret.md", "{}/../secret.md", "{}2/a.md", "/"])
def test_a_path_outside_is_not(named, folder, tmp_path):
    write(tmp_path, "secret.md", "notes2/a.md")

    with pytest.raises(errors.PathNotAllowed):
        ingestion.allowed(named.format(folder), roots=[str(folder)])


@needs_links
def test_a_link_out_of_an_allowed_folder_leads_nowhere(folder, tmp_path):
    write(tmp_path, "others/a.md")
    (folder / "out").symlink_to(tmp_path / "others")

    with pytest.raises(errors.PathNotAllowed):
        ingestion.allowed("out/a.md", roots=[str(folder)])


def test_nothing_is_allowed_where_nothing_is_said(folder):
    with pytest.raises(errors.PathNotAllowed) as caught:
        ingestion.allowed(str(folder), roots=[])

    assert '[documents] roots = ["~/Notes"]' in caught.value.hint
