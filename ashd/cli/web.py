"""`ash web`: a page in the browser to see and mend what is remembered."""

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import ProgramCommand, option, pass_caller

_HIGHEST_PORT = 65_535


@click.command("web", cls=ProgramCommand)
@option(
    "--port",
    type=click.IntRange(0, _HIGHEST_PORT),
    default=0,
    metavar="PORT",
    help="Port of the loopback to serve on [any that is free].",
)
@option("--no-open", is_flag=True, help="Open no browser; print what to open.")
@option("--read-only", is_flag=True, help="Show everything and change nothing.")
@pass_caller
def web(caller: Caller, /, *, port: int, no_open: bool, read_only: bool) -> None:
    """Serve a page on this machine for your browser alone, until Ctrl-C or an unused hour.

    With --as the page is for that account alone, and with --chat for it in that chat.
    It opens BROWSER, or your default browser, with a link that works once, within a minute.
    """
    from ashd import errors, log
    from ashd.web import serve
    from ashd_client.protocol import AshCallError

    if "project" in (caller.scope or {}):
        raise click.UsageError("The page shows all projects; choose one there.")
    log.never_block()
    try:
        opened = serve.serve(
            caller.socket,
            caller.home,
            port=port,
            read_only=read_only,
            scope=caller.scope,
            all_scopes=caller.all_scopes,
            opens_browser=not no_open,
            say=lambda text: click.echo(text, err=True),
        )
    except errors.StartError as error:
        raise click.ClickException(str(error)) from error
    if not opened:
        raise AshCallError(
            "Nobody opened the page within a minute.",
            kind="unavailable",
            code=-32_000,
            hint="Run `ash web` again and open what it shows.",
        )
