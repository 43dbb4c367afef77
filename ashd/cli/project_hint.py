"""Remark that a search without --project looked into no project."""

from contextlib import suppress
from typing import Any

import click

from ashd.cli.caller import Caller
from ashd_client.protocol import AshCallError


def remark(result: dict[str, Any]) -> None:
    """Name the option that searches all projects, if there are some and nothing fits well."""
    if not all(hit.get("weak") for hit in result["results"]):
        return
    caller = click.get_current_context().find_object(Caller)
    if caller is None or caller.all_scopes or "project" in (caller.scope or {}):
        return
    with suppress(AshCallError):
        if caller.call("project.list")["projects"]:
            from ashd.cli.output import note

            note("What belongs to a project was not searched: `ash --project '*' …` does.")
