"""`ash override`: facts that are always in the context."""

from typing import Final

import click

from ashd.cli.commands import Group, flag, ids
from ashd.cli.inputs import words
from ashd.cli.views import Fields, Line, Note, Table, View, with_new

_OUTCOMES: Final = {"added": "Pinned", "duplicate": "Pinned already", "changed": "Changed"}
_ADDED: Final = View(
    with_new,
    Line("{override:echo}", verb=lambda result: _OUTCOMES[result["outcome"]]),
    Fields("project {override.project_id}", "  "),
    Note("`ash override remove {override.id:short}` takes it back.", "is_new"),
)
_AGAIN: Final = "`ash override add {override.content:quoted}"
_REMOVED: Final = View(
    Line("{override:echo}", verb="Removed"),
    Note(f"{_AGAIN}` pins it again.", "!override.for_groups"),
    Note(f"{_AGAIN} --for-groups` pins it again.", "override.for_groups"),
)
_OVERRIDES: Final = View(
    Table(
        "overrides",
        "ID {id:short} | WHOSE {:owner} | PROJECT~ {project_id} | IN GROUPS {for_groups}"
        " | SINCE {created_at:day} | CONTENT~ {content}",
        lines=4,
    ),
    Note("{overrides:count pinned fact}."),
)


@click.group("override", cls=Group)
def override() -> None:
    """Pinned facts: they are always in the context."""


override.add_call(
    *("add", "override.add", _ADDED),
    'Pin a fact, as "I prefer tabs over spaces"; with --chat the group\'s own.',
    words("content"),
    flag("--for-groups", "Show it also in the groups where you ask."),
)
override.add_call("list", "override.list", _OVERRIDES, "List what is pinned.")
override.add_call(*("remove", "override.remove", _REMOVED), "Unpin a fact.", ids("pinned fact"))
