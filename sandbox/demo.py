"""The story of a memory, told by the real parts: `make demo`.

A daemon on a temporary home, an agent's sandbox, and what is remembered in it. Every command
is shown as a person would type it, with its output, and what it shows is checked: where it is not
as told, the demo ends with that and exit status 1. It takes everything away that it made.

It needs what is installed to run `ash`, no more; without bubblewrap `ash-sb` runs outside a sandbox
and the part about walls is left out, with the reason.
"""

import datetime as dt
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from ashd.launcher import bubblewrap
from sandbox.demo_stage import (
    BIN,
    Host,
    NotAsTold,
    Shell,
    check,
    no_sandbox,
    one,
    sandbox,
    title,
)

OVERALL_S: Final = 120
SHORT_LIFE_S: Final = 5
"""How long the memory lives that is to be gone at the end."""

FACTS: Final = """\
[{"content": "I work as a nurse, mostly night shifts"},
 {"content": "Our daughter Mia plays the cello", "subjects": ["Mia"]},
 {"content": "We moved to Lisbon in 2021"}]"""

# What the sandbox has of the host is /usr, without sockets, and its own processes in /proc.
SOCKETS_AND_DATABASES: Final = (
    r"find / -path /usr -prune -o -path /proc -prune -o \( -type s -o -name '*.db' \) -print"
)
INTERFACES: Final = 'python3 -c "import socket; print(socket.if_nameindex())"'
# An address that documentation may use and nobody has.
CONNECT: Final = (
    "python3 -c \"import socket; socket.create_connection(('192.0.2.1', 80), 3)\" 2>&1 | tail -n 1"
)


def main() -> int:
    """Tell the story; the exit status."""
    walls_missing = bubblewrap.probe()
    try:
        with tempfile.TemporaryDirectory(prefix="ash-demo-") as folder, ExitStack() as held:
            host = Host(Path(folder))
            held.callback(host.end)
            tell(host, held, walls_missing)
    except NotAsTold as error:
        print(f"\nThe demo is not as told: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print_next_steps(walls_missing)
    return 0


def tell(host: Host, held: ExitStack, walls_missing: str | None) -> None:
    """The story, from the daemon's start to its end."""
    title("A daemon keeps the memories; this one on a home that goes with the demo")
    host.start()

    if walls_missing is None:
        title("An agent gets a sandbox: its memories, and nothing else")
        agent = held.enter_context(sandbox(host))
    else:
        title("Without a sandbox this time")
        print(f"({walls_missing}. So `ash-sb` runs beside the daemon.)")
        agent = held.enter_context(no_sandbox(host))

    remember(agent)
    gone_at = remember_for_a_time(agent)
    find(agent)
    colour = replace(agent)
    if walls_missing is None:
        look_outside(host, agent)
    title("Another user's sandbox finds none of it")
    another_user(host, walls_missing)

    title("The same after a restart; the sandbox stayed open")
    host.stop()
    host.start()
    agent.run("ash-sb memory search peanuts", shows="allergic to peanuts")
    agent.run(colour, shows="is blue", hides="is red")
    time.sleep(max(0.0, gone_at - time.monotonic()))
    agent.run("ash-sb memory search phone", shows="count: 0", hides="right now")
    another_user(host, walls_missing)

    title("The end")
    agent.leave()
    host.run("ash grant list", shows="0 grants" if walls_missing is None else "2 grants")
    host.stop()


def remember(agent: Shell) -> None:
    """What a user asks to be remembered, one by one and several at once."""
    title('"Remember I\'m allergic to peanuts." "My wife\'s name is Sarah." "She likes …"')
    agent.run('ash-sb memory add "I\'m allergic to peanuts"', shows="1 added")
    agent.run('ash-sb memory add "My wife\'s name is Sarah" --subject "my wife"', shows="Sarah")
    agent.run('ash-sb memory add "she likes Italian food" --subject "my wife"', shows="Sarah")
    agent.run(f"ash-sb memory add --facts-json - <<'EOF'\n{FACTS}\nEOF", shows="3 added")


def remember_for_a_time(agent: Shell) -> float:
    """What is to be forgotten again; when (of `time.monotonic`) the first of it is gone."""
    title("For two weeks, and for a moment")
    now = dt.datetime.now(dt.UTC)
    added = agent.run('ash-sb memory add "I am on a diet without sugar" --expires 14')
    expires = dt.datetime.fromisoformat(one(r"expires: (\S+)", added))
    late = expires - now - dt.timedelta(days=14)
    check(abs(late) < dt.timedelta(minutes=1), "what is remembered for 14 days expires otherwise")
    gone_at = time.monotonic() + SHORT_LIFE_S
    moment = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=SHORT_LIFE_S)
    agent.run(f'ash-sb memory add "I am on the phone right now" --expires {moment:%FT%TZ}')
    agent.run("ash-sb memory search phone", shows="I am on the phone")
    return gone_at


def find(agent: Shell) -> None:
    """What is asked later, in the same words or in others, and what nobody told."""
    title("Found by words, by meaning, by whom it is about")
    agent.run("ash-sb memory search peanuts", shows="allergic to peanuts")
    agent.run('ash-sb memory search "can I eat groundnuts"', shows="allergic to peanuts")
    agent.run('ash-sb memory search "what instrument does our girl play"', shows="cello")
    agent.run('ash-sb memory search "what does my wife like to eat"', shows="Italian food")
    agent.run('ash-sb memory list --about "my wife"', shows="Italian food", hides="peanuts")
    agent.run('ash-sb person resolve "my wife" --no-create', shows="Sarah")
    agent.run('ash-sb memory search "the height of Mount Everest"', shows="count: 0")


def replace(agent: Shell) -> str:
    """Red, then blue; the command that asks for it."""
    title("What is no longer so is replaced")
    red = agent.run('ash-sb memory add "My favourite colour is red"')
    red_id = one(r"added: memory (\w{8})", red)
    agent.run(f'ash-sb memory add "My favourite colour is blue" --supersedes {red_id}')
    colour = 'ash-sb memory search "what is my favourite colour"'
    agent.run(colour, shows="is blue", hides="is red")
    agent.run(f"ash-sb memory history {red_id}", shows="is red")
    return colour


def look_outside(host: Host, agent: Shell) -> None:
    """The walls, from both sides."""
    title("What the sandbox cannot see: the database, other sockets, the network")
    database = host.home / ".ash" / "data" / "ash.db"
    host.run(f"ls {database}", shows="ash.db")
    agent.run(f"ls {database}", shows="No such file", fails=True)
    seen = agent.run(SOCKETS_AND_DATABASES)
    check(seen.split() == ["/run/ash/rpc.sock"], "the sandbox sees more than its own socket")
    interfaces = agent.run(INTERFACES)
    check(interfaces.strip() == "[(1, 'lo')]", "the sandbox has a network interface")
    agent.run(CONNECT, shows="unreachable")


def another_user(host: Host, walls_missing: str | None) -> None:
    """Somebody else asks, through a grant of their own."""
    for command in ("ash-sb memory search peanuts", "ash-sb memory list"):
        if walls_missing is None:
            host.run(f"ash --as bob sandbox run -- {command}", shows="count: 0", hides="allergic")
        else:
            socket = host.grant("--as bob")
            host.run(f"ASH_RPC_SOCKET={socket} {command}", shows="count: 0", hides="allergic")


def print_next_steps(walls_missing: str | None) -> None:
    """Three lines to paste: the daemon, something to remember, a shell to go on in."""
    here = Path.cwd()
    programs = BIN.relative_to(here) if BIN.is_relative_to(here) else BIN
    title("All of it held. To keep going, on your own home (~/.ash), paste:")
    print(f"\n{programs}/ashd serve &")
    if walls_missing is None:
        print(f'{programs}/ash --wait 20 sandbox run -- ash-sb memory add "I like green tea"')
        print(f"{programs}/ash sandbox run -- sh", flush=True)
    else:
        read = "import json,sys; print(json.load(sys.stdin)['socket'])"
        create = f"{programs}/ash --wait 20 grant create --expires 8h --json"
        socket = f'$({create} | python3 -c "{read}")'
        print(f"export ASH_RPC_SOCKET={socket}")
        print(f'{programs}/ash-sb memory add "I like green tea"', flush=True)


def _too_long(*_: object) -> None:
    raise NotAsTold(f"it took more than {OVERALL_S} seconds")


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _too_long)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.alarm(OVERALL_S)
    sys.exit(main())
