"""`ash mcp`: an MCP server on standard input and output, for an agent host on this machine."""

import json
import os
import sys

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import pass_caller


@click.command("mcp")
@pass_caller
def mcp(caller: Caller, /) -> None:
    """Serve MCP on standard input and output, on behalf of you or of --as.

    An agent's host starts this; it ends with its standard input. It becomes the client of a
    sandbox, `ash-sb mcp`, on the control socket: one program carries messages, wherever it runs.
    """
    from ashd.client import protocol

    candidates = protocol.candidates(os.environ, socket=caller.socket, home=caller.home)
    path = next((one for one in candidates if one.exists()), candidates[0])
    environment = {**os.environ, "ASH_RPC_SOCKET": str(path)}
    if caller.scope is not None:
        environment["ASH_SCOPE"] = json.dumps(caller.scope)
    arguments = [sys.executable, "-I", "-m", "ash_sb", "mcp"]
    os.execve(sys.executable, arguments, environment)  # noqa: S606  our own interpreter, no shell
