"""`ash grant`: sockets for sandboxes, each bound to a scope."""

import shlex
from pathlib import Path
from typing import Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, option, pass_caller
from ashd.cli.inputs import duration, quota, rights

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
    caller.answer(caller.call("grant.create", **given), _created)


@grant.command("list")
@option("--all", "include_closed", is_flag=True, help="Revoked and expired ones too.")
@pass_caller
def list_(caller: Caller, /, **params: Any) -> None:
    """List the grants that are open."""
    caller.answer(caller.call("grant.list", **params), _listed)


@grant.command("revoke")
@click.argument("grant_id", metavar="ID")
@pass_caller
def revoke(caller: Caller, /, grant_id: str) -> None:
    """Close a grant's socket and its connections at once."""
    caller.answer(caller.call("grant.revoke", grant_id=grant_id), _revoked)


@grant.command("turn")
@click.argument("grant_id", metavar="ID")
@option("--user", "user_id", metavar="USER", help="Who is speaking now.")
@option("--session", "session_id", metavar="ID", help="In which session.")
@option("--message", "message_id", metavar="ID", help="In which message.")
@pass_caller
def turn(caller: Caller, /, **params: Any) -> None:
    """Say who is speaking in a group's sandbox; or in which session and message, in any."""
    from ashd.cli.output import tree

    caller.answer(caller.call("grant.turn", **params), tree)


def _created(result: dict[str, Any]) -> None:
    from ashd.cli.output import fields, note, shown, when
    from ashd.launcher import bubblewrap

    directory = shown(result["directory"])
    expires = result.get("expires_at")
    fields(
        [
            ("grant", result["grant_id"]),
            ("directory", directory),
            ("expires", when(expires) if expires else "never"),
        ]
    )
    if "token" in result:
        _with_token(result)
        return
    in_bubblewrap = bubblewrap.command(
        directory=Path(directory), client=Path(_CLIENT), argv=["COMMAND"]
    )
    click.echo("\nThe client for the sandbox, as one file:")
    click.echo(f"  ash sandbox client {_CLIENT}")
    click.echo("With bubblewrap:")
    click.echo(f"  {shlex.join(in_bubblewrap)}")
    click.echo("With docker, in an image with python3:")
    click.echo(f"  {shlex.join(_DOCKER)} \\")
    click.echo(f"    -v {shlex.quote(f'{directory}:{bubblewrap.GRANT_DIRECTORY}:ro')} \\")
    click.echo(f'    -v "$PWD/{_CLIENT}:/usr/local/bin/ash-sb:ro" IMAGE COMMAND')
    note("`ash sandbox run` adds a system call filter and limits to bubblewrap's walls.")
    note(f"`ash grant revoke {shown(result['grant_id'])}` closes it.")


def _with_token(result: dict[str, Any]) -> None:
    """Print the environment variables for a sandbox with a token, which is shown only once."""
    from ashd.cli.output import note, shown

    click.echo("\nIn the sandbox's environment, with a socket that it can reach:")
    click.echo(f"  ASH_CONTEXT_TOKEN={shown(result['token'])}")
    click.echo(f"  ASH_RPC_SOCKET={shown(result['socket'])}")
    if "tcp" in result:
        host, _, port = shown(result["tcp"]).rpartition(":")
        click.echo("or, in place of the socket:")
        click.echo(f"  ASH_RPC_HOST={host}")
        click.echo(f"  ASH_RPC_PORT={port}")
    note("The token is not shown again. Whoever reads it has the grant: mount a directory instead")
    note(f"where you can. `ash grant revoke {shown(result['grant_id'])}` closes it.")


def _listed(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import Column, day, note, table

    grants = result["grants"]
    if grants:
        table(
            [
                Column("GRANT", whole=True),
                Column("FOR", flexes=True),
                Column("RIGHTS"),
                Column("STATE", whole=True),
                Column("CREATED", spare=True),
                Column("EXPIRES"),
            ],
            [
                (
                    entry.get("grant_id"),
                    _scope(entry.get("scope") or {}),
                    entry.get("rights"),
                    entry.get("state"),
                    day(entry.get("created_at")),
                    day(entry["expires_at"]) if entry.get("expires_at") else "never",
                )
                for entry in grants
            ],
        )
    note(f"{count(len(grants), 'grant')}.")


def _scope(scope: dict[str, Any]) -> str:
    from ashd.cli.output import shown

    who = f"{shown(scope.get('provider'))}:{shown(scope.get('user_id') or '*')}"
    chat = scope.get("chat_id")
    return f"{who} in {shown(scope.get('chat_type'))} {shown(chat)}" if chat else who


def _revoked(result: dict[str, Any]) -> None:
    from ashd.cli.output import paint, shown

    click.echo(f"{paint('Revoked', 'green')} {shown(result['grant']['grant_id'])}")
