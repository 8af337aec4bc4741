"""`kg ui` and `kg view`: the graph on a page, live in the browser or in a file to keep or send."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from keepgraph import errors
from keepgraph.cli import dates, graph_options
from keepgraph.cli.output import terminal
from keepgraph.english import count_noun
from keepgraph.profiles import profile, settings_file

if TYPE_CHECKING:
    from keepgraph.web.server import PageServer

_BEGINNING_OF_PAGE = "<!doctype html>"


@click.command("ui")
@click.option("--no-open", is_flag=True, help="Do not open a browser; print the address with its token.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port; by default any free one.")
@click.option("--read-only", is_flag=True, help="Do not let the page change anything.")
@graph_options.all_options
def ui_command(ctx: click.Context, no_open: bool, port: int, read_only: bool) -> None:
    """See and edit the graph on a page in your browser, until Ctrl-C or half an hour without a visible page.

    Only this machine can open the page, and only with the token of this run.

    \b
    kg ui
    """
    import time

    from keepgraph import background
    from keepgraph.web import server
    from keepgraph.web.page_file import KeyCheck

    background.limit_arenas()
    with graph_options.open_graph(ctx, create=not read_only, read_only=read_only, session="page") as graph:
        location = settings_file.read(graph.path).key if graph.database.key else None
        key_check = KeyCheck(graph.path, location, clock=time.monotonic)
        try:
            page_server = server.PageServer(graph, port=port, clock=time.monotonic)
        except OSError as error:
            raise errors.InvalidArguments(
                f"port {port} cannot be used: {error.strerror}", hint="Leave --port out to use any free port."
            ) from error
        with page_server, background.running(graph, activity=page_server.activity):
            reason = _serve(page_server, key_check.is_lost, opens=not no_open)
    click.echo(reason)


def _serve(page_server: PageServer, key_is_lost: Any, *, opens: bool) -> str:
    """Serve until the end; returns why it ended."""
    from keepgraph.web import page_file

    with (
        suppress(KeyboardInterrupt),
        _termination_as_interrupt(),
        page_file.file_to(page_server.address_with_token) as file,
    ):
        if opens and _open_browser(file):
            click.echo(f"The page is open in your browser, at {page_server.address}. Ctrl-C ends it.")
            click.echo(f"If it is not: open {file}, or use `kg ui --no-open`.", err=True)
        else:
            click.echo(f"Open {page_server.address_with_token}")
            click.echo("Anyone with this address can read and change the graph. Ctrl-C ends it.", err=True)
        page_server.serve_until(key_is_lost)
        if page_server.is_idle():
            return "Ended after half an hour without a visible page. `kg ui` opens the page again."
        return "Ended: the key of the graph is no longer available."
    return "Ended."


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """Let SIGTERM end the server as Ctrl-C does, so that the file with the token is deleted."""
    import signal

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _open_browser(file: Path) -> bool:
    import webbrowser

    try:
        return webbrowser.open(file.as_uri())
    except (webbrowser.Error, OSError):
        return False


@click.command("view")
@click.option("--out", metavar="FILE", required=True, type=click.Path(dir_okay=False), help="The file to write.")
@click.option("--about", metavar="NAME", shell_complete=graph_options.complete_name, help="Only what is near NAME.")
@click.option("--depth", type=click.IntRange(1, 4), default=2, help="How many facts away from NAME.")
@click.option("--as-of", metavar="WHEN", type=dates.END, help="What was true then: 2026-05-01.")
@click.option("--no-texts", is_flag=True, help="Leave the texts out; facts and names stay.")
@click.option("--plain", is_flag=True, help="Write an unencrypted file of an encrypted graph.")
@graph_options.all_options
def view_command(ctx: click.Context, /, out: str, about: str | None, depth: int, plain: bool, **options: Any) -> None:
    """Write the graph to a page that any browser shows, without Keepgraph or a network.

    The page is read-only. Only you can read the file; anyone you send it to can read all of it.
    Exits with 3 if NAME matches nothing.

    \b
    kg view --out atlas.html --about Atlas
    """
    from keepgraph.cli import transfer
    from keepgraph.web import page_file

    with graph_options.open_graph(ctx) as graph:
        if graph.database.key is not None and not plain:
            raise errors.InvalidArguments(
                "the graph is encrypted, but the file would be plain text",
                hint="If you want that: `kg view --plain --out FILE`.",
            )
        extract = graph.call(
            "extract_graph", about=about, depth=depth, as_of=options["as_of"], texts=not options["no_texts"]
        )
        if about is not None and extract["about"] is None:
            terminal.show_no_match(about, extract["resolution"])
            ctx.exit(graph_options.NOTHING_MATCHED)
        name = profile.name_of(graph.path) or graph.path.name
        extract["title"] = f"{extract['title']} · {name}" if about else name
        with transfer.open_for_writing(out, graph=graph.path, beginning=_BEGINNING_OF_PAGE) as file:
            file.write(page_file.with_graph(extract))
    nodes, facts = len(extract["nodes"]["name"]), len(extract["facts"]["subject"])
    if graph_options.show_json(ctx, {"file": out, "nodes": nodes, "facts": facts, "truncated": extract["truncated"]}):
        return
    size = f"{count_noun(nodes, 'entity')} and {count_noun(facts, 'fact')}"
    click.echo(f"{terminal.printable(out)} has {size}. Open it in any browser.")
    if extract["truncated"]:
        click.echo("Entities with the fewest facts were left out. --about chooses a part of the graph.")
