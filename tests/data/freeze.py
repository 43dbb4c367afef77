"""Make the databases in `schemas/`: one of each schema, written by the daemon that had it.

    python tests/data/freeze.py [SCHEMA…]

Each is made by checking out a commit of this repository, starting its daemon with the libraries of
the interpreter that runs this, and telling it the same few things. Written once, never again: they
are what earlier homes look like. The packed files are small; `tests/faults/test_upgrade.py` opens
each.
"""

import json
import lzma
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "schemas"
COMMITS = {
    "0001-first": "6f50262",
    "0001": "9be9324",
    "0002-first": "d50e3eb~1",
    "0002": "a999dbf",
    "0003": "163d994",
    "0004": "7965336",
    "0005": "15da941",
    "0006": "e30e880",
    "0008": "83794dd",
    "0009": "89631c7",
    "0009-doubled": "eb93f6d",
    "0010": "fcf1af9",
    "0011": "215e8d5",
    "0012": "2951eed",
    "0012-doubled": "877d3ff",
    "0013": "1c9a06a",
    "0014-doubled": "0ba3e72",
    "0018": "4e9075e",
    "0019": "1ebbd98",
    "0021": "f47979a",
}
"""The last commit with each schema; `doubled` had two files of one number."""
SCOPE = {"provider": "test", "user_id": "alice", "display_name": "Alice"}
GROUP = {**SCOPE, "chat_id": "-100", "chat_type": "group", "participants": ["alice", "bob"]}
TOLD: list[tuple[str, dict[str, Any]]] = [
    ("memory.add", {"scope": SCOPE, "content": "The spare key hangs behind the clock"}),
    ("memory.add", {"scope": SCOPE, "content": "Anna likes tea", "subjects": ["Anna Berg"]}),
    ("memory.add", {"scope": SCOPE, "content": "Rent is due on the first", "tags": ["home"]}),
    ("memory.add", {"scope": GROUP, "content": "The group meets on Mondays", "shared": True}),
    (
        "conversation.ingest",
        {
            "scope": SCOPE,
            "conversation_id": "evening",
            "messages": [
                {"role": "user", "content": "Which tyres?", "at": "2026-01-02T03:04:05Z"},
                {"role": "assistant", "content": "Wide ones.", "at": "2026-01-02T03:05:05Z"},
            ],
        },
    ),
    ("person.resolve", {"scope": SCOPE, "reference": "my sister Jana"}),
    ("override.add", {"scope": SCOPE, "content": "Call me Alice"}),
    ("grant.create", {"scope": SCOPE}),
]
"""Calls made to each daemon; early ones lack some methods."""


def freeze(name: str, commit: str) -> None:
    """Make one database."""
    place = Path(tempfile.mkdtemp(prefix="ash-freeze-"))
    tree = place / "tree"
    git = ["git", "-C", str(REPOSITORY), "worktree"]
    subprocess.run([*git, "add", "-q", "--detach", str(tree), commit], check=True)
    try:
        home, run = place / "home", place / "run"
        environment = {"PATH": os.environ["PATH"], "HOME": str(place), "PYTHONPATH": str(tree)}
        options = ["--home", str(home), "--run-dir", str(run)]
        daemon = subprocess.Popen(
            [sys.executable, "-m", "ashd", "serve", *options],
            env=environment,
            cwd=tree,
            stderr=subprocess.DEVNULL,
        )
        known = [method for method, params in TOLD if tell(run / "ashd.sock", method, params)]
        time.sleep(2)  # vectors are made in the background
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(120)
        fold_wal(home / "data" / "ash.db")
        packed = lzma.compress((home / "data" / "ash.db").read_bytes(), preset=9)
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.db.xz").write_bytes(packed)
        print(name, commit, f"{len(packed):,} bytes,", len(known), "calls")  # noqa: T201  figures
    finally:
        subprocess.run([*git, "remove", "--force", str(tree)], check=True)
        shutil.rmtree(place)


def fold_wal(path: Path) -> None:
    """Fold the WAL of an early daemon into the file."""
    if path.with_name("ash.db-wal").exists():
        connection = sqlite3.connect(path)
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.close()


def tell(path: Path, method: str, params: dict[str, Any]) -> bool:
    """Make a call, waiting for the daemon; return whether it succeeded."""
    for _ in range(100):
        try:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(path))
            break
        except OSError:
            time.sleep(0.2)
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with connection, connection.makefile("rb") as replies:
        connection.sendall(json.dumps(request).encode() + b"\n")
        return "result" in json.loads(replies.readline())


if __name__ == "__main__":
    for wanted in sys.argv[1:] or COMMITS:
        freeze(wanted, COMMITS[wanted])
