"""The middleware of Vercel's AI SDK, in the real SDK on Node. Budget: 20 s."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import node
import pytest
from daemons import Daemon
from endpoint import Endpoint

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "adapters.md").read_text(encoding="utf-8")
SDK = Path(os.environ.get("AI_SDK", REPOSITORY / ".venv-adapters" / "node"))
pytestmark = [
    node.needs_node,
    pytest.mark.skipif(
        not (SDK / "node_modules" / "ai").is_dir(),
        reason="the AI SDK is not installed: make test-adapters",
    ),
]


def test_memory_is_in_the_prompt_and_turns_are_kept(daemon: Any, scope: Any) -> None:
    """Generated and streamed, with tools, with nothing known, without a daemon."""
    node.run(
        "ai_sdk.mjs",
        ASHD_SOCKET=str(daemon.socket),
        ASH_USER=scope()["user_id"],
        AI_SDK=str(SDK),
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder in which `ai` and `@ashd/client` are installed."""
    modules = tmp_path / "node_modules"
    (modules / "@ashd").mkdir(parents=True)
    (modules / "@ashd" / "client").symlink_to(REPOSITORY / "clients" / "typescript")
    for package in (SDK / "node_modules").iterdir():
        (modules / package.name).symlink_to(package)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    return tmp_path


def test_the_example_runs(
    new_daemon: type[Daemon], endpoint: Endpoint, project: Path, run_node: Callable[..., str]
) -> None:
    """The example of docs/adapters.md; a scripted endpoint stands for the model."""
    daemon = new_daemon().start()
    daemon.call("memory.add", content="I am allergic to walnuts")
    endpoint.always("chat", "No walnuts.")
    (example,) = re.findall(r"```js tested\n(.*?)```", PAGE, re.DOTALL)
    (project / "example.js").write_text(example)

    printed = run_node(
        project / "example.js",
        ASHD_SOCKET=str(daemon.socket),
        OPENAI_API_KEY="none",
        OPENAI_BASE_URL=endpoint.url,
    )

    assert "No walnuts." == printed.strip()
    assert "allergic to walnuts" in str(endpoint.requests[0]["messages"])
    stored = daemon.call("conversation.get", conversation_id="kitchen")["messages"]
    assert ["What can I cook tonight?", "No walnuts."] == [one["content"] for one in stored]


@pytest.fixture
def run_node() -> Callable[..., str]:
    """Run a script on Node, and return its output."""

    def run(script: Path, **environment: str) -> str:
        assert node.NODE is not None
        done = subprocess.run(
            [node.NODE, script],
            env={"PATH": os.environ["PATH"], **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_its_types_are_those_of_the_sdk(project: Path) -> None:
    """`ai_sdk_usage.ts` compiles, but for the line that must not."""
    shutil.copy(REPOSITORY / "tests" / "typescript" / "ai_sdk_usage.ts", project / "usage.ts")
    compiler = [project / "node_modules" / "typescript" / "bin" / "tsc", "--noEmit", "--strict"]
    target = ["--target", "es2022", "--module", "nodenext", "--skipLibCheck", "usage.ts"]
    assert node.NODE is not None
    done = subprocess.run(
        [node.NODE, *compiler, *target], capture_output=True, text=True, check=False, cwd=project
    )
    assert done.returncode == 0, done.stdout
