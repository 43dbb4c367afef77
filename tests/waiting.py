"""Polling for a state that the daemon reaches on its own."""

import threading
import time
from collections.abc import Callable
from typing import Any

PATIENCE_SECONDS = 120.0


def until(condition: Callable[[], Any]) -> Any:
    """Poll until a condition is true, and return its value; slow machines get plenty of time."""
    end = time.monotonic() + PATIENCE_SECONDS
    pause = threading.Event()
    while time.monotonic() < end:
        if answer := condition():
            return answer
        pause.wait(0.02)
    raise AssertionError(f"it did not come about in {PATIENCE_SECONDS:.0f} s")
