"""The caller that a command of `ash` gets: the connection, and on whose behalf it asks.

Every connection says that it is `ash`, so the source of what it stores is "cli".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

import click

from ashd_client.protocol import AshCallError
from ashd_client.sync import Client

if TYPE_CHECKING:
    from pathlib import Path

    from ashd_client.types import Scope

_POLL_SECONDS: Final = 0.1
CALL_TIMEOUT_S: Final = 90.0
"""Longer than the daemon's own limit for a call, so that its answer comes first."""


class Caller:
    """Calls the daemon as the top options of `ash` say."""

    def __init__(
        self,
        *,
        socket: str | None = None,
        home: str | None = None,
        wait_s: float = 0,
        scope: Scope | None = None,
        project: str | None = None,
        all_scopes: bool = False,
        as_json: bool = False,
    ) -> None:
        self._socket = socket
        self._home = home
        self._client = Client(
            socket, home=home, name="ash", timeout_s=CALL_TIMEOUT_S, wait_s=wait_s
        )
        self._wait_s = wait_s
        self.scope = scope
        self.all_scopes = all_scopes
        self.as_json = as_json
        if project is not None:
            self.work_on(project)

    @property
    def socket(self) -> Path | None:
        """The socket that was named."""
        return _path(self._socket)

    @property
    def home(self) -> Path | None:
        """The daemon's home that was named."""
        return _path(self._home)

    @property
    def home_folder(self) -> str:
        """The daemon's home, named or not."""
        from ashd.home import home

        return home(self._home)

    def same_options(self) -> list[str]:
        """Return the options that make another `ash` act alike: daemon, home, account, chat.

        A program that another program starts may have neither the environment nor the folder of
        this one, so their values are among the options, too.

        Raises:
            click.UsageError: a program that runs for one agent cannot have that scope.
        """
        from pathlib import Path

        from ashd_client import protocol

        if self.all_scopes:
            raise click.UsageError("An agent cannot have --all-scopes: name its account with --as.")
        named = protocol.named_socket(os.environ, self._socket)
        at_home = self._home or os.environ.get("ASH_HOME")
        runtime = os.environ.get("XDG_RUNTIME_DIR", "")
        if not named and not at_home and runtime:
            in_session = Path(runtime, "ash", protocol.SOCKET_NAME)
            named = str(in_session) if in_session.exists() else ""
        words = ["--socket", str(Path(named).absolute())] if named else []
        words += ["--home", self.home_folder] if at_home else []
        return words + (_scope_options(self.scope) if self.scope is not None else [])

    def work_on(self, project: str) -> None:
        """Act in the project that --project names.

        Raises:
            click.UsageError: there is none.
        """
        named = project_of(project, self._home)
        self.scope = cast("Scope", {**(self.scope or {}), "project": named})

    def work_in(self, folder: str) -> None:
        """Act in the project of a folder, unless --project named one."""
        if "project" in (self.scope or {}):
            return
        if (found := self.project_at(folder)) is not None:
            self.scope = cast("Scope", {**(self.scope or {}), "project": found})

    def project_at(self, folder: str | Path) -> dict[str, str] | None:
        """Return the project of a folder, if it is in one."""
        from ashd_client import projects

        return projects.of_folder(str(folder), self.home_folder)

    def candidates(self) -> list[str]:
        """The control sockets to try, in order."""
        from ashd_client import protocol

        return protocol.candidates(os.environ, socket=self._socket, home=self._home)

    def client(self, *, timeout_s: float) -> Client:
        """Return a client of its own for calls that have so much time, in the scope."""
        return Client(
            self._socket, home=self._home, scope=self.scope, name="ash", timeout_s=timeout_s
        )

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def call(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Call a method in the scope; params without a value (None, empty) are omitted."""
        self._wait_until_loaded()
        return self._call(self._client, method, params)

    def call_lasting(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Call a method without a time limit."""
        self._wait_until_loaded()
        with Client(self._socket, home=self._home, name="ash", timeout_s=None) as client:
            return self._call(client, method, params)

    def _wait_until_loaded(self) -> None:
        """With --wait, wait for the embedder of a daemon that is starting."""
        import time

        if not self._wait_s:
            return
        until = time.monotonic() + self._wait_s
        while time.monotonic() < until and self._loads():
            time.sleep(_POLL_SECONDS)
        self._wait_s = 0

    def _loads(self) -> bool:
        return bool(self._client.call("system.status")["embedder"] == "loading")

    def _call(self, client: Client, method: str, params: dict[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in params.items() if value not in (None, (), [])}
        if self.scope is not None:
            given.setdefault("scope", self.scope)
        if self.all_scopes:
            given["all_scopes"] = True
        return client.call(method, **given)

    def answer(self, result: Mapping[str, Any], render: Callable[[dict[str, Any]], None]) -> None:
        """Print a result: as JSON with --json, else with `render`.

        Remarks follow on what `render` leaves in its copy of the result.
        """
        from ashd.cli import output

        if self.as_json:
            output.json_document(result)
            return
        shown = dict(result)
        render(shown)
        output.remarks(shown)

    def answer_each(
        self,
        names: Sequence[str],
        call: Callable[[str], dict[str, Any]],
        render: Callable[[dict[str, Any]], None],
    ) -> None:
        """Make a call for each name, and print its result before the next.

        With --json several results become one document, a list `results`; where a call fails it has
        those of the calls before it.
        """
        if len(names) == 1 or not self.as_json:
            for name in names:
                with named(name, of=names):
                    result = call(name)
                self.answer(result, render)
            return
        done: list[dict[str, Any]] = []
        try:
            for name in names:
                with named(name, of=names):
                    done.append(call(name))
        finally:
            self.answer({"results": done}, render)


@contextmanager
def named(name: str, *, of: Sequence[Any]) -> Iterator[None]:
    """Put the name into the error of a call that is one of several."""
    try:
        yield
    except AshCallError as error:
        if len(of) == 1:
            raise
        raise AshCallError(
            f"{name}: {error.message}",
            kind=error.kind,
            code=error.code,
            hint=error.hint,
            retryable=error.retryable,
            data=error.data,
        ) from error


def _path(text: str | None) -> Path | None:
    from pathlib import Path  # it costs as much as a call

    return None if text is None else Path(text)


def project_of(named: str, home: str | None) -> dict[str, str] | str | None:
    """Return the project that --project names: by a folder, by its id, all of them, or none.

    Raises:
        click.UsageError: it is a folder that is not there, or that is no project.
    """
    from ashd.home import home as home_of
    from ashd_client import projects

    if named in {"*", "none"}:
        return None if named == "none" else named
    if os.path.isdir(named):  # noqa: PTH112  pathlib costs as much as a call
        found = projects.of_folder(named, home_of(home))
        if found is None:
            own = os.path.expanduser("~")  # noqa: PTH111  as above; it may not be there
            at_home = os.path.realpath(named) == os.path.realpath(own)
            kept = f"its id cannot be kept in {home_of(home)}"
            why = "it is your home directory" if at_home else kept
            raise click.UsageError(f"{named} is no project: {why}.")
        return found
    if not named or named.startswith((".", "/", "~")):
        raise click.UsageError(f"There is no folder {named}.")
    return {"id": named}


def scope_of(account: str | None, chat: str | None, chat_type: str) -> Scope | None:
    """Return the scope that --as and --chat name, or None for the daemon's default."""
    if account is None:
        if chat is not None:
            raise click.UsageError("--chat needs --as: say who asks there.")
        return None
    scope = account_of(account)
    if chat is not None:
        scope["chat_id"] = chat
        scope["chat_type"] = "private" if chat_type == "private" else "group"
    return scope


def _scope_options(scope: Scope) -> list[str]:
    """Return the options that name a scope."""
    options = []
    if "project" in scope:
        project = scope["project"]
        options = ["--project", project["id"] if isinstance(project, dict) else project or "none"]
    if scope.keys() == {"project"}:
        return options
    named = scope["provider"]
    user = scope.get("user_id")
    if not user or not named:
        raise click.UsageError("An agent acts for one account: --as names no user, or no provider.")
    options += ["--as", f"{named}:{user}"]
    if chat := scope.get("chat_id"):
        options += ["--chat", chat, "--chat-type", scope.get("chat_type") or "group"]
    return options


def account_of(text: str) -> Scope:
    """Parse ``PROVIDER:USER``, ``USER`` of this machine, or ``PROVIDER:`` for a whole group."""
    provider, colon, user_id = text.partition(":")
    if not colon:
        return {"provider": "local", "user_id": text}
    return {"provider": provider, "user_id": user_id} if user_id else {"provider": provider}
