"""Protocol stacks of Nacre over UDP: reliable, encrypted, verified.

`Stack` compiles or loads a stack, `Listener` runs connections, and `nacre.aio` does so in an event loop of asyncio.
"""

from . import aio
from ._addresses import Address
from ._connection import Connection
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
from ._keys import Keys, key_read, key_text
from ._listener import Listener, Waker
from ._stack import Stack, StackError
from ._values import Backoff, ConnectionEnded, Faults, Given, NacreError, Refused, Statistics, TooLong

__all__ = [
    "Address",
    "Arrived",
    "Backoff",
    "Closed",
    "Connection",
    "ConnectionEnded",
    "Delivered",
    "Event",
    "Faults",
    "Given",
    "Keys",
    "Listener",
    "Moved",
    "NacreError",
    "NetworkError",
    "Opened",
    "Other",
    "OtherStack",
    "Reason",
    "Reconnected",
    "Reconnecting",
    "Refused",
    "Stack",
    "StackError",
    "Statistics",
    "TooLong",
    "Waker",
    "Writable",
    "aio",
    "key_read",
    "key_text",
]
