"""`ash project`: the projects that something was told in."""

from typing import Final

import click

from ashd.cli.commands import Group
from ashd.cli.views import Note, Table, View

_PROJECTS: Final = View(
    Table(
        "projects",
        "ID~ {id} | NAME {name} | MEMORIES> {memories} | TURNS>? {messages}"
        " | LAST {last_told_at:day}",
    ),
    Note("{projects:count project}."),
)


@click.group("project", cls=Group)
def project() -> None:
    """Projects: memories of a project are read in it alone; `ash --project` names one."""


project.add_call(
    "list", "project.list", _PROJECTS, "List the projects that have memories of yours."
)
