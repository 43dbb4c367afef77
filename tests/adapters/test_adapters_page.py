"""The examples of docs/adapters.md run as they stand. Budget: 60 s."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from daemons import Daemon
from endpoint import Endpoint

for framework in ("agents", "langgraph", "pydantic_ai"):
    pytest.importorskip(framework, reason=f"{framework} is not installed: make test-adapters")

PAGE = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python tested\n(.*?)```", PAGE, re.DOTALL)
(LOOK,) = re.findall(r"```sh tested\n(.*?)```", PAGE, re.DOTALL)


def test_the_examples_run(new_daemon: type[Daemon], endpoint: Endpoint) -> None:
    """Each in a process of its own; a scripted endpoint stands for the model."""
    daemon = new_daemon().start()
    endpoint.always("chat", "In May.")
    environment = {
        **os.environ,
        "ASHD_SOCKET": str(daemon.socket),
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": endpoint.url,
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
    }
    # The SDK speaks the API of responses by default, the endpoint that of chat completions.
    chat = "import agents; agents.set_default_openai_api('chat_completions')\n"
    printed = [
        subprocess.run(
            [sys.executable, "-c", chat + example],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env=environment,
        ).stdout.strip()
        for example in EXAMPLES
    ]

    assert ["['I am allergic to walnuts']", "In May.", "In May."] == printed
    assert "allergic to walnuts" in endpoint.requests[-1]["messages"][0]["content"]
    folder = str(Path(sys.executable).parent)
    environment["PATH"] = os.pathsep.join((folder, os.environ["PATH"]))
    shown = subprocess.run(
        ["sh", "-ec", LOOK], capture_output=True, text=True, check=True, env=environment
    ).stdout
    assert "I am allergic to walnuts" in shown
