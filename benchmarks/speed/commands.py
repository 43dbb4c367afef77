"""The installed `ash-sb` as whole processes, against the bare interpreter."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.speed import daemons, facts, timing

BIN = Path(sys.executable).parent
BARE = ["python3", "-I", "-S", "-c", "pass"]
REFERENCE = " ".join(BARE)
GOALS = {"ash-sb status": 2.0, "ash-sb memory search": 3.0}


def measure(*, quick: bool) -> list[dict[str, object]]:
    """A row for each command: its time, and how many bare interpreters that is."""
    with daemons.daemon("wordllama", None) as daemon:
        daemons.fill(daemon, "commands", 50 if quick else 1_000, seed=1)
        grant = daemon.call("grant.create", scope=daemons.owner("commands"))
        environment = {"PATH": os.environ["PATH"], "ASH_RPC_SOCKET": grant["socket"]}
        ask = facts.questions(2)

        def search() -> object:
            return command(["ash-sb", "memory", "search", next(ask)], environment)()

        cases: dict[str, Callable[[], object]] = {
            REFERENCE: command(BARE, environment),
            "ash-sb status": command(["ash-sb", "status"], environment),
            "ash-sb memory search": search,
        }
        times = timing.interleaved(cases, rounds=5 if quick else 61)
    return [
        {
            "command": name,
            **one.row(),
            "ratio": timing.ratio(one, times[REFERENCE]),
            "goal": GOALS.get(name),
        }
        for name, one in times.items()
    ]


def command(words: list[str], environment: dict[str, str]) -> Callable[[], object]:
    """Runs an installed command as a process of its own, to its end."""
    line = [str(BIN / words[0]), *words[1:]]
    return lambda: subprocess.run(
        line, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True
    )
