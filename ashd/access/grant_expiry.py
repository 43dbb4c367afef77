"""Closes expired grants, each soon after its end: listener, directory and connections."""

from collections.abc import Callable
from typing import Final

import anyio

from ashd.access.grants import GrantListeners, Grants
from ashd.clock import SECOND, Clock

_LAST_WORDS: Final = SECOND // 2
"""The time for which connections of an expired grant still get the reason for the refusal."""
_LOOK_AGAIN_SECONDS: Final = 30.0
"""Seconds between looks at the clock while waiting: the machine's clock may be set meanwhile."""


async def run(
    grants: Grants, clock: Clock, listeners: GrantListeners, closed: Callable[[str], None]
) -> None:
    """Close every grant soon after it has expired, for as long as the daemon runs.

    Calls `closed` with the id of each.
    """
    while True:
        grants.changed = anyio.Event()
        now = clock.now() - _LAST_WORDS
        wait = _LOOK_AGAIN_SECONDS
        over = [grant for grant in grants.opened if grant.is_over(now)]
        if over:
            await grants.note_expired(*over)
        for grant in over:
            grants.drop(grant.id)
            await listeners.close(grant.id)
            closed(grant.id)
        for grant in grants.opened:
            if grant.expires_at is not None:
                wait = min(wait, (grant.expires_at - now) / SECOND)
        with anyio.move_on_after(wait):
            await grants.changed.wait()
