"""The viewer: on whose behalf the pages ask the daemon, and how they ask."""

import contextlib
import shlex
from collections.abc import Awaitable, Coroutine
from typing import Any, NamedTuple

import anyio

from ashd.web.calls import Calls
from ashd.web.problems import Problem
from ashd.web.sessions import Session
from ashd_client.protocol import AshCallError
from ashd_client.types import Scope


class Panel(NamedTuple):
    """A part of a page that fails alone: its value, or the error in its place."""

    value: Any
    error: AshCallError | None


class Viewer:
    """Asks the daemon as the account and chat that the session chose."""

    def __init__(self, calls: Calls, session: Session) -> None:
        self._calls = calls
        self._session = session

    @property
    def scope(self) -> Scope | None:
        """The chosen account and chat; None is the local user in private."""
        return self._session.scope

    @property
    def all_scopes(self) -> bool:
        """True if everybody's memories are read; the daemon audits each such call."""
        return self._session.all_scopes

    @property
    def is_bound(self) -> bool:
        """Whether the page shows this account and chat and no other."""
        return self._session.is_bound

    def require_unbound(self) -> None:
        """Check that the page may leave its view.

        Raises:
            Problem: it was started for one account.
        """
        if self.is_bound:
            raise Problem(
                403,
                f"This page is for {self.label}, and for nothing else.",
                "Start `ash web` without --as for other accounts and for the daemon.",
            )

    async def call(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Call a method on behalf of the chosen account; params that are None are omitted.

        Raises:
            AshCallError: the daemon refused, or did not answer.
        """
        return await self._calls.call(method, **self._asked(params))

    async def call_in(
        self, project: str | dict[str, str] | None, method: str, /, **params: Any
    ) -> dict[str, Any]:
        """Call a method on behalf of the chosen account in a project; "*" is all of them.

        Raises:
            AshCallError: the daemon refused, or did not answer.
        """
        return await self.call(method, scope={**(self.scope or {}), "project": project}, **params)

    def operate(self, method: str, /, **params: Any) -> Coroutine[Any, Any, dict[str, Any]]:
        """Call a method about the whole daemon, on nobody's behalf.

        Raises:
            Problem: the page is for one account.
            AshCallError: the daemon refused, or did not answer.
        """
        self.require_unbound()
        return self._calls.call(method, **_given(params))

    def operate_lasting(self, method: str, /, **params: Any) -> Coroutine[Any, Any, dict[str, Any]]:
        """Call such a method without a time limit."""
        self.require_unbound()
        return self._calls.call_lasting(method, **_given(params))

    async def call_lasting(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Call a method on behalf of the chosen account without a time limit."""
        return await self._calls.call_lasting(method, **self._asked(params))

    def require_same(self, scope: Scope | None, *, all_scopes: bool) -> None:
        """Check that the view is the one in which something was prepared.

        Raises:
            Problem: they chose another account or chat, in another tab perhaps.
        """
        if (scope, all_scopes) != (self.scope, self.all_scopes):
            raise Problem(
                409,
                "You look as another account now; nothing was changed.",
                "Look as the one that you began with, and go on.",
            )

    def command(self, *words: str) -> str:
        """Return the `ash` command that does the same for the same account, for a shell."""
        return shlex.join(["ash", *self._options(), *words])

    @property
    def label(self) -> str:
        """The account and chat as a short text."""
        return label_of(self.scope)

    def is_you(self, provider: str | None, user: str | None) -> bool:
        """Return whether an account is the local user's own, who looks as nobody else."""
        mine = ("local", self._session.local_user)
        return self.scope is None and (provider or "local", user) == mine

    @property
    def own_person(self) -> str | None:
        """The id of the person whom the pages call "you"; None while they show another's view."""
        return self._session.own_person if self.scope is None else None

    async def meet(self) -> None:
        """Find out who is "you", if that is not known; nobody is before anything was stored."""
        if self.scope is None and self.own_person is None:
            with contextlib.suppress(AshCallError):
                me = await self._calls.call("person.resolve", reference="me", create=False)
                self._session.own_person = me["person_id"]

    @property
    def account(self) -> str:
        """The account as the picker takes it; empty for the local user."""
        scope = self.scope
        return f"{scope['provider']}:{scope.get('user_id') or ''}" if scope is not None else ""

    @property
    def chat(self) -> str:
        """The chat as the picker takes it; empty for the private one."""
        return (self.scope.get("chat_id") if self.scope is not None else None) or ""

    @property
    def chat_type(self) -> str:
        """The kind of chat as the picker takes it."""
        return (self.scope.get("chat_type") if self.scope is not None else None) or "group"

    def _options(self) -> list[str]:
        options = ["--all-scopes"] if self.all_scopes else []
        if self.scope is None:
            return options
        options += ["--as", self.account]
        if self.chat:
            options += ["--chat", self.chat, "--chat-type", self.chat_type]
        return options

    def _asked(self, params: dict[str, Any]) -> dict[str, Any]:
        asked = _given(params)
        if self.scope is not None:
            asked.setdefault("scope", self.scope)
        if self.all_scopes:
            asked["all_scopes"] = True
        return asked


def label_of(scope: Scope | None) -> str:
    """Return an account and chat as a short text."""
    if scope is None:
        return "you, in private"
    who = f"{scope['provider']}:{scope.get('user_id') or 'everybody'}"
    if "chat_id" not in scope:
        return f"{who}, in private"
    return f"{who}, in the {scope.get('chat_type', 'group')} chat {scope['chat_id']}"


async def panels(**calls: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """Return a `Panel` for each of several calls, awaited together: each fails alone."""
    done: dict[str, Panel] = {}

    async def fill(name: str, call: Awaitable[dict[str, Any]]) -> None:
        try:
            done[name] = Panel(await call, None)
        except AshCallError as error:
            done[name] = Panel(None, error)

    async with anyio.create_task_group() as tasks:
        for name, call in calls.items():
            tasks.start_soon(fill, name, call)
    return done


def _given(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}
