"""Notices of the library as events."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from . import _interface as c
from ._addresses import from_parts
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
from ._interface import library

if TYPE_CHECKING:
    from ._listener import Listener


def event_of(listener: Listener, raw: int, notice: c.CNotice) -> Event:
    """The notice of a listener as an event; what it lends is copied."""
    peer = from_parts(bytes(notice.peer_ip), notice.peer_port, notice.peer_family, notice.peer_scope)
    text = (notice.text or b"").decode(errors="replace")
    connection = Connection(listener, notice.connection)
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
        return Reconnected(connection, Connection(listener, one), peer, key)
    message = ctypes.string_at(notice.data, notice.len) if notice.len else b""
    name = (library.nacre_event_name(raw, notice.connection, notice.event) or b"").decode()
    return Other(connection, name, (one, two, three, four), message, peer)


def _reason(number: int) -> Reason:
    try:
        return Reason(number)
    except ValueError:
        return Reason.UNKNOWN
