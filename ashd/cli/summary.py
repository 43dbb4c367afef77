"""`ash summary`: what past conversations were about."""

from typing import Final

import click

from ashd.cli.commands import Group, completed, id_, limit, option
from ashd.cli.inputs import since, until, words
from ashd.cli.views import Line, Note, Table, Title, View

_ROW: Final = (
    "ID {id:short} | CONVERSATION {conversation_id} | LAST {at:day}"
    " | SUMMARY~ {passage or overall or topics}"
)
_COUNT: Final = Note("{summaries:count summary/summaries}.", "summaries")
_NONE: Final = Note("0 summaries. A language model makes them: [llm] in config.toml.", "!summaries")
_LISTED: Final = View(Table("summaries", _ROW, 4), _COUNT, _NONE)
_FOUND: Final = View(Table("summaries", f"SCORE> {{:score}} | {_ROW}", 4), _COUNT, _NONE)
_ONE: Final = View(
    Line("{summary.overall:block}", "summary.overall"),
    *(
        part
        for title, name in (("Topics", "topics"), ("Decisions", "decisions"))
        for part in (Title(title, f"summary.{name}"), Line("  {}", each=f"summary.{name}"))
    ),
    Title("Dates", "summary.key_dates"),
    Line("  {date}: {what}", each="summary.key_dates"),
    Title("To do", "summary.action_items"),
    Line("  {}", each="summary.action_items"),
    Note(
        "{summary.messages:count message} of {summary.conversation_id},"
        " {summary.began_at:day} to {summary.at:day}."
    ),
)


_REBUILT: Final = View(
    Line("{removed:count summary/summaries} removed; made anew in the background, job {job_id}.")
)


@click.group("summary", cls=Group)
def summary() -> None:
    """Summaries of past conversations."""


summary.add_call(
    *("list", "summary.list", _LISTED),
    "List summaries, latest conversations first.",
    limit("At most so many [20]."),
    option(
        *("--conversation", "conversation_id"),
        metavar="ID",
        shell_complete=completed("conversation"),
        help="Only of this one.",
    ),
)
summary.add_call("show", "summary.get", _ONE, "Show a summary.", id_("summary"))
summary.add_call(
    *("search", "summary.search", _FOUND),
    "Find summaries by words and by meaning, best first.",
    words("query"),
    limit("At most so many [10]."),
    *(since(), until()),
)
summary.add_call(
    *("rebuild", "summary.rebuild", _REBUILT),
    "Remove a conversation's summaries, and let the language model write new ones.",
    click.argument("conversation_id", metavar="ID", shell_complete=completed("conversation")),
)
