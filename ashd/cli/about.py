"""`ash help` and `ash version`: what there is to type, and which release this is."""

from typing import Any

import click

import ashd
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, pass_caller


def _commands(context: click.Context, _param: click.Parameter, typed: str) -> Any:
    """Offer the shell the commands of the group that the words before name."""
    shown = context.find_root()
    for word in context.params["command"] or ():
        group = shown.command
        found = group.get_command(shown, word) if isinstance(group, click.Group) else None
        if found is None:
            return []
        shown = click.Context(found, shown, word)
    return shown.command.shell_complete(shown, typed)


@click.command("help", cls=Command)
@click.argument("command", nargs=-1, shell_complete=_commands)
@click.pass_context
def help_(context: click.Context, command: tuple[str, ...]) -> None:
    """Show how COMMAND is used, or which commands there are."""
    shown = context.find_root()
    for word in command:
        group = shown.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"`{shown.command_path}` has no commands.", shown)
        name, found, _ = group.resolve_command(shown, [word])
        assert found is not None
        shown = click.Context(found, shown, name)
    click.echo(shown.get_help())


@click.command("version", cls=Command)
@pass_caller
def version(caller: Caller, /) -> None:
    """Show the version of `ash`."""
    caller.answer({"version": ashd.__version__}, lambda result: click.echo(result["version"]))
