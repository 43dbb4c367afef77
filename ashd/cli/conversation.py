"""`ash conversation`: past conversations, to search, to read and to bring in."""

import datetime as dt
from collections.abc import Iterator
from typing import Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, flag, option, pass_caller
from ashd.cli.inputs import end_of_day, read_json, start_of_day, words

_ENTRIES_A_CALL: Final = 500
_MESSAGES_OF: Final = {"messages": 1, "turns": 2}


@click.group("conversation", cls=Group)
def conversation() -> None:
    """Past conversations."""


@conversation.command("search")
@words("query")
@option("-n", "--limit", type=int, metavar="N", help="At most so many.")
@option("--conversation", "conversation_id", metavar="ID", help="Only in this one.")
@option("--since", type=start_of_day, metavar="DATE", help="From this day on.")
@option("--until", type=end_of_day, metavar="DATE", help="Up to this day.")
@option("--window", type=int, metavar="N", help="So many neighbours before and after.")
@option(
    "--mode",
    type=click.Choice(["hybrid", "lexical", "vector"]),
    help="By words and meaning, by words, by meaning.",
)
@flag("--explain", "Show what each score is made of.")
@pass_caller
def search(caller: Caller, /, **params: Any) -> None:
    """Find messages by words and by meaning, best first."""
    caller.answer(caller.call("conversation.search", **params), _found)


@conversation.command("list")
@option("-n", "--limit", type=int, metavar="N", help="At most so many.")
@pass_caller
def list_(caller: Caller, /, **params: Any) -> None:
    """List conversations."""
    caller.answer(caller.call("conversation.list", **params), _listed)


@conversation.command("show")
@click.argument("conversation_id", metavar="ID")
@option("-n", "--limit", type=int, metavar="N", help="At most so many messages.")
@option("--before", type=int, metavar="INDEX", help="Those before this message.")
@pass_caller
def show(caller: Caller, /, **params: Any) -> None:
    """Show the messages of a conversation."""
    caller.answer(caller.call("conversation.get", **params), _one)


@conversation.command("ingest")
@click.argument("file", metavar="FILE|-")
@option("--conversation", "conversation_id", metavar="ID", help="Its id, if not in FILE.")
@option("--session-date", metavar="DATE", help="When it was held, if not in FILE.")
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

    A list may be JSON lines too, and messages may be as in chat completions: tool calls and images
    hold no text and are left out. A message with an external_id or a time is stored once, however
    often it comes; any other is stored each time.
    """
    from ashd_client import fitting

    given = read_json(file)
    fields = given if isinstance(given, dict) else {"messages": given}
    key = "turns" if "turns" in fields else "messages"
    entries = fields.get(key)
    name = conversation_id or fields.get("conversation_id")
    date = session_date or fields.get("session_date")
    if not isinstance(entries, list):
        raise click.UsageError(f"{file} holds neither a list of messages nor messages or turns.")
    if not name:
        raise click.UsageError("Name the conversation with --conversation.")
    total: dict[str, Any] = {"ingested": 0, "duplicates": 0, "refused": [], "job_id": None}
    for start, part in _parts(entries):
        before = start * _MESSAGES_OF[key]
        result = caller.call(
            "conversation.ingest",
            conversation_id=name,
            session_date=None if date is None else _later(str(date), before),
            skip_extraction=skip_extraction,
            **{key: [fitting.of_file(entry) for entry in part]},
        )
        total["ingested"] += result["ingested"]
        total["duplicates"] += result["duplicates"]
        total["refused"] += [
            {**entry, "index": entry["index"] + before} for entry in result["refused"]
        ]
        total["job_id"] = result["job_id"] or total["job_id"]
    caller.answer(total, _ingested)


@conversation.command("delete")
@click.argument("conversation_id", metavar="ID")
@flag("--yes", "Do not ask.")
@flag("--dry-run", "Only count the messages.")
@pass_caller
def delete(
    caller: Caller, /, conversation_id: str, *, yes: bool | None, dry_run: bool | None
) -> None:
    """Delete a conversation and its messages."""
    if dry_run:
        counted = caller.call(
            "conversation.delete", conversation_id=conversation_id, dry_run=dry_run
        )
        caller.answer(counted, _counted)
        return
    if not yes:
        click.confirm(f"Delete conversation {conversation_id}?", abort=True, err=True)
    caller.answer(caller.call("conversation.delete", conversation_id=conversation_id), _deleted)


def _parts(entries: list[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Yield `entries` in parts for one call each; a person at a terminal sees the progress."""
    import sys

    starts = range(0, len(entries), _ENTRIES_A_CALL)
    if len(starts) <= 1 or not sys.stderr.isatty():
        yield from ((start, entries[start : start + _ENTRIES_A_CALL]) for start in starts)
        return
    with click.progressbar(starts, label="Storing", file=sys.stderr) as progress:
        for start in progress:
            yield start, entries[start : start + _ENTRIES_A_CALL]


def _later(date: str, messages: int) -> str:
    """Return the time of a session's next part, its messages being a second apart."""
    at = dt.datetime.fromisoformat(start_of_day(date))
    return (at + dt.timedelta(seconds=messages)).isoformat()


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
    from ashd.cli.output import Column, day, note, table

    entries = result["conversations"]
    if entries:
        table(
            [
                Column("CONVERSATION", flexes=True),
                Column("MESSAGES", right=True),
                Column("FIRST"),
                Column("LAST"),
            ],
            [
                (
                    entry["conversation_id"],
                    entry["messages"],
                    day(entry["first_at"]),
                    day(entry["last_at"]),
                )
                for entry in entries
            ],
        )
    note(f"{count(len(entries), 'conversation')}.")


def _one(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import block, day, note, paint, shown

    for message in result["messages"]:
        speaker = shown(message["speaker"] or message["role"])
        click.echo(f"{day(message['at'])}  {paint(speaker, bold=True)}")
        click.echo(f"{block(message['content'])}\n")
    total = count(result["conversation"]["messages"], "message")
    note(f"{len(result['messages'])} of {total}.")
    if result["before"] is not None:
        note(f"Earlier: --before {result['before']}")


def _deleted(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count

    click.echo(f"{count(result['deleted'], 'message')} deleted.")


def _counted(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count

    click.echo(f"{count(result['deleted'], 'message')} would be deleted.")


def _ingested(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import shown

    click.echo(
        f"{count(result['ingested'], 'message')} stored, {result['duplicates']} already there."
    )
    for entry in result["refused"]:
        click.echo(f"Message {entry['index']} left out: {shown(entry['message'])}")
    if result["job_id"]:
        click.echo(f"Looking for facts in the background, job {result['job_id']}.")
