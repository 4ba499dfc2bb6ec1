"""How long calls wait."""

from __future__ import annotations

import math
import threading
import time

#: How long the main thread waits in the library at most, in milliseconds: a signal that comes just before it waits does
#: not end the wait, and its handler runs afterwards.
_TURN = 250


def turn(until: float | None) -> int:
    """For how many milliseconds to wait now; rounded up, so that a short time does not become none."""
    left = math.inf if until is None else max(0.0, until - time.monotonic()) * 1000
    if threading.current_thread() is threading.main_thread():
        left = min(left, _TURN)
    return -1 if left == math.inf else math.ceil(min(left, 0x7FFFFFFF))


def is_over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until


def until_of(timeout: float | None) -> float | None:
    if timeout is None or timeout == math.inf:
        return None
    if math.isnan(timeout):
        raise ValueError("a timeout that is no number")
    return time.monotonic() + timeout
