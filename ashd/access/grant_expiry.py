"""Closes grants that have expired: listener, directory and connections, each soon after its end."""

from collections.abc import Callable
from typing import Final

import anyio

from ashd.access.grants import GrantListeners, Grants
from ashd.clock import SECOND, Clock

_LAST_WORDS: Final = SECOND // 2
"""How long after its end the connections of a grant are still told why nothing is done."""
_LOOK_AGAIN_SECONDS: Final = 30.0
"""The clock of the machine may be set while the end of a grant is waited for."""


async def run(
    grants: Grants, clock: Clock, listeners: GrantListeners, closed: Callable[[str], None]
) -> None:
    """Close every grant soon after it has expired, for as long as the daemon runs.

    `closed` is called with the id of each.
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
