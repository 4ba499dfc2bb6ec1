"""Connections of a listener."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import _interface as c
from ._addresses import Address, CAddress, from_c
from ._interface import library
from ._values import Message, Statistics, data_of, number_of, text_of
from ._waiting import is_over, turn, until_of

if TYPE_CHECKING:
    from ._listener import Listener


class Connection:
    """A connection of a listener. It is used by the thread that uses the listener."""

    def __init__(self, listener: Listener, number: int) -> None:
        self._listener = listener
        self._number = number

    @property
    def listener(self) -> Listener:
        """The listener that has the connection."""
        return self._listener

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Connection):
            return NotImplemented
        return self._listener is other._listener and self._number == other._number

    def __hash__(self) -> int:
        return hash(self._number)

    def __copy__(self) -> Connection:
        return self

    def __deepcopy__(self, _memo: object) -> Connection:
        """The name of a connection: the copy of an event means the same one."""
        return self

    def send(self, message: Message) -> None:
        """Sends a message. Raises Refused if the stack does not accept it now: `Writable` follows."""
        self._do(library.nacre_send, *data_of(message))

    def send_blocking(self, message: Message, timeout: float | None = None) -> None:
        """Sends a message, waiting at most `timeout` seconds (None: without end) until the stack accepts it. Events
        that come meanwhile are kept. Raises TimeoutError: it was not sent."""
        until, data = until_of(timeout), data_of(message)
        while True:
            try:
                if self._is_done(library.nacre_send_blocking, *data, turn(until)):
                    return
            except TimeoutError:
                if is_over(until):
                    raise

    def call(self, event: str, *arguments: int, message: Message = b"") -> None:
        """Calls an input event of the stack by its name, with at most four numbers. Raises as `send`."""
        if len(arguments) > 4:
            raise ValueError("an event has at most four numbers")
        index = ctypes.c_uint16()
        numbers = (ctypes.c_uint64 * 4)(*(number_of("an argument", value, -(1 << 63), 1 << 64) for value in arguments))
        self._do(library.nacre_input_event, text_of("a name", event), ctypes.byref(index))
        self._do(library.nacre_call, index, numbers, *data_of(message))

    def accepts(self, length: int) -> bool:
        """Whether the stack would accept a message of this length now, and the socket has room."""
        asked = number_of("a length", length, 0, 1 << 63)
        return self._listener._use(lambda raw: bool(library.nacre_accepts(raw, self._number, asked)))

    def grants_by_itself(self, by_itself: bool) -> None:
        """Whether the peer may send more as messages are taken (as it begins), or only as `grant` is called."""
        self._do(library.nacre_grants_by_itself, int(by_itself))

    def receives(self, receives: bool) -> None:
        """Whether frames of the connection reach its stack (as it begins). Otherwise they are dropped, as if the network
        had lost them, acknowledgements included: for messages that come faster than they are taken, from a peer that no
        grants slow down. A reliable stack sends them again, and gives up after as many attempts as it makes."""
        self._do(library.nacre_receives, int(receives))

    def grant(self, messages: int = 1) -> None:
        """Grants the stack this many further deliveries."""
        self._do(library.nacre_grant, number_of("a number of messages", messages, 0, 1 << 16))

    def takes_by_itself(self, by_itself: bool) -> None:
        """Whether a message counts as taken with the next call after its event (as it begins), or only as `taken` is
        called. The sender hears of it if the stack has the layer `receipts`: `Other`, named "reached"."""
        self._do(library.nacre_takes_by_itself, int(by_itself))

    def taken(self, messages: int = 1) -> None:
        """Tells the stack that this many more messages were taken, the oldest ones."""
        self._do(library.nacre_taken, number_of("a number of messages", messages, 0, 1 << 16))

    def close(self, code: int | None = None, text: str = "") -> None:
        """Closes: what that means is up to the stack; `Closed` follows. The peer's has the code and the text (at most
        255 bytes), unless they are lost."""
        if code is None and not text:
            self._do(library.nacre_close)
        else:
            self._do(library.nacre_close_with, number_of("a code", code or 0, 0, 1 << 32), text_of("a text", text))

    def refuse(self, code: int = 0, text: str = "") -> None:
        """Ends the connection at once; the peer's ends with Reason.REFUSED, this code and text. No event follows
        here."""
        self._do(library.nacre_refuse, number_of("a code", code, 0, 1 << 32), text_of("a text", text))
        self._listener._forget(self._number)

    def discard(self) -> None:
        """Ends the connection at once: no event follows, and the peer is not notified."""

        def end(raw: int) -> None:
            library.nacre_discard(raw, self._number)
            self._listener._forget(self._number)

        self._listener._use(end)

    def linger(self) -> None:
        """Answers the peer of a closed connection, in case it missed the last acknowledgement, until that is sure or
        `linger_ms` have passed: for programs that end then."""
        while not self._is_done(library.nacre_linger):
            pass

    @property
    def peer(self) -> Address | None:
        """The peer's address."""
        address = CAddress()
        self._do(library.nacre_peer, ctypes.byref(address))
        return from_c(address)

    @property
    def max_message(self) -> int:
        """The longest message in bytes that the stack ever accepts."""
        length = ctypes.c_size_t()
        self._do(library.nacre_max_message, ctypes.byref(length))
        return length.value

    def statistics(self) -> Statistics:
        """Numbers about the connection."""
        return self._listener._statistics(self._number)

    def counters(self) -> dict[str, int]:
        """The counters of the stack, by name."""

        def read(raw: int) -> dict[str, int]:
            counters: dict[str, int] = {}
            while (name := library.nacre_counter_name(raw, self._number, len(counters))) is not None:
                value = ctypes.c_uint64()
                self._listener._check(raw, library.nacre_counter(raw, self._number, name, ctypes.byref(value)))
                counters[name.decode()] = value.value
            return counters

        _ = self.max_message  # Raises if it has ended.
        return self._listener._use(read)

    def __repr__(self) -> str:
        return f"<nacre.Connection {self._number}>"

    def _do(self, function: Callable[..., int], *arguments: object) -> None:
        """Calls a function of the library with this connection; raises what its result means."""
        self._listener._do(function, self._number, *arguments)

    def _is_done(self, function: Callable[..., int], *arguments: object) -> bool:
        """The same of one that waits; False: a signal was handled meanwhile, and the function is to be called again."""

        def call(raw: int) -> bool:
            code = function(raw, self._number, *arguments)
            if code != c.INTERRUPTED:
                self._listener._check(raw, code)
            return code != c.INTERRUPTED

        return self._listener._use(call)
