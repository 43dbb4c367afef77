"""A peer that does not come to an end is listed with its reason, in words a reader understands."""

import sys
from pathlib import Path

from benchmarks.recall import peers_process


def test_the_reason_is_the_error_of_the_last_traceback() -> None:
    """Earlier output of a library is ignored; folders of this machine are cut out."""
    stderr = """pymilvus not available. Install with: pip install pymilvus milvus-lite
Traceback (most recent call last):
  File "/some/where/peers.py", line 3, in add
    first()
KeyError: 'first'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/some/where/peers.py", line 5, in add
    second()
RuntimeError: cannot open /home/me/data/store.db
"""
    assert "RuntimeError: cannot open store.db" == peers_process.reason(1, stderr)


def test_without_a_traceback_only_the_status_is_known() -> None:
    """A warning is no reason."""
    expected = "its process ended with status 143 and no error"
    assert expected == peers_process.reason(143, "pymilvus not available.\n")
    assert expected == peers_process.reason(143, "")


def test_a_signal_is_a_reason() -> None:
    """The kernel ends what takes all the memory."""
    assert "its process was ended by signal 9" == peers_process.reason(-9, "Killed\n")


def test_without_their_environment_the_remedy_is_stated(tmp_path: Path) -> None:
    """The script starts nothing and names the remedy."""
    found = peers_process.measure(
        "Chroma", "assistant", python=tmp_path / "python", embeddings="http://127.0.0.1:9"
    )
    assert {"reason": "not installed: make peers"} == found


def test_a_peer_that_fails_is_listed_with_its_error(tmp_path: Path) -> None:
    """A process of its own that raises; the run goes on."""
    python = tmp_path / "python"
    python.write_text(f"#!{sys.executable}\nraise ImportError('no such peer')\n", encoding="utf-8")
    python.chmod(0o700)
    found = peers_process.measure(
        "Chroma", "assistant", python=python, embeddings="http://127.0.0.1:9"
    )
    assert {"reason": "ImportError: no such peer"} == found
