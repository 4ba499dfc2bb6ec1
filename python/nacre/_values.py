"""What calls are given and return, and checks of it: ctypes would cut or misread what the library cannot take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Union

from ._events import Closed, OtherStack

#: What is sent.
Message = Union[bytes, bytearray, memoryview]

#: Given values of a stack by their names, such as {"floor.identity": 7}.
Given = Mapping[str, Union[int, bytes]]


class NacreError(Exception):
    """A call failed; the text says why."""


class Refused(NacreError):
    """The stack does not accept the call now, and nothing happened; `Writable` follows."""


class TooLong(NacreError):
    """The stack never accepts so long a message; nothing happened."""


class ConnectionEnded(NacreError):
    """There is no such connection, or it has ended. `event` says how, if that is known."""

    def __init__(self, text: str, event: Closed | OtherStack | None = None) -> None:
        super().__init__(text)
        self.event = event


@dataclass(frozen=True)
class Faults:
    """Faults that frames meet on their way out and in, drawn from the seed. Probabilities are from 0 to 1."""

    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    corrupt: float = 0.0
    delay_ms: int = 0
    jitter_ms: int = 0
    seed: int = 0


@dataclass(frozen=True)
class Backoff:
    """How long and how often a connection that is lost is begun again: pauses in seconds from `first` on, each twice as
    long as the last one, up to `most`; half of each is drawn at random. `tries` is the number of attempts and `total`
    the time after the loss after which the connection is given up (None: no limit). Refusals with a code in `again_on`
    are not final."""

    first: float = 0.5
    most: float = 30.0
    tries: int | None = None
    total: float | None = None
    again_on: tuple[int, ...] = ()


@dataclass(frozen=True)
class Statistics:
    """Numbers about a connection, or about a listener; they only grow. Counts are of frames, unless they say
    otherwise."""

    frames_in: int
    bytes_in: int
    frames_out: int
    bytes_out: int
    dropped: int
    no_space: int
    refused: int
    send_errors: int
    overflowed: int
    withheld: int
    connections: int
    retransmitted: int
    round_trip_ns: int
    path_mtu: int


def sized(what: str, value: Message, size: int) -> bytes:
    value = data_of(value)[0]
    if len(value) != size:
        raise ValueError(f"{what} has {size} bytes, not {len(value)}")
    return value


def require_kind(what: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{what} is a {kind.__name__}, not {value!r}")


def text_of(what: str, value: str) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"{what} is a str, not {value!r}")
    encoded = value.encode(errors="surrogateescape")
    if b"\0" in encoded:
        raise ValueError(f"{what} with a zero byte")
    return encoded


def number_of(what: str, value: int, least: int, end: int) -> int:
    """A number that the library can take; ctypes would cut it."""
    if not isinstance(value, int):
        raise TypeError(f"{what} is a whole number, not {value!r}")
    if not least <= value < end:
        raise ValueError(f"{what} is from {least} to {end - 1}, not {value}")
    return value


def port_of(port: int) -> int:
    return number_of("a port", port, 0, 1 << 16)


def data_of(message: Message) -> tuple[bytes, int]:
    # Not `bytes(message)`, which makes zeroes of a number.
    data = message if isinstance(message, bytes) else memoryview(message).tobytes()
    return data, len(data)
