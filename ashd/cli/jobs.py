"""`ash jobs`: what the daemon does in the background."""

from typing import Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, cursor, id_, ids, limit, option, pass_caller
from ashd.cli.views import MORE, Line, Note, Table, Tree, View

_JOBS: Final = View(
    Table(
        "jobs",
        "ID {id:short} | SINCE {created_at:day} | KIND! {kind} | FOR? {user_id or chat_id}"
        " | CONVERSATION? {conversation_id} | STATE! {state} | WAITS FOR? {waits_for}"
        " | TRIES> {attempts} | TOKENS>? {tokens} | OUTCOME~ {outcome or error}",
    ),
    Note("{jobs:count job}."),
    MORE,
)
_JOB: Final = View(Tree("job"))
_FLUSHED: Final = View(
    Line("{done:count job} done, {set_aside} set aside."),
    Note("{waiting} still wait; `ash jobs list --state waiting` says why.", "waiting"),
)


@click.group("jobs", cls=Group)
def jobs() -> None:
    """Background jobs: what was learned from conversations, and what failed."""


jobs.add_call(
    *("list", "jobs.list", _JOBS),
    "List jobs, newest first.",
    option(
        "--state",
        type=click.Choice(["waiting", "running", "done", "set_aside"]),
        help="Only jobs in this state.",
    ),
    option("--kind", metavar="KIND", help="Only jobs of this kind, as extract_facts."),
    limit("At most so many [50]."),
    cursor,
)
jobs.add_call("show", "jobs.get", _JOB, "Show a job.", id_("job"))
jobs.add_call(
    *("retry", "jobs.retry", _JOB),
    "Run a job again that was set aside, or run a waiting one now.",
    ids("job"),
)


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
    caller.answer({**total, "waiting": result["waiting"]}, _FLUSHED)
