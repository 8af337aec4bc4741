"""The MCP server: lists the tools of the catalogue, calls them, and turns errors into answers."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import anyio
import anyio.from_thread
import mcp.types as t
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from keepgraph import _version, errors
from keepgraph.activity import Activity
from keepgraph.graph import Graph
from keepgraph.mcp import graphs, prompts, resources, stdio
from keepgraph.mcp.graphs import ServedGraph, ServedGraphs
from keepgraph.profiles import tokens
from keepgraph.tools.contract import brief_answers, catalogue, reader_references, schemas
from keepgraph.tools.contract.catalogue import Effect, Tool
from keepgraph.tools.contract.dispatch import SESSION_ARGUMENT, Progress

DEADLINE_SECONDS = 60.0
CONCURRENT_READS = 4

DESCRIBING_SECONDS = 5.0
"""The time to complete the descriptions from the graph; after it, the tools are listed without."""

_MAX_COMPLETIONS = 100  # the protocol allows no more in one answer

_log = logging.getLogger("keepgraph.mcp")


def build(
    graph: Graph | ServedGraphs,
    *,
    toolsets: Sequence[str] | None = catalogue.DEFAULT_TOOLSETS,
    whole_outputs: bool = False,
    token: tokens.Token | None = None,
    reads: anyio.CapacityLimiter | None = None,
) -> Server[Any]:
    """A server over one graph or several, with the tools of these toolsets (None: all).

    Args:
        whole_outputs: list complete output schemas, for a program that checks answers; else outlines.
        token: the token of all its callers, where they have one.
        reads: the threads that read, where several servers share them.
    """
    if isinstance(graph, Graph):
        served = ServedGraph("", graph, Activity())
        graph = ServedGraphs([served], are_named=False)
    handlers = _Handlers(graph, toolsets, whole_outputs=whole_outputs, token=token, reads=reads)
    paths = [served.graph.path for served in graph.by_name.values()]
    instructions = prompts.for_graphs(list(graph.by_name)) if graph.are_several else prompts.for_graph(paths[0])
    return Server(
        "keepgraph",
        version=_version.__version__,
        title="Keepgraph" if graph.are_several else prompts.title(paths[0]),
        instructions=reader_references.render(instructions, shown=handlers.tools),
        # No argument of ours is repeated in a header: there is nothing to look up in a list of tools.
        get_tool_input_schema=lambda name: None,
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
        self,
        served: ServedGraphs,
        toolsets: Sequence[str] | None,
        *,
        whole_outputs: bool,
        token: tokens.Token | None,
        reads: anyio.CapacityLimiter | None,
    ) -> None:
        self._served = served
        self._whole_outputs = whole_outputs
        self._token = token
        read_only = all(each.graph.read_only for each in served.by_name.values())
        self.tools = {tool.name: tool for tool in catalogue.tools(toolsets, read_only=read_only)}
        # Two limiters, so that readers never wait for writers. SQLite has one writer at a time anyway.
        self._reads = reads or anyio.CapacityLimiter(CONCURRENT_READS)
        # No caller takes all the threads that it shares with others.
        self._turns = anyio.CapacityLimiter(CONCURRENT_READS // 2 if reads else CONCURRENT_READS)
        self._writes = anyio.CapacityLimiter(1)

    async def list_tools(self, ctx: Any, params: Any) -> t.ListToolsResult:
        words = graphs.merge_words(
            [await self._call_reader(served, "list_common_words") for served in self._served.by_name.values()]
        )
        # What describes one of several graphs would mislead about the others.
        descriptions = {} if self._served.are_several else await self._descriptions()
        # All on one page: not every client asks for a second.
        return t.ListToolsResult(
            tools=[
                self._advertise(tool, descriptions.get(tool.name, tool.description), words)
                for tool in self.tools.values()
            ]
        )

    async def call_tool(self, ctx: Any, params: t.CallToolRequestParams) -> t.CallToolResult:
        tool = self._callable_tool(params.name)
        arguments = _arguments(tool, params.arguments or {})
        progress = _progress_reporter(ctx) if tool.is_job else None
        try:
            chosen, arguments = self._served.choose(tool.name, self._with_conversation(arguments))
            if len(chosen) > 1:
                answer = await self._ask_each(chosen, tool, params.name, arguments)
            else:
                answer = await self._call(chosen[0], tool, params.name, arguments, progress=progress)
        except errors.KeepgraphError as error:
            return t.CallToolResult(is_error=True, content=[_text_content(self._error_answer(error))])
        in_words = None if self._served.are_several else resources.text_of(tool.name, answer)
        content = _text_content(answer) if in_words is None else t.TextContent(type="text", text=_plain(in_words))
        return t.CallToolResult(content=[content], structured_content=answer)

    async def _call(
        self,
        served: ServedGraph,
        tool: Tool,
        name: str,
        arguments: Any,
        *,
        progress: Progress | None = None,
        seconds: float = DEADLINE_SECONDS,
    ) -> dict[str, Any]:
        """The answer of one graph, as the client reads it; `name` is that of the tool or an alias of it."""
        with served.activity.call():
            try:
                answer = await stdio.run(
                    lambda cancellation: served.graph.call_until(cancellation, name, arguments, progress=progress),
                    limiter=self._reads if tool.effect is Effect.READ else self._writes,
                    turns=self._turns if tool.effect is Effect.READ else None,
                    seconds=seconds,
                )
            except errors.KeepgraphError as error:
                if self._served.are_several and error.example is not None:
                    error.example = graphs.marked(served.name, error.example)
                raise
        if isinstance(arguments, dict) and arguments.get("detail") != "full":
            answer = brief_answers.essential(tool.toolset, tool.name, answer)
        answer = reader_references.render_answer(answer, shown=self.tools)
        return graphs.marked(served.name, answer) if self._served.are_several else answer

    async def _ask_each(self, chosen: Sequence[ServedGraph], tool: Tool, name: str, arguments: Any) -> dict[str, Any]:
        """The answers of several graphs to one question; one that fails has its error in the place of an answer.

        Raises:
            errors.KeepgraphError: none of them has answered.
        """
        deadline = anyio.current_time() + DEADLINE_SECONDS
        answers, failures = [], []
        for served in chosen:
            try:
                seconds = max(deadline - anyio.current_time(), 0.0)
                answers.append(await self._call(served, tool, name, arguments, seconds=seconds))
            except errors.KeepgraphError as error:
                failures.append(error)
                answers.append(graphs.marked(served.name, self._error_answer(error)))
        if len(failures) == len(chosen):
            raise failures[0]
        return {"graphs": answers}

    def _error_answer(self, error: errors.KeepgraphError) -> dict[str, Any]:
        error.hint = error.hint and reader_references.render(error.hint, shown=self.tools)
        return error.answer()

    def _with_conversation(self, arguments: Any) -> Any:
        """The arguments, where a conversation that they name is one of the caller's token."""
        if self._token is None or not isinstance(arguments, dict):
            return arguments
        name = arguments.get(SESSION_ARGUMENT)
        if not isinstance(name, str) or not name.strip():
            return arguments
        return {**arguments, SESSION_ARGUMENT: tokens.conversation(self._token, name.strip())}

    async def list_prompts(self, ctx: Any, params: Any) -> t.ListPromptsResult:
        return t.ListPromptsResult(prompts=prompts.all_prompts(self.tools))

    async def get_prompt(self, ctx: Any, params: t.GetPromptRequestParams) -> t.GetPromptResult:
        try:
            return prompts.fill(params.name, params.arguments or {}, shown=self.tools)
        except errors.KeepgraphError as error:
            raise _protocol_error(error, name=params.name) from error

    async def list_resources(self, ctx: Any, params: Any) -> t.ListResourcesResult:
        shown = [resources.page_resource()] if any(self._meta_of(name) for name in self.tools) else []
        return t.ListResourcesResult(resources=[*self._served.resources(resources.all_resources()), *shown])

    async def list_resource_templates(self, ctx: Any, params: Any) -> t.ListResourceTemplatesResult:
        return t.ListResourceTemplatesResult(resource_templates=self._served.templates(resources.templates()))

    async def read_resource(self, ctx: Any, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
        uri = str(params.uri)
        if uri == resources.PAGE:
            return t.ReadResourceResult(contents=[resources.page_content()])
        try:
            served, uri = self._served.of_resource(uri)
            with served.activity.call():
                resource = await stdio.run(
                    lambda cancellation: resources.read(served.graph, uri, cancellation=cancellation),
                    limiter=self._reads,
                    turns=self._turns,
                    seconds=DEADLINE_SECONDS,
                )
        except errors.KeepgraphError as error:
            raise _protocol_error(error, uri=str(params.uri)) from error
        content = t.TextResourceContents(uri=str(params.uri), mime_type="application/json", text=_json(resource))
        return t.ReadResourceResult(contents=[content])

    async def complete(self, ctx: Any, params: t.CompleteRequestParams) -> t.CompleteResult:
        entity_type = prompts.type_of_argument(params.argument.name)
        names: list[str] = []
        try:
            for served in self._served.by_name.values():
                answer = await self._call_reader(
                    served, "complete_name", prefix=params.argument.value, type=entity_type, limit=_MAX_COMPLETIONS + 1
                )
                names += [entity["name"] for entity in answer["entities"]]
        except errors.KeepgraphError as error:
            raise _protocol_error(error, name=params.argument.name) from error
        names = list(dict.fromkeys(names))
        return t.CompleteResult(
            completion=t.Completion(values=names[:_MAX_COMPLETIONS], has_more=len(names) > _MAX_COMPLETIONS)
        )

    async def _call_reader(
        self, served: ServedGraph, tool: str, /, *, seconds: float = DEADLINE_SECONDS, **arguments: Any
    ) -> dict[str, Any]:
        """Call a tool that reads, for the server itself."""
        with served.activity.call():
            return await stdio.run(
                lambda cancellation: served.graph.call_until(cancellation, tool, arguments),
                limiter=self._reads,
                turns=self._turns,
                seconds=seconds,
            )

    async def _descriptions(self) -> Mapping[str, str]:
        """The descriptions of the tools by name, completed from the graph if that is quick enough."""
        try:
            answer = await self._call_reader(
                self._served.first, "describe_tools", seconds=DESCRIBING_SECONDS, tools=list(self.tools)
            )
        except errors.KeepgraphError as error:
            # Better tools without a few words of their descriptions than no tools.
            _log.warning("the tools are listed without what is in the graph: %s", error.code)
            return {}
        return dict(answer["descriptions"])

    def _advertise(self, tool: Tool, description: str, words: dict[str, dict[str, Any]]) -> t.Tool:
        """A tool as listed; it mentions only other tools that are shown."""
        input_schema, output_schema = schemas.advertise(
            tool.toolset,
            tool.name,
            vocabulary={kind: of_kind["names"] for kind, of_kind in words.items()},
            totals={kind: of_kind["total"] for kind, of_kind in words.items()},
            whole_output=self._whole_outputs,
        )
        input_schema = reader_references.render_descriptions(input_schema, shown=self.tools)
        return t.Tool(
            name=tool.name,
            title=tool.title,
            description=reader_references.render(description, shown=self.tools),
            input_schema=self._served.with_argument(tool.name, input_schema),
            output_schema=output_schema,
            annotations=t.ToolAnnotations(
                read_only_hint=tool.effect is Effect.READ,
                destructive_hint=tool.effect is Effect.DESTRUCTIVE,
                idempotent_hint=tool.effect is Effect.READ,
                open_world_hint=False,
            ),
            _meta=self._meta_of(tool.name),
        )

    def _meta_of(self, tool: str) -> dict[str, Any] | None:
        """The page of a tool; it does not know which of several graphs it shows."""
        return None if self._served.are_several else resources.meta_of(tool)

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
            near = [tool for tool in error.candidates or () if tool in self.tools]
            error.hint = f"Use one of {', '.join(near or self.tools)}."
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
    if isinstance(text := given.get(stdio.AS_TEXT), str):
        with suppress(ValueError, RecursionError):
            given = json.loads(text)
        if not isinstance(given, dict):
            return given
    return brief_answers.by_default(tool, given)


def _progress_reporter(ctx: Any) -> Progress:
    """Reports the progress of a job to the client, from the worker thread that runs it."""

    def report(done: int, total: int | None, message: str) -> None:
        anyio.from_thread.run(ctx.session.report_progress, done, total, stdio.replace_surrogates(message))

    return report


def _text_content(answer: dict[str, Any]) -> t.TextContent:
    return t.TextContent(type="text", text=_json(answer))


def _plain(text: str) -> str:
    return str(stdio.replace_surrogates(text))


def _json(answer: dict[str, Any]) -> str:
    return str(stdio.replace_surrogates(json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))))


def _protocol_error(error: errors.KeepgraphError, **data: str) -> MCPError:
    return MCPError(
        code=t.INVALID_PARAMS, message=stdio.replace_surrogates(error.text()), data=stdio.replace_surrogates(data)
    )
