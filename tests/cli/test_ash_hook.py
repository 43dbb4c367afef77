"""`ash hook`: the block for a turn, captured messages, and no failures. Budget: 15 s."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from daemons import Daemon

from ashd.cli import transcripts
from ashd.cli.ash import cli
from ashd.cli.hook import _HANDLERS, last_failure
from ashd.context import render

BIN = Path(sys.executable).parent
Scope = Callable[..., dict[str, Any]]


def hook(
    daemon: Daemon, scope: dict[str, Any], event: str, given: Any, home: Path
) -> dict[str, Any]:
    """Run the hook and return the JSON that a host reads from its standard output."""
    done = subprocess.run(
        [
            *(BIN / "ash", "--socket", daemon.socket, "--home", home),
            *("--as", f"{scope['provider']}:{scope['user_id']}", "hook", event),
        ],
        input=given if isinstance(given, str) else json.dumps(given),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=dict(os.environ),
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("event", ["UserPromptSubmit", "BeforeAgent"])
def test_a_prompt_gets_what_is_known(
    daemon: Daemon, scope: Scope, tmp_path: Path, event: str
) -> None:
    """The context has the host's form and stays below its limit."""
    mine = scope()
    daemon.call("memory.add", scope=mine, content="I am allergic to peanuts")
    for number in range(60):
        daemon.call("memory.add", scope=mine, content=f"Peanut fact {number}: " + "nuts " * 100)
    answer = hook(daemon, mine, event, {"prompt": "can I eat peanuts"}, tmp_path)[
        "hookSpecificOutput"
    ]

    assert answer["hookEventName"] == event
    assert "I am allergic to peanuts" in answer["additionalContext"]
    assert len(answer["additionalContext"]) < 10_000


def line(role: str, content: Any, **fields: Any) -> str:
    """A line of Claude Code's transcripts."""
    message = {"role": role, "content": content}
    return json.dumps({"type": role, "message": message, **fields}) + "\n"


def turns(daemon: Daemon, scope: dict[str, Any], conversation: str) -> list[tuple[str, str]]:
    found = daemon.call("conversation.get", scope=scope, conversation_id=conversation)
    return [(one["role"], one["content"]) for one in found["messages"]]


def test_a_transcript_is_kept_as_it_grows(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """Each message is stored once; an unfinished line is read the next time."""
    mine, transcript = scope(), tmp_path / "t.jsonl"
    block = f"{render.OPEN}\n{render.LEAD}\n- I sail\n{render.CLOSE}"
    first = line("user", f"Where is my boat?\n{block}", uuid="a", timestamp="2026-05-04T10:00:00Z")
    first += line("assistant", [{"type": "thinking", "thinking": "hm"}], uuid="b")
    first += line("assistant", [{"type": "text", "text": "In Elba."}], uuid="c")
    first += line("user", [{"type": "tool_result", "content": "secret output"}], uuid="d")
    first += line("user", "a note of the host", uuid="e", isMeta=True)
    second = line("user", "Thanks", uuid="f")
    event = {"session_id": "s", "transcript_path": str(transcript)}
    for text in (first + second[:20], first + second, first + second):
        transcript.write_text(text)
        assert hook(daemon, mine, "Stop", event, tmp_path) == {}

    assert turns(daemon, mine, "s") == [
        ("user", "Where is my boat?"),
        ("assistant", "In Elba."),
        ("user", "Thanks"),
    ]


CLAUDE = {"session_id": "s", "prompt_id": "5f198a5a", "permission_mode": "default"}
CODEX = {"session_id": "s", "turn_id": "01a20927-e13c", "model": "m"}


def codex_line(role: str, text: str, **payload: Any) -> str:
    """A line of Codex' transcripts."""
    kind = "input_text" if role == "user" else "output_text"
    content = [{"type": kind, "text": text}]
    payload = {"type": "message", "role": role, "content": content, **payload}
    return json.dumps({"type": "response_item", "payload": payload}) + "\n"


def written(host: dict[str, str], prompt: str, *answers: str, turn: str | None = None) -> str:
    """A turn as the host writes it into its transcript, with the turn's id."""
    if host is CODEX:
        named = json.dumps(
            {"type": "turn_context", "payload": {"turn_id": turn or host["turn_id"]}}
        )
        lines = [codex_line("user", prompt), *(codex_line("assistant", one) for one in answers)]
        return "".join([named + "\n", *lines])
    first = line("user", prompt, uuid=f"u{prompt}", promptId=turn or host["prompt_id"])
    rest = (
        line("assistant", [{"type": "text", "text": one}], uuid=f"a{prompt}{one}")
        for one in answers
    )
    return "".join([first, *rest])


@pytest.mark.parametrize("host", [CLAUDE, CODEX])
def test_an_answer_is_kept_without_its_transcript(
    daemon: Daemon, scope: Scope, tmp_path: Path, host: dict[str, str]
) -> None:
    """Prompt and answer come from the events; the transcript that comes later repeats nothing."""
    mine, transcript = scope(), tmp_path / "late.jsonl"
    given = {**host, "transcript_path": str(transcript)}
    hook(daemon, mine, "UserPromptSubmit", {**given, "prompt": "Oskar moved to Gdansk"}, tmp_path)
    stopped = {**given, "last_assistant_message": "Noted, Gdansk."}
    hook(daemon, mine, "Stop", stopped, tmp_path)
    both = [("user", "Oskar moved to Gdansk"), ("assistant", "Noted, Gdansk.")]
    assert turns(daemon, mine, "s") == both

    transcript.write_text(written(host, "Oskar moved to Gdansk\n", "Noted, Gdansk."))
    hook(daemon, mine, "Stop", stopped, tmp_path)
    assert turns(daemon, mine, "s") == both

    id_field = "prompt_id" if host is CLAUDE else "turn_id"
    later = {**given, id_field: "2"}
    hook(daemon, mine, "UserPromptSubmit", {**later, "prompt": "Thanks"}, tmp_path)
    with transcript.open("a") as file:
        file.write(written(host, "Thanks", "Noted, Gdansk.", turn="2"))
    hook(daemon, mine, "Stop", {**later, "last_assistant_message": "Noted, Gdansk."}, tmp_path)
    assert turns(daemon, mine, "s") == [*both, ("user", "Thanks"), ("assistant", "Noted, Gdansk.")]


def test_a_transcript_that_comes_a_moment_later_is_kept_in_order(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """A turn may have answers between its tools, which only the transcript has."""
    mine, transcript = scope(), tmp_path / "t.jsonl"
    given = {**CLAUDE, "transcript_path": str(transcript)}
    hook(daemon, mine, "UserPromptSubmit", {**given, "prompt": "Fix it"}, tmp_path)
    transcript.write_text(written(CLAUDE, "Fix it", "I look at the file."))
    last = line("assistant", [{"type": "text", "text": "Fixed."}], uuid="z")
    with ThreadPoolExecutor(1) as pool:
        stopped = {**given, "last_assistant_message": "Fixed."}
        stopping = pool.submit(hook, daemon, mine, "Stop", stopped, tmp_path)
        with transcript.open("a") as file:
            file.write(last)
        stopping.result()
    hook(daemon, mine, "Stop", {**given, "last_assistant_message": "Fixed."}, tmp_path)

    assert sorted(turns(daemon, mine, "s")) == [
        ("assistant", "Fixed."),
        ("assistant", "I look at the file."),
        ("user", "Fix it"),
    ]


def test_a_transcript_that_names_no_turns_repeats_nothing(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """The newest prompt in it, and what follows, is of the turn that the event names."""
    mine, transcript = scope(), tmp_path / "t.jsonl"
    said = ""
    for number in range(3):
        given = {**CLAUDE, "prompt_id": str(number), "transcript_path": str(transcript)}
        prompt, answer = f"Question {number}", f"Answer {number}"
        hook(daemon, mine, "UserPromptSubmit", {**given, "prompt": prompt}, tmp_path)
        said += line("user", prompt, uuid=prompt)
        if number != 1:  # one answer comes after its event
            said += line("assistant", answer, uuid=answer)
        transcript.write_text(said)
        hook(daemon, mine, "Stop", {**given, "last_assistant_message": answer}, tmp_path)
        if number == 1:
            said += line("assistant", answer, uuid=answer)

    assert turns(daemon, mine, "s") == [
        (role, f"{word} {number}")
        for number in range(3)
        for role, word in (("user", "Question"), ("assistant", "Answer"))
    ]


def test_a_turn_during_an_outage_is_caught_up(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """The transcript has it when the daemon is back, and the host's turn went on."""
    mine, transcript = scope(), tmp_path / "t.jsonl"
    given = {**CLAUDE, "transcript_path": str(transcript)}
    transcript.write_text(written(CLAUDE, "First", "One."))
    for event, fields in (
        ("UserPromptSubmit", {"prompt": "First"}),
        ("Stop", {"last_assistant_message": "One."}),
    ):
        done = subprocess.run(
            [BIN / "ash", "--home", tmp_path, "--socket", tmp_path / "none", "hook", event],
            input=json.dumps({**given, **fields}),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "{}\n", "")
    with transcript.open("a") as file:
        file.write(written(CLAUDE, "Second", "Two.", turn="2"))
    hook(
        daemon,
        mine,
        "Stop",
        {**given, "prompt_id": "2", "last_assistant_message": "Two."},
        tmp_path,
    )

    assert turns(daemon, mine, "s") == [
        ("user", "First"),
        ("assistant", "One."),
        ("user", "Second"),
        ("assistant", "Two."),
    ]


def test_messages_of_codex_are_read() -> None:
    """Messages of user and assistant are read, without the text that the program inserts."""

    lines = (
        codex_line("user", "<environment_context>cwd</environment_context>")
        + codex_line("user", "Fix it")
        + codex_line("assistant", "Done.")
        + codex_line("developer", "You are an agent")
    )

    assert [(one.role, one.text) for one in transcripts.read(lines.encode(), 0).said] == [
        ("user", "Fix it"),
        ("assistant", "Done."),
    ]


def test_events_that_hold_what_was_said_are_kept(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """Turns of Gemini CLI and Cursor are stored once, and Cursor's prompt is let through."""
    mine = scope()
    pair = {"session_id": "g", "prompt": "hi", "prompt_response": "hello", "timestamp": "t"}
    for _ in range(2):
        hook(daemon, mine, "AfterAgent", pair, tmp_path)
    cursor = {"conversation_id": "c", "generation_id": "1"}
    passed = hook(daemon, mine, "beforeSubmitPrompt", {**cursor, "prompt": "hi"}, tmp_path)
    hook(daemon, mine, "afterAgentResponse", {**cursor, "text": "hello"}, tmp_path)

    assert passed == {"continue": True}
    for conversation in ("g", "c"):
        assert turns(daemon, mine, conversation) == [("user", "hi"), ("assistant", "hello")]


@pytest.mark.parametrize(
    ("event", "given"),
    [
        ("UserPromptSubmit", {"prompt": "hi"}),
        ("Stop", {"session_id": "s", "transcript_path": "/nowhere"}),
        ("UserPromptSubmit", "no JSON"),
        ("NoSuchEvent", {}),
    ],
)
def test_a_hook_never_stands_in_the_way(tmp_path: Path, event: str, given: Any) -> None:
    """A hook without a daemon, a file or valid input prints nothing, with status 0."""
    done = subprocess.run(
        [BIN / "ash", "--home", tmp_path, "--socket", tmp_path / "none", "hook", event],
        input=given if isinstance(given, str) else json.dumps(given),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "{}\n", "")


def test_a_failure_shows_in_the_status(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """The status has its kind, and no content."""
    event = {"session_id": "s", "transcript_path": str(tmp_path / "my secret file")}
    hook(daemon, scope(), "Stop", event, tmp_path)
    done = subprocess.run(
        [BIN / "ash", "--socket", daemon.socket, "--home", tmp_path, "stats", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    failure = json.loads(done.stdout)["hooks"]["last_failure"]

    assert failure["event"] == "Stop"
    assert failure["kind"] == "FileNotFoundError"
    assert "secret" not in json.dumps(failure)


def test_a_prompt_is_kept_although_recalling_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon that is late with its answer loses no turn; the failure shows in the status."""
    kept = []

    def late(*_: Any) -> dict[str, Any]:
        raise TimeoutError

    def keep(_caller: Any, _folder: str, _event: str, given: dict[str, Any]) -> dict[str, Any]:
        kept.append(given["prompt"])
        return {}

    monkeypatch.setitem(_HANDLERS, "UserPromptSubmit", (late, keep))
    arguments = ["--home", str(tmp_path), "hook", "UserPromptSubmit"]
    done = CliRunner().invoke(cli, arguments, input='{"prompt": "Oskar moved to Gdansk"}')

    assert (0, "{}\n") == (done.exit_code, done.output)
    assert ["Oskar moved to Gdansk"] == kept
    failure = last_failure(str(tmp_path))
    assert failure is not None
    assert "TimeoutError" == failure["kind"]


def test_an_unknown_event_is_a_failure_that_the_status_shows(tmp_path: Path) -> None:
    """A typing error in a hook that was written by hand would otherwise keep nothing, for ever."""
    CliRunner().invoke(cli, ["--home", str(tmp_path), "hook", "stop"], input="{}")
    failure = last_failure(str(tmp_path))
    assert failure is not None
    assert ("stop", "unknown_event") == (failure["event"], failure["kind"])
