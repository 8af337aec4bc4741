"""A server over HTTP in this process, and clients of it with a token."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import keepgraph
from keepgraph.activity import Activity
from keepgraph.mcp import http
from keepgraph.mcp.graphs import ServedGraph
from keepgraph.profiles import tokens
from keepgraph.tools.contract import catalogue

NOW = datetime(2026, 11, 1, tzinfo=UTC)


class Server:
    """A server that runs.

    Attributes:
        url: where its clients connect.
        port: of 127.0.0.1.
    """

    def __init__(self, app: http.HttpApp, port: int) -> None:
        self.app = app
        self.port = port
        self.url = f"http://127.0.0.1:{port}/mcp"

    @asynccontextmanager
    async def client(self, secret: str, *, era: str = "auto") -> AsyncIterator[Client]:
        """The client of the SDK, with a token."""
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http_client:
            transport = streamable_http_client(self.url, http_client=http_client)
            async with Client(transport, mode=era) as client:
                yield client


@asynccontextmanager
async def serving(
    graphs: Mapping[str, keepgraph.Graph], *, public_url: str | None = None, **options: Any
) -> AsyncIterator[Server]:
    """Serve graphs by name, in this event loop."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    served = [ServedGraph(name, graph, Activity()) for name, graph in graphs.items()]
    address = http.Address("127.0.0.1", port, public_url)
    options = {"toolsets": catalogue.DEFAULT_TOOLSETS, **options}
    app = http.HttpApp(served, address, **options)
    server = uvicorn.Server(http.configuration(app))
    with listener:
        async with app.running(), anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listener])
            while not server.started:
                await anyio.sleep(0.005)
            try:
                yield Server(app, port)
            finally:
                server.should_exit = server.force_exit = True


def ask(path: Path, question: Any, *, toolsets: Any = catalogue.DEFAULT_TOOLSETS, era: str = "auto") -> Any:
    """Put a question to a server over HTTP, with the client of the SDK."""
    _, secret = tokens.add("asker", now=NOW)

    async def asked() -> Any:
        with keepgraph.open(path) as graph:
            async with (
                serving({"graph": graph}, toolsets=toolsets) as server,
                server.client(secret or "", era=era) as client,
            ):
                return await question(client)

    try:
        return anyio.run(asked)
    finally:
        tokens.remove("asker")
