"""Embedders for tests: where MiniLM is installed. The scripted endpoint is in `endpoint`."""

import os
from pathlib import Path

import pytest

from ashd.providers.minilm_install import FOLDER, PACKAGE


def minilm_models() -> Path:
    """The folder of installed models; without MiniLM there the test fails in CI, else it skips."""
    models = Path(os.environ.get("ASH_MODELS") or Path.home() / ".ash" / "models")
    if PACKAGE.installed(models / FOLDER) is None:
        reason = "MiniLM is not installed (ash model install minilm)"
        if os.environ.get("ASH_CI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return models
