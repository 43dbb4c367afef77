"""Locks by which calls that add to one scope take turns: each sees what the others stored."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeAlias

import anyio

from ashd.access.actor import Call

_Scope: TypeAlias = tuple[str, str | None, str | None]


class ScopeLocks:
    """A lock for each scope that is being added to."""

    def __init__(self) -> None:
        self._locks: dict[_Scope, anyio.Lock] = {}
        self._users: Counter[_Scope] = Counter()

    @asynccontextmanager
    async def of(self, call: Call) -> AsyncIterator[None]:
        """Wait until no other call adds to the scope of this one."""
        scope = call.scope
        # All private chats of a user are one scope; a group is one scope for all its members.
        key = (
            scope.provider,
            *((None, scope.chat_id) if scope.is_group else (scope.user_id, None)),
        )
        self._users[key] += 1
        try:
            async with self._locks.setdefault(key, anyio.Lock(fast_acquire=True)):
                yield
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key], self._locks[key]
