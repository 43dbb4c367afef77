"""Complete ids, names and accounts in the shell, from the daemon's lists.

The daemon is asked on behalf of the account, and at the socket, that the command line names.
Without an answer nothing is offered: a shell has no place for an error. Names were written by
others, so characters with a meaning to bash are escaped; other shells escape them by themselves.
"""

import os
import re
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

from ashd.cli.caller import scope_of
from ashd.cli.views import filled
from ashd_client.protocol import AshCallError
from ashd_client.sync import Client

_TIME_S: Final = 2.0
_ABOUT_CHARS: Final = 60
_NOT_PLAIN: Final = re.compile(r"([^\w@%+=:,./-])")
_BREAKS: Final = (":", "=")
_PAGE: Final = MappingProxyType({"limit": 100})
"""The largest page of a list."""


class _List(NamedTuple):
    """A list of the daemon: its method, the key of the entries, and templates as in a view."""

    method: str
    entries: str
    word: str
    about: str
    other: str = ""
    """The second word of an entry that has two."""
    params: "MappingProxyType[str, Any]" = _PAGE
    each: str = ""
    """The key of a list in an entry, each of whose elements is a word."""


_STATEMENT: Final = "{source.name} {relation} {target.name}"
_LISTS: Final = {
    "memory": _List("memory.list", "memories", "{id:short}", "{content}"),
    "deleted memory": _List(
        *("memory.list", "memories", "{id:short}", "{content}"),
        params=MappingProxyType({**_PAGE, "include_archived": True}),
    ),
    "tag": _List("memory.list", "memories", "", "{content}", each="tags"),
    "chat": _List("chat.list", "chats", "{:chat_name}", "{chat_type}"),
    "session": _List("memory.list", "memories", "{source_session_id}", "{content}"),
    "person": _List("person.list", "people", "{name}", "{relationships:relation}"),
    "conversation": _List(
        "conversation.list", "conversations", "{conversation_id}", "{last_at:day}"
    ),
    "pinned fact": _List(
        *("override.list", "overrides", "{id:short}", "{content}"), params=MappingProxyType({})
    ),
    "grant": _List("grant.list", "grants", "{grant_id}", "{scope.provider}:{scope.user_id}"),
    "summary": _List("summary.list", "summaries", "{id:short}", "{text}"),
    "project": _List(*("project.list", "projects", "{id}", "{name}"), params=MappingProxyType({})),
    "relation": _List("graph.search", "relations", "{id:short}", _STATEMENT),
    "thing": _List("graph.search", "relations", "{source.name}", _STATEMENT, "{target.name}"),
    "job": _List("jobs.list", "jobs", "{id:short}", "{kind}, {state}"),
    "account": _List("account.list", "accounts", "{:account}", "{name}"),
}


def offered(context: click.Context, typed: str, kind: str) -> list[CompletionItem]:
    """Return the words of a kind that begin with what was typed, each with a description."""
    wanted = _LISTS[kind]
    found: dict[str, str] = {}
    for entry in _listed(context, wanted):
        for word in _words(wanted, entry):
            if word and word.casefold().startswith(typed.casefold()):
                found.setdefault(word, filled(wanted.about, entry)[:_ABOUT_CHARS])
    return [CompletionItem(_for_shell(word), help=about) for word, about in found.items()]


def _words(wanted: _List, entry: dict[str, Any]) -> list[str]:
    if wanted.each:
        return [str(word) for word in entry[wanted.each]]
    return [filled(template, entry) for template in (wanted.word, wanted.other) if template]


def _listed(context: click.Context, wanted: _List) -> list[Any]:
    top = context.find_root().params
    try:
        scope = scope_of(top.get("account"), top.get("chat"), top.get("chat_type") or "group")
        with Client(
            top.get("socket"), home=top.get("home"), scope=scope, name="ash", timeout_s=_TIME_S
        ) as client:
            entries: list[Any] = client.call(wanted.method, **wanted.params)[wanted.entries]
    except (AshCallError, click.UsageError):
        return []
    return entries


class _Bash(BashComplete):
    """Completion in bash, whose line editor ends a word at a colon and at an equals sign.

    It hands over ``local:ada`` as three words, and puts an answer in the place of the last one.
    """

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor and the word at it, put together again."""
        args, typed = super().get_completion_args()
        words: list[str] = []
        goes_on = False
        for word in [*args, typed]:
            if words and (word in _BREAKS or goes_on):
                words[-1] += word
            else:
                words.append(word)
                self._colons = 0
            goes_on = word in _BREAKS
            self._colons += word == ":"
        return words[:-1], words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """Return the answer without the words before the last colon."""
        item.value = item.value.split(":", self._colons)[-1]
        return super().format_completion(item)


add_completion_class(_Bash)


def _for_shell(word: str) -> str:
    if not os.environ.get("_ASH_COMPLETE", "").startswith("bash"):
        return word
    # Twice: click's function for bash reads the answer with `read`, which takes one away.
    return _NOT_PLAIN.sub(r"\\\\\1", word)
