"""`ash memory conflicts` against a daemon: listed for a program, settled one by one by a person."""

import re
import shlex
from typing import Any

import pytest
from ash_runner import Ash

OLD, NEW = "I keep key {} with Ines", "Key {} hangs in the shed"


@pytest.fixture
def ash(daemon: Any, scope: Any) -> Ash:
    return Ash(daemon.socket, f"test:{scope()['user_id']}")


def add(ash: Ash, content: str) -> str:
    """The id of a memory that was stored."""
    memory = ash("memory", "add", "--json", content).json["memories"][0]["memory"]
    return str(memory["id"])


def pairs(ash: Ash, count: int) -> list[tuple[str, str]]:
    """The ids of the newer and the older memory of conflicts, in the order of the list."""
    for number in range(count):
        older, newer = add(ash, OLD.format(number)), add(ash, NEW.format(number))
        ash("memory", "supersede", newer, older, "--verdict", "unsure")
    return [(one["newer"]["id"], one["older"]["id"]) for one in listed(ash)]


def listed(ash: Ash) -> list[dict[str, Any]]:
    """The conflicts that are not settled."""
    result: list[dict[str, Any]] = ash("memory", "conflicts", "--json").json["conflicts"]
    return result


def active(ash: Ash) -> set[str]:
    """The ids of the memories that are in use."""
    return {one["id"] for one in ash("memory", "list", "--json").json["memories"]}


def test_conflicts_are_listed_with_what_settles_them(ash: Ash) -> None:
    """The older memory first; each command can be pasted, and nothing is settled by the list."""
    [(newer, older)] = pairs(ash, 1)

    shown = ash("memory", "conflicts", stdin="r\n")

    first, second, third = shown.out.splitlines()
    assert re.fullmatch(rf"older  .+  {older[:8]}: I keep key 0 with Ines", first)
    assert re.fullmatch(rf"newer  .+  {newer[:8]}: Key 0 hangs in the shed", second)
    assert re.fullmatch(r" *likelihood [01]\.\d\d", third)
    assert "1 of 1 conflict." in shown.err
    assert active(ash) == {newer, older}
    replaced, kept = re.search(
        r"replaced: ash (.+); if both are true: ash (.+)", shown.err
    ).groups()
    ash(*kept.split())
    assert (listed(ash), active(ash)) == ([], {newer, older})
    ash(*replaced.split())
    assert active(ash) == {newer}


def test_no_conflict_is_no_error(ash: Ash) -> None:
    """A terminal asks nothing then."""
    for on_terminal in (False, True):
        shown = ash("memory", "conflicts", on_terminal=on_terminal)
        assert (shown.out, shown.err) == ("", "0 of 0 conflicts.\n")


def test_conflicts_go_on_where_a_list_ended(ash: Ash) -> None:
    """The line for the next page can be pasted."""
    wanted = pairs(ash, 3)
    seen = []
    words = ["memory", "conflicts", "-n", "2"]
    for more in (True, False):
        shown = ash(*words)
        seen += re.findall(r"^newer  .+  (\w+):", shown.out, re.MULTILINE)
        assert ("More: " in shown.err) == more
        again = shlex.split(shown.err.partition("More: ")[2])
        words = again[len(ash.options) + 1 :]

    assert seen == [newer[:8] for newer, _ in wanted]


def test_a_person_settles_conflicts_one_by_one(ash: Ash) -> None:
    """R replaces, b keeps both, Enter leaves it open, another key asks again, q stops."""
    replaced, both, later, stopped, never = pairs(ash, 5)

    shown = ash("memory", "conflicts", stdin="r\nx\nb\n\nq\n", on_terminal=True)

    assert [(one["newer"]["id"], one["older"]["id"]) for one in listed(ash)] == [
        *(later, stopped, never)
    ]
    assert replaced[1] not in active(ash)
    assert {replaced[0], *both, *later, *stopped, *never} == active(ash)
    assert shown.out.count("newer  ") == 4
    undo = re.search(r"Settled\. ash (.+ memory supersede .+?) undoes it", shown.err)[1]
    ash(*undo.split())
    assert replaced[1] in active(ash)
    assert replaced in [(one["newer"]["id"], one["older"]["id"]) for one in listed(ash)]


def test_an_end_of_input_settles_nothing_more(ash: Ash) -> None:
    """What was answered before it stays settled."""
    both, later = pairs(ash, 2)

    ash("memory", "conflicts", stdin="b\n", on_terminal=True, fails=130)

    assert [(one["newer"]["id"], one["older"]["id"]) for one in listed(ash)] == [later]
    assert {*both, *later} == active(ash)


def test_json_asks_nothing_on_a_terminal(ash: Ash) -> None:
    """The one document is the method's result."""
    pairs(ash, 1)

    shown = ash("memory", "conflicts", "--json", stdin="r\n", on_terminal=True).json

    assert shown.keys() == {"conflicts", "next_cursor", "total", "names"}
    assert shown["total"] == len(listed(ash)) == 1


def test_a_conflict_marks_the_older_memory(ash: Ash) -> None:
    """In lists and searches, and with what settles it where the memory is shown."""
    [(newer, older)] = pairs(ash, 1)

    for command in (("list",), ("search", "key", "0")):
        out = " ".join(ash("memory", *command).out.split())
        assert "earlier; perhaps replaced by what was told on" in out
    for number, said in ((newer, "This may replace"), (older, "This may be replaced by")):
        shown = ash("memory", "show", number)
        assert said in shown.out
        assert f"If so: {ash.command} memory supersede {newer[:8]} {older[:8]};" in shown.err


def test_a_conflict_cannot_steer_the_terminal(ash: Ash) -> None:
    """Escape sequences in either memory are not printed."""
    hostile = "tea \x1b]0;owned\x07\x1b[2J\u202eand\u200b milk"
    older, newer = add(ash, hostile), add(ash, f"{hostile} again, in the kitchen")
    ash("memory", "supersede", newer, older, "--verdict", "unsure")

    shown = ash("memory", "conflicts", stdin="q\n", on_terminal=True)

    assert "milk" in shown.out
    assert not set(shown.out) & set("\x07\u202e\u200b")
    assert "\x1b]" not in shown.out
    assert "\x1b[2J" not in shown.out
