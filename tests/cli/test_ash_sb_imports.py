"""`ash-sb` uses the standard library only, and an ordinary call loads next to none of it."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from scripted_daemon import REPOSITORY, START, ScriptedDaemon, ash_sb, memory

PACKAGE = REPOSITORY / "ash_sb"

# Modules that a plain call may load besides the client: C helpers, and those of `-I -S`.
FAST = {"__future__", "_json", "_socket"}

REPORT = """
import atexit, posix, sys
before = set(sys.modules)
def report(status):
    sys.stderr.write(repr(sorted(set(sys.modules) - before)))
    sys.stderr.flush()
    leave(status)
leave, posix._exit = posix._exit, report
"""


def loaded(*arguments: str, socket_path: Path | None = None, stdin: str = "") -> set[str]:
    """The modules that a run of the client loads, beyond those of the bare interpreter."""
    client = [sys.executable, "-I", "-S", "-c", REPORT + START]
    done = ash_sb(*arguments, socket_path=socket_path, stdin=stdin, client=client)
    last = done.stderr.rpartition("[")[2].rstrip("]")
    return {name.strip(" '") for name in last.split(",")} - {"atexit"}


def test_every_import_is_of_the_standard_library() -> None:
    """No module of the package imports anything but the standard library and the package."""
    imported = set()
    for file in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, file
                imported.add(str(node.module).partition(".")[0])

    assert imported <= sys.stdlib_module_names | {"ash_sb"}


@pytest.mark.parametrize("typed", ["status", "memory search x", "memory add x", "person list"])
def test_a_call_loads_almost_nothing(tmp_path: Path, typed: str) -> None:
    """The way of an ordinary call loads the client and three modules, so that it starts at once."""
    entry = {"outcome": "added", "memory": memory(), "superseded": [], "people": []}
    answer = {"memories": [entry], "results": [], "people": []}
    with ScriptedDaemon(tmp_path / "s", answer) as daemon:
        names = loaded(*typed.split(), socket_path=daemon.path)

    assert {name for name in names if not name.startswith("ash_sb")} <= FAST
    assert not names & {"ash_sb.usage_text", "ash_sb.pyz"}


@pytest.mark.parametrize("typed", ["help agent", "help memory add", "memory ad", "memory add -"])
def test_nothing_ever_loads_the_daemon(typed: str) -> None:
    """Help and errors may load more of the standard library, and nothing else."""
    names = loaded(*typed.split(), socket_path=Path("/nonexistent/s"), stdin="x")

    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names | {"ash_sb"}


def test_without_the_c_helpers_the_wire_is_the_same() -> None:
    """A Python without the private JSON helpers speaks the same bytes through `json`."""
    program = f"""
import sys
if sys.argv[1] == "slow":
    import json
    sys.modules["_json"] = None
sys.path.append({str(REPOSITORY)!r})
from ash_sb import wire
value = {{"a": [1, 2.5, True, None, "ä\\u2028\\x00"], "b": {{}}}}
said = wire.request("m", value)
faults = []
for text in ("", "[", "1 2", "NaN", "{{a:1}}", '"\\x01"'):
    try:
        wire.decode(text)
    except ValueError:
        faults.append(text)
try:
    wire.encode(float("nan"))
except ValueError:
    faults.append("encoding NaN")
print(said, wire.encode_ascii(value), wire.reply(said.strip()), faults)
"""
    fast, slow = (
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", program, which],
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for which in ("fast", "slow")
    )

    assert fast == slow
    assert json.dumps("ä")[1:-1] in fast
    assert fast.endswith("""['', '[', '1 2', 'NaN', '{a:1}', '"\\x01"', 'encoding NaN']\n""")
