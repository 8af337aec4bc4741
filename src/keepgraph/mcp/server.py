"""The MCP server: lists the tools of the catalogue, calls them, and turns errors into answers."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import anyio
import anyio.from_thread
import mcp.types as t
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from keepgraph import _version, errors
from keepgraph.activity import Activity
from keepgraph.graph import Graph
from keepgraph.mcp import apps, prompts, resources, stdio, surrogates
from keepgraph.tools.contract import brief_answers, catalogue, reader_references, schemas
from keepgraph.tools.contract.catalogue import Effect, Tool
from keepgraph.tools.contract.dispatch import Progress

DEADLINE_SECONDS = 60.0
_CONCURRENT_READS = 4

DESCRIBING_SECONDS = 5.0
"""The time to complete the descriptions from the graph; after it, the tools are listed without."""

_MAX_COMPLETIONS = 100  # the protocol allows no more in one answer

_log = logging.getLogger("keepgraph.mcp")


def build(
    graph: Graph,
    *,
    toolsets: Sequence[str] | None = catalogue.DEFAULT_TOOLSETS,
    activity: Activity | None = None,
    whole_outputs: bool = False,
) -> Server[Any]:
    """A server over one graph, with the tools of these toolsets (None: all); `activity` counts its calls.

    Args:
        whole_outputs: list complete output schemas, for a program that checks answers; else outlines.
    """
    handlers = _Handlers(graph, toolsets, activity or Activity(), whole_outputs=whole_outputs)
    return Server(
        "keepgraph",
        version=_version.__version__,
        title=prompts.title(graph.path),
        instructions=reader_references.render(prompts.for_graph(graph.path), shown=handlers.tools),
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_resource_templates,
        on_read_resource=handlers.read_resource,
        on_completion=handlers.complete,
    )


class _Handlers:
    """One method for each request of the protocol; every access to the graph runs in a worker thread."""

    def __init__(
        self, graph: Graph, toolsets: Sequence[str] | None, activity: Activity, *, whole_outputs: bool
    ) -> None:
        self._graph = graph
        self._whole_outputs = whole_outputs
        self._activity = activity
        self.tools = {tool.name: tool for tool in catalogue.tools(toolsets, read_only=graph.read_only)}
        # Two limiters, so that readers never wait for writers. SQLite has one writer at a time anyway.
        self._reads = anyio.CapacityLimiter(_CONCURRENT_READS)
        self._writes = anyio.CapacityLimiter(1)

    async def list_tools(self, ctx: Any, params: Any) -> t.ListToolsResult:
        words = await self._call_reader("list_common_words")
        descriptions = await self._descriptions()
        # All on one page: not every client asks for a second.
        return t.ListToolsResult(
            tools=[
                _advertise(
                    tool,
                    descriptions.get(tool.name, tool.description),
                    words,
                    shown=self.tools,
                    whole_outputs=self._whole_outputs,
                )
                for tool in self.tools.values()
            ]
        )

    async def call_tool(self, ctx: Any, params: t.CallToolRequestParams) -> t.CallToolResult:
        tool = self._callable_tool(params.name)
        arguments = _arguments(tool, params.arguments or {})
        name, progress = params.name, _progress_reporter(ctx) if tool.is_job else None
        limiter = self._reads if tool.effect is Effect.READ else self._writes
        try:
            with self._activity.call():
                answer = await stdio.run(
                    lambda cancellation: self._graph.call_until(cancellation, name, arguments, progress=progress),
                    limiter=limiter,
                    seconds=DEADLINE_SECONDS,
                )
        except errors.KeepgraphError as error:
            error.hint = error.hint and reader_references.render(error.hint, shown=self.tools)
            return t.CallToolResult(is_error=True, content=[_text_content(error.answer())])
        if isinstance(arguments, dict) and arguments.get("detail") != "full":
            answer = brief_answers.essential(tool.toolset, tool.name, answer)
        answer = reader_references.render_answer(answer, shown=self.tools)
        in_words = apps.text_of(tool.name, answer)
        content = _text_content(answer) if in_words is None else t.TextContent(type="text", text=_plain(in_words))
        return t.CallToolResult(content=[content], structured_content=answer)

    async def list_prompts(self, ctx: Any, params: Any) -> t.ListPromptsResult:
        return t.ListPromptsResult(prompts=prompts.all_prompts(self.tools))

    async def get_prompt(self, ctx: Any, params: t.GetPromptRequestParams) -> t.GetPromptResult:
        try:
            return prompts.fill(params.name, params.arguments or {}, shown=self.tools)
        except errors.KeepgraphError as error:
            raise _protocol_error(error, name=params.name) from error

    async def list_resources(self, ctx: Any, params: Any) -> t.ListResourcesResult:
        shown = [apps.resource()] if any(apps.meta_of(name) for name in self.tools) else []
        return t.ListResourcesResult(resources=[*resources.all_resources(), *shown])

    async def list_resource_templates(self, ctx: Any, params: Any) -> t.ListResourceTemplatesResult:
        return t.ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read_resource(self, ctx: Any, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
        uri = str(params.uri)
        if uri == apps.PAGE:
            return t.ReadResourceResult(contents=[apps.content()])
        try:
            with self._activity.call():
                resource = await stdio.run(
                    lambda cancellation: resources.read(self._graph, uri, cancellation=cancellation),
                    limiter=self._reads,
                    seconds=DEADLINE_SECONDS,
                )
        except errors.KeepgraphError as error:
            raise _protocol_error(error, uri=uri) from error
        content = t.TextResourceContents(uri=uri, mime_type="application/json", text=_json(resource))
        return t.ReadResourceResult(contents=[content])

    async def complete(self, ctx: Any, params: t.CompleteRequestParams) -> t.CompleteResult:
        entity_type = prompts.type_of_argument(params.argument.name)
        try:
            answer = await self._call_reader(
                "complete_name", prefix=params.argument.value, type=entity_type, limit=_MAX_COMPLETIONS + 1
            )
        except errors.KeepgraphError as error:
            raise _protocol_error(error, name=params.argument.name) from error
        names = list(dict.fromkeys(entity["name"] for entity in answer["entities"]))
        return t.CompleteResult(
            completion=t.Completion(values=names[:_MAX_COMPLETIONS], has_more=len(names) > _MAX_COMPLETIONS)
        )

    async def _call_reader(
        self, tool: str, /, *, seconds: float = DEADLINE_SECONDS, **arguments: Any
    ) -> dict[str, Any]:
        """Call a tool that reads, for the server itself."""
        with self._activity.call():
            return await stdio.run(
                lambda cancellation: self._graph.call_until(cancellation, tool, arguments),
                limiter=self._reads,
                seconds=seconds,
            )

    async def _descriptions(self) -> Mapping[str, str]:
        """The descriptions of the tools by name, completed from the graph if that is quick enough."""
        try:
            answer = await self._call_reader("describe_tools", seconds=DESCRIBING_SECONDS, tools=list(self.tools))
        except errors.KeepgraphError as error:
            # Better tools without a few words of their descriptions than no tools.
            _log.warning("the tools are listed without what is in the graph: %s", error.code)
            return {}
        return dict(answer["descriptions"])

    def _callable_tool(self, name: str) -> Tool:
        """The tool of this name, if this server may call it.

        Raises:
            MCPError: there is none, or it is outside this server's toolsets and writes or is internal.
        """
        try:
            tool = catalogue.find(name)
            if tool.toolset in catalogue.INTERNAL_TOOLSETS:
                raise catalogue.unknown(name)
        except errors.UnknownTool as error:
            raise _protocol_error(error, name=name) from error
        # A read-only tool may be called even if not listed.
        if tool.name not in self.tools and tool.effect is not Effect.READ:
            hint = f"Use one of {', '.join(self.tools)}."
            unknown = errors.UnknownTool(f"{tool.name} is not among the tools of this server", hint=hint)
            raise _protocol_error(unknown, name=tool.name)
        return tool


def _arguments(tool: Tool, given: dict[str, Any]) -> Any:
    """The arguments as the client sent them, brief by default; the tool refuses anything but an object."""
    if stdio.NO_OBJECT in given:
        return given[stdio.NO_OBJECT]
    return brief_answers.by_default(tool, given)


def _progress_reporter(ctx: Any) -> Progress:
    """Reports the progress of a job to the client, from the worker thread that runs it."""

    def report(done: int, total: int | None, message: str) -> None:
        anyio.from_thread.run(ctx.session.report_progress, done, total, surrogates.replace(message))

    return report


def _advertise(
    tool: Tool,
    description: str,
    words: dict[str, dict[str, Any]],
    *,
    shown: Collection[str],
    whole_outputs: bool,
) -> t.Tool:
    """A tool as listed; it mentions only other tools that are shown."""
    input_schema, output_schema = schemas.advertise(
        tool.toolset,
        tool.name,
        vocabulary={kind: of_kind["names"] for kind, of_kind in words.items()},
        totals={kind: of_kind["total"] for kind, of_kind in words.items()},
        whole_output=whole_outputs,
    )
    return t.Tool(
        name=tool.name,
        title=tool.title,
        description=reader_references.render(description, shown=shown),
        input_schema=reader_references.render_descriptions(input_schema, shown=shown),
        output_schema=output_schema,
        annotations=t.ToolAnnotations(
            read_only_hint=tool.effect is Effect.READ,
            destructive_hint=tool.effect is Effect.DESTRUCTIVE,
            idempotent_hint=tool.effect is Effect.READ,
            open_world_hint=False,
        ),
        _meta=apps.meta_of(tool.name),
    )


def _text_content(answer: dict[str, Any]) -> t.TextContent:
    return t.TextContent(type="text", text=_json(answer))


def _plain(text: str) -> str:
    return str(surrogates.replace(text))


def _json(answer: dict[str, Any]) -> str:
    return str(surrogates.replace(json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))))


def _protocol_error(error: errors.KeepgraphError, **data: str) -> MCPError:
    message = f"{error.code}: {error.message}. {error.hint or ''}".strip()
    return MCPError(code=t.INVALID_PARAMS, message=surrogates.replace(message), data=surrogates.replace(data))
