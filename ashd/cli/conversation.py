"""`ash conversation`: past conversations, to search, to read and to bring in."""

import datetime as dt
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import click

from ashd.cli import project_hint
from ashd.cli.asking import ask
from ashd.cli.caller import Caller
from ashd.cli.commands import FILE, Group, completed, flag, limit, option, pass_caller
from ashd.cli.inputs import read_json, since, start_of_day, until, words
from ashd.cli.output import shown
from ashd.cli.views import Each, Line, Note, Table, Title, View

_conversation_id: Final = click.argument(
    "conversation_id", metavar="ID", shell_complete=completed("conversation")
)
_ENTRIES_A_CALL: Final = 500
_MESSAGES_OF: Final = {"messages": 1, "turns": 2}


def _first(hit: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = hit["message"]
    return {**message, "score": hit["score"], "in": message["conversation_id"]}


def _with_neighbours(result: dict[str, Any]) -> None:
    """Put the neighbours of each message after it."""
    result["rows"] = [
        row for hit in result["results"] for row in (_first(hit), *(hit.get("window") or ()))
    ]


_FOUND: Final = View(
    _with_neighbours,
    Table(
        "rows",
        "SCORE> {score:.2f} | CONVERSATION {in} | SPEAKER {speaker or role} | TIME {at:day}"
        " | CONTENT~ {content}",
        lines=4,
    ),
    Note("{results:count message}.", "results"),
    Note("Nothing relevant found.", "!results"),
    project_hint.remark,
)
_LISTED: Final = View(
    Table(
        "conversations",
        "CONVERSATION~ {conversation_id} | TITLE~ {title} | MESSAGES> {messages}"
        " | FIRST {first_at:day} | LAST {last_at:day}",
    ),
    Note("{conversations:count conversation}."),
)


_ONE: Final = View(
    Each(
        "messages",
        View(Title("{at:day}  {speaker or role}"), Line("{content:block}\n")),
    ),
    Note("{messages:count} of {conversation.messages:count message}."),
    Note("Earlier: --before {before}", "before"),
)
_DELETED: Final = View(Line("{deleted:count message} deleted."))
_COUNTED: Final = View(Line("{deleted:count message} would be deleted."))
_PREVIEW: Final = View(Note("This would delete {deleted:count message}."))
_INGESTED: Final = View(
    Line("{ingested:count message} stored, {duplicates} already there."),
    Line("Message {index} left out: {message}", each="refused"),
    Line("Looking for facts in the background, job {job_id}.", "job_id"),
)


@click.group("conversation", cls=Group)
def conversation() -> None:
    """Past conversations."""


conversation.add_call(
    *("search", "conversation.search", _FOUND),
    "Find messages by words and by meaning, best first.",
    words("query"),
    limit(),
    option(
        "--conversation",
        "conversation_id",
        metavar="ID",
        shell_complete=completed("conversation"),
        help="Only in this one.",
    ),
    *(since(), until()),
    option("--window", type=int, metavar="N", help="So many neighbours before and after."),
    option(
        "--mode",
        type=click.Choice(["hybrid", "lexical", "vector"]),
        help="By words and meaning, by words, by meaning.",
    ),
    flag("--explain", "Show what each score is made of."),
)
conversation.add_call("list", "conversation.list", _LISTED, "List conversations.", limit())
conversation.add_call(
    *("show", "conversation.get", _ONE),
    "Show the messages of a conversation.",
    _conversation_id,
    limit("At most so many messages."),
    option("--before", type=int, metavar="INDEX", help="Those before this message."),
)


@conversation.command("ingest")
@click.argument("file", type=FILE, metavar="FILE|-")
@option(
    "--conversation",
    "conversation_id",
    metavar="ID",
    shell_complete=completed("conversation"),
    help="Its id, if not in FILE.",
)
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
    caller.answer(total, _INGESTED)


@conversation.command("delete")
@_conversation_id
@flag("--yes", "Do not ask.")
@flag("--dry-run", "Only count the messages.")
@pass_caller
def delete(
    caller: Caller, /, conversation_id: str, *, yes: bool | None, dry_run: bool | None
) -> None:
    """Delete a conversation and its messages."""
    call = partial(caller.call, "conversation.delete", conversation_id=conversation_id)
    if dry_run:
        caller.answer(call(dry_run=True), _COUNTED)
        return
    if not yes:
        _PREVIEW(call(dry_run=True))
        ask(f"Delete conversation {shown(conversation_id)}? Nothing brings it back.")
    caller.answer(call(), _DELETED)


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
