"""What happens to the connections of a listener."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from ._addresses import Address

if TYPE_CHECKING:
    from ._connection import Connection


class Reason(enum.IntEnum):
    """Why a connection ended."""

    CLOSED = 0
    REFUSED = 1
    UNREACHABLE = 2
    UNKNOWN = 3
    TIMEOUT = 4
    RESTARTED = 5
    OTHER_STACK = 6
    INCOMPLETE = 7
    EXHAUSTED = 8
    BUSY = 128


@dataclass(frozen=True)
class Arrived:
    """A peer began a connection; its address may yet be forged."""

    connection: Connection
    peer: Address | None


@dataclass(frozen=True)
class Opened:
    """The peer has confirmed that it receives our frames; `peer_key` is the key that it has proven to have."""

    connection: Connection
    peer: Address | None
    peer_key: bytes | None


@dataclass(frozen=True)
class Delivered:
    """A message. `peer` is its sender where the stack tells of senders; None in a connection. While `is_proven` is
    false, anybody may have sent it in the peer's name."""

    connection: Connection
    message: bytes
    peer: Address | None
    is_proven: bool


@dataclass(frozen=True)
class Writable:
    """A call that was refused would be accepted now."""

    connection: Connection


@dataclass(frozen=True)
class Closed:
    """The connection has ended. `code` is what the peer's application said, None if it said nothing; `text` is what it
    said, or the reason in words. Of a connection that was made with `reconnect`, `accepted` and `reached` are as in
    `Reconnecting` (0: the stack has no receipts)."""

    connection: Connection
    reason: Reason
    code: int | None
    text: str
    accepted: int = 0
    reached: int = 0


@dataclass(frozen=True)
class OtherStack:
    """The two ends run different stacks; `text` names them."""

    connection: Connection | None
    peer: Address | None
    text: str


@dataclass(frozen=True)
class NetworkError:
    """The system or the network reported an error for frames; the connection continues."""

    connection: Connection | None
    peer: Address | None
    text: str


@dataclass(frozen=True)
class Moved:
    """The peer has another address now."""

    connection: Connection
    peer: Address | None


@dataclass(frozen=True)
class Other:
    """Another event of the stack, by its name, with its numbers and its message."""

    connection: Connection
    name: str
    arguments: tuple[int, int, int, int]
    message: bytes
    peer: Address | None


@dataclass(frozen=True)
class Reconnecting:
    """A connection that is begun again was lost, or an attempt has failed; the next one is after `after` seconds. The
    connection had accepted `accepted` messages, of which the peer's program is known to have taken the first `reached`
    (None: the stack has no receipts). Nothing is sent again."""

    connection: Connection
    reason: Reason
    accepted: int
    reached: int | None
    after: float

    @property
    def unknown(self) -> int:
        """How many messages may or may not have reached the peer's program."""
        return self.accepted - (self.reached or 0)


@dataclass(frozen=True)
class Reconnected:
    """The peer has answered on a new connection, which takes the place of `previous`."""

    connection: Connection
    previous: Connection
    peer: Address | None
    peer_key: bytes | None


Event = Union[
    Arrived,
    Opened,
    Delivered,
    Writable,
    Closed,
    OtherStack,
    NetworkError,
    Moved,
    Other,
    Reconnecting,
    Reconnected,
]
