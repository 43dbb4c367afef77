"""`ash participant`: the people who take part in a chat, and since when."""

from typing import Any

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, option, pass_caller
from ashd.cli.inputs import provider_and_id, start_of_day

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


@participant.command("join")
@click.argument("chat", metavar="PROVIDER:CHAT", type=_chat_named)
@click.argument("user")
@_CHAT_TYPE
@option("--at", type=start_of_day, metavar="DATE", help="Since then [now].")
@pass_caller
def join(
    caller: Caller, /, chat: tuple[str, str], user: str, chat_type: str, at: str | None
) -> None:
    """Record that USER takes part in the chat."""
    caller.answer(caller.call("chat.join", **_params(chat, user, chat_type), at=at), _listed)


@participant.command("leave")
@click.argument("chat", metavar="PROVIDER:CHAT", type=_chat_named)
@click.argument("user")
@_CHAT_TYPE
@option("--at", type=start_of_day, metavar="DATE", help="Since then [now].")
@pass_caller
def leave(
    caller: Caller, /, chat: tuple[str, str], user: str, chat_type: str, at: str | None
) -> None:
    """Record that USER has left the chat."""
    caller.answer(caller.call("chat.leave", **_params(chat, user, chat_type), at=at), _listed)


@participant.command("list")
@click.argument("chat", metavar="[PROVIDER:CHAT]", type=_chat_named, required=False)
@_CHAT_TYPE
@option("--cursor", metavar="CURSOR", help="Go on where the last page of chats ended.")
@pass_caller
def list_(
    caller: Caller, /, chat: tuple[str, str] | None, chat_type: str, cursor: str | None
) -> None:
    """List who takes part in the chat; without a chat, list the chats with how much each has."""
    if chat is None:
        caller.answer(caller.call("chat.list", cursor=cursor), _chats)
    else:
        caller.answer(caller.call("chat.list", chat=_chat(chat, chat_type)), _listed)


def _params(chat: tuple[str, str], user: str, chat_type: str) -> dict[str, Any]:
    return {"chat": _chat(chat, chat_type), "account": {"provider": chat[0], "user_id": user}}


def _chat(chat: tuple[str, str], chat_type: str) -> dict[str, str]:
    provider, chat_id = chat
    return {"provider": provider, "chat_id": chat_id, "chat_type": chat_type}


def _listed(result: dict[str, Any]) -> None:
    from ashd.cli.output import Column, shown, table, when

    table(
        [Column("ACCOUNT", flexes=True), Column("JOINED"), Column("LEFT")],
        [
            (
                f"{shown(entry.get('provider'))}:{shown(entry.get('user_id'))}",
                when(entry.get("joined_at")),
                when(entry["left_at"]) if entry.get("left_at") else "",
            )
            for entry in result.get("participants") or []
        ],
    )


def _chats(result: dict[str, Any]) -> None:
    from ashd.cli.output import Column, note, shown, table

    table(
        [
            Column("CHAT", flexes=True),
            *(Column(name) for name in ("KIND", "MEMBERS", "MEMORIES", "CONVERSATIONS")),
        ],
        [
            (
                f"{shown(entry['provider'])}:{shown(entry['chat_id'] or entry['user_id'])}",
                entry["chat_type"],
                str(entry["participants"]) if entry["chat_type"] == "group" else "",
                str(entry["memories"]),
                str(entry["conversations"]),
            )
            for entry in result["chats"]
        ],
    )
    if result["next_cursor"]:
        note(f"There are more: --cursor {result['next_cursor']}")
