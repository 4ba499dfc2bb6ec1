"""Connections for programs with asyncio.

    async with await nacre.aio.listen("::", 7000, stack) as server:
        async for connection in server:
            ...

    async with await nacre.aio.connect("localhost", 7000, stack) as connection:
        await connection.send(b"hello")
        answer = await connection.receive()

A connection takes messages from its peer as fast as the program receives them if the stack has a layer that counts
grants (`credit`): 16 wait at most. Otherwise messages that wait are kept without limit.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any, Deque

from . import _listener
from ._addresses import Address
from ._events import (
    Arrived,
    Closed,
    Delivered,
    Event,
    Moved,
    NetworkError,
    Opened,
    Other,
    OtherStack,
    Reason,
    Reconnected,
    Reconnecting,
    Writable,
)
from ._listener import Listener
from ._stack import Stack
from ._values import Backoff, ConnectionEnded, Given, Message, NacreError, Refused, Statistics, port_of

#: How many events are handled before other tasks run.
_TURN = 128

#: After how many seconds without an answer the next address of a host is tried, too (RFC 8305).
_NEXT_ADDRESS = 0.25

#: How many other events are kept for a program that does not take them.
_OTHERS = 1024


class Connection:
    """A connection; messages, closing, and what is known of the peer. Made by `connect` and `Endpoint`."""

    def __init__(self, endpoint: Endpoint, below: _listener.Connection) -> None:
        self._endpoint = endpoint
        self._below = below
        # Whether the endpoint is there for this connection alone, and closes with it.
        self._owns = False
        self._messages: Deque[Delivered] = deque()
        self._others: Deque[Other] = deque(maxlen=_OTHERS)
        self._sending = asyncio.Lock()
        self._may_send = asyncio.Event()
        self._peer = below.peer
        self._news = asyncio.Event()
        self._opened: Opened | None = None
        self._ended: Closed | OtherStack | None = None
        self._trouble: NetworkError | None = None
        self._grants = False
        self._reached = 0
        # What `change` has not returned yet; whether the connection is lost.
        self._changes: Deque[Reconnecting | Reconnected] = deque(maxlen=_OTHERS)
        self._is_lost = False

    @property
    def reached(self) -> int:
        """How many of the messages that were sent here the peer's program has received, the first ones: of a stack with
        the layer `receipts`, 0 of others. Also after the end. A connection that is begun again counts anew."""
        return self._reached

    @property
    def peer(self) -> Address | None:
        """The peer's address, also after the end."""
        return self._peer

    @property
    def peer_key(self) -> bytes | None:
        """The public key that the peer has proven to have; None: none yet, or the stack has no keys."""
        return self._opened.peer_key if self._opened else None

    @property
    def closed(self) -> Closed | OtherStack | None:
        """How the connection ended; None: it has not."""
        return self._ended

    @property
    def trouble(self) -> NetworkError | None:
        """The last error that the system or the network reported for frames of the connection, which continues."""
        return self._trouble

    @property
    def max_message(self) -> int:
        """The longest message in bytes that the stack ever accepts."""
        self._raise_if_ended()
        return self._below.max_message

    def statistics(self) -> Statistics:
        """Numbers about the connection. Raises ConnectionEnded."""
        self._raise_if_ended()
        return self._below.statistics()

    def counters(self) -> dict[str, int]:
        """The counters of the stack, by name. Raises ConnectionEnded."""
        self._raise_if_ended()
        return self._below.counters()

    async def opened(self) -> None:
        """Waits until the peer has confirmed that it receives our frames. Raises ConnectionEnded."""
        while self._opened is None:
            self._raise_if_ended()
            await self._wait()

    async def send(self, message: Message) -> None:
        """Sends a message, waiting until the stack accepts it; calls of several tasks keep their order. A call that is
        cancelled has sent nothing. Raises TooLong, ConnectionEnded."""
        async with self._sending:
            while True:
                self._raise_if_ended()
                self._may_send.clear()
                try:
                    if self._is_lost:
                        raise Refused("the connection is lost")
                    self._below.send(message)
                except Refused:
                    await self._may_send.wait()
                except ConnectionEnded as error:
                    raise ConnectionEnded(str(error), self._ended) from None
                else:
                    self._endpoint._look_soon()
                    return

    async def receive(self) -> bytes:
        """The next message. A call that is cancelled has taken none. Raises ConnectionEnded after the last one."""
        return (await self.receive_event()).message

    async def receive_event(self) -> Delivered:
        """The next message with what is known of it. Raises as `receive`."""
        while not self._messages:
            self._raise_if_ended()
            await self._wait()
        delivered = self._messages.popleft()
        if self._grants and self._ended is None and self._endpoint._listener is not None:
            try:
                # Of the connection that it came on: after a loss there is another one.
                delivered.connection.grant(1)
                delivered.connection.taken(1)
            except NacreError:
                pass  # That has ended.
            self._endpoint._look_soon()
        return delivered

    async def other(self) -> Other:
        """The next other event of the stack; the last 1,024 are kept. Raises as `receive`."""
        while not self._others:
            self._raise_if_ended()
            await self._wait()
        return self._others.popleft()

    async def change(self) -> Reconnecting | Reconnected:
        """The next loss or return of a connection that was made with `reconnect`; the last 1,024 are kept. Messages
        that the lost connection had accepted are not sent again; `send` waits for the new one. Raises as `receive`."""
        while not self._changes:
            self._raise_if_ended()
            await self._wait()
        return self._changes.popleft()

    def call(self, event: str, *arguments: int, message: Message = b"") -> None:
        """Calls an input event of the stack by its name. Raises Refused, and as `send`."""
        self._raise_if_ended()
        self._below.call(event, *arguments, message=message)
        self._endpoint._look_soon()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The messages, until the peer has closed the connection; any other end raises ConnectionEnded."""
        while True:
            try:
                yield await self.receive()
            except ConnectionEnded as error:
                if isinstance(error.event, Closed) and error.event.reason == Reason.CLOSED:
                    return
                raise

    async def close(self, code: int | None = None, text: str = "", *, timeout: float | None = 30.0) -> None:
        """Closes and waits until the connection has ended; messages that come meanwhile can still be received. The
        peer is told the code and the text. Raises ConnectionEnded if it ended in another way, so that what was sent
        last may not have arrived; TimeoutError if it has not ended after `timeout` seconds: then, and if the call is
        cancelled, the connection is still there: close it again, or discard it."""
        if self._ended is None and self._endpoint._listener is not None:
            try:
                self._below.close(code, text)
            except ConnectionEnded:
                pass  # Its event is on the way, if there is one.
            self._endpoint._look_soon()
            try:
                await asyncio.wait_for(self._until_ended(), timeout)
            except asyncio.TimeoutError:
                raise TimeoutError("the peer has not confirmed the close") from None
            self._raise_if_lost()
        if self._owns:
            await self._endpoint.close()

    def refuse(self, code: int = 0, text: str = "") -> None:
        """Ends the connection immediately; the peer receives the code and the text."""
        if self._ended is None and self._endpoint._listener is not None:
            self._below.refuse(code, text)
            self._end(Closed(self._below, Reason.CLOSED, code, text))

    def discard(self) -> None:
        """Ends the connection at once; the peer is not notified."""
        if self._ended is None and self._endpoint._listener is not None:
            self._below.discard()
            self._end(Closed(self._below, Reason.CLOSED, None, "discarded"))
        if self._owns:
            self._endpoint._free()

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes, and waits at most 30 seconds; after an exception, ends at once."""
        try:
            if kind is None:
                await self.close()
        finally:
            self.discard()

    def _raise_if_ended(self) -> None:
        if self._ended is not None:
            raise ConnectionEnded(self._ended.text, self._ended)
        if self._endpoint._listener is None:
            raise ConnectionEnded("the endpoint is closed")

    def _raise_if_lost(self) -> None:
        """Raises if the connection has not ended in order."""
        ended = self._ended
        if isinstance(ended, OtherStack) or ended is not None and ended.reason != Reason.CLOSED:
            raise ConnectionEnded(ended.text, ended)

    async def _until_ended(self) -> None:
        while self._ended is None and self._endpoint._listener is not None:
            await self._wait()

    async def _wait(self) -> None:
        """Waits for any news of the connection."""
        await self._news.wait()

    def _tell(self) -> None:
        """Wakes all that wait."""
        news, self._news = self._news, asyncio.Event()
        news.set()
        self._may_send.set()

    def _end(self, ended: Closed | OtherStack) -> None:
        self._ended = self._ended or ended
        self._endpoint._connections.pop(self._below, None)
        self._endpoint._answering.append(self._below)
        if self._owns:
            self._endpoint._close_soon()
        self._tell()

    def _take_grants(self) -> None:
        """From now on the peer may send as the program receives."""
        try:
            self._below.grants_by_itself(False)
            self._below.takes_by_itself(False)
            self._grants = True
        except NacreError:
            pass  # The handshake goes on: once it is over.

    def _hear(self, event: Event) -> None:
        if isinstance(event, Delivered):
            self._messages.append(event)
        elif isinstance(event, Writable):
            self._may_send.set()
            return
        elif isinstance(event, Opened):
            self._opened = event
            if not self._grants:
                self._take_grants()
        elif isinstance(event, (Closed, OtherStack)):
            self._end(event)
            return
        elif isinstance(event, NetworkError):
            self._trouble = event
        elif isinstance(event, Reconnecting):
            self._is_lost, self._reached = True, 0
            self._changes.append(event)
        elif isinstance(event, Reconnected):
            self._is_lost, self._below, self._peer = False, event.connection, event.peer
            self._opened = Opened(event.connection, event.peer, event.peer_key)
            self._take_grants()
            self._changes.append(event)
        elif isinstance(event, Other):
            self._others.append(event)
            if event.name == "reached":
                self._reached = event.arguments[0]
        self._tell()


class Endpoint:
    """A UDP socket with any number of connections, in the running event loop. `listen` and `connect` make one."""

    def __init__(self, host: str | None = None, port: int = 0, **options: Any) -> None:
        """Binds; the arguments are those of `nacre.Listener`."""
        self._loop = asyncio.get_running_loop()
        self._listener: Listener | None = Listener(host, port, **options)
        self._connections: dict[_listener.Connection, Connection] = {}
        self._arrived: Deque[Connection] = deque()
        # Connections that have ended; their peers may still need an answer.
        self._answering: Deque[_listener.Connection] = deque(maxlen=_OTHERS)
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
            begun = self._connect(host, port, stack, expect, given, reconnect)
            return await asyncio.wait_for(begun, timeout)
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

    async def _connect(
        self,
        host: str,
        port: int,
        stack: Stack,
        expect: Message | str | None,
        given: Given | None,
        reconnect: Backoff | None,
    ) -> Connection:
        port_of(port)
        addresses = await self._addresses(host, port)
        trying: dict[asyncio.Future[None], Connection] = {}
        failure: Exception = NacreError(f"{host} has no address")
        won: Connection | None = None
        try:
            for number, address in enumerate(addresses):
                try:
                    below = self._begin(host, address, port, stack, expect, given, reconnect)
                except NacreError as error:
                    failure = error
                else:
                    begun = self._enter(below)
                    # One that is begun again is tried until another address has answered.
                    confirmed = _confirmed(begun) if reconnect is None else begun.opened()
                    trying[asyncio.ensure_future(confirmed)] = begun
                    self._look_soon()
                is_last = number + 1 == len(addresses)
                while trying and won is None:
                    done, _ = await asyncio.wait(
                        trying, timeout=None if is_last else _NEXT_ADDRESS, return_when=asyncio.FIRST_COMPLETED
                    )
                    for one in done:
                        why = one.exception()
                        if why is None:
                            won = won or trying[one]
                        elif isinstance(why, Exception):
                            failure = why
                            failed = trying.pop(one)
                            if failed._ended is None:
                                failed.discard()
                    if not is_last:
                        break
                if won is not None:
                    return won
            raise failure
        finally:
            for one, begun in trying.items():
                one.cancel()
                if begun is not won and begun._ended is None:
                    begun.discard()

    def _begin(
        self,
        host: str,
        address: str,
        port: int,
        stack: Stack,
        expect: Message | str | None,
        given: Given | None,
        reconnect: Backoff | None,
    ) -> _listener.Connection:
        """Begins a connection with an address of the host; one that is begun again looks for the host anew."""
        listener = self._there()
        if reconnect is None:
            return listener.connect(address, port, stack, expect=expect, given=given)
        return listener.connect(host, port, stack, expect=expect, given=given, reconnect=reconnect, first=address)

    async def _addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a host, each once."""
        if not isinstance(host, str):
            raise TypeError("the host is its name or address, a str")
        try:
            found = await self._loop.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        except UnicodeError as error:
            raise OSError(f"{host!r} is no name of a host: {error}") from None
        return list(dict.fromkeys(str(address[4][0]) for address in found))

    def _enter(self, below: _listener.Connection) -> Connection:
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


async def _confirmed(connection: Connection) -> None:
    """Waits for `opened`; what the network reports about the address is a failure, too: another may be better."""
    while connection._opened is None:
        connection._raise_if_ended()
        if connection._trouble is not None:
            raise ConnectionEnded(connection._trouble.text)
        await connection._wait()


def _linger(connections: list[_listener.Connection]) -> None:
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
