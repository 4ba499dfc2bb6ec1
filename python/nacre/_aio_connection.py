"""Connections of an endpoint in an event loop of asyncio."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Deque

from . import _connection
from ._addresses import Address
from ._events import (
    Closed,
    Delivered,
    Event,
    NetworkError,
    Opened,
    Other,
    OtherStack,
    Reason,
    Reconnected,
    Reconnecting,
    Writable,
)
from ._values import ConnectionEnded, Message, NacreError, Refused, Statistics

if TYPE_CHECKING:
    from .aio import Endpoint

#: How many other events are kept for a program that does not take them, and of how many ended connections the peers may
#: still be answered.
OTHERS = 1024
#: Bytes of messages that wait for the reader of a connection before its peer is slowed down, if the program does not say.
QUEUE = 256 << 10
#: What a message counts for beside its bytes.
_MESSAGE = 64


class Connection:
    """A connection; messages, closing, and what is known of the peer. Made by `connect` and `Endpoint`."""

    def __init__(self, endpoint: Endpoint, below: _connection.Connection) -> None:
        self._endpoint = endpoint
        self._below = below
        # Whether the endpoint is there for this connection alone, and closes with it.
        self._owns = False
        self._messages: Deque[Delivered] = deque()
        # Bytes of these, and whether they count in the endpoint; whether frames are dropped meanwhile; how many calls
        # wait for acknowledgements.
        self._waiting = 0
        self._is_counted = True
        self._is_paused = False
        self._needs_frames = 0
        self._longest = 0
        self._others: Deque[Other] = deque(maxlen=OTHERS)
        self._sending = asyncio.Lock()
        self._may_send = asyncio.Event()
        self._peer = below.peer
        self._news = asyncio.Event()
        self._opened: Opened | None = None
        self._ended: Closed | OtherStack | None = None
        # Whether the application has been told of the end by an exception.
        self._told = False
        self._trouble: NetworkError | None = None
        self._grants = False
        self._reached = 0
        # What `change` has not returned yet; whether the connection is lost.
        self._changes: Deque[Reconnecting | Reconnected] = deque(maxlen=OTHERS)
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
                    with self._taking_frames():
                        await self._may_send.wait()
                except ConnectionEnded as error:
                    self._told = True
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
        self._count(-(len(delivered.message) + _MESSAGE))
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
                with self._taking_frames():
                    await asyncio.wait_for(self._until_ended(), timeout)
            except asyncio.TimeoutError:
                raise TimeoutError("the peer has not confirmed the close") from None
        if self._owns:
            await self._endpoint.close()
        self._raise_if_lost()

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
        """Closes, and waits at most 30 seconds; after an exception, ends at once. Raises as `close`, unless a call has
        raised ConnectionEnded before."""
        try:
            if kind is None:
                told = self._told
                try:
                    await self.close()
                except ConnectionEnded:
                    if not told:
                        raise
        finally:
            self.discard()

    def _raise_if_ended(self) -> None:
        if self._ended is not None:
            self._told = True
            raise ConnectionEnded(self._ended.text, self._ended)
        if self._endpoint._listener is None:
            raise ConnectionEnded("the endpoint is closed")

    def _raise_if_lost(self) -> None:
        """Raises if the connection has not ended in order."""
        ended = self._ended
        if isinstance(ended, OtherStack) or ended is not None and ended.reason != Reason.CLOSED:
            self._told = True
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
        if self not in self._endpoint._arrived:
            self._count_no_more()
        self._endpoint._connections.pop(self._below, None)
        self._endpoint._answering.append(self._below)
        if self._owns:
            self._endpoint._close_soon()
        self._tell()

    def _count(self, change: int) -> None:
        """Bytes of messages have come, or were taken."""
        self._waiting += change
        if self._is_counted:
            self._endpoint._waiting += change
        if self._ended is not None or self._endpoint._listener is None:
            return
        queue = self._endpoint._queue_of(self)
        if self._is_paused and (self._waiting <= queue // 2 or not self._messages):
            self._pause(False)
        elif change > 0 and self._needs_frames and self._waiting >= 4 * max(self._endpoint._queue, self._longest):
            self._give_up()
        elif change > 0 and not self._needs_frames and not self._is_paused and self._waiting >= 2 * queue:
            self._pause(True)

    def _count_no_more(self) -> None:
        """What waits is the program's, and counts no longer among what waits in the endpoint."""
        if self._is_counted:
            self._is_counted = False
            self._endpoint._waiting -= self._waiting

    def _pause(self, pauses: bool) -> None:
        try:
            self._below.receives(not pauses)
            self._is_paused = pauses
        except NacreError:
            pass  # The handshake goes on, or it has ended.

    def _give_up(self) -> None:
        text = "messages came faster than the program received them"
        self._below.refuse(0, text)
        self._end(Closed(self._below, Reason.REFUSED, 0, text))

    def _take_frames(self) -> None:
        self._needs_frames += 1
        if self._is_paused:
            self._pause(False)

    @contextmanager
    def _taking_frames(self) -> Iterator[None]:
        """While a call waits for acknowledgements of the peer, frames are taken."""
        self._take_frames()
        try:
            yield
        finally:
            self._needs_frames -= 1

    def _take_grants(self) -> None:
        """From now on the peer may send as the program receives."""
        try:
            self._below.grants_by_itself(False)
            self._below.takes_by_itself(False)
            self._longest = self._below.max_message
            self._grants = True
        except NacreError:
            pass  # The handshake goes on: once it is over.

    def _hear(self, event: Event) -> None:
        if isinstance(event, Delivered):
            self._messages.append(event)
            self._count(len(event.message) + _MESSAGE)
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
            self._is_paused = False
            self._opened = Opened(event.connection, event.peer, event.peer_key)
            self._take_grants()
            self._changes.append(event)
        elif isinstance(event, Other):
            self._others.append(event)
            if event.name == "reached":
                self._reached = event.arguments[0]
        self._tell()
