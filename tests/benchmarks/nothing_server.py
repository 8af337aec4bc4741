"""A server of the same kind as `kg serve` whose one tool does nothing: what a call costs before we do anything.

Given a file, the tool gives the answer that is in it and promises the output schema that is in it, so that what
the transport and the client do with such an answer (they copy it, and check it against the schema) is counted too.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp.types as t
from mcp.server import Server
from mcp.server.stdio import stdio_server


def server(answer: dict[str, Any], schema: dict[str, Any] | None) -> Server[Any]:
    text = json.dumps(answer, ensure_ascii=False)

    async def list_tools(_context: Any, _params: Any) -> t.ListToolsResult:
        return t.ListToolsResult(
            tools=[t.Tool(name="nothing", input_schema={"type": "object"}, output_schema=schema)],
        )

    async def call_tool(_context: Any, _params: Any) -> t.CallToolResult:
        return t.CallToolResult(content=[t.TextContent(type="text", text=text)], structured_content=answer)

    return Server("nothing", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


async def main(canned: dict[str, Any]) -> None:
    nothing = server(canned.get("answer", {}), canned.get("schema"))
    async with stdio_server() as (incoming, outgoing):
        await nothing.run(incoming, outgoing, nothing.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main, json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")) if sys.argv[1:] else {})
