"""`ash conversation` against a daemon."""

import json
from pathlib import Path
from typing import Any

import pytest
from ash_runner import Ash

TALK = [
    {"role": "user", "content": "Where did I put my keys?", "speaker": "David"},
    {"role": "assistant", "content": "On the kitchen table."},
    {"role": "user", "content": "Thanks, and when do we fly to Lisbon?", "speaker": "David"},
]


@pytest.fixture
def ash(daemon: Any, scope: Any) -> Ash:
    return Ash(daemon.socket, f"test:{scope()['user_id']}")


def ingest(ash: Ash, given: object, *arguments: str) -> dict[str, Any]:
    """The result of an ingest from standard input."""
    done = ash("conversation", "ingest", "-", *arguments, "--json", stdin=json.dumps(given))
    return done.json


def test_messages_of_chat_completions_can_be_ingested(ash: Ash) -> None:
    """Messages without text are skipped; a misspelt field is still refused."""
    talk = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "My keys are in the bowl."}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": "Noted."},
    ]
    stored = ingest(ash, talk, "--conversation", "api")
    misspelt = [{"role": "user", "content": "I like tea.", "timestamp": "2026-01-01"}]
    command = ("conversation", "ingest", "-", "--conversation", "api")
    ash(*command, stdin=json.dumps(misspelt), fails=2)

    assert (stored["ingested"], stored["refused"]) == (3, [])


def test_a_conversation_is_brought_in_found_and_shown(ash: Ash, tmp_path: Path) -> None:
    """A file of JSON lines is stored; a repetition stores nothing."""
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(json.dumps(message) for message in TALK))
    command = ("conversation", "ingest", str(path), "--conversation", "keys")
    assert (
        "3 messages stored, 0 already there." in ash(*command, "--session-date", "2026-02-09").out
    )
    assert (
        "0 messages stored, 3 already there." in ash(*command, "--session-date", "2026-02-09").out
    )

    found = ash("conversation", "search", "when is the flight to Lisbon", "--window", "1").out
    assert "Lisbon" in found
    assert "kitchen table" in found
    assert "David" in found

    listed = ash("conversation", "list").out.splitlines()[1].split()
    assert listed[:3] == ["keys", "3", "2026-02-09"]
    shown = ash("conversation", "show", "keys", "-n", "2")
    assert "keys?" not in shown.out
    assert "2 of 3 messages." in shown.err
    earlier = ash("conversation", "show", "keys", *shown.err.split("Earlier: ")[1].split())
    assert "keys?" in earlier.out


def test_a_file_may_say_everything_itself(ash: Ash) -> None:
    """The file has the fields of the call; refused messages are reported by their position."""
    turn = {"user": "my key is sk-ant-" + "a1B2" * 24, "assistant": "I will not keep that."}
    given = {"conversation_id": "c", "session_date": "2026-02-09", "turns": [turn]}
    result = ingest(ash, given)
    assert result["ingested"] == 1
    assert [entry["index"] for entry in result["refused"]] == [0]


def test_a_long_conversation_goes_in_several_calls(ash: Ash) -> None:
    """The order is kept, and a repetition is recognised as a whole."""
    talk = [{"role": "user", "content": f"message {number}"} for number in range(501)]
    options = ("--conversation", "long", "--session-date", "2026-02-09T10:00:00Z")
    assert ingest(ash, talk, *options)["ingested"] == 501
    assert ingest(ash, talk, *options)["duplicates"] == 501
    last = ash("conversation", "show", "long", "-n", "2", "--json").json["messages"]
    assert [message["content"] for message in last] == ["message 499", "message 500"]
    assert last[1]["at"] == "2026-02-09T10:08:20Z"


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ("text", ["--conversation", "c"]),
        ({"conversation_id": "c"}, []),
        ([{"role": "user", "content": "hi"}], []),
        ([{"role": "user", "content": "hi"}], ["--conversation", "c", "--session-date", "soon"]),
    ],
)
def test_a_file_that_is_no_conversation_is_wrong_usage(
    ash: Ash, given: object, arguments: list[str]
) -> None:
    """No list, no messages, no name, no date."""
    command = ("conversation", "ingest", "-", *arguments, "--json")
    done = ash(*command, stdin=json.dumps(given), fails=2)
    assert done.error["data"]["kind"] == "invalid_params"


def test_a_conversation_is_deleted_when_that_was_meant(ash: Ash) -> None:
    """The command counts and asks first; no answer counts as no."""
    ingest(ash, TALK, "--conversation", "keys")
    asked = ash("conversation", "delete", "keys", stdin="n\n", fails=130).err
    assert "This would delete 3 messages." in asked
    assert "Delete conversation keys?" in asked
    assert "--yes" in ash("conversation", "delete", "keys", fails=2).err
    assert "3 messages deleted." in ash("conversation", "delete", "keys", "--yes").out
    assert ash("conversation", "list").out == ""
