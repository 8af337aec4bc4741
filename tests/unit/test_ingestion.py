"""Ingestion: which files of a folder are read and stored, and which are skipped or refused."""

from __future__ import annotations

import os
import sys

import pytest

from keepgraph import errors
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.texts import document_files, ingestion
from keepgraph.engine.texts.ingestion import Report

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path.resolve() / "notes"
    made.mkdir()
    return made


@pytest.fixture
def ingest(graph):
    def call(path, **options) -> Report:
        return ingestion.ingest(Job(graph.database, tool="test"), path, **options)

    return call


@pytest.fixture
def sources(graph):
    def stored(folder) -> list[str]:
        with graph.database.read("test") as tx:
            from keepgraph.engine.texts import documents

            return [os.path.relpath(each, folder) for each in sorted(documents.in_folder(tx, str(folder)))]

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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_is_not_waited_for(folder, ingest):
    os.mkfifo(folder / "a.md")
    report = ingest(folder)

    assert [each.code for each in report.skipped] == [ingestion.NOT_A_FILE]
    with pytest.raises(errors.DocumentUnreadable, match="not a regular file"):
        document_files.read_file(folder / "a.md", folder)


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
    assert not document_files.file_is_gone(str(folder / "caf\\xe9.md"))
    os.unlink(file)
    assert ingest(folder).missing == [str(folder / "caf\\xe9.md")]


# What is in them


def test_what_is_too_large_is_refused_and_the_rest_is_taken_in(folder, ingest, monkeypatch):
    monkeypatch.setattr(document_files, "MAX_BYTES", 1_000_000)
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
