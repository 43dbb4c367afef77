"""`ash participant`: the people who take part in a chat, and since when."""

from collections.abc import Callable
from typing import Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, completed, cursor, option, pass_caller
from ashd.cli.formats import quoted
from ashd.cli.inputs import provider_and_id, start_of_day
from ashd.cli.views import MORE, Note, Table, View

_PARTICIPANTS: Final = View(
    Table(
        "participants",
        "ACCOUNT~ {:account} | JOINED {joined_at:when} | LEFT {left_at:when}",
    )
)


def _count_members(result: dict[str, Any]) -> None:
    """Count the members of groups only: a private chat has one."""
    for chat in result["chats"]:
        chat["members"] = chat["participants"] if chat["chat_type"] == "group" else None


_CHATS: Final = View(
    _count_members,
    Table(
        "chats",
        "CHAT~ {provider}:{chat_id or user_id} | KIND {chat_type} | MEMBERS> {members}"
        " | MEMORIES> {memories} | CONVERSATIONS> {conversations}",
    ),
    Note("{chats:count chat}."),
    MORE,
)
_CHAT_TYPE = option(
    "--chat-type",
    type=click.Choice(["group", "private"]),
    default="group",
    show_default=True,
    help="What kind of chat it is.",
)


def _chat_named(text: str) -> tuple[str, str]:
    try:
        return provider_and_id(text)
    except click.BadParameter:
        raise click.BadParameter(
            f"{text!r} is no chat: write PROVIDER:CHAT here, as telegram:42, and no --chat."
        ) from None


@click.group("participant", cls=Group)
def participant() -> None:
    """The people who take part in a chat."""


def _who(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare a member of a chat, and since when."""
    for param in (
        option("--at", type=start_of_day, metavar="DATE", help="Since then [now]."),
        _CHAT_TYPE,
        click.argument("user", shell_complete=completed("account")),
        click.argument(
            "chat",
            metavar="PROVIDER:CHAT",
            type=_chat_named,
            shell_complete=completed("chat"),
        ),
    ):
        command = param(command)
    return command


def _params(chat: tuple[str, str], user: str, chat_type: str, at: str | None) -> dict[str, Any]:
    account = {"provider": chat[0], "user_id": user.removeprefix(f"{chat[0]}:")}
    return {"chat": _chat(chat, chat_type), "account": account, "at": at}


def _answer(caller: Caller, method: str, undo: str, given: dict[str, Any]) -> None:
    """Make the call, and show who takes part now, and the command for the opposite."""
    params = _params(**given)
    chat, user = ":".join(given["chat"]), params["account"]["user_id"]
    named = f"{quoted(chat)} {quoted(user)}"
    view = View(_PARTICIPANTS, Note(undo))
    caller.answer(caller.call(method, **params), lambda shown: view({**shown, "named": named}))


@participant.command("join")
@_who
@pass_caller
def join(caller: Caller, /, **given: Any) -> None:
    """Record that USER takes part in the chat."""
    _answer(caller, "chat.join", "`ash participant leave {named}` ends it.", given)


@participant.command("leave")
@_who
@pass_caller
def leave(caller: Caller, /, **given: Any) -> None:
    """Record that USER has left the chat."""
    _answer(caller, "chat.leave", "`ash participant join {named}` notes that they are back.", given)


@participant.command("list")
@click.argument(
    "chat",
    metavar="[PROVIDER:CHAT]",
    type=_chat_named,
    required=False,
    shell_complete=completed("chat"),
)
@_CHAT_TYPE
@cursor
@pass_caller
def list_(caller: Caller, /, chat: tuple[str, str] | None, chat_type: str, **page: Any) -> None:
    """List who takes part in the chat, or in that of --chat; without a chat, list the chats."""
    scope = caller.scope
    if chat is None and scope is not None and (named := scope.get("chat_id")):
        chat, chat_type = (scope["provider"], named), scope.get("chat_type") or chat_type
    if chat is None:
        caller.answer(caller.call("chat.list", **page), _CHATS)
    else:
        caller.answer(caller.call("chat.list", chat=_chat(chat, chat_type)), _PARTICIPANTS)


def _chat(chat: tuple[str, str], chat_type: str) -> dict[str, str]:
    provider, chat_id = chat
    return {"provider": provider, "chat_id": chat_id, "chat_type": chat_type}
