"""`ash jobs`: what the daemon does in the background."""

from typing import Any

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, option, pass_caller


@click.group("jobs", cls=Group)
def jobs() -> None:
    """Background jobs: what was learned from conversations, and what failed."""


@jobs.command("list")
@option(
    "--state",
    type=click.Choice(["waiting", "running", "done", "set_aside"]),
    help="Only jobs in this state.",
)
@option("--kind", metavar="KIND", help="Only jobs of this kind, as extract_facts.")
@option("-n", "--limit", type=int, metavar="N", help="At most so many [50].")
@option("--cursor", metavar="CURSOR", help="What the page before gave for the next.")
@pass_caller
def list_(caller: Caller, /, **params: Any) -> None:
    """List jobs, newest first."""
    caller.answer(caller.call("jobs.list", **params), _listed)


@jobs.command("show")
@click.argument("job_id", metavar="ID")
@pass_caller
def show(caller: Caller, /, job_id: str) -> None:
    """Show a job."""
    caller.answer(caller.call("jobs.get", id=job_id), _shown)


@jobs.command("retry")
@click.argument("job_id", metavar="ID")
@pass_caller
def retry(caller: Caller, /, job_id: str) -> None:
    """Run a job again that was set aside, or run a waiting one now."""
    caller.answer(caller.call("jobs.retry", id=job_id), _shown)


@jobs.command("flush")
@pass_caller
def flush(caller: Caller, /) -> None:
    """Run all waiting jobs, and say how they ended."""
    from ashd.cli.output import note

    total = {"done": 0, "set_aside": 0}
    while True:
        result = caller.call("jobs.flush")
        for name in total:
            total[name] += result[name]
        # A call returns before all jobs are done if that takes long; then the next call continues.
        if not result["waiting"] or not (result["done"] or result["set_aside"]):
            break
        note(f"{result['waiting']} to go …")
    caller.answer({**total, "waiting": result["waiting"]}, _flushed)


def _listed(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, short
    from ashd.cli.output import Column, day, more, note, table

    entries = result["jobs"]
    if entries:
        table(
            [
                Column("ID"),
                Column("SINCE"),
                Column("KIND", whole=True),
                Column("FOR", spare=True),
                Column("CONVERSATION", spare=True),
                Column("STATE", whole=True),
                Column("TRIES", right=True),
                Column("TOKENS", right=True, spare=True),
                Column("OUTCOME", flexes=True),
            ],
            [
                (
                    *(short(entry["id"]), day(entry["created_at"]), entry["kind"]),
                    *(entry["user_id"] or entry["chat_id"], entry["conversation_id"]),
                    *(entry["state"], entry["attempts"], entry["tokens"]),
                    entry["outcome"] or entry["error"],
                )
                for entry in entries
            ],
        )
    note(f"{count(len(entries), 'job')}.")
    if result["next_cursor"]:
        more(result["next_cursor"])


def _shown(result: dict[str, Any]) -> None:
    from ashd.cli.output import tree

    tree(result["job"])


def _flushed(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import note

    click.echo(f"{count(result['done'], 'job')} done, {result['set_aside']} set aside.")
    if result["waiting"]:
        note(f"{result['waiting']} still wait; `ash jobs list --state waiting` says why.")
