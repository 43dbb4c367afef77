"""`ash mcp`: an MCP server on standard input and output, for an agent host on this machine."""

import json
import os
import sys

import click

from ashd.cli.caller import Caller, account_of
from ashd.cli.commands import ProgramCommand, completed, option, pass_caller


@click.command("mcp", cls=ProgramCommand)
@option(
    "--as",
    "account",
    metavar="[PROVIDER:]USER",
    shell_complete=completed("account"),
    help="On behalf of this account.",
)
@pass_caller
def mcp(caller: Caller, /, account: str | None) -> None:
    """Serve MCP on standard input and output, on behalf of you or of --as.

    An agent's host starts this; it ends with its standard input. It runs the program of sandboxes,
    `ash-sb mcp`, on the control socket.
    """
    candidates = caller.candidates()
    path = next((one for one in candidates if os.access(one, os.F_OK)), candidates[0])
    others = ("ASH_SCOPE", "ASH_CONTEXT_TOKEN")  # of a sandbox, which this is not
    environment = {name: value for name, value in os.environ.items() if name not in others}
    environment["ASH_RPC_SOCKET"] = path
    environment["ASH_ON_HOST"] = "1"
    environment["ASH_HOME"] = caller.home_folder
    scope = caller.scope if account is None else {**(caller.scope or {}), **account_of(account)}
    if scope is not None:
        environment["ASH_SCOPE"] = json.dumps(scope)
    # Without `site`, as the command `ash-sb` itself: it needs nothing but its own package.
    packages = next(folder for folder in sys.path if os.access(f"{folder}/ash_sb", os.F_OK))
    program = f"import sys; sys.path.append({packages!r}); from ash_sb.__main__ import main; main()"
    arguments = [sys.executable, "-I", "-S", "-c", program, "mcp"]
    os.execve(sys.executable, arguments, environment)  # noqa: S606  our own interpreter, no shell
