"""A MiniLM that is outdated, incomplete or missing is named, and judged without. Budget: 12 s."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asking import add
from daemons import Daemon
from embedders import minilm_models
from waiting import until

from ashd.providers.minilm_install import FOLDER, MODEL, PAIRS_FILE
from ashd.providers.model_install import MANIFEST_FILE

Scope = Callable[..., dict[str, Any]]

INSTALL = "ash model install minilm"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A copy of the installed MiniLM, for the test to spoil."""
    shutil.copytree(minilm_models() / FOLDER, tmp_path / FOLDER)
    return tmp_path


@pytest.fixture
def daemon(new_daemon: Callable[..., Daemon], models: Path) -> Daemon:
    """A daemon that is to use it, not started."""
    made: Daemon = new_daemon(environment={"ASH_MODELS": str(models)})
    made.config('[embedding]\nprovider = "minilm"\n')
    return made


def warned(daemon: Daemon) -> list[tuple[str, str, str]]:
    """The warnings of `system.status`, which the doctor's findings must equal."""
    status = daemon.call("system.status")["warnings"]
    findings = daemon.call("db.check")["findings"]
    told = [(one["name"], one["detail"], one["remedy"]) for one in status]
    assert told == [(one["name"], one["detail"], one["remedy"]) for one in findings]
    assert {one["severity"] for one in findings} <= {"warning"}
    return told


def newer_than(daemon: Daemon, mine: dict[str, Any], older: dict[str, Any]) -> list[str]:
    """The words of the memories that may have replaced one."""
    memory = daemon.call("memory.get", scope=mine, id=older["id"])["memory"]
    return [one["content"] for one in memory["conflicts"] if one["relation"] == "newer"]


@pytest.mark.parametrize("damage", [None, b"damaged"])
def test_a_cross_encoder_that_cannot_be_loaded_is_named(
    daemon: Daemon, models: Path, scope: Scope, damage: bytes | None
) -> None:
    """Conflicts are linked meanwhile; with the file there again, all is well without a restart."""
    file, mine = models / FOLDER / PAIRS_FILE, scope()
    whole = file.read_bytes()
    file.unlink()
    if damage is not None:
        file.write_bytes(damage)
    daemon.start()

    ((name, detail, remedy),) = warned(daemon)

    assert name == "no_cross_encoder"
    assert "cross-encoder" in detail
    assert INSTALL in remedy
    older = add(daemon, "My phone number is 555-1234", scope=mine)
    add(daemon, "My phone number is 555-9876", scope=mine)
    until(lambda: newer_than(daemon, mine, older) == ["My phone number is 555-9876"])
    file.write_bytes(whole)
    assert warned(daemon) == []
    add(daemon, "My dentist is Dr Wu", scope=mine)
    told = "My dentist is Dr Karim now"
    entry = daemon.call("memory.add", scope=mine, content=told)["memories"][0]
    assert len(entry["may_replace"]) == 1


def test_a_cross_encoder_with_another_fine_tuning_is_not_asked(
    daemon: Daemon, models: Path, scope: Scope
) -> None:
    """The calibration of this version is not its own: it is named, and offers nothing."""
    manifest, mine = models / FOLDER / MANIFEST_FILE, scope()
    installed = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**installed, "tuning": "of an earlier version"}))
    daemon.start()

    add(daemon, "My dentist is Dr Wu", scope=mine)
    told = "My dentist is Dr Karim now"
    entry = daemon.call("memory.add", scope=mine, content=told)["memories"][0]

    ((name, _, remedy),) = warned(daemon)
    assert (name, INSTALL in remedy) == ("no_cross_encoder", True)
    assert (entry["superseded"], entry["may_replace"]) == ([], [])


def test_an_outdated_model_is_named(daemon: Daemon, models: Path) -> None:
    """An upgrade of the daemon asks for the newer model."""
    manifest = models / FOLDER / MANIFEST_FILE
    older = MODEL.partition("/")[0] + "/0"
    manifest.write_text(manifest.read_text().replace(MODEL, older))
    daemon.start(wait_for="embedder_failed")

    ((name, _, remedy),) = warned(daemon)

    assert name == "embedder_down"
    assert INSTALL in remedy


def test_facts_told_before_the_model_is_there_are_judged_by_it(
    daemon: Daemon, models: Path, scope: Scope
) -> None:
    """Until then they are offered, and the reply says that the embedder is missing."""
    mine, away = scope(), models / "away"
    (models / FOLDER).rename(away)
    daemon.start(wait_for="embedder_failed")
    add(daemon, "My favourite colour is red", scope=mine)
    told = "My favourite colour is blue"
    reply = daemon.call("memory.add", scope=mine, content=told)
    (entry,) = reply["memories"]
    assert (reply["degraded"], entry["superseded"]) == (["embedder"], [])
    assert len(entry["may_replace"]) == 1

    away.rename(models / FOLDER)
    add(daemon, "Somebody else's fact wakes the queue", scope=scope())

    until(lambda: daemon.call("memory.list", scope=mine)["total"] == 1)
    assert warned(daemon) == []
