"""The C library's allocator, set up for a process with many threads and long-lived data."""

import ctypes
from typing import Final

_M_ARENA_MAX: Final = -8
"""The parameter's number in glibc's malloc.h."""


def use_one_arena() -> None:
    """Let all threads share one heap; call before any thread is started.

    glibc gives each thread a heap of its own, and memory freed in one is of no use to the others:
    under a mixed load that was a fifth of the daemon's memory. Has no effect with other C
    libraries.
    """
    set_parameter = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_parameter is not None:
        set_parameter(_M_ARENA_MAX, 1)


def give_back() -> None:
    """Return what is freed to the system: a model's loading leaves a fifth of it behind."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
