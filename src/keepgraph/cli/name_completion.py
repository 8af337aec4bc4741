"""Shell completion of names, types and predicates of the graph that a command line names."""

from __future__ import annotations

import click

from keepgraph import errors
from keepgraph.cli import graph_options


def complete_name(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Names of entities; `type:name` if a type was typed."""
    return _complete_entity(ctx, incomplete, types_first=False)


def complete_typed_name(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Entities as `type:name`; without a colon, types."""
    return _complete_entity(ctx, incomplete, types_first=True)


def complete_project(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Names of projects."""
    try:
        with graph_options.open_graph(ctx) as graph:
            entities = graph.call("complete_name", prefix=incomplete, only_projects=True, limit=50)["entities"]
    except errors.KeepgraphError:
        return []  # a completing shell has no place to show an error
    return [entity["name"] for entity in entities]


def complete_predicate(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    try:
        with graph_options.open_graph(ctx) as graph:
            predicates = graph.call("get_vocabulary")["predicates"]
    except errors.KeepgraphError:
        return []  # a completing shell has no place to show an error
    return [predicate["name"] for predicate in predicates if predicate["name"].startswith(incomplete)]


def complete_type(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return _complete_word(ctx, incomplete, ["entity_types"])


def complete_word(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Entity types and predicates, retired ones too."""
    return _complete_word(ctx, incomplete, ["entity_types", "predicates"])


def complete_vocabulary_set(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    try:
        with graph_options.open_graph(ctx) as graph:
            known = graph.call("list_vocabulary_sets")["sets"]
    except errors.KeepgraphError:
        return []  # a completing shell has no place to show an error
    return [of_set["name"] for of_set in known if of_set["name"].startswith(incomplete)]


def _complete_word(ctx: click.Context, incomplete: str, kinds: list[str]) -> list[str]:
    try:
        with graph_options.open_graph(ctx) as graph:
            vocabulary = graph.call("list_vocabulary")
    except errors.KeepgraphError:
        return []  # a completing shell has no place to show an error
    return [term["name"] for kind in kinds for term in vocabulary[kind] if term["name"].startswith(incomplete)]


def _complete_entity(ctx: click.Context, incomplete: str, *, types_first: bool) -> list[str]:
    entity_type, colon, name_prefix = incomplete.partition(":")
    try:
        with graph_options.open_graph(ctx) as graph:
            types = graph_options.entity_types(graph)
            if not colon and types_first:
                return [f"{name}:" for name in types if name.startswith(entity_type)]
            of_type = entity_type if colon and entity_type in types else None
            prefix = name_prefix if of_type else incomplete
            entities = graph.call("complete_name", prefix=prefix, type=of_type, limit=50)["entities"]
    except errors.KeepgraphError:
        return []  # a completing shell has no place to show an error
    return [f"{of_type}:{entity['name']}" if of_type else entity["name"] for entity in entities]
