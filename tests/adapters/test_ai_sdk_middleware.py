"""The middleware of Vercel's AI SDK, in the real SDK on Node. Budget: 40 s.

Two releases of the SDK: that for Node 20, and the newest, beside a Node that it takes.
"""

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
pytestmark = node.needs_node


@pytest.fixture(params=["node", "node-newest"])
def modules(request: pytest.FixtureRequest) -> Path:
    """The packages of a release of the SDK, as npm installed them."""
    folder = REPOSITORY / ".venv-adapters" / str(request.param) / "node_modules"
    if not (folder / "ai").is_dir():
        pytest.skip("the AI SDK is not installed: make test-adapters")
    return folder


@pytest.fixture
def project(tmp_path: Path, modules: Path) -> Path:
    """A folder in which `ai` and `@ashd/client` are installed."""
    installed = tmp_path / "node_modules"
    (installed / "@ashd").mkdir(parents=True)
    (installed / "@ashd" / "client").symlink_to(REPOSITORY / "clients" / "typescript")
    for package in modules.iterdir():
        (installed / package.name).symlink_to(package)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    return tmp_path


@pytest.fixture
def run_node(project: Path) -> Callable[..., str]:
    """Run Node in the project, that of the packages if there is one, and return its output."""
    own = project / "node_modules" / "node" / "bin" / "node"

    def run(*arguments: str, **environment: str) -> str:
        done = subprocess.run(
            [own if own.exists() else str(node.NODE), *arguments],
            env={"PATH": os.environ["PATH"], **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=project,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_memory_is_in_the_prompt_and_turns_are_kept(
    daemon: Any, scope: Any, project: Path, run_node: Callable[..., str]
) -> None:
    """Generated and streamed, with tools, with nothing known, without a daemon."""
    shutil.copy(node.SCRIPTS / "ai_sdk.mjs", project)

    printed = run_node("ai_sdk.mjs", ASHD_SOCKET=str(daemon.socket), ASH_USER=scope()["user_id"])

    assert printed == "done\n"


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
        "example.js",
        ASHD_SOCKET=str(daemon.socket),
        OPENAI_API_KEY="none",
        OPENAI_BASE_URL=endpoint.url,
    )

    assert "No walnuts." == printed.strip()
    assert "allergic to walnuts" in str(endpoint.requests[0]["messages"])
    stored = daemon.call("conversation.get", conversation_id="kitchen")["messages"]
    assert ["What can I cook tonight?", "No walnuts."] == [one["content"] for one in stored]


def test_its_types_are_those_of_the_sdk(project: Path, run_node: Callable[..., str]) -> None:
    """`ai_sdk_usage.ts` compiles, but for the line that must not."""
    shutil.copy(node.SCRIPTS / "ai_sdk_usage.ts", project / "usage.ts")
    compiler = ["node_modules/typescript/bin/tsc", "--noEmit", "--strict"]
    target = ["--target", "es2022", "--module", "nodenext", "--skipLibCheck", "usage.ts"]

    run_node(*compiler, *target)
