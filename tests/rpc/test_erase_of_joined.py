"""Erasing what was told while accounts were joined leaves no word of it. Budget: 30 s."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import Daemon
from scanning import left_in

Scope = dict[str, Any]
ANN: Scope = {"provider": "test", "user_id": "ann", "display_name": "Ann"}
BOB: Scope = {"provider": "test", "user_id": "bob", "display_name": "Bob"}


@pytest.fixture
def home(new_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon of the test's own, whose files can be read."""
    return new_daemon().start()


def _join(daemon: Daemon) -> str:
    ids = [
        daemon.call("person.resolve", scope=one, reference="me")["person_id"] for one in (ANN, BOB)
    ]
    account = {"provider": "test", "user_id": "bob"}
    daemon.call("person.link_account", id=ids[0], account=account)
    return str(ids[0])


def _add(daemon: Daemon, scope: Scope, content: str, name: str) -> str:
    entry = daemon.call("memory.add", scope=scope, content=content, subjects=[name])["memories"][0]
    return str(entry["memory"]["id"])


def _erase(daemon: Daemon, memory: str) -> Any:
    dry = daemon.call("memory.erase", all_scopes=True, id=memory, dry_run=True)
    done = daemon.call("memory.erase", all_scopes=True, id=memory)
    assert done == dry
    return done["receipt"]["rows"]


def _left(daemon: Daemon, *words: str) -> set[str]:
    return left_in(daemon.home / "data", words)


def _names(daemon: Daemon, scope: Scope) -> list[str]:
    return sorted(one["name"] for one in daemon.call("person.list", scope=scope)["people"])


def test_a_name_that_only_one_account_told_goes(home: Daemon) -> None:
    """The other's person of the same join stays, and stays after the accounts are parted."""
    _add(home, ANN, "Zedekiah sails", "Zedekiah")
    first = _join(home)
    gone = _add(home, BOB, "Zedekiah Quixotrine plays chess", "Zedekiah Quixotrine")
    assert _left(home, "Quixotrine")

    _erase(home, gone)

    assert _left(home, "Quixotrine", "Zedekiah") == {"Zedekiah"}
    assert _names(home, ANN) == ["Ann", "Zedekiah"]
    home.call("person.unlink_account", id=first, account={"provider": "test", "user_id": "bob"})
    assert _names(home, ANN) == ["Ann", "Zedekiah"]
    assert _names(home, BOB) == ["Bob"]
    assert not [one for one in home.call("db.check")["findings"] if one["severity"] == "error"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_person_of_whom_nothing_is_left_goes(home: Daemon, order: tuple[int, int]) -> None:
    """With the last memory about it, whoever told it, each account's own row goes too."""
    first = _add(home, ANN, "Zedekiah sails", "Zedekiah")
    _join(home)
    second = _add(home, BOB, "Zedekiah Quixotrine plays chess", "Zedekiah Quixotrine")
    told = [first, second]

    for number in order:
        _erase(home, told[number])

    assert _left(home, "Quixotrine", "Zedekiah") == set()
    assert _names(home, ANN) == ["Ann"]


@pytest.mark.parametrize("erased", [0, 1])
@pytest.mark.parametrize("parted", [False, True])
def test_a_name_stays_that_another_memory_of_its_speaker_needs(
    home: Daemon, erased: int, *, parted: bool
) -> None:
    """Of two memories that one account told during the join, one goes, and then the other."""
    _add(home, ANN, "Zedekiah sails", "Zedekiah")
    first = _join(home)
    name = "Zedekiah Quixotrine"
    told = [_add(home, BOB, f"{name} plays chess", name)]
    who = home.call("person.resolve", scope=BOB, reference=name)["person_id"]
    told.append(_add(home, BOB, f"{name} breeds wubbzolites", who))

    _erase(home, told.pop(erased))

    assert _left(home, "Quixotrine") == {"Quixotrine"}
    if parted:
        account = {"provider": "test", "user_id": "bob"}
        home.call("person.unlink_account", id=first, account=account)
        assert _names(home, BOB) == ["Bob", "Zedekiah Quixotrine"]
        assert _names(home, ANN) == ["Ann", "Zedekiah"]
    _erase(home, told.pop())
    assert _left(home, "Quixotrine", "Zedekiah") == {"Zedekiah"}
    assert _names(home, ANN) == ["Ann", "Zedekiah"]


@pytest.mark.parametrize("erased", [0, 1])
@pytest.mark.parametrize("known", [False, True])
def test_a_name_merged_by_hand_goes_with_what_taught_it(
    home: Daemon, erased: int, *, known: bool
) -> None:
    """A person merged into another keeps no name of an erased memory, nor does the other.

    Nor if a question made the person known before.
    """
    words = ["Zedekiah", "Quixotrine"]
    for word in words if known else ():
        home.call("person.resolve", scope=ANN, reference=word)
    memories = [_add(home, ANN, f"{one} sings", one) for one in words]
    ids = {one["name"]: one["id"] for one in home.call("person.list", scope=ANN)["people"]}
    home.call("person.merge", scope=ANN, id=ids["Quixotrine"], into=ids["Zedekiah"])

    _erase(home, memories[erased])

    assert _left(home, *words) == {words[1 - erased]}
    assert _names(home, ANN) == sorted(["Ann", words[1 - erased]])
    _erase(home, memories[1 - erased])
    assert _left(home, *words) == set()
    assert _names(home, ANN) == ["Ann"]
