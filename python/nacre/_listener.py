"""Listeners and connections: the runtime, without an event loop."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import math
import os
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Iterator, TypeVar

from . import _interface as c
from ._addresses import Address, CAddress, from_c, from_parts, to_c
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
from ._interface import library
from ._keys import Keys
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
    data_of,
    number_of,
    port_of,
    require_kind,
    sized,
    text_of,
)

T = TypeVar("T")

_log = logging.getLogger("nacre")


#: How long the main thread waits in the library at most, in milliseconds: a signal that comes just before it waits does
#: not end the wait, and its handler runs afterwards.
_TURN = 250


def _turn(until: float | None) -> int:
    """For how many milliseconds to wait now; rounded up, so that a short time does not become none."""
    left = math.inf if until is None else max(0.0, until - time.monotonic()) * 1000
    if threading.current_thread() is threading.main_thread():
        left = min(left, _TURN)
    return -1 if left == math.inf else math.ceil(min(left, 0x7FFFFFFF))


def _is_over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until


def _until(timeout: float | None) -> float | None:
    if timeout is None or timeout == math.inf:
        return None
    if math.isnan(timeout):
        raise ValueError("a timeout that is no number")
    return time.monotonic() + timeout


class Waker:
    """Lets the listener's `poll` return early, from any thread."""

    def __init__(self, raw: int) -> None:
        self._raw = raw

    def wake(self) -> None:
        """The call that waits, or else the next one, returns None."""
        library.nacre_wake(self._raw)

    def __del__(self) -> None:
        library.nacre_waker_free(self._raw)


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

    def send(self, message: Message) -> None:
        """Sends a message. Raises Refused if the stack does not accept it now: `Writable` follows."""
        self._do(library.nacre_send, *data_of(message))

    def send_blocking(self, message: Message, timeout: float | None = None) -> None:
        """Sends a message, waiting at most `timeout` seconds (None: without end) until the stack accepts it. Events
        that come meanwhile are kept. Raises TimeoutError: it was not sent."""
        until, data = _until(timeout), data_of(message)
        while True:
            try:
                if self._is_done(library.nacre_send_blocking, *data, _turn(until)):
                    return
            except TimeoutError:
                if _is_over(until):
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

    def discard(self) -> None:
        """Ends the connection at once: no event follows, and the peer is not notified."""

        def end(raw: int) -> None:
            library.nacre_discard(raw, self._number)

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
        numbers = {name for name, kind in c.COptions._fields_ if kind in (ctypes.c_uint32, ctypes.c_uint64)}
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
            given = c.CFaults(*(getattr(faults, name) for name, _ in c.CFaults._fields_))
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
        self._raw: int | None = library.nacre_listen(address, port_of(port), ctypes.byref(made))
        if not self._raw:
            raise OSError(library.nacre_error(None).decode(errors="replace"))

    def serve(self, stack: Stack, given: Given | Callable[[Address | None], Given] | None = None) -> None:
        """Lets peers begin connections with a stack. `given` are given values of the stack for each of them, or a
        function that returns them, by the peer's address. If they cannot be set, the peer is refused, and what went
        wrong is logged."""
        require_kind("a stack", stack, Stack)
        prepare = _Prepare(given, is_served=True)
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
        same psk, "any" for any peer with keys; None: the one that the listener's options imply. `given` are given
        values of the stack.

        With `reconnect`, a connection that is lost is begun again, with its name looked up again: `Reconnecting` and
        `Reconnected` follow, and with the latter another connection; meanwhile `send` raises ConnectionEnded. Orderly
        ends and refusals are final. `first` is the IP address that the first attempt goes to, if the program has
        looked up the name."""
        require_kind("a stack", stack, Stack)
        prepare = _Prepare(given, is_served=False)
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
                code = library.nacre_reconnect(raw, *arguments[:4], ctypes.byref(_backoff(reconnect)), arguments[4])
            if prepare.happened is not None:
                raise prepare.happened
            self._check(raw, code)

        self._use(begin)
        if reconnect is not None:
            prepare.failing = "a connection was not begun again"
            self._kept.append(prepare)
        return Connection(self, number.value)

    def poll(self, timeout: float | None = 0.0) -> Event | None:
        """The next event, waiting at most `timeout` seconds (None: without end). None: there is none yet, or a waker
        was used. Signal handlers of Python run meanwhile."""
        until = _until(timeout)
        while True:
            if self._missed:
                return self._missed.pop(0)
            code, event = self._use(lambda raw: self._poll(raw, _turn(until)))
            if code == c.INTERRUPTED or code == c.TIMEOUT and not _is_over(until):
                continue
            return event

    def _poll(self, raw: int, milliseconds: int) -> tuple[int, Event | None]:
        self._notice.kind = 0
        try:
            code = library.nacre_poll(raw, milliseconds, ctypes.byref(self._notice))
        except BaseException:
            # By a handler of a signal that came while the library returned: the event is for the next call.
            if self._notice.kind:
                self._missed.append(self._event(raw))
            raise
        if code == c.OK:
            return code, self._event(raw)
        if code not in (c.TIMEOUT, c.WOKEN, c.INTERRUPTED):
            self._check(raw, code)
        return code, None

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
        if self._missed:
            return 0.0
        nanoseconds = self._use(lambda raw: int(library.nacre_next_ns(raw)))
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
        return Statistics(*(getattr(statistics, name) for name, _ in c.CStatistics._fields_))

    def _event(self, raw: int) -> Event:
        """The notice as an event; what it lends is copied."""
        notice = self._notice
        peer = from_parts(bytes(notice.peer_ip), notice.peer_port, notice.peer_family)
        text = (notice.text or b"").decode(errors="replace")
        connection = Connection(self, notice.connection)
        some = connection if notice.connection else None
        kind = notice.kind
        if kind == 1:
            return Arrived(connection, peer)
        if kind == 2:
            return Opened(connection, peer, bytes(notice.peer_key) if notice.has_peer_key else None)
        if kind == 3:
            message = ctypes.string_at(notice.data, notice.len) if notice.len else b""
            return Delivered(connection, message, peer, bool(notice.is_proven))
        if kind == 4:
            return Writable(connection)
        if kind == 5:
            code = notice.arguments[1] if notice.arguments[0] else None
            _, _, accepted, reached = notice.arguments
            return Closed(connection, _reason(notice.reason), code, text, accepted, reached)
        if kind == 6:
            return OtherStack(some, peer, text)
        if kind == 7:
            return NetworkError(some, peer, text)
        if kind == 9:
            return Moved(connection, peer)
        one, two, three, four = notice.arguments
        if kind == 11:
            return Reconnecting(connection, _reason(notice.reason), one, two if three else None, four / 1000)
        if kind == 12:
            key = bytes(notice.peer_key) if notice.has_peer_key else None
            return Reconnected(connection, Connection(self, one), peer, key)
        message = ctypes.string_at(notice.data, notice.len) if notice.len else b""
        name = (library.nacre_event_name(raw, notice.connection, notice.event) or b"").decode()
        return Other(connection, name, (one, two, three, four), message, peer)


def _reason(number: int) -> Reason:
    try:
        return Reason(number)
    except ValueError:
        return Reason.UNKNOWN


def _backoff(backoff: Backoff) -> c.CBackoff:
    def milliseconds(what: str, seconds: float, end: int) -> int:
        if not math.isfinite(seconds):
            raise ValueError(f"{what} is {seconds}")
        return number_of(what, math.ceil(seconds * 1000), 1, end)

    require_kind("reconnect", backoff, Backoff)
    made = c.CBackoff(size=ctypes.sizeof(c.CBackoff))
    made.first_ms = milliseconds("first in milliseconds", backoff.first, 1 << 32)
    made.most_ms = milliseconds("most in milliseconds", backoff.most, 1 << 32)
    if backoff.tries is not None:
        made.tries = number_of("tries", backoff.tries, 1, 1 << 32)
    if backoff.total is not None:
        made.total_ms = milliseconds("total in milliseconds", backoff.total, 1 << 64)
    codes = [number_of("a code", code, 0, 1 << 32) for code in backoff.again_on]
    made.again_on = (ctypes.c_uint32 * len(codes))(*codes)
    made.again_on_len = len(codes)
    return made


class _Prepare:
    """Sets given values when the library asks for them."""

    def __init__(self, given: Given | Callable[[Address | None], Given] | None, is_served: bool) -> None:
        if given is not None and not (is_served and callable(given)):
            require_kind("given", given, Mapping)
        self._given = given
        #: What was raised when a connection began; it is logged if a peer began it.
        self.happened: BaseException | None = None
        #: What failed then, for the log; None: it is raised instead.
        self.failing = "a peer was refused" if is_served else None
        self.function = c.PREPARE(0) if given is None else c.PREPARE(self._set)

    def _set(self, _with: int, config: int, peer: ctypes._Pointer[CAddress]) -> int:
        """0: the connection may begin."""
        try:
            given = self._given(from_c(peer.contents)) if callable(self._given) else self._given
            for name, value in ({} if given is None else given).items():
                encoded = text_of("a name", name)
                if isinstance(value, (bytes, bytearray, memoryview)):
                    code = library.nacre_set_bytes(config, encoded, *data_of(value))
                else:
                    code = library.nacre_set(config, encoded, number_of(name, value, 0, 1 << 64))
                if code != c.OK:
                    raise ValueError(f"the stack has no given value {name!r} that takes {value!r}")
        except BaseException as error:
            self.happened = error
            if self.failing is not None:
                # What a handler of the log raises must not leave this function: its result would be 0.
                with contextlib.suppress(BaseException):
                    _log.error("%s: its given values could not be set", self.failing, exc_info=error)
            return 1
        return 0
