"""`ash conversation`: past conversations, to search, to read and to bring in."""

from collections.abc import Iterator
from typing import Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, flag, pass_caller
from ashd.cli.inputs import end_of_day, read_json, start_of_day, words

_MESSAGES_A_CALL: Final = 500


@click.group("conversation", cls=Group)
def conversation() -> None:
    """Past conversations."""


@conversation.command("search")
@words("query")
@click.option("-n", "--limit", type=int, metavar="N", help="At most so many.")
@click.option("--conversation", "conversation_id", metavar="ID", help="Only in this one.")
@click.option("--since", type=start_of_day, metavar="DATE", help="From this day on.")
@click.option("--until", type=end_of_day, metavar="DATE", help="Up to this day.")
@click.option("--window", type=int, metavar="N", help="So many neighbours before and after.")
@pass_caller
def search(caller: Caller, /, **params: Any) -> None:
    """Find messages by words and by meaning, best first."""
    caller.answer(caller.call("conversation.search", **params), _found)


@conversation.command("list")
@click.option("-n", "--limit", type=int, metavar="N", help="At most so many.")
@pass_caller
def list_(caller: Caller, /, **params: Any) -> None:
    """List conversations."""
    caller.answer(caller.call("conversation.list", **params), _listed)


@conversation.command("show")
@click.argument("conversation_id", metavar="ID")
@click.option("-n", "--limit", type=int, metavar="N", help="At most so many messages.")
@click.option("--before", metavar="CURSOR", help="Those before this message.")
@pass_caller
def show(caller: Caller, /, **params: Any) -> None:
    """Show the messages of a conversation."""
    caller.answer(caller.call("conversation.get", **params), _one)


@conversation.command("ingest")
@click.argument("file", metavar="FILE|-")
@click.option("--conversation", "conversation_id", metavar="ID", help="Its id, if not in FILE.")
@click.option("--session-date", metavar="DATE", help="When it was held, if not in FILE.")
@flag("--skip-extraction", "Only store it; look for no facts.")
@pass_caller
def ingest(
    caller: Caller,
    /,
    file: str,
    conversation_id: str | None,
    session_date: str | None,
    skip_extraction: bool | None,
) -> None:
    """Store a conversation from JSON: an object of the call's fields, or a list of messages.

    A list may be JSON lines too. What is there already is not stored again.
    """
    given = read_json(file)
    fields = given if isinstance(given, dict) else {}
    key = "turns" if "turns" in fields else "messages"
    entries = given if isinstance(given, list) else fields.get(key)
    name = conversation_id or fields.get("conversation_id")
    if not isinstance(entries, list):
        raise click.UsageError(f"{file} holds neither a list of messages nor messages or turns.")
    if not name:
        raise click.UsageError("Name the conversation with --conversation.")
    total: dict[str, Any] = {"ingested": 0, "duplicates": 0, "job_id": None}
    for part in _parts(entries, _MESSAGES_A_CALL // (2 if key == "turns" else 1)):
        result = caller.call(
            "conversation.ingest",
            conversation_id=name,
            session_date=session_date or fields.get("session_date"),
            skip_extraction=skip_extraction,
            **{key: part},
        )
        total["ingested"] += result["ingested"]
        total["duplicates"] += result["duplicates"]
        total["job_id"] = result.get("job_id") or total["job_id"]
    caller.answer(total, _ingested)


@conversation.command("delete")
@click.argument("conversation_id", metavar="ID")
@flag("--yes", "Do not ask.")
@pass_caller
def delete(caller: Caller, /, conversation_id: str, *, yes: bool | None) -> None:
    """Delete a conversation and its messages."""
    from ashd.cli.output import tree

    if not yes:
        click.confirm(f"Delete conversation {conversation_id}?", abort=True, err=True)
    caller.answer(caller.call("conversation.delete", conversation_id=conversation_id), tree)


def _parts(entries: list[Any], size: int) -> Iterator[list[Any]]:
    """`entries` in parts that one call takes; a person at a terminal sees how far it is."""
    import sys

    starts = range(0, len(entries), size)
    if len(starts) <= 1 or not sys.stderr.isatty():
        yield from (entries[start : start + size] for start in starts)
        return
    with click.progressbar(starts, label="Storing", file=sys.stderr) as progress:
        for start in progress:
            yield entries[start : start + size]


def _found(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import Column, day, note, table

    hits = result["results"]
    rows = []
    for hit in hits:
        message = hit["message"]
        rows.append(
            (
                f"{hit['score']:.2f}",
                message["conversation_id"],
                message["speaker"] or message["role"],
                day(message["at"]),
                message["content"],
            )
        )
        rows += [
            ("", "", near.get("speaker") or near.get("role"), day(near.get("at")), near["content"])
            for near in hit.get("window") or []
        ]
    if rows:
        table(
            [
                Column("SCORE", right=True),
                Column("CONVERSATION"),
                Column("SPEAKER"),
                Column("TIME"),
                Column("CONTENT", flexes=True),
            ],
            rows,
            lines=4,
        )
    note(f"{count(len(hits), 'message')}." if hits else "Nothing relevant found.")


def _listed(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import Column, note, shown, table, when

    entries = result["conversations"]
    if entries:
        table(
            [Column("CONVERSATION", flexes=True), Column("MESSAGES", right=True), Column("LAST")],
            [
                (
                    entry.get("conversation_id"),
                    entry.get("message_count"),
                    when(entry.get("last_message_at")),
                )
                for entry in entries
            ],
        )
    note(f"{count(len(entries), 'conversation')}.")
    if result.get("next_cursor"):
        note(f"More: --cursor {shown(result['next_cursor'])}")


def _one(result: dict[str, Any]) -> None:
    from ashd.cli.output import block, day, paint, shown

    for message in result["messages"]:
        speaker = shown(message.get("speaker") or message.get("role"))
        click.echo(f"{day(message.get('at'))}  {paint(speaker, bold=True)}")
        click.echo(block(message["content"]))
        click.echo()


def _ingested(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count

    click.echo(
        f"{count(result['ingested'], 'message')} stored, {result['duplicates']} already there."
    )
    if result["job_id"]:
        click.echo(f"Looking for facts in the background, job {result['job_id']}.")
