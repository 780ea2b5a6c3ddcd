"""MCP on stdin and stdout: whatever was asked before the input ended is answered.

The protocol's SDK drops calls under way once its input ends, as it does when a script pipes its
requests in. So the input's end is kept from it until each request has its answer. Knows the
envelope of a message, nothing of what is asked.
"""

from __future__ import annotations

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

Incoming = SessionMessage | Exception
ENDLESS = frozenset({"subscriptions/listen"})
"""Requests that are answered for as long as the client stays."""


class PatientServer(MCPServer):
    """A server that leaves with its last answer."""

    async def run_stdio_async(self) -> None:
        try:
            await self._speak()
        except Exception as error:
            if not _is_end(error):
                raise

    async def _speak(self) -> None:
        options = self._lowlevel_server.create_initialization_options()
        to_server, asked = anyio.create_memory_object_stream[Incoming]()
        answered, from_server = anyio.create_memory_object_stream[SessionMessage]()
        pending = Pending()
        async with stdio_server() as (reading, writing), anyio.create_task_group() as both:
            both.start_soon(_carry_in, reading, to_server, pending)
            both.start_soon(_carry_out, from_server, writing, pending)
            await self._lowlevel_server.run(asked, answered, options)


def _is_end(error: BaseException) -> bool:
    """Whether all that went wrong is that the client reads no more."""
    parts = getattr(error, "exceptions", ())
    return all(map(_is_end, parts)) if parts else isinstance(error, BrokenPipeError)


class Pending:
    """The requests that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[int | str] = set()
        self._none = anyio.Event()

    def came(self, message: Incoming) -> None:
        """Note a request down; one that is taken back will not be answered."""
        inner = message.message if isinstance(message, SessionMessage) else None
        if isinstance(inner, JSONRPCRequest) and inner.method not in ENDLESS:
            self._ids.add(inner.id)
        if isinstance(inner, JSONRPCNotification) and inner.method == "notifications/cancelled":
            self._forget((inner.params or {}).get("requestId"))

    def went(self, message: SessionMessage) -> None:
        if isinstance(message.message, JSONRPCResponse | JSONRPCError):
            self._forget(message.message.id)

    async def over(self) -> None:
        """Wait until all have their answers."""
        while self._ids:
            self._none = anyio.Event()
            await self._none.wait()

    def _forget(self, id: object) -> None:
        self._ids = {each for each in self._ids if each != id}
        if not self._ids:
            self._none.set()


async def _carry_in(
    reading: ReadStream[Incoming], to_server: MemoryObjectSendStream[Incoming], pending: Pending
) -> None:
    async with to_server:
        async for message in reading:
            pending.came(message)
            await to_server.send(message)
        await pending.over()


async def _carry_out(
    from_server: MemoryObjectReceiveStream[SessionMessage],
    writing: WriteStream[SessionMessage],
    pending: Pending,
) -> None:
    async with writing:
        async for message in from_server:
            await writing.send(message)
            pending.went(message)
