"""A circuit breaker: stops asking a service that keeps failing, and tries it again later.

Owns a count and a time, nothing else. What must always hold: after `failures` failures in a row no
call is admitted for `pause_seconds`; then one is (the probe), and only its success admits the rest
again. Safe to call from several threads.
"""

import threading
import time
from collections.abc import Callable


class Breaker:
    """Ask `admits()` before each call to the service; report `succeeded()` or `failed()` then."""

    def __init__(
        self,
        failures: int = 5,
        pause_seconds: float = 60.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._failures_allowed = failures
        self._pause_seconds = pause_seconds
        self._now = now
        self._lock = threading.Lock()
        self._failures = 0
        self._closed_until = 0.0

    def admits(self) -> bool:
        """Return whether the service may be asked now; after the pause, True for one caller only.

        A probe that never reports holds the others back for another pause, not for ever.
        """
        with self._lock:
            if self._failures < self._failures_allowed:
                return True
            now = self._now()
            if now < self._closed_until:
                return False
            self._closed_until = now + self._pause_seconds
            return True

    @property
    def pausing(self) -> bool:
        """Return whether the service is paused now; asking this is no probe."""
        with self._lock:
            return self._failures >= self._failures_allowed and self._now() < self._closed_until

    def trip(self) -> None:
        """Open at once: the service said that it will go on failing."""
        with self._lock:
            self._failures = self._failures_allowed
            self._closed_until = self._now() + self._pause_seconds

    def succeeded(self) -> None:
        """Close: the service answered, so every call is admitted again."""
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        """Count a failure of the service."""
        with self._lock:
            self._failures += 1
            self._closed_until = self._now() + self._pause_seconds
