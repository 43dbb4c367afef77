"""`ash grant`: sockets for sandboxes, each bound to a scope."""

import shlex
from pathlib import Path
from typing import Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, completed, ids, option, pass_caller
from ashd.cli.formats import formatted
from ashd.cli.inputs import duration, quota, rights
from ashd.cli.views import Fields, Line, Note, Table, Tree, View

_CLIENT: Final = "ash-sb.pyz"
_DOCKER: Final = (
    *("docker", "run", "--rm", "-it", "--network", "none", "--read-only", "--tmpfs", "/tmp"),  # noqa: S108 - the container's own
    *("--cap-drop", "all", "--security-opt", "no-new-privileges", "--pids-limit", "256"),
)

rights_option = option(
    "--rights", type=rights, metavar="RIGHTS", help="Of read,write,forget [read,write]."
)
expires_option = option(
    "--expires",
    "expires_in_s",
    type=duration,
    metavar="TIME",
    help="Close it after this time, as 8h.",
)


_grant_id = click.argument("grant_id", metavar="ID", shell_complete=completed("grant"))


def _prepare(grant: dict[str, Any]) -> None:
    """Add what stands in the command lines that use a grant."""
    from ashd.launcher import bubblewrap

    directory = grant["directory"]
    command = bubblewrap.command(directory=Path(directory), client=Path(_CLIENT), argv=["COMMAND"])
    grant["bubblewrap"] = shlex.join(command)
    grant["volume"] = shlex.quote(f"{directory}:{bubblewrap.GRANT_DIRECTORY}:ro")
    grant["host"], _, grant["port"] = grant.get("tcp", "").rpartition(":")


_CREATED: Final = View(
    _prepare,
    Fields("grant {grant_id} | directory {directory} | expires {expires_at:when|never}"),
    View(
        Line("\nIn the sandbox's environment, with a socket that it can reach:"),
        Line("  ASH_CONTEXT_TOKEN={token}"),
        Line("  ASH_RPC_SOCKET={socket}"),
        Line("or, in place of the socket:", "tcp"),
        Line("  ASH_RPC_HOST={host}\n  ASH_RPC_PORT={port}", "tcp"),
        Note("The token is not shown again. Whoever reads it has the grant: mount a directory"),
        Note("instead where you can. `ash grant revoke {grant_id}` closes it."),
        only="token",
    ),
    View(
        Line(f"\nThe client for the sandbox, as one file:\n  ash sandbox client {_CLIENT}"),
        Line("With bubblewrap:\n  {bubblewrap}"),
        Line(f"With docker, in an image with python3:\n  {shlex.join(_DOCKER)} \\"),
        Line("    -v {volume} \\"),
        Line(f'    -v "$PWD/{_CLIENT}:/usr/local/bin/ash-sb:ro" IMAGE COMMAND'),
        Note("`ash sandbox run` adds a system call filter and limits to bubblewrap's walls."),
        Note("`ash grant revoke {grant_id}` closes it."),
        only="!token",
    ),
)


def _name_projects(result: dict[str, Any]) -> None:
    """Say of each grant which project it is bound to, if it is to one, to none or to all."""
    for grant in result["grants"]:
        scope = grant["scope"]
        bound = formatted(scope.get("project"), "project|none")
        grant["project"] = bound if "project" in scope else "any"


_GRANTS: Final = View(
    _name_projects,
    Table(
        "grants",
        "GRANT! {grant_id} | FOR~ {scope.provider}:{scope.user_id:|*}{scope:chat}"
        " | PROJECT? {project} | RIGHTS {rights} | STATE! {state} | CREATED? {created_at:day}"
        " | EXPIRES {expires_at:day|never}",
    ),
    Note("{grants:count grant}."),
)
_REVOKED: Final = View(
    Line("{grant.grant_id}", verb="Revoked"),
    Note("Nothing opens it again; `ash grant create` opens another."),
)


@click.group("grant", cls=Group)
def grant() -> None:
    """Grants: open memories to a sandbox, and close them again."""


@grant.command("create")
@rights_option
@expires_option
@option(
    "--quota", type=quota, multiple=True, metavar="NAME=N", help="As writes_per_minute=60; repeat."
)
@option("--token", is_flag=True, help="For a sandbox that no directory can be mounted into.")
@pass_caller
def create(
    caller: Caller, /, *, quota: tuple[tuple[str, int], ...], token: bool, **params: Any
) -> None:
    """Open a socket for a sandbox, for yourself or for --as and --chat."""
    given = {**params, "quota": dict(quota) or None, "token": token or None}
    caller.answer(caller.call("grant.create", **given), _CREATED)


grant.add_call(
    *("list", "grant.list", _GRANTS),
    "List the grants that are open.",
    option("--all", "include_closed", is_flag=True, help="Also revoked and expired grants."),
)
grant.add_call(
    *("revoke", "grant.revoke", _REVOKED),
    "Close a grant's socket and its connections at once.",
    ids("grant", "grant_id"),
)
grant.add_call(
    *("turn", "grant.turn", View(Tree())),
    "Set the speaker in a group's sandbox, or the session and message in any sandbox.",
    _grant_id,
    option("--user", "user_id", metavar="USER", help="Who is speaking now."),
    option("--session", "session_id", metavar="ID", help="In which session."),
    option("--message", "message_id", metavar="ID", help="In which message."),
)
