"""Locks by which calls that add to one scope take turns, so that each sees the others' memories."""

import asyncio
from typing import TypeAlias
from weakref import WeakValueDictionary

from ashd.access.actor import Call

_Scope: TypeAlias = tuple[str, str | None, str | None]


class ScopeLocks:
    """A lock for each scope that a call is adding to; it exists for as long as a call holds it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[_Scope, asyncio.Lock] = WeakValueDictionary()

    def of(self, call: Call) -> asyncio.Lock:
        """Return the lock to hold while a call adds to its scope."""
        scope = call.scope
        # All private chats of a user are one scope; a group is one scope for all its members.
        key = (
            scope.provider,
            *((None, scope.chat_id) if scope.is_group else (scope.user_id, None)),
        )
        return self._locks.setdefault(key, asyncio.Lock())
