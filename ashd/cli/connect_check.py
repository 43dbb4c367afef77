"""The check of `ash connect`: a call of a tool by the command that the host will start."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

_SECONDS: Final = 20
_PASSED_ON: Final = ("HOME", "LANG", "PATH", "TERM")
_ASKED: Final = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "ash connect", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": "tea"}}},
)


def check(command: list[str]) -> str | None:
    """Start the server, and let it recall something; return the problem, None if there is none.

    It has as little of this shell's environment as the host that passes on least.
    """
    lines = [json.dumps({"jsonrpc": "2.0", **one}) for one in _ASKED]
    try:
        done = subprocess.run(
            command,
            input="\n".join([*lines, ""]),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            cwd=Path.home(),  # which is in no project
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
        )
        answers = [json.loads(line) for line in done.stdout.splitlines()]
    except subprocess.TimeoutExpired:
        return f"it did not answer within {_SECONDS} seconds."
    except (OSError, ValueError) as error:
        return f"it cannot be started ({type(error).__name__})."
    answer = next((one for one in answers if one.get("id") == 2), None)
    return _problem(answer, done.stderr)


def _problem(answer: dict[str, Any] | None, said: str) -> str | None:
    if answer is None:
        return said.strip().rpartition("\n")[2] or "it gave no answer."
    if "error" in answer:
        return str(answer["error"].get("message"))
    result = answer["result"]
    return result["content"][0]["text"] if result.get("isError") else None
