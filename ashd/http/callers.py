"""Callers: a request's key, whom it acts for, and the headers for the upstream."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

from ashd.http.problems import HttpProblem
from ashd.key_file import ANY_AGENT, PREFIX, Key
from ashd_client.types import Scope

PROVIDER: Final = "http"
PROJECT_HEADER: Final = "x-ash-project"
_MOST_PROJECT_CHARS: Final = 200
AGENT_HEADERS: Final = ("x-ash-agent-id", "x-osaurus-agent-id")
_MOST_AGENT_CHARS: Final = 200
_OURS: Final = re.compile(rf"(?:^|[\s\"'=:,])({PREFIX}[\w-]+)")
"""One of our keys in a header, bare or after the name of a scheme."""


class Acting(NamedTuple):
    """The account whose memory a request uses, and the project that it works on."""

    user_id: str
    project: str | None = None
    provider: str = PROVIDER

    @property
    def scope(self) -> Scope:
        """Return the scope of the account's private chat."""
        scope: Scope = {"provider": self.provider, "user_id": self.user_id}
        if self.project is not None:
            scope["project"] = {"id": self.project}
        return scope


class Caller(NamedTuple):
    """A caller: the agent it acts as, and the `Authorization` for the upstream."""

    key: Key
    agent: str | None
    """The agent named in the header, else the key's only one; None if there is neither."""
    authorization: str | None
    """The caller's own header for the upstream; None: use the configured one."""
    token: str | None
    """The key's text, which is passed to nobody."""
    project: str | None = None
    """The project named in the header."""

    def acting(self) -> Acting | None:
        """Return the account whose memory the caller uses, if any, and its project."""
        if self.key.account is not None:
            provider, user_id = self.key.account
            return Acting(user_id, self.project, provider)
        return None if self.agent is None else Acting(self.agent, self.project)

    def must_act(self) -> Acting:
        """Return the account whose memory the caller uses, and its project.

        Raises:
            HttpProblem: there is none.
        """
        acting = self.acting()
        if acting is None:
            raise HttpProblem(
                400, "agent_missing", "Name the agent in X-Ash-Agent-Id: this key is for several."
            )
        return acting


_EVERYBODY: Final = Key("open", "", [ANY_AGENT], "")


class Keys(Protocol):
    """The keys that are good."""

    def find(self, token: str) -> Key | None:
        """Return the key of a token, if there is one."""
        ...


def show_key(headers: Mapping[str, str]) -> bool:
    """Return whether the headers have a key of ours."""
    return "x-ash-key" in headers or _OURS.search(headers.get("authorization", "")) is not None


def of_request(headers: Mapping[str, str], keys: Keys, *, is_open: bool) -> Caller:
    """Return the caller of a request.

    Raises:
        HttpProblem: it shows no key that is good, or one that is not good for the agent.
    """
    authorization = headers.get("authorization")
    token = headers.get("x-ash-key")
    ours = _OURS.search(authorization) if authorization is not None else None
    if ours is not None:
        # One of our keys never goes to the upstream, in whatever form it was sent.
        token, authorization = token or ours[1], None
    key = keys.find(token) if token is not None else None
    if key is None and token is None and is_open:
        key = _EVERYBODY
    if key is None and token is None:
        raise HttpProblem(
            401,
            "key_missing",
            "A key is needed: make one with `ash key create`, and send it as"
            " `Authorization: Bearer ash-…` or in X-Ash-Key.",
        )
    if key is None:
        raise HttpProblem(
            401,
            "key_unknown",
            "This key is not known here: it was revoked, or belongs to another home."
            " `ash key list` shows the keys, `ash key create` makes one.",
        )
    return Caller(key, _agent(headers, key), authorization, token, _project(headers))


def text_of(headers: Mapping[str, str], name: str) -> str:
    """Return a header as the text that was meant, mostly UTF-8; empty if there is none."""
    value = headers.get(name, "")
    try:
        return value.encode("latin-1").decode()
    except UnicodeDecodeError:
        return value


def _project(headers: Mapping[str, str]) -> str | None:
    named = text_of(headers, PROJECT_HEADER)
    if not named:
        return None
    if named == "*" or len(named) > _MOST_PROJECT_CHARS:
        raise HttpProblem(
            400,
            "project_unknown",
            f"X-Ash-Project is the id of one project, of {_MOST_PROJECT_CHARS} characters at most.",
        )
    return named


def _agent(headers: Mapping[str, str], key: Key) -> str | None:
    agent = next(filter(None, (text_of(headers, name) for name in AGENT_HEADERS)), None)
    if agent is None:
        return key.only_agent
    if len(agent) > _MOST_AGENT_CHARS:
        raise HttpProblem(
            400, "agent_too_long", f"An agent's id has {_MOST_AGENT_CHARS} characters."
        )
    if not key.may_act_as(agent):
        raise HttpProblem(403, "agent_denied", "This key is not for that agent.")
    return agent
