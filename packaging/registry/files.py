"""What registries and clients read of Keepgraph: server.json, llms.txt, and a plugin for Claude Code with two skills.

All of it is generated, from pyproject.toml, the prompts of the server and the navigation of the documents, and is kept
in the repository; a test compares it. `python packaging/registry/files.py` writes it anew.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from keepgraph import _version
from keepgraph.mcp import prompts
from keepgraph.tools.contract import catalogue

ROOT = Path(__file__).resolve().parents[2]

REGISTRY_NAME = "io.github.keepgraph/keepgraph"
"""The name in the MCP registry: a placeholder until the owner puts in an account (packaging/README.md)."""

SKILLS = {
    "recall": (
        "what_do_i_know",
        {"name": "$ARGUMENTS"},
        "Looks up what the user's own knowledge graph holds about a person, project, decision or concept. Use when the "
        "user asks what they know, decided, wrote down or were told about something or somebody.",
    ),
    "weekly-review": (
        "weekly_review",
        {"project": ""},
        "Goes through the user's past seven days: decisions, blockers, next actions. Use when the user asks for a "
        "weekly review, or what happened or is open this week.",
    ),
}
"""Each skill: the prompt of the server whose text it has, that prompt's arguments, and when a model should use it."""


def contents() -> dict[str, str]:
    """The text of each generated file, by its path in the repository."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "server.json": _json(server(project)),
        "llms.txt": llms(project),
        "plugin/.claude-plugin/plugin.json": _json(plugin(project)),
        "plugin/.mcp.json": _json({"mcpServers": {"keepgraph": {"command": "kg", "args": ["serve"]}}}),
        **{f"plugin/skills/{name}/SKILL.md": skill(name) for name in SKILLS},
    }


def server(project: dict[str, Any]) -> dict[str, Any]:
    """The entry of the MCP registry, schema of 2025-12-11: `uvx keepgraph serve`."""
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": REGISTRY_NAME,
        "title": "Keepgraph",
        "description": "Your people, projects, decisions and notes as a graph in one SQLite file on your computer.",
        "version": _version.__version__,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": project["name"],
                "version": _version.__version__,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "packageArguments": [{"type": "positional", "value": "serve"}],
            }
        ],
    }


def plugin(project: dict[str, Any]) -> dict[str, Any]:
    """The manifest of the plugin for Claude Code."""
    return {
        "name": project["name"],
        "version": _version.__version__,
        "description": project["description"],
        "author": {"name": project["authors"][0]["name"]},
        "license": project["license"],
        "keywords": project["keywords"],
    }


def skill(name: str) -> str:
    """A skill in Markdown: when to use it, and the text of the prompt."""
    prompt, arguments, description = SKILLS[name]
    shown = {tool.name for tool in catalogue.tools(catalogue.DEFAULT_TOOLSETS)}
    (message,) = prompts.fill(prompt, arguments, shown=shown).messages
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{message.content.text}\n"


def llms(project: dict[str, Any]) -> str:
    """The documents by section, each with its first sentence, as llmstxt.org has it."""
    lines = [f"# Keepgraph\n\n> {project['description']}\n"]
    for section, pages in navigation():
        lines.append(f"## {section}\n")
        lines += [f"- [{title}](docs/{page}): {_first_sentence(ROOT / 'docs' / page)}" for title, page in pages]
        lines.append("")
    return "\n".join(lines)


def navigation() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The sections of the site, each with its pages: title and file in docs."""
    for entry in yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]:
        ((section, pages),) = entry.items()
        yield section, [next(iter(page.items())) for page in pages]


def _first_sentence(page: Path) -> str:
    """The first sentence of a page's first paragraph, without links."""
    text = re.sub(r"(?s)<!--.*?-->|```.*?```", "", page.read_text(encoding="utf-8"))
    text = re.sub(r"(?m)^[#|!].*$", "", text)
    paragraph = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(text.strip().partition("\n\n")[0].split()))
    return re.split(r"(?<=[.:?!]) ", paragraph)[0]


def _json(value: dict[str, Any]) -> str:
    return f"{json.dumps(value, ensure_ascii=False, indent=2)}\n"


def write() -> None:
    """Write all files anew."""
    for name, text in contents().items():
        file = ROOT / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
