"""The instruction file for an agent says what the client says."""

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]


def test_instructions_are_the_clients_own_words() -> None:
    """`sandbox/agent.md` has the text of `ash-sb help agent`; `make docs` writes it anew."""
    said = subprocess.run(
        [sys.executable, "-m", "ash_sb", "help", "agent"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    written = (REPOSITORY / "sandbox" / "agent.md").read_text()

    assert written == f"# Your memory: ash-sb\n\n```text\n{said}```\n"
