"""Agent frameworks over MCP: what one session remembers, another recalls. Budget: 90 s.

Each is its framework's own agent, with `ash mcp` as a server of tools. A scripted endpoint stands
for the model, and gives the arguments that models give: null or nothing for what they do not use.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon
from endpoint import Calls, Endpoint

COMMAND = str(Path(sys.executable).parent / "ash")
AGENTS = Path(__file__).with_name("agents_on_mcp.py")
ADAPTERS = Path(__file__).parents[2] / ".venv-adapters"
PYTHONS = {
    "2": os.environ.get("MCP2_PYTHON", str(ADAPTERS / "bin" / "python")),
    "1": os.environ.get("MCP1_PYTHON", str(ADAPTERS / "mcp1" / "bin" / "python")),
}
"""The interpreters by the release of `mcp` in their environments."""
Scope = Callable[..., dict[str, Any]]
FACT = "My sister Petra lives in Bern"
REMEMBER = {"content": FACT, "facts": None, "subjects": [], "supersedes": ""}
RECALL = {"query": "Where does my sister live?"}
"""The other arguments are left out."""


@pytest.mark.parametrize(
    ("framework", "mcp"),
    [
        ("openai-agents", "2"),
        ("pydantic-ai", "2"),
        ("fastmcp", "2"),
        ("langgraph", "1"),
        ("smolagents", "1"),
    ],
)
def test_a_second_session_recalls(
    daemon: Daemon, scope: Scope, endpoint: Endpoint, framework: str, mcp: str
) -> None:
    """A normal call of `remember` and of `recall` gets through, and the model reads the fact."""
    python = PYTHONS[mcp]
    if not Path(python).exists():
        pytest.skip(f"{framework} is not installed: make test-adapters")
    me = scope()["user_id"]
    words = [COMMAND, "--socket", str(daemon.socket), "--as", f"test:{me}", "mcp"]
    is_done = (("final_answer", {"answer": "Done."}),)
    end = Calls(is_done) if framework == "smolagents" else "Done."

    def ask(text: str) -> str:
        done = subprocess.run(
            [python, AGENTS, framework, endpoint.url, text, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    endpoint.script("chat", Calls((("remember", REMEMBER),)), end)
    assert "Done." == ask(f"Remember: {FACT}")
    stored = daemon.call("memory.list", scope={"provider": "test", "user_id": me})["memories"]
    assert [FACT] == [one["content"] for one in stored]

    endpoint.script("chat", Calls((("recall", RECALL),)), end)
    assert "Done." == ask("Where does my sister live?")
    assert FACT in str(endpoint.requests[-1]["messages"][-1]["content"])
