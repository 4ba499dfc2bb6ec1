"""Connecting to a host that may have several addresses (RFC 8305)."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _connection
from ._aio_connection import Connection
from ._stack import Stack
from ._values import Backoff, ConnectionEnded, Given, Message, NacreError, port_of

if TYPE_CHECKING:
    from .aio import Endpoint

#: After how many seconds without an answer the next address of a host is tried, too.
_NEXT_ADDRESS = 0.25

#: For how many seconds an address may still answer that the network has reported as unreachable.
_DOUBT = 1.0


@dataclass(frozen=True)
class Wanted:
    """The connection that is wanted: the arguments of `Endpoint.connect`."""

    host: str
    port: int
    stack: Stack
    expect: Message | str | None
    given: Given | None
    reconnect: Backoff | None

    async def addresses(self) -> list[str]:
        """The addresses of the host, each once."""
        port_of(self.port)
        if not isinstance(self.host, str):
            raise TypeError("the host is its name or address, a str")
        try:
            found = await asyncio.get_running_loop().getaddrinfo(self.host, self.port, type=socket.SOCK_DGRAM)
        except UnicodeError as error:
            raise OSError(f"{self.host!r} is no name of a host: {error}") from None
        return list(dict.fromkeys(_text(address) for *_, address in found))

    def begin(self, endpoint: Endpoint, address: str) -> _connection.Connection:
        """Begins a connection with an address of the host; one that is begun again looks for the host anew."""
        listener, expect, given = endpoint._there(), self.expect, self.given
        if self.reconnect is None:
            return listener.connect(address, self.port, self.stack, expect=expect, given=given)
        return listener.connect(
            self.host, self.port, self.stack, expect=expect, given=given, reconnect=self.reconnect, first=address
        )


def _text(address: tuple[Any, ...]) -> str:
    """The address of a host; a link-local one of IPv6 with its interface."""
    scope = address[3] if len(address) == 4 else 0
    return f"{address[0]}%{scope}" if scope and "%" not in address[0] else str(address[0])


async def connected(endpoint: Endpoint, wanted: Wanted) -> Connection:
    """The first connection that an address confirms; the others are discarded."""
    addresses = await wanted.addresses()
    trying: dict[asyncio.Future[None], Connection] = {}
    failure: Exception = NacreError(f"{wanted.host} has no address")
    won: Connection | None = None
    try:
        for number, address in enumerate(addresses):
            try:
                begun = endpoint._enter(wanted.begin(endpoint, address))
            except NacreError as error:
                failure = error
            else:
                # One that is begun again is tried until another address has answered.
                confirmed = _confirmed(begun) if wanted.reconnect is None else begun.opened()
                trying[asyncio.ensure_future(confirmed)] = begun
                endpoint._look_soon()
            is_last = number + 1 == len(addresses)
            while trying and won is None:
                timeout = None if is_last else _NEXT_ADDRESS
                done, _ = await asyncio.wait(trying, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
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


async def _confirmed(connection: Connection) -> None:
    """Waits for `opened`. What the network reports about the address is a failure, too, because another may be better;
    but anybody can send such reports, so only if no answer follows."""
    while connection._opened is None:
        connection._raise_if_ended()
        if connection._trouble is None:
            await connection._wait()
            continue
        try:
            await asyncio.wait_for(connection.opened(), _DOUBT)
        except asyncio.TimeoutError:
            raise ConnectionEnded(connection._trouble.text) from None
