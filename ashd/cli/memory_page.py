"""Print one memory in full: its fields, where it came from, who may read it, its history."""

from typing import Any, Final

import click

from ashd import wording
from ashd.cli.formats import short, state
from ashd.cli.output import day, note, paint, shown
from ashd.cli.views import Each, Fields, Line, Note, Title, View
from ashd.language.differences import Part, differences


def _history(chain: list[dict[str, Any]], events: list[dict[str, Any]]) -> None:
    if len(chain) < 2 and not events:
        return
    click.echo(f"\n{paint('History', bold=True)}")
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


_PLACES: Final = {"in_private": "in private", "in_other_groups": "in other groups"}
_REPLACE: Final = "ash memory supersede {newer:short} {older:short}"


def _prepare(result: dict[str, Any]) -> None:
    """Add texts for the view."""
    memory, explained = result["memory"], result["explained"]
    memory["source"] = wording.source(memory["source"])
    kept = memory["metadata"] or {}
    if "imported" in kept:
        memory["file"] = kept.get("file")
        memory["metadata"] = {
            name: value for name, value in kept.items() if name not in {"imported", "file"}
        }
    if reason := memory["archive_reason"]:
        memory["archived_because"] = wording.archived(reason)
    if message := explained["message"]:
        message["lines"] = message["content"].splitlines()
    in_group = explained["in_its_group"]
    explained["in_group"] = None if in_group is None else "shown" if in_group else "not shown"
    explained["has_readers"] = explained["readers"] or in_group is not None
    for reader in explained["readers"]:
        reader["roles"] = [wording.role(role) for role in reader["roles"]]
        reader["places"] = " and ".join(text for name, text in _PLACES.items() if reader[name])
    for other in memory["conflicts"]:
        older, newer = (other, memory) if other["relation"] == "older" else (memory, other)
        other |= {
            "said": "replace" if other is older else "be replaced by",
            "older": older["id"],
            "newer": newer["id"],
        }


ONE: Final = View(
    _prepare,
    Line("{memory.content:block}\n"),
    Fields(
        "id {memory.id} | state {memory:state} | type {memory.memory_type} | whose {memory:owner}"
        " | about {people.name} | said by {memory.source_display_name or memory.source_username}"
        " | learned in {explained.learned_in:place} | source {memory.source} | file {memory.file}"
        " | grant {explained.grant_id} | session {memory.source_session_id}"
        " | message {memory.source_message_id} | sensitivity {memory.sensitivity}"
        " | portable {memory.portable} | confidence {memory.extraction_confidence}"
        " | tags {memory.tags} | created {memory.created_at:when}"
        " | observed {memory.observed_at:when} | valid from {memory.valid_from:when}"
        " | valid until {memory.valid_until:when} | expires {memory.expires_at:when}"
        " | superseded {memory.superseded_at:when} | archived {memory.archived_at:when}"
        " | last accessed {memory.last_accessed_at:when} | replaced by {memory.superseded_by_id}"
        " | archive reason {memory.archived_because} | used {memory.access_count:count time}"
        " | revision {memory.revision} | metadata {memory.metadata}"
    ),
    View(
        Title(
            "\nLearned from what {explained.message.speaker or explained.message.role} said on"
            " {explained.message.at:day}"
        ),
        Line("  {}", each="explained.message.lines"),
        Note("In the conversation {explained.message.conversation_id}."),
        only="explained.message",
    ),
    View(
        Title("\nWho may read it"),
        Line(
            "  in its group, with those who take part now: {explained.in_group}",
            "explained.in_group",
        ),
        Line("  {name} ({roles}): {places:|nowhere else}", each="explained.readers"),
        Line(
            "  and {explained.more_readers:count account} more not listed here",
            "explained.more_readers",
        ),
        only="explained.has_readers",
    ),
    Each(
        "memory.conflicts",
        View(
            Line("\nThis may {said} {:echo}"),
            Note(f"If so: {_REPLACE}; if both are true: {_REPLACE} --verdict both"),
        ),
    ),
    lambda result: _history(result["chain"], result["events"]),
)
