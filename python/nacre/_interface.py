"""The functions of libnacre_runtime, declared for ctypes as nacre_runtime.h does."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from pathlib import Path

from ._addresses import CAddress

OK, REFUSED, TIMEOUT, CLOSED, ERROR, TOO_LONG, WOKEN, INTERRUPTED = range(8)


class CFaults(ctypes.Structure):
    """`struct nacre_faults`."""

    _fields_ = [
        ("loss", c_double),
        ("duplicate", c_double),
        ("reorder", c_double),
        ("corrupt", c_double),
        ("delay_ms", c_uint32),
        ("jitter_ms", c_uint32),
        ("seed", c_uint64),
    ]


class COptions(ctypes.Structure):
    """`struct nacre_options`."""

    _fields_ = [
        ("size", c_uint32),
        ("connections", c_uint32),
        ("connections_per_address", c_uint32),
        ("unconfirmed", c_uint32),
        ("unconfirmed_per_address", c_uint32),
        ("retry_above", c_uint32),
        ("identity", c_uint64),
        ("pool_blocks", c_uint32),
        ("ping_after_ms", c_uint32),
        ("timeout_ms", c_uint32),
        ("linger_ms", c_uint32),
        ("faults", POINTER(CFaults)),
        ("capture", c_char_p),
        ("moves", c_uint32),
        ("gather", c_uint32),
        ("secret", c_char_p),
        ("keys", c_char_p),
        ("psk", c_char_p),
        ("x25519_alone", c_uint32),
        ("plain_beside_secure", c_uint32),
        ("secure_stays", c_uint32),
        ("reserved2", c_uint32),
        ("signing", c_char_p),
    ]


class CNotice(ctypes.Structure):
    """`struct nacre_notice`."""

    _fields_ = [
        ("kind", c_uint32),
        ("reason", c_uint32),
        ("connection", c_uint64),
        ("data", c_void_p),
        ("len", c_size_t),
        ("text", c_char_p),
        ("arguments", c_uint64 * 4),
        ("peer_ip", c_uint8 * 16),
        ("peer_port", c_uint16),
        ("peer_family", c_uint16),
        ("event", c_uint16),
        ("is_proven", c_uint16),
        ("has_peer_key", c_uint32),
        ("peer_scope", c_uint32),
        ("peer_key", c_uint8 * 32),
        ("user", c_void_p),
    ]


class CStatistics(ctypes.Structure):
    """`struct nacre_statistics`."""

    _fields_ = [
        (name, c_uint64)
        for name in (
            "frames_in bytes_in frames_out bytes_out dropped no_space refused send_errors overflowed withheld "
            "connections retransmitted round_trip_ns path_mtu"
        ).split()
    ]


PREPARE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(CAddress))


class CConnecting(ctypes.Structure):
    """`struct nacre_connecting`."""

    _fields_ = [
        ("size", c_uint32),
        ("expect", c_uint32),
        ("key", c_char_p),
        ("prepare", PREPARE),
        ("prepare_with", c_void_p),
        ("user", c_void_p),
        ("address", POINTER(CAddress)),
    ]


class CBackoff(ctypes.Structure):
    """`struct nacre_backoff`."""

    _fields_ = [
        ("size", c_uint32),
        ("first_ms", c_uint32),
        ("most_ms", c_uint32),
        ("tries", c_uint32),
        ("total_ms", c_uint64),
        ("again_on", POINTER(c_uint32)),
        ("again_on_len", c_size_t),
    ]


_L = c_void_p
_FUNCTIONS: dict[str, tuple[object, list[object]]] = {
    "nacre_listen": (_L, [c_char_p, c_uint16, POINTER(COptions)]),
    "nacre_listener_free": (None, [_L]),
    "nacre_stack_load": (c_void_p, [c_char_p, c_char_p]),
    "nacre_set": (c_int, [c_void_p, c_char_p, c_uint64]),
    "nacre_set_bytes": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t]),
    "nacre_serve_with": (c_int, [_L, c_void_p, PREPARE, c_void_p]),
    "nacre_local_port": (c_uint16, [_L]),
    "nacre_descriptor": (c_int, [_L]),
    "nacre_next_ns": (c_uint64, [_L]),
    "nacre_awaits_room": (c_int, [_L]),
    "nacre_waker": (c_int, [_L, POINTER(c_void_p)]),
    "nacre_wake": (None, [c_void_p]),
    "nacre_waker_free": (None, [c_void_p]),
    "nacre_connect_with": (c_int, [_L, c_char_p, c_uint16, c_void_p, POINTER(CConnecting), POINTER(c_uint64)]),
    "nacre_reconnect": (
        c_int,
        [_L, c_char_p, c_uint16, c_void_p, POINTER(CConnecting), POINTER(CBackoff), POINTER(c_uint64)],
    ),
    "nacre_keys_new": (c_int, [c_char_p]),
    "nacre_keys_public": (c_int, [c_char_p, c_char_p]),
    "nacre_key_text": (c_int, [c_char_p, c_char_p]),
    "nacre_key_read": (c_int, [c_char_p, c_char_p]),
    "nacre_max_message": (c_int, [_L, c_uint64, POINTER(c_size_t)]),
    "nacre_accepts": (c_int, [_L, c_uint64, c_size_t]),
    "nacre_input_event": (c_int, [_L, c_uint64, c_char_p, POINTER(c_uint16)]),
    "nacre_event_name": (c_char_p, [_L, c_uint64, c_uint16]),
    "nacre_send": (c_int, [_L, c_uint64, c_char_p, c_size_t]),
    "nacre_send_blocking": (c_int, [_L, c_uint64, c_char_p, c_size_t, c_int]),
    "nacre_call": (c_int, [_L, c_uint64, c_uint16, POINTER(c_uint64), c_char_p, c_size_t]),
    "nacre_flush": (c_int, [_L]),
    "nacre_poll": (c_int, [_L, c_int, POINTER(CNotice)]),
    "nacre_close_with": (c_int, [_L, c_uint64, c_uint32, c_char_p]),
    "nacre_close": (c_int, [_L, c_uint64]),
    "nacre_refuse": (c_int, [_L, c_uint64, c_uint32, c_char_p]),
    "nacre_linger": (c_int, [_L, c_uint64]),
    "nacre_discard": (None, [_L, c_uint64]),
    "nacre_grants_by_itself": (c_int, [_L, c_uint64, c_int]),
    "nacre_receives": (c_int, [_L, c_uint64, c_int]),
    "nacre_grant": (c_int, [_L, c_uint64, c_uint16]),
    "nacre_takes_by_itself": (c_int, [_L, c_uint64, c_int]),
    "nacre_taken": (c_int, [_L, c_uint64, c_uint16]),
    "nacre_peer": (c_int, [_L, c_uint64, POINTER(CAddress)]),
    "nacre_statistics_of": (c_int, [_L, c_uint64, POINTER(CStatistics)]),
    "nacre_listener_count": (c_int, [_L, c_uint32, POINTER(c_char_p), POINTER(c_uint64)]),
    "nacre_counter": (c_int, [_L, c_uint64, c_char_p, POINTER(c_uint64)]),
    "nacre_counter_name": (c_char_p, [_L, c_uint64, c_uint32]),
    "nacre_error": (c_char_p, [_L]),
}


def _find() -> str:
    """The library: what NACRE_RUNTIME names, beside this module, or where the system's loader finds it."""
    named = os.environ.get("NACRE_RUNTIME")
    if named:
        return named
    beside = Path(__file__).with_name("libnacre_runtime.so")
    if beside.is_file():
        return str(beside)
    found = ctypes.util.find_library("nacre_runtime")
    if found:
        return found
    raise ImportError("libnacre_runtime was not found: `nacre runtime --python DIR` installs it with this package")


def _load() -> ctypes.CDLL:
    loaded = ctypes.CDLL(_find())
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


library = _load()
