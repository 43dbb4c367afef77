"""A command of `ash` loads click, the client, and next to nothing else: start-up is its cost."""

import subprocess
import sys
from pathlib import Path

import click
import pytest
from scripted_daemon import REPOSITORY, ScriptedDaemon, memory
from test_ash_status import COUNTS, STATUS

START = f"""
import sys
sys.path += [{str(REPOSITORY)!r}, {str(Path(click.__file__).parents[1])!r}]
from ashd.cli.ash import run
status = run(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(status)
"""
OWN = {
    *("ashd", "ashd.errors", "ashd.home", "ashd.access", "ashd.access.text_cleaning"),
    *("ashd.language", "ashd.language.lazy_pattern", "ashd.language.normal_forms"),
    *("ashd.wording", "ashd_client", "ashd_client.exchange", "ashd_client.fitting"),
    *("ashd_client.methods", "ashd_client.protocol", "ashd_client.sync", "ashd_client.wire_values"),
}
PRINTING = {"formats", "output"}
COSTLY = {
    *("ast", "asyncio", "dataclasses", "difflib", "dis", "importlib.metadata", "importlib.util"),
    *("logging", "pathlib", "random", "selectors", "shutil", "socket", "ssl"),
    *("subprocess", "tempfile", "textwrap", "tokenize", "tomllib", "urllib.parse"),
}


@pytest.mark.parametrize(
    ("typed", "modules"),
    [
        ("memory list", {"memory", "memory_view", "project_hint", "inputs", *PRINTING}),
        ("memory search lamp", {"memory", "memory_view", "project_hint", "inputs", *PRINTING}),
        ("memory list --json", {"memory", "memory_view", "project_hint", "inputs", *PRINTING}),
        (
            "status",
            {"stats", "status_view", "hook", "hook_files", "hook_sessions", "inputs", *PRINTING},
        ),
        ("hook UserPromptSubmit", {"hook", "hook_files", "hook_sessions"}),
    ],
)
def test_a_command_loads_what_it_needs(tmp_path: Path, typed: str, modules: set[str]) -> None:
    """A command imports the client, its own modules, click and click's imports."""
    always = {"ash", "caller", "commands", "deferred", "views"}
    answer = {
        "memories": [memory()],
        "results": [],
        "total": 1,
        "next_cursor": None,
        "people": [],
        "text": "x",
        "projects": [],
        **STATUS,
        "counts": COUNTS,
    }
    with ScriptedDaemon(tmp_path / "s", answer) as daemon:
        done = subprocess.run(
            [
                *(sys.executable, "-I", "-S", "-c", START),
                *("--socket", str(daemon.path), "--home", str(tmp_path), *typed.split()),
            ],
            input='{"prompt": "Where is the lamp?"}',
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
    loaded = set(done.stderr.splitlines()[-1].split())

    assert done.returncode == 0, done.stderr
    assert loaded & COSTLY == set()
    if "hook" in modules:
        loaded -= {"ashd_client.projects"}  # a hook acts in the project of its host's folder
    own = {name for name in loaded if name.partition(".")[0] in {"ashd", "ashd_client"}}
    assert own <= OWN | {"ashd.cli"} | {f"ashd.cli.{name}" for name in always | modules}
    others = {name.partition(".")[0] for name in loaded} - {
        "ashd",
        "ashd_client",
        "click",
        "__main__",
    }
    assert others <= sys.stdlib_module_names
