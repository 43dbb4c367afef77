"""The examples of docs/clients.md and docs/http.md run as they stand. Budget: 10 s."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import node
import pytest
from gateways import Gateway, Reply

REPOSITORY = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
Run = Callable[..., str]


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a page in a language."""
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    return [code for found, code in BLOCK.findall(text) if found == language]


@pytest.fixture(scope="module")
def gateway(start_gateway: Callable[[], Gateway]) -> Gateway:
    """A gateway whose agents have no memories of other tests."""
    return start_gateway()


@pytest.fixture
def run(gateway: Gateway, tmp_path: Path) -> Run:
    """Run a program in a folder of its own, beside the gateway's daemon, and return its output."""

    def run(*command: str, **environment: str) -> str:
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        places = {"ASH_HOME": str(gateway.daemon.home), "ASHD_SOCKET": str(gateway.daemon.socket)}
        done = subprocess.run(
            command,
            env={"PATH": path, "HOME": str(tmp_path), **places, **environment},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_client_in_python(run: Run) -> None:
    """It stores, and prints what it finds."""
    [example] = blocks("clients.md", "python")

    assert run(sys.executable, "-c", example) == "I am allergic to peanuts\n"


@node.needs_node
@pytest.mark.skipif(shutil.which("npm") is None, reason="no npm")
def test_the_client_in_javascript(gateway: Gateway, run: Run, tmp_path: Path) -> None:
    """It is installed by the page's command, and finds over the socket and over HTTP."""
    [install] = [code for code in blocks("clients.md", "sh") if code.startswith("npm ")]
    (tmp_path / "clients").symlink_to(REPOSITORY / "clients")
    run("sh", "-c", install, npm_config_offline="true", npm_config_audit="false")
    over_socket, over_http = blocks("clients.md", "ts")
    first, second = tmp_path / "first.mjs", tmp_path / "second.mjs"
    first.write_text(over_socket)
    there = over_http.replace("http://127.0.0.1:1337", gateway.url)
    assert there != over_http
    second.write_text(
        f'import {{ Client }} from "@ashd/client";\n{there}'
        'await memory.memory.add({ content: "I like soup" });\n'
        'console.log((await memory.memory.search({ query: "soup" })).results[0].memory.content);\n'
    )

    assert run(str(node.NODE), str(first)) == "I am allergic to peanuts\n"
    assert run(str(node.NODE), str(second), ASH_KEY=gateway.key_for("notes")) == "I like soup\n"


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl")
def test_a_key_opens_the_gateway(gateway: Gateway, run: Run) -> None:
    """The key that the first command prints is good for the request below it."""
    make_key, call = blocks("http.md", "sh")
    gateway.upstream.reply = Reply((b'{"choices": [{"message": {"content": "In the yard."}}]}',))

    key = run("sh", "-c", make_key.splitlines()[0]).strip()
    command = call.replace("http://127.0.0.1:1337", gateway.url).replace("ash-…", key)
    answer = json.loads(run("sh", "-c", command))

    assert answer["choices"][0]["message"]["content"] == "In the yard."
    assert gateway.upstream.asked[-1][1] == "/v1/chat/completions"
