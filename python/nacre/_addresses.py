"""Addresses of hosts."""

from __future__ import annotations

import ctypes
import ipaddress
import socket
from typing import NamedTuple


class CAddress(ctypes.Structure):
    """`struct nacre_address`."""

    _fields_ = [
        ("ip", ctypes.c_uint8 * 16),
        ("port", ctypes.c_uint16),
        ("family", ctypes.c_uint16),
        ("scope", ctypes.c_uint32),
    ]


class Address(NamedTuple):
    """An IP address and a port; `host` of a link-local IPv6 address has its interface (`fe80::1%2`)."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def from_parts(ip: bytes, port: int, family: int, scope: int = 0) -> Address | None:
    """The address as the runtime states it; None if it states none."""
    if family == 4:
        return Address(str(ipaddress.IPv4Address(ip[12:])), port)
    if family == 6:
        host = socket.inet_ntop(socket.AF_INET6, ip)
        return Address(f"{host}%{scope}" if scope else host, port)
    return None


def to_c(host: str, port: int) -> CAddress:
    """An IP address and a port as `struct nacre_address`. Raises ValueError if the host is none."""
    plain, _, scope = host.partition("%")
    ip = ipaddress.ip_address(plain)
    made = CAddress(port=port, family=ip.version)
    made.ip = (ctypes.c_uint8 * 16)(*ip.packed.rjust(16, b"\0"))
    if scope:
        made.scope = int(scope) if scope.isdecimal() else socket.if_nametoindex(scope)
    return made


def from_c(address: CAddress) -> Address | None:
    """The address of `struct nacre_address`."""
    return from_parts(bytes(address.ip), address.port, address.family, address.scope)
