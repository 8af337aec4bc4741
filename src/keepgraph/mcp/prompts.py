"""MCP prompts, which a client shows in its menu: a weekly review, what is known, a decision or a document to record."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import mcp.types as t

from keepgraph import errors
from keepgraph.tools.contract import reader_references

_WEEKLY_REVIEW = """\
Let us review my week{about}. Call weekly_rollup{with_project}, then tell me in this order: what was decided and by \
whom, what is blocked and since when, and what to do next. Ask me about decisions that nobody has followed up, and \
record what I answer with record_fact. If the answer has no narrative, or much has happened since it was written, \
write one: a paragraph or two about this week as I would tell it, from what the graph and I have told you. Show it to \
me, and when I agree keep it with `remember`, with narrative_for set to the end of the period{for_project}."""

_WHAT_DO_I_KNOW = """\
What do I know about “{name}”? Call recall_entity with exactly this name. If it answers with another name, say so \
first. Group the facts by predicate, newest first, with their sources, and name the neighbours worth a look. \
If there is no match, show me the candidates and ask which I mean; do not guess."""

_RECORD_DECISION = """\
Record this decision: “{decision}”{on_project}{by_whom}. First call recall_entity for each name in it, and reuse the \
names that exist. Then record, with record_facts, that the decision belongs_to its project and that each person \
decided_in it; valid_from is the day it was made (ask, if it was not today), and source is this conversation. \
Show me what was recorded, with any possible duplicates."""

_INGEST_DOCUMENT = """\
Read “{source}” into the graph{in_project}. Read all of it first, then call get_ontology_structure for the types and \
the relations that the graph has. Divide the text into chunks of one subject each, in its own words and its own order, \
at most 200, and call ingest_prechunked once, with “{source}” as source. Give each chunk its entities (name and type, \
each name as it stands in the text) and its relations (from, to, type, confidence): only what this chunk itself says, \
in words that the graph has, and nothing that you only infer. Then tell me what was accepted, what waits as a proposal \
or was rejected and why, and ask me about names that may mean something already known."""

_PROMPTS = {
    "weekly_review": (
        "Weekly review",
        "Go through the past seven days: decisions, blockers, next actions.",
        [("project", "One project; leave empty for all.", False)],
    ),
    "what_do_i_know": (
        "What do I know about…",
        "Everything that is known about a person, project, decision, concept or source.",
        [("name", "A name, an alias or an id.", True)],
    ),
    "record_decision": (
        "Record this decision",
        "Keep a decision with its project, the people who made it, and its date.",
        [
            ("decision", "What was decided, in a few words.", True),
            ("project", "The project it belongs to.", False),
            ("person", "Who decided.", False),
        ],
    ),
    "ingest_document": (
        "Read a document into the graph",
        "Divide a document into chunks, with the entities and relations that each names, and keep them.",
        [
            ("source", "Its path or address, or its title.", True),
            ("project", "The project it is about.", False),
        ],
    ),
}

_NEEDED_TOOLS = {"ingest_document": "ingest_prechunked"}
"""The tool that a prompt has called, where a server need not have it."""

_INNER_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"'})

_TYPES = {"project": "project", "person": "person", "decision": "decision"}


def all_prompts(tools: Collection[str]) -> list[t.Prompt]:
    """The prompts of a server with these tools."""
    return [
        t.Prompt(
            name=name,
            title=title,
            description=description,
            arguments=[
                t.PromptArgument(name=argument, description=about, required=required)
                for argument, about, required in arguments
            ],
        )
        for name, (title, description, arguments) in _PROMPTS.items()
        if _NEEDED_TOOLS.get(name, name) in tools or name not in _NEEDED_TOOLS
    ]


def fill(name: str, arguments: Mapping[str, str], *, shown: Collection[str]) -> t.GetPromptResult:
    """A prompt with its arguments in place, for a reader who sees these tools.

    Raises:
        errors.InvalidArguments: there is no such prompt, or a required argument is missing.
    """
    if name not in _PROMPTS:
        raise errors.InvalidArguments(f"there is no prompt {name[:60]!r}", hint=f"Use one of {', '.join(_PROMPTS)}.")
    _, description, parameters = _PROMPTS[name]
    values = {argument: _quotable(arguments.get(argument, ""))[:200] for argument, _, _ in parameters}
    for argument, parameter_description, required in parameters:
        if required and not values[argument]:
            raise errors.InvalidArguments(f"{argument} is missing", hint=parameter_description)
    match name:
        case "weekly_review":
            project = values["project"]
            text = _WEEKLY_REVIEW.format(
                about=f" on “{project}”" if project else "",
                with_project=f" with this project: “{project}”" if project else "",
                for_project=" and the same project" if project else "",
            )
        case "what_do_i_know":
            text = _WHAT_DO_I_KNOW.format(name=values["name"])
        case "ingest_document":
            project = values["project"]
            in_project = f", with the project “{project}”" if project else ""
            text = _INGEST_DOCUMENT.format(source=values["source"], in_project=in_project)
        case _:
            text = _RECORD_DECISION.format(
                decision=values["decision"],
                on_project=f", of the project “{values['project']}”" if values["project"] else "",
                by_whom=f", made by “{values['person']}”" if values["person"] else "",
            )
    text = reader_references.render(text, shown=shown)
    message = t.PromptMessage(role="user", content=t.TextContent(type="text", text=text))
    return t.GetPromptResult(description=description, messages=[message])


def _quotable(value: str) -> str:
    """A value in one line that does not end the “quotation” in which a prompt has it."""
    return " ".join(value.translate(_INNER_QUOTES).split())


def type_of_argument(argument: str) -> str | None:
    """The type of the entities that complete an argument; None if it may be of any type."""
    return _TYPES.get(argument)
