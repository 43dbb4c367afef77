"""`ash summary`: what past conversations were about."""

from typing import Any

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, option, pass_caller
from ashd.cli.inputs import end_of_day, start_of_day, words


@click.group("summary", cls=Group)
def summary() -> None:
    """Summaries of past conversations."""


@summary.command("list")
@option("-n", "--limit", type=int, metavar="N", help="At most so many [20].")
@option("--conversation", "conversation_id", metavar="ID", help="Only of this one.")
@pass_caller
def list_(caller: Caller, /, **params: Any) -> None:
    """List summaries, latest conversations first."""
    caller.answer(caller.call("summary.list", **params), _listed)


@summary.command("show")
@click.argument("summary_id", metavar="ID")
@pass_caller
def show(caller: Caller, /, summary_id: str) -> None:
    """Show a summary."""
    caller.answer(caller.call("summary.get", id=summary_id), _shown)


@summary.command("search")
@words("query")
@option("-n", "--limit", type=int, metavar="N", help="At most so many [10].")
@option("--since", type=start_of_day, metavar="DATE", help="From this day on.")
@option("--until", type=end_of_day, metavar="DATE", help="Up to this day.")
@pass_caller
def search(caller: Caller, /, **params: Any) -> None:
    """Find summaries by words and by meaning, best first."""
    caller.answer(caller.call("summary.search", **params), _listed)


def _listed(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, score, short
    from ashd.cli.output import Column, day, note, table

    entries = result["summaries"]
    ranked = any("score" in entry for entry in entries)
    if entries:
        columns = [
            Column("ID"),
            Column("CONVERSATION"),
            Column("LAST"),
            Column("SUMMARY", flexes=True),
        ]
        rows: list[tuple[Any, ...]] = [
            (
                short(entry["id"]),
                entry["conversation_id"],
                day(entry["at"]),
                entry.get("passage") or entry["overall"] or "; ".join(entry["topics"]),
            )
            for entry in entries
        ]
        if ranked:
            columns = [Column("SCORE", right=True), *columns]
            rows = [(score(entry), *row) for entry, row in zip(entries, rows, strict=True)]
        table(columns, rows, lines=4)
    made = "" if entries else " A language model makes them: [llm] in config.toml."
    note(f"{count(len(entries), 'summary', 'summaries')}.{made}")


def _shown(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import block, day, note, paint, shown

    found = result["summary"]
    if found["overall"]:
        click.echo(block(found["overall"]))
    lists = {
        "Topics": found["topics"],
        "Decisions": found["decisions"],
        "Dates": [f"{entry['date']}: {entry['what']}" for entry in found["key_dates"]],
        "To do": found["action_items"],
    }
    for name, entries in lists.items():
        if entries:
            click.echo(paint(name, bold=True))
            for entry in entries:
                click.echo(f"  {shown(entry)}")
    size = count(found["messages"], "message")
    span = f"{day(found['began_at'])} to {day(found['at'])}"
    note(f"{size} of {shown(found['conversation_id'])}, {span}.")
