"""`ash override`: facts that are always in the context."""

from typing import Any, Final

import click

from ashd.cli.commands import Group, flag, ids
from ashd.cli.formats import quoted
from ashd.cli.inputs import words
from ashd.cli.views import Fields, Line, Note, Table, View, with_new

_OUTCOMES: Final = {"added": "Pinned", "duplicate": "Pinned already", "changed": "Changed"}
_ADDED: Final = View(
    with_new,
    Line("{override:echo}", verb=lambda result: _OUTCOMES[result["outcome"]]),
    Fields("project {override.project_id}", "  "),
    Note("`ash override remove {override.id:short}` takes it back.", "is_new"),
)


def _name_again(result: dict[str, Any]) -> None:
    """Add the words of the command that pins it again, where it was."""
    removed = result["override"]
    result["words"] = " ".join(
        (
            *(["--project", quoted(removed["project_id"])] if removed["project_id"] else []),
            *("override", "add"),
            *(["--for-groups"] if removed["for_groups"] else []),
            *(["--"] if removed["content"].startswith("-") else []),
            quoted(removed["content"]),
        )
    )


_REMOVED: Final = View(
    _name_again,
    Line("{override:echo}", verb="Removed"),
    Note("`ash {words}` pins it again."),
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
