"""Connections for programs with asyncio.

    async with await nacre.aio.listen("::", 7000, stack) as server:
        async for connection in server:
            ...

    async with await nacre.aio.connect("localhost", 7000, stack) as connection:
        await connection.send(b"hello")
        answer = await connection.receive()

A connection takes messages from its peer as fast as the program receives them if the stack has a layer that counts
grants (`credit`): 16 wait at most. Of other stacks, `queue` bytes of messages wait for each connection (256 KiB, 64 more
counted for each message; not less than the longest message). From twice that on, frames of the connection are dropped
before they reach its stack, as if the network had lost them, until half of `queue` is left: a reliable peer sends them
again, and gives up after as many attempts as its stack makes. While `send` or `close` waits, frames are needed, as they
acknowledge; then the connection is refused at four times the bound, and ends here with Reason.REFUSED. So a program that
sends also receives. If 64 MiB wait in all connections together, `queue` counts as 0. At most 4,096 connections wait for
`accept`; more are refused.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any, Deque

from . import _connection
from ._addresses import Address
from ._aio_connecting import Wanted, connected
from ._aio_connection import OTHERS, QUEUE, Connection
from ._events import Arrived, Event, Reconnected
from ._listener import Listener
from ._stack import Stack
from ._values import Backoff, Given, Message, NacreError, number_of

__all__ = ["Connection", "Endpoint", "connect", "listen"]

#: How many events are handled before other tasks run.
_TURN = 128
#: Limit on the bytes of unread messages in all connections together; above it, each connection with any is paused.
_TOTAL = 64 << 20
#: Maximum number of connections that wait for `accept`.
_BACKLOG = 4096


class Endpoint:
    """A UDP socket with any number of connections, in the running event loop. `listen` and `connect` make one."""

    def __init__(self, host: str | None = None, port: int = 0, *, queue: int = QUEUE, **options: Any) -> None:
        """Binds; the arguments are those of `nacre.Listener`. `queue`: bytes of messages that wait for the reader of a
        connection before its peer is slowed down."""
        self._loop = asyncio.get_running_loop()
        self._queue = number_of("queue", queue, 0, 1 << 62)
        # Bytes that wait in all connections.
        self._waiting = 0
        self._listener: Listener | None = Listener(host, port, **options)
        self._connections: dict[_connection.Connection, Connection] = {}
        self._arrived: Deque[Connection] = deque()
        # Connections that have ended; their peers may still need an answer.
        self._answering: Deque[_connection.Connection] = deque(maxlen=OTHERS)
        self._news = asyncio.Event()
        # When the endpoint looks next; `_looks_soon`: before any timer.
        self._timer: asyncio.Handle | None = None
        self._looks_soon = False
        self._closing: asyncio.Future[None] | None = None
        self._descriptor = self._listener.fileno()
        self._loop.add_reader(self._descriptor, self._look)
        self._look_soon()

    @property
    def port(self) -> int:
        """The local port."""
        return self._there().port

    def serve(self, stack: Stack, given: Given | Callable[[Address | None], Given] | None = None) -> None:
        """Lets peers begin connections with a stack (`nacre.Listener.serve`)."""
        self._there().serve(stack, given)

    async def connect(
        self,
        host: str,
        port: int,
        stack: Stack,
        *,
        expect: Message | str | None = None,
        given: Given | None = None,
        timeout: float | None = 30.0,
        reconnect: Backoff | None = None,
    ) -> Connection:
        """Begins a connection and waits until the peer has confirmed it. With `reconnect`, it is begun again each time
        it is lost, now, too: `change` tells (`nacre.Listener.connect`). The name of a host is looked up without
        blocking the loop; if it has several addresses, the next is tried, too, when one has not answered for a quarter
        of a second or has failed. Raises ConnectionEnded with the last failure, TimeoutError, OSError if there is no
        such host."""
        try:
            wanted = Wanted(host, port, stack, expect, given, reconnect)
            return await asyncio.wait_for(connected(self, wanted), timeout)
        except asyncio.TimeoutError:
            why = f"{host} has not answered"
            if expect is not None:
                why += ", or has not proven to be the expected peer"
            raise TimeoutError(why) from None

    async def accept(self) -> Connection:
        """The next connection that a peer begins. A call that is cancelled has taken none."""
        while True:
            while self._arrived:
                connection = self._arrived.popleft()
                if connection._ended is not None:
                    connection._count_no_more()
                if connection._ended is None or connection._messages:
                    return connection
            self._there()
            await self._news.wait()

    async def __aiter__(self) -> AsyncIterator[Connection]:
        """The connections that peers begin, until the endpoint is closed."""
        while self._listener is not None:
            try:
                connection = await self.accept()
            except ValueError:
                return
            yield connection

    async def close(self, *, timeout: float | None = 30.0) -> None:
        """Closes all connections, waiting at most `timeout` seconds for their peers, and answers these until they need
        no answer any more. Raises TimeoutError if some have not ended then: they are discarded; ConnectionEnded if one
        has ended otherwise meanwhile. In both cases what was sent last may not have arrived."""
        if self._listener is None:
            if self._closing is not None:
                await asyncio.shield(self._closing)
            return
        ending = list(self._connections.values())
        for connection in ending:
            # What closes needs acknowledgements.
            connection._take_frames()
            try:
                connection._below.close()
            except NacreError:
                pass
        self._look_soon()
        late: set[asyncio.Future[None]] = set()
        if ending:
            waits = [asyncio.ensure_future(connection._until_ended()) for connection in ending]
            try:
                _, late = await asyncio.wait(waits, timeout=timeout)
            finally:
                for wait in waits:
                    wait.cancel()
        self._close_soon()
        if self._closing is not None:
            await asyncio.shield(self._closing)
        if late:
            raise TimeoutError(f"discarded connections whose peers have not confirmed the close: {len(late)}")
        for connection in ending:
            connection._raise_if_lost()

    def _close_soon(self) -> None:
        """The event loop no longer looks; the last answers are given by a thread, then the socket is closed."""
        listener = self._listener
        if listener is not None:
            self._leave()
            self._closing = asyncio.ensure_future(self._answer(listener))

    async def _answer(self, listener: Listener) -> None:
        try:
            # Nothing else uses the listener any more.
            await self._loop.run_in_executor(None, _linger, list(self._answering))
        finally:
            try:
                listener.close()
            except RuntimeError:
                pass  # The loop ends, and the thread still answers: it is freed with the last reference.

    async def __aenter__(self) -> Endpoint:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                await self.close()
        finally:
            self._free()

    def _there(self) -> Listener:
        if self._listener is None:
            raise ValueError("the endpoint is closed")
        return self._listener

    def _queue_of(self, connection: Connection) -> int:
        """How many bytes may wait in a connection before its peer is slowed down."""
        return 0 if self._waiting >= _TOTAL else max(self._queue, connection._longest)

    def _enter(self, below: _connection.Connection) -> Connection:
        connection = Connection(self, below)
        self._connections[below] = connection
        connection._take_grants()
        return connection

    def _look_soon(self) -> None:
        """A call may have changed when to look, and what is there."""
        if self._listener is not None and not self._looks_soon:
            self._set_timer(self._loop.call_soon(self._look), soon=True)

    def _set_timer(self, timer: asyncio.Handle | None, soon: bool = False) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._looks_soon = timer, soon

    def _look(self) -> None:
        """Handles what is there, and decides when to look again."""
        if self._listener is None:
            return
        self._set_timer(None)
        for _ in range(_TURN):
            event = self._listener.poll(0)
            if event is None:
                break
            self._hear(event)
            if self._listener is None:
                return
        else:
            self._look_soon()
            return
        if self._listener.awaits_room():
            self._loop.add_writer(self._descriptor, self._look)
        else:
            self._loop.remove_writer(self._descriptor)
        timeout = self._listener.next_timeout()
        if timeout is not None:
            self._set_timer(self._loop.call_later(timeout, self._look))

    def _hear(self, event: Event) -> None:
        if event.connection is None:
            return
        if isinstance(event, Arrived):
            if len(self._arrived) >= _BACKLOG:
                try:
                    event.connection.refuse(0, "too many connections wait to be accepted")
                except NacreError:
                    pass  # It has ended already.
                return
            self._arrived.append(self._enter(event.connection))
            news, self._news = self._news, asyncio.Event()
            news.set()
            return
        if isinstance(event, Reconnected) and event.previous in self._connections:
            self._connections[event.connection] = self._connections.pop(event.previous)
        connection = self._connections.get(event.connection)
        if connection is not None:
            connection._hear(event)
            if connection._ended is not None and not connection._messages and connection in self._arrived:
                self._arrived.remove(connection)

    def _leave(self) -> None:
        """The event loop no longer looks, and all that wait learn that the endpoint is closed."""
        self._loop.remove_reader(self._descriptor)
        self._loop.remove_writer(self._descriptor)
        self._set_timer(None)
        self._listener = None
        for connection in list(self._connections.values()):
            connection._tell()
        self._connections.clear()
        self._news.set()

    def _free(self) -> None:
        """Ends everything at once."""
        listener = self._listener
        if listener is not None:
            self._leave()
            listener.close()


def _linger(connections: list[_connection.Connection]) -> None:
    for connection in connections:
        try:
            connection.linger()
        except (NacreError, ValueError):
            pass


async def listen(
    host: str | None,
    port: int,
    stack: Stack,
    *,
    given: Given | Callable[[Address | None], Given] | None = None,
    **options: Any,
) -> Endpoint:
    """An endpoint that serves a stack: `Endpoint(host, port, **options)`, `serve(stack, given)`."""
    endpoint = Endpoint(host, port, **options)
    try:
        endpoint.serve(stack, given)
    except BaseException:
        endpoint._free()
        raise
    return endpoint


async def connect(
    host: str,
    port: int,
    stack: Stack,
    *,
    expect: Message | str | None = None,
    given: Given | None = None,
    timeout: float | None = 30.0,
    reconnect: Backoff | None = None,
    **options: Any,
) -> Connection:
    """A connection with a socket of its own, which the peer has confirmed (`Endpoint.connect`). It is closed with the
    connection."""
    endpoint = Endpoint(None, 0, **options)
    try:
        connection = await endpoint.connect(
            host, port, stack, expect=expect, given=given, timeout=timeout, reconnect=reconnect
        )
    except BaseException:
        endpoint._free()
        raise
    connection._owns = True
    if connection._ended is not None:
        endpoint._close_soon()
    return connection
