"""What a connection is begun with: given values, and when to begin it again."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import math
from collections.abc import Callable, Mapping

from . import _interface as c
from ._addresses import Address, CAddress, from_c
from ._interface import library
from ._values import Backoff, Given, data_of, number_of, require_kind, text_of

_log = logging.getLogger("nacre")


def backoff_of(backoff: Backoff) -> c.CBackoff:
    """When to begin again, as the library takes it. Raises ValueError."""

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


class Prepare:
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
