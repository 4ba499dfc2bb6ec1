"""Listeners: the runtime, without an event loop."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Iterator, NoReturn, TypeVar

from . import _interface as c
from ._addresses import Address, to_c
from ._connection import Connection
from ._events import Closed, Event, Reconnected
from ._given import Prepare, backoff_of
from ._interface import library
from ._keys import Keys
from ._notices import event_of
from ._stack import Stack
from ._values import (
    Backoff,
    ConnectionEnded,
    Faults,
    Given,
    Message,
    NacreError,
    Refused,
    Statistics,
    TooLong,
    number_of,
    port_of,
    require_kind,
    sized,
    text_of,
)
from ._waiting import is_over, turn, until_of

T = TypeVar("T")


class Waker:
    """Lets the listener's `poll` return early, from any thread."""

    def __init__(self, raw: int) -> None:
        self._raw = raw

    def wake(self) -> None:
        """The call that waits, or else the next one, returns None."""
        library.nacre_wake(self._raw)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a waker cannot be copied")

    def __del__(self) -> None:
        library.nacre_waker_free(self._raw)


class Listener:
    """Connections of any number of stacks on one UDP socket. One thread at a time uses it and its connections."""

    def __init__(
        self,
        host: str | None = None,
        port: int = 0,
        *,
        keys: Keys | None = None,
        psk: bytes | None = None,
        signing: bytes | None = None,
        secret: bytes | None = None,
        faults: Faults | None = None,
        capture: str | os.PathLike[str] | None = None,
        **options: int,
    ) -> None:
        """Binds an IP address or the name of this host (None: any, IPv4 and IPv6) and a port (0: any).

        `keys` and `psk` (32 bytes) are for stacks with keys, `signing` (32 bytes) for stacks that sign; `secret` (16
        bytes) is kept by servers across restarts. `capture` is a pcap file. `options` are the numbers of `struct
        nacre_options`, such as timeout_ms=5000. Raises OSError if the address cannot be bound, ValueError for values
        that are none."""
        if keys is not None:
            require_kind("keys", keys, Keys)
        if faults is not None:
            require_kind("faults", faults, Faults)
        made = c.COptions(size=ctypes.sizeof(c.COptions))
        numbers = {field[0] for field in c.COptions._fields_ if field[1] in (ctypes.c_uint32, ctypes.c_uint64)}
        for name, value in options.items():
            if name not in numbers or name in ("size", "reserved2"):
                raise TypeError(f"Listener has no option {name!r}")
            size = getattr(c.COptions, name).size
            setattr(made, name, number_of(name, value, 0, 1 << 8 * size))
        if faults is not None:
            for name in ("loss", "duplicate", "reorder", "corrupt"):
                if not 0 <= getattr(faults, name) <= 1:
                    raise ValueError(f"{name} is a probability, from 0 to 1")
            for name, bits in (("delay_ms", 32), ("jitter_ms", 32), ("seed", 64)):
                number_of(name, getattr(faults, name), 0, 1 << bits)
            given = c.CFaults(*(getattr(faults, field[0]) for field in c.CFaults._fields_))
            made.faults = ctypes.pointer(given)
        made.capture = None if capture is None else text_of("a path", os.fspath(capture))
        made.keys = None if keys is None else keys.secret
        made.psk = None if psk is None else sized("psk", psk, 32)
        made.signing = None if signing is None else sized("signing", signing, 32)
        made.secret = None if secret is None else sized("secret", secret, 16)
        address = None if host is None else text_of("a host", host)
        #: The thread that is in a call, if one is.
        self._owner: int | None = None
        self._ends = False
        self._notice = c.CNotice()
        self._missed: list[Event] = []
        # Callbacks that the library may call as long as the listener is there.
        self._kept: list[object] = []
        #: Callbacks for given values, by the number of the connection that is begun again.
        self._begun_again: dict[int, Prepare] = {}
        self._raw: int | None = library.nacre_listen(address, port_of(port), ctypes.byref(made))
        if not self._raw:
            raise OSError(library.nacre_error(None).decode(errors="replace"))

    def serve(self, stack: Stack, given: Given | Callable[[Address | None], Given] | None = None) -> None:
        """Lets peers begin connections with a stack. `given` are given values of the stack for each of them, or a
        function that returns them, by the peer's address. If they cannot be set, the peer is refused, and what went
        wrong is logged."""
        require_kind("a stack", stack, Stack)
        prepare = Prepare(given, is_served=True)
        self._do(library.nacre_serve_with, stack._raw, prepare.function, None)
        self._kept.append(prepare)

    def connect(
        self,
        host: str,
        port: int,
        stack: Stack,
        *,
        expect: Message | str | None = None,
        given: Given | None = None,
        reconnect: Backoff | None = None,
        first: str | None = None,
    ) -> Connection:
        """Begins a connection; nothing is known of the peer before `Opened`. The host may be a name, whose addresses
        are waited for.

        `expect` is whom a connection of a stack with keys expects: a public key of 32 bytes, "psk" for a peer with the
        same psk, "any" for any peer with keys; None: the one that the listener's options imply ("any" if it has keys,
        else "psk"). `given` are given values of the stack.

        With `reconnect`, a connection that is lost is begun again, with its name looked up again: `Reconnecting` and
        `Reconnected` follow, and with the latter another connection; meanwhile `send` raises ConnectionEnded. Without
        `expect`, the peer has to have the key that the first one had. Orderly ends and refusals are final. `first` is
        the IP address that the first attempt goes to, if the program has looked up the name."""
        require_kind("a stack", stack, Stack)
        prepare = Prepare(given, is_served=False)
        made = c.CConnecting(size=ctypes.sizeof(c.CConnecting), expect=3, prepare=prepare.function)
        if isinstance(expect, str):
            if expect not in ("any", "psk"):
                raise ValueError("expect is a public key, 'any' or 'psk'")
            made.expect = 0 if expect == "any" else 2
        elif expect is not None:
            made.expect, made.key = 1, sized("a public key", expect, 32)
        number = ctypes.c_uint64()
        name = text_of("a host", host)
        arguments = (name, port_of(port), stack._raw, ctypes.byref(made), ctypes.byref(number))

        if first is not None:
            made.address = ctypes.pointer(to_c(first, port))

        def begin(raw: int) -> None:
            if reconnect is None:
                code = library.nacre_connect_with(raw, *arguments)
            else:
                code = library.nacre_reconnect(raw, *arguments[:4], ctypes.byref(backoff_of(reconnect)), arguments[4])
            if prepare.happened is not None:
                raise prepare.happened
            self._check(raw, code)

        self._use(begin)
        if reconnect is not None:
            prepare.failing = "a connection was not begun again"
            if given is not None:
                self._begun_again[number.value] = prepare
        return Connection(self, number.value)

    def poll(self, timeout: float | None = 0.0) -> Event | None:
        """The next event, waiting at most `timeout` seconds (None: without end). None: there is none yet, or a waker
        was used. Signal handlers of Python run meanwhile."""
        until = until_of(timeout)
        while not self._missed:
            code = self._use(lambda raw: self._poll(raw, turn(until)))
            if code == c.OK or code == c.INTERRUPTED or code == c.TIMEOUT and not is_over(until):
                continue
            return None
        # A handler of a signal that raises does so in or after a call: none is made here, so an event that has left the
        # list is returned.
        event = self._missed[0]
        del self._missed[0]
        return event

    def _poll(self, raw: int, milliseconds: int) -> int:
        """Adds the event that the library has to those that `poll` returns."""
        if self._missed:
            return c.OK
        code: int = library.nacre_poll(raw, milliseconds, ctypes.byref(self._notice))
        self._take(raw)
        if code not in (c.OK, c.TIMEOUT, c.WOKEN, c.INTERRUPTED):
            self._check(raw, code)
        return code

    def _take(self, raw: int) -> None:
        """Copies the notice that the library has left, if there is one. As in `poll`, a handler of a signal finds it
        either there or in the list: whatever is called next looks for it."""
        if self._notice.kind:
            event = event_of(self, raw, self._notice)
            self._follow(event)
            self._missed += (event,)
            self._notice.kind = 0

    def _follow(self, event: Event) -> None:
        """Moves the callback for given values to the new connection; drops it when the connection ends."""
        if isinstance(event, Reconnected):
            before = event.previous._number
            if before in self._begun_again:
                self._begun_again[event.connection._number] = self._begun_again[before]
                self._forget(before)
        elif isinstance(event, Closed):
            self._forget(event.connection._number)

    def _forget(self, number: int) -> None:
        self._begun_again.pop(number, None)

    def events(self, timeout: float | None = None) -> Iterator[Event]:
        """All events, until there is none for `timeout` seconds (None: without end)."""
        while (event := self.poll(timeout)) is not None:
            yield event

    def waker(self) -> Waker:
        """What another thread lets `poll` return by."""
        waker = ctypes.c_void_p()
        self._do(library.nacre_waker, ctypes.byref(waker))
        assert waker.value is not None
        return Waker(waker.value)

    @property
    def port(self) -> int:
        """The local port."""
        return self._use(lambda raw: int(library.nacre_local_port(raw)))

    def fileno(self) -> int:
        """The descriptor that is readable when there is a frame, for an event loop: with `next_timeout`."""
        return self._use(lambda raw: int(library.nacre_descriptor(raw)))

    def next_timeout(self) -> float | None:
        """In how many seconds `poll` must be called even if no frame comes; None: never."""
        nanoseconds = self._use(lambda raw: int(library.nacre_next_ns(raw)))
        if self._missed:
            return 0.0
        return None if nanoseconds == 0xFFFFFFFFFFFFFFFF else nanoseconds / 1e9

    def awaits_room(self) -> bool:
        """Whether frames wait for room in the socket: then `poll` is to be called when the descriptor is writable,
        too."""
        return self._use(lambda raw: bool(library.nacre_awaits_room(raw)))

    def flush(self) -> None:
        """Sends frames that are held (option `gather`)."""
        self._do(library.nacre_flush)

    def statistics(self) -> Statistics:
        """Numbers about all connections."""
        return self._statistics(0)

    def counts(self) -> dict[str, int]:
        """What belongs to no connection, by name: `malformed` frames, `unknown_cookies`, first frames of an
        `other_stack`, for which there was no room (`limited`), or whose sender was asked to prove its address
        (`retried`)..."""
        found: dict[str, int] = {}
        name, value = ctypes.c_char_p(), ctypes.c_uint64()
        place = ctypes.byref(name), ctypes.byref(value)
        while self._use(lambda raw: int(library.nacre_listener_count(raw, len(found), *place))) == c.OK:
            found[(name.value or b"").decode()] = value.value
        return found

    def close(self) -> None:
        """Discards all connections at once: their peers are not notified. Nothing can be called afterwards. A handler
        of a signal may call it while another call waits, which then ends."""
        if self._owner == threading.get_ident():
            self._ends = True
        elif self._raw is not None:
            self._use(lambda raw: setattr(self, "_ends", True))

    def __enter__(self) -> Listener:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a listener cannot be copied")

    def __del__(self) -> None:
        if getattr(self, "_raw", None) is not None:
            self._free()

    def _use(self, function: Callable[[int], T]) -> T:
        """Calls a function with the listener, which nobody else uses meanwhile.

        Nothing may come between the statements before `try`: an exception of a signal's handler does not, either."""
        me = threading.get_ident()
        if self._owner is not None:
            if self._owner == me:
                raise RuntimeError("a call of the listener goes on: a handler or callback may only close or wake it")
            raise RuntimeError("the listener is used by another thread")
        self._owner = me
        try:
            if self._raw is None:
                raise ValueError("the listener is closed")
            # What an interrupted call has left is lent until the next one.
            if self._notice.kind:
                self._take(self._raw)
            return function(self._raw)
        finally:
            self._owner = None
            if self._ends:
                self._free()

    def _free(self) -> None:
        raw, self._raw = self._raw, None
        if raw is not None:
            library.nacre_listener_free(raw)
        self._kept.clear()
        self._begun_again.clear()

    def _do(self, function: Callable[..., int], *arguments: object) -> None:
        """Calls a function of the library with this listener; raises what its result means."""
        self._use(lambda raw: self._check(raw, function(raw, *arguments)))

    def _check(self, raw: int, code: int) -> None:
        if code == c.OK:
            return
        text = library.nacre_error(raw).decode(errors="replace")
        if code == c.REFUSED:
            raise Refused(text)
        if code == c.TOO_LONG:
            raise TooLong(text)
        if code == c.TIMEOUT:
            raise TimeoutError(text)
        if code == c.CLOSED:
            raise ConnectionEnded(text)
        raise NacreError(text)

    def _statistics(self, number: int) -> Statistics:
        statistics = c.CStatistics()
        if self._use(lambda raw: int(library.nacre_statistics_of(raw, number, ctypes.byref(statistics)))) != c.OK:
            raise ConnectionEnded("there is no such connection, or it has ended")
        return Statistics(*(getattr(statistics, field[0]) for field in c.CStatistics._fields_))
