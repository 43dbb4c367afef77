"""A model's runtime tells nobody that it is used. Budget: 3 s."""

import os
import subprocess
import sys
from pathlib import Path


def test_loading_the_runtime_leaves_nothing_behind(tmp_path: Path) -> None:
    """The runtime's library is kept from writing a device id and events into the home."""
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    command = [sys.executable, "-c", "import ashd.providers.minilm"]
    subprocess.run(command, env=environment, check=True, timeout=120)

    assert list(tmp_path.rglob("*")) == []
