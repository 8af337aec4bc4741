"""`kg rename`, `kg retype`, `kg set`, `kg edit` and `kg me`: changes to an entity or a text, and who you are."""

from __future__ import annotations

import math
import os
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from keepgraph import errors, permissions
from keepgraph.cli import graph_options
from keepgraph.cli.output import answers, terminal
from keepgraph.graph import Graph

_FIELDS = ("name", "type", "summary")


@click.command("rename")
@click.argument("old", shell_complete=graph_options.complete_name)
@click.argument("new")
@click.option("--forget-old-name", is_flag=True, help="The old name was wrong: it does not become an alias.")
@graph_options.all_options
def rename_command(ctx: click.Context, old: str, new: str, forget_old_name: bool) -> None:
    """Rename OLD (a name, type:name or an id) to NEW. The old name becomes an alias, and still finds it.

    \b
    kg rename "Ana" "Ana Ruiz"
    kg rename project:Atlas "Atlas 2"
    """
    _update(ctx, old, {"name": new, "keep_old_name": not forget_old_name})


@click.command("retype")
@click.argument("entity", shell_complete=graph_options.complete_name)
@click.argument("type", shell_complete=graph_options.complete_type)
@graph_options.all_options
def retype_command(ctx: click.Context, entity: str, type: str) -> None:
    """Give ENTITY (a name, type:name or an id) another TYPE. Its facts stay; those that do not fit are listed.

    \b
    kg retype Atlas project
    """
    _update(ctx, entity, {"type": type})


@click.command("set")
@click.argument("entity", shell_complete=graph_options.complete_name)
@click.argument("values", nargs=-1, required=True, metavar="NAME=VALUE...")
@graph_options.all_options
def set_command(ctx: click.Context, entity: str, values: tuple[str, ...]) -> None:
    """Set properties of ENTITY (a name, type:name or an id).

    role=CTO sets a text, role= removes the property, and age:=42 sets a number, true, or another value in JSON.
    summary=, name= and type= set the summary, the name and the type.

    \b
    kg set person:Ana role=CTO email=ana@example.org
    kg set Ana "summary=Leads the Atlas team."
    """
    words = list(values)
    while words and "=" not in words[0]:  # a name of several words, without quotes
        entity = f"{entity} {words.pop(0)}"
    _update(ctx, entity, _parse_values(entity, words))


@click.command("edit")
@click.argument("what", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option("--replace", nargs=2, metavar="OLD NEW", help="Replace these words of a text, without an editor.")
@click.option("--text", "whole", metavar="TEXT", help="Replace the whole text; - reads standard input.")
@graph_options.all_options
def edit_command(ctx: click.Context, what: tuple[str, ...], replace: tuple[str, str] | None, whole: str | None) -> None:
    """Edit an entity or a text in your editor ($VISUAL or $EDITOR).

    WHAT is an entity (a name, type:name or an id), whose name, type, aliases, summary and properties you edit; or a
    text: its id, its title, or words that only it has.

    \b
    kg edit Ana
    kg edit "Notes of the kickoff"
    kg edit "the last note" --replace Tuesday Thursday
    """
    name = " ".join(what)
    is_given = replace is not None or whole is not None
    if replace is not None and whole is not None:
        raise errors.InvalidArguments("--replace and --text are both given", hint="Give only one.")
    if not is_given and not sys.stdin.isatty() and not (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
        raise errors.InvalidArguments(
            "there is no terminal for an editor",
            hint="Set VISUAL or EDITOR. `kg set` changes an entity, `kg edit NOTE --replace OLD NEW` a text.",
        )
    asks = sys.stdin.isatty() and not graph_options.wants_json(ctx)
    answer: dict[str, Any] | None
    with graph_options.open_graph(ctx) as graph:
        if is_given:
            old, new = replace or (None, sys.stdin.read() if whole == "-" else whole)
            answer = graph.call("change", text=name, new=new, old=old)
        elif (entity := _find_entity(graph, name)) is not None:
            answer = _edit_entity(graph, entity, asks=asks)
        else:
            answer = _edit_text(graph, name, asks=asks)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif answer is None:
        click.echo("Nothing changed.")
    elif "text" in answer:
        answers.show_corrected_text(answer)
    else:
        answers.show_update(answer)


def _find_entity(graph: Graph, name: str) -> dict[str, Any] | None:
    """The entity with this id, name or alias; None if only a text matches.

    Raises:
        errors.EntityNotFound, Ambiguous: nothing matches, or several do.
    """
    try:
        return dict(graph.call("get_entity", entity=graph_options.entity_reference(graph, name))["entity"])
    except errors.EntityNotFound as error:
        not_found = error
    try:
        graph.call("get_text", text=name)
    except errors.EpisodeNotFound:
        not_found.message = f"{not_found.message}, and no text has this title or these words"
        raise not_found from None
    return None


def _update(ctx: click.Context, entity: str, changes: dict[str, Any]) -> None:
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("update_entity", entity=graph_options.entity_reference(graph, entity), **changes)
    graph_options.show(ctx, answer, answers.show_update)


def _parse_values(entity: str, words: list[str]) -> dict[str, Any]:
    """The arguments of update_entity for NAME=VALUE and NAME:=JSON.

    Raises:
        errors.InvalidArguments: a word has neither form, or there are none.
    """
    if not words:
        raise errors.InvalidArguments(
            f"“{terminal.printable(entity[:80])}” is followed by nothing to set",
            hint="Write NAME=VALUE, as in `kg set person:Ana role=CTO`.",
        )
    arguments: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        is_json = name.endswith(":")
        name = name.removesuffix(":").strip()
        if not equals or not name:
            raise errors.InvalidArguments(
                f"“{terminal.printable(word[:80])}” is not NAME=VALUE",
                hint="Write role=CTO, without spaces around the sign, and put quotes around a value of several words.",
            )
        if name in ("alias", "aliases"):
            raise errors.InvalidArguments(
                "aliases are not a property",
                hint="`kg alias ENTITY ALIAS` adds one, and `kg edit ENTITY` removes them.",
            )
        if name in _FIELDS:
            arguments[name] = text
        else:
            properties[name] = _parse_json(name, text) if is_json else text or None
    return arguments | ({"properties": properties} if properties else {})


def _parse_json(name: str, text: str) -> Any:
    import json

    try:
        return json.loads(text)
    except ValueError as error:
        raise errors.InvalidArguments(
            f"the value of {terminal.printable(name)} is not JSON: {error}",
            hint=f"For a text, write {terminal.printable(name)}=… without the colon.",
        ) from error


def _edit_entity(graph: Graph, entity: dict[str, Any], *, asks: bool) -> dict[str, Any] | None:
    """Let the user edit an entity; the answer of update_entity, None if nothing was changed."""

    def accept(edited: str) -> dict[str, Any] | None:
        changes = changes_of_text(entity, edited)
        return graph.call("update_entity", entity={"id": entity["id"]}, **changes) if changes else None

    return _edit("entity.toml", write(entity), accept, asks=asks)


def _edit_text(graph: Graph, name: str, *, asks: bool) -> dict[str, Any] | None:
    """Let the user edit a text; the answer of change, None if nothing was changed."""
    text = graph.call("get_text", text=name)
    content = text["content"]

    def accept(edited: str) -> dict[str, Any] | None:
        if not content.endswith("\n"):
            edited = edited.removesuffix("\n")  # editors end the last line
        return graph.call("change", text=text["id"], new=edited) if edited != content else None

    return _edit("text.md", content, accept, asks=asks)


def _edit(name: str, text: str, accept: Callable[[str], dict[str, Any] | None], *, asks: bool) -> dict[str, Any] | None:
    """Let the user edit a text in a file of this name until it is accepted; None if it is unchanged.

    The file and what the editor puts beside it are in a private folder, deleted at the end unless the text was not
    accepted.

    Raises:
        errors.KeepgraphError: the text was not accepted, and the user cannot be asked or declines to edit it again.
    """
    folder = Path(tempfile.mkdtemp(prefix="kg-edit-", dir=_memory_folder()))
    file, is_kept = folder / name, False
    try:
        permissions.write(file, text)
        while True:
            click.edit(filename=str(file))
            is_kept = True
            try:
                edited = file.read_text(encoding="utf-8-sig")
                answer = accept(edited) if edited.strip() and edited != text else None
            except errors.KeepgraphError as error:
                problem = error
            except UnicodeDecodeError:
                problem = errors.InvalidArguments("the text is not UTF-8", hint="Save it as UTF-8.")
            else:
                is_kept = False
                return answer
            if not asks or not _wants_to_edit_again(problem):
                os.chmod(file, 0o600)
                kept = f"Your text is kept in {file}; delete it when you no longer need it."
                problem.hint = f"{problem.hint} {kept}" if problem.hint else kept
                raise problem
    finally:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)


def _wants_to_edit_again(problem: errors.KeepgraphError) -> bool:
    terminal.show_error(problem.answer(), as_json=False)
    try:
        return click.confirm("Edit it again?", default=True, err=True)
    except click.Abort:
        return False


def _memory_folder() -> str | None:
    """The user's folder in memory, so that nothing reaches a disk; None for the usual one."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    return folder if folder and os.path.isdir(folder) and os.access(folder, os.W_OK) else None


# An entity as a text to edit, in TOML, and the changes that an edited text makes.

_TEXT_FIELDS = ("name", "type", "aliases", "summary", "properties")
_HEADER = """\
Save and close to change the entity; close without saving to leave it as it is.
If you change the name, the old one becomes an alias. What you delete is removed.\
"""


def write(entity: Mapping[str, Any]) -> str:
    """The text of an entity as `get_entity` returns it."""
    import tomlkit

    document = tomlkit.document()
    for line in _HEADER.splitlines():
        document.add(tomlkit.comment(line))
    document.add("name", tomlkit.string(entity["name"]))
    document.add("type", tomlkit.string(entity["type"]))
    document.add("aliases", tomlkit.item(list(entity["aliases"])))
    summary = entity.get("summary", "")
    # In a string of several lines, TOML drops a line feed at the beginning.
    document.add("summary", tomlkit.string(summary, multiline="\n" in summary and not summary.startswith("\n")))
    document.add(tomlkit.nl())
    shown, hidden = _properties(entity)
    table = tomlkit.table()
    for name in hidden:
        table.add(tomlkit.comment(f"{terminal.printable(name)} has a value TOML cannot hold; it stays as it is."))
    for name, value in shown.items():
        table.add(name, tomlkit.item(value))
    document.add("properties", table)
    return tomlkit.dumps(document)


def changes_of_text(entity: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The arguments of `update_entity` that make an entity match a text; empty if it already does.

    Raises:
        errors.InvalidArguments: the text is not TOML, or a field has the wrong type.
    """
    try:
        edited = tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise errors.InvalidArguments(
            f"the text is not TOML: {error}", hint='Put texts in quotes: role = "CTO".'
        ) from error
    except RecursionError as error:
        raise errors.InvalidArguments("the text is nested too deeply", hint="Use fewer brackets.") from error
    _check_fields(edited)
    arguments: dict[str, Any] = {field: edited[field] for field in ("name", "type") if edited[field] != entity[field]}
    if (summary := edited.get("summary", "").strip()) != entity.get("summary", ""):
        arguments["summary"] = summary
    aliases, kept = entity["aliases"], edited.get("aliases", [])
    if added := [alias for alias in kept if alias not in aliases]:
        arguments["add_aliases"] = added
    if removed := [alias for alias in aliases if alias not in kept]:
        arguments["remove_aliases"] = removed
    shown, _ = _properties(entity)
    properties = {name: _as_json(value, name) for name, value in edited.get("properties", {}).items()}
    removed_properties: dict[str, Any] = {name: None for name in shown if name not in properties}
    changed = removed_properties | {
        name: value for name, value in properties.items() if name not in shown or not _is_same(value, shown[name])
    }
    if changed:
        arguments["properties"] = changed
    return arguments


def _check_fields(edited: Mapping[str, Any]) -> None:
    if unknown := [name for name in edited if name not in _TEXT_FIELDS]:
        raise errors.InvalidArguments(
            f"{unknown[0]!r} is not a field of an entity",
            hint=f"The fields are {', '.join(_TEXT_FIELDS)}; a property goes below [properties].",
        )
    for field in ("name", "type"):
        if not isinstance(edited.get(field), str) or not edited[field].strip():
            raise errors.InvalidArguments(f"the {field} is missing", hint=f'Write it as {field} = "…".')
    if not isinstance(edited.get("summary", ""), str):
        raise errors.InvalidArguments("the summary is not a text", hint='Write it in quotes: summary = "…".')
    aliases = edited.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise errors.InvalidArguments(
            "the aliases are not a list of texts", hint='Write them as aliases = ["Ana", "A. R."].'
        )
    if not isinstance(edited.get("properties", {}), dict):
        raise errors.InvalidArguments("the properties are not a table", hint="Write them below a line [properties].")


def _properties(entity: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The properties that TOML can hold, and the names of the others: TOML has no null."""
    properties = entity.get("properties", {})
    hidden = [name for name, value in properties.items() if _has_null(value)]
    return {name: value for name, value in properties.items() if name not in hidden}, hidden


def _has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_null, value.values()))
    return any(map(_has_null, value)) if isinstance(value, list) else value is None


def _as_json(value: Any, name: str) -> Any:
    """A value of TOML as JSON: a date is a text.

    Raises:
        errors.InvalidArguments: JSON has no such number.
    """
    if isinstance(value, dict):
        return {key: _as_json(part, name) for key, part in value.items()}
    if isinstance(value, list):
        return [_as_json(part, name) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise errors.InvalidArguments(f"the number of {name!r} is not finite", hint="Write it as a text, in quotes.")
    return value if isinstance(value, str | bool | int | float) else value.isoformat()


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are equal and of the same type: 1, 1.0 and true all differ."""
    import json

    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# `kg me`: shows or sets the owner of the graph, the person that "me" means.


@click.command("me")
@click.argument("name", nargs=-1, shell_complete=graph_options.complete_name)
@click.option("--clear", is_flag=True, help="Leave the graph without an owner.")
@graph_options.all_options
def me_command(ctx: click.Context, /, name: tuple[str, ...], clear: bool) -> None:
    """Say that you are NAME, or show what is known about you.

    NAME is the name or id of a person; a new person is added. Then “me” and “I” mean this person:
    kg recall me, kg record me works_at Acme. Exits with 3 if the graph has no owner.

    \b
    kg me "Ana Ruiz"
    """
    if clear and name:
        raise errors.InvalidArguments("a name and --clear are both given", hint="Give only one.")
    person = " ".join(name).strip()
    if clear:
        with graph_options.open_graph(ctx) as graph:
            _show_cleared(ctx, graph.call("clear_owner"))
    elif person:
        with graph_options.open_graph(ctx, create=True) as graph:
            _show_change(ctx, graph.call("set_owner", person=graph_options.entity_reference(graph, person)))
    else:
        answer = graph_options.call(ctx, "recall_entity", name_or_alias="me")
        graph_options.show_match(
            ctx,
            answer,
            answer["entity"],
            lambda: answers.show_recall(answer, name="me"),
            lambda: click.echo("This graph has no owner. To set yourself: kg me NAME"),
        )


def _show_change(ctx: click.Context, answer: dict[str, Any]) -> None:
    if graph_options.show_json(ctx, answer):
        return
    owner, previous = answer["owner"], answer["previous"]
    if not answer["changed"]:
        click.echo(f"You are already {terminal.entity_name(owner)}.")
        return
    click.secho(f"You are {terminal.entity_name(owner)}.", fg="green", nl=False)
    click.echo(f" Before, it was {terminal.entity_name(previous)}." if previous else "")
    if answer["created"]:
        click.echo(f"  new {owner['type']}: {terminal.entity_name(owner)}")
    for duplicate in answer["possible_duplicates"]:
        answers.show_possible_duplicate(owner, duplicate)


def _show_cleared(ctx: click.Context, answer: dict[str, Any]) -> None:
    previous = answer["previous"]
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif previous:
        click.echo(f"{terminal.entity_name(previous)} is no longer the owner of this graph; nothing else changed.")
    else:
        click.echo("This graph had no owner.")
