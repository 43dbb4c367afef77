"""Closes grants that have expired: listener, directory and connections, each soon after its end."""

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
        for grant_id, end in grants.ends().items():
            if end <= now:
                grants.drop(grant_id)
                await listeners.close(grant_id)
                closed(grant_id)
            else:
                wait = min(wait, (end - now) / SECOND)
        with anyio.move_on_after(wait):
            await grants.changed.wait()
