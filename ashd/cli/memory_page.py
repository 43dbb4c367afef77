"""Print one memory in full: its fields, where it came from, who may read it, its history."""

from typing import Any, Final

import click

from ashd import wording
from ashd.cli.memory_view import count, echo_of, owner, short, state, supersede
from ashd.cli.output import block, day, fields, note, paint, shown, when
from ashd.language.differences import Part, differences

_TIMES: Final = (
    "created_at",
    "observed_at",
    "valid_from",
    "valid_until",
    "expires_at",
    "superseded_at",
    "archived_at",
    "last_accessed_at",
)


def one(result: dict[str, Any]) -> None:
    """Print one memory in full."""
    memory, explained = result["memory"], result["explained"]
    click.echo(block(memory["content"]))
    click.echo()
    _fields(memory, explained, [shown(person["name"]) for person in result["people"]])
    _source(explained)
    _readers(explained)
    _conflicts(memory)
    _history(result["chain"], result["events"])


def _fields(memory: dict[str, Any], explained: dict[str, Any], people: list[str]) -> None:
    place = explained["learned_in"]
    where = place and f"{place['provider']}, {place['chat_type']} {shown(place['chat_id'])}"
    times = [
        (name.removesuffix("_at").replace("_", " "), when(memory[name]))
        for name in _TIMES
        if memory.get(name)
    ]
    reason = memory["archive_reason"]
    fields(
        [
            ("id", memory["id"]),
            ("state", state(memory)),
            ("type", memory["memory_type"]),
            ("whose", owner(memory)),
            ("about", people),
            ("said by", memory["source_display_name"] or memory["source_username"]),
            ("learned in", where),
            ("source", wording.source(memory["source"])),
            ("grant", explained["grant_id"]),
            ("session", memory["source_session_id"]),
            ("message", memory["source_message_id"]),
            ("sensitivity", memory["sensitivity"]),
            ("portable", memory["portable"]),
            ("confidence", memory["extraction_confidence"]),
            ("tags", memory["tags"]),
            *times,
            ("replaced by", memory["superseded_by_id"]),
            ("archive reason", reason and wording.archived(reason)),
            ("used", count(memory["access_count"], "time")),
            ("revision", memory["revision"]),
            ("metadata", memory["metadata"]),
        ]
    )


def _title(text: str) -> None:
    click.echo(f"\n{paint(text, bold=True)}")


def _source(explained: dict[str, Any]) -> None:
    message = explained["message"]
    if message is None:
        return
    who = shown(message["speaker"] or message["role"])
    _title(f"Learned from what {who} said on {day(message['at'])}")
    for line in block(message["content"]).splitlines():
        click.echo(f"  {line}")
    note(f"In the conversation {shown(message['conversation_id'])}.")


def _readers(explained: dict[str, Any]) -> None:
    if not explained["readers"] and explained["in_its_group"] is None:
        return
    _title("Who may read it")
    if explained["in_its_group"] is not None:
        said = "shown" if explained["in_its_group"] else "not shown"
        click.echo(f"  in its group, with those who take part now: {said}")
    for reader in explained["readers"]:
        places = [
            *(["in private"] if reader["in_private"] else []),
            *(["in other groups"] if reader["in_other_groups"] else []),
        ]
        parts = ", ".join(wording.role(role) for role in reader["roles"])
        where = " and ".join(places) or "nowhere else"
        click.echo(f"  {shown(reader['name'])} ({parts}): {where}")
    if explained["more_readers"]:
        click.echo(f"  and {count(explained['more_readers'], 'account')} more not listed here")


def _conflicts(memory: dict[str, Any]) -> None:
    for other in memory["conflicts"]:
        if other["relation"] == "older":
            click.echo(f"\nThis may replace {echo_of(other)}")
            command = supersede(memory["id"], other["id"])
        else:
            click.echo(f"\nThis may be replaced by {echo_of(other)}")
            command = supersede(other["id"], memory["id"])
        note(f"If so: {command}; if both are true: {command} --verdict both")


def _history(chain: list[dict[str, Any]], events: list[dict[str, Any]]) -> None:
    if len(chain) < 2 and not events:
        return
    _title("History")
    contents = {entry["id"]: entry["content"] for entry in chain}
    for entry in chain:
        click.echo(f"  {day(entry['created_at'])}  {short(entry['id'])}  {state(entry)}".rstrip())
        newer = contents.get(entry["superseded_by_id"], entry["content"])
        click.echo(f"    {_changes(entry['content'], newer)}")
        for event in events:
            if event["memory_id"] == entry["id"]:
                said = wording.event(event["event"])
                click.echo(f"    {day(event['at'])} {said}: {wording.reason(event['reason'])}")
    if len(chain) > 1:
        note("-[removed]- and +[added]+ lead to the next one.")


def _changes(old: str, new: str) -> str:
    """Return the old text with the changes of the new one: in colour, and in brackets."""
    return "".join(_marked(part) for part in differences(old, new))


def _marked(part: Part) -> str:
    text = shown(part.text)
    if part.kind == "removed":
        text = paint(f"-[{text}]-", "red")
    elif part.kind == "added":
        text = paint(f"+[{text}]+", "green")
    before, after = part.text[:1].isspace(), part.text[-1:].isspace()
    return f"{' ' * before}{text}{' ' * after}"
