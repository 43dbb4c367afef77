"""The time at which a memory expires or fades.

From then on `store/visibility.py` hides it; `erasure/cleanup.py` archives it later.
"""

from typing import Final

from ashd.clock import DAY, FOREVER

FADES_AFTER: Final[dict[str, int]] = {
    "context": 7 * DAY,
    "event": 30 * DAY,
    "task": 14 * DAY,
    "observation": 3 * DAY,
}
"""The default lifetime of each fading type, in microseconds: see `ends_at` (A2)."""


def ends_at(
    memory_type: str,
    expires_at: int | None,
    observed_at: int | None,
    created: int,
    *,
    valid_from: int | None = None,
    valid_until: int | None = None,
) -> int:
    """Return the time from which no read shows a memory: its expiry, else when its type fades (A2).

    The type's duration never shortens a stated one: a fact that begins later fades from
    `valid_from` on, and nothing fades before its `valid_until`.
    """
    fades = FADES_AFTER.get(memory_type)
    if expires_at is not None:
        return expires_at
    if fades is None:
        return FOREVER
    since = created if observed_at is None else observed_at
    if valid_from is not None and valid_from > created:
        since = max(since, valid_from)
    return max(since + fades, valid_until or 0)
