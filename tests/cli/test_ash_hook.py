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

from ashd.cli import hook_sessions, transcripts
from ashd.cli.ash import cli
from ashd.cli.hook import _HANDLERS, last_failure
from ashd.context import render

BIN = Path(sys.executable).parent
Scope = Callable[..., dict[str, Any]]


def hook(
    daemon: Daemon, scope: dict[str, Any], event: str, given: Any, home: Path, *host: str
) -> dict[str, Any]:
    """Run the hook and return the JSON that a host reads from its standard output.

    On a busy machine a recall may not be answered in time: then it is tried again.
    """
    for _ in range(20):
        answer = _hook(daemon, scope, event, given, home, *host)
        failure = home / "hooks" / "last_failure.json"
        if not failure.exists() or json.loads(failure.read_text())["kind"] != "unavailable":
            return answer
    return answer


def _hook(
    daemon: Daemon, scope: dict[str, Any], event: str, given: Any, home: Path, *host: str
) -> dict[str, Any]:
    done = subprocess.run(
        [
            *(BIN / "ash", "--socket", daemon.socket, "--home", home),
            *("--as", f"{scope['provider']}:{scope['user_id']}", "hook", event, *host),
        ],
        input=given if isinstance(given, str) else json.dumps(given),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=dict(os.environ),
        cwd=home,  # the home's list keeps the id of its project
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


def test_a_replaced_transcript_is_read_from_its_beginning(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """Also a longer one, in which the old place is in the middle of a line."""
    mine, transcript = scope(), tmp_path / "t.jsonl"
    event = {"session_id": "s", "transcript_path": str(transcript)}
    texts = (["One", "Two"], ["Three", "Four " * 100, "Five"], ["Six"])
    for written_now in texts:
        lines = [line("user", text, uuid=text[:4]) for text in written_now]
        transcript.write_text("".join(lines))
        for _ in range(2):
            hook(daemon, mine, "Stop", event, tmp_path)

    stored = [text for _, text in turns(daemon, mine, "s")]
    assert stored == [text.strip() for part in texts for text in part]


@pytest.mark.parametrize(
    "at",
    [
        *("2026-05-04T10:00:00", "2026-05-04", "0001-01-01T00:00:00+23:59"),
        *("9999-12-31T23:59:59-05:00", "yesterday", 5, None),
    ],
)
def test_a_turn_with_an_odd_time_is_kept(
    daemon: Daemon, scope: Scope, tmp_path: Path, at: Any
) -> None:
    """The daemon takes no such time, and nothing of the session was stored any more."""
    mine, transcript = scope(), tmp_path / "t.jsonl"
    transcript.write_text(line("user", "Hello", uuid="a", timestamp=at))
    event = {"session_id": "s", "transcript_path": str(transcript)}
    hook(daemon, mine, "Stop", event, tmp_path)

    assert turns(daemon, mine, "s") == [("user", "Hello")]


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
            cwd=tmp_path,
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


@pytest.mark.parametrize("host", [CLAUDE, CODEX])
def test_a_turn_that_was_stopped_is_kept_before_the_next_prompt(
    daemon: Daemon, scope: Scope, tmp_path: Path, host: dict[str, str]
) -> None:
    """No event tells that the person stopped a turn; only the transcript has it, in its order."""
    mine, transcript = scope(), tmp_path / "t.jsonl"
    given = {**host, "transcript_path": str(transcript)}
    hook(daemon, mine, "UserPromptSubmit", {**given, "prompt": "Delete it"}, tmp_path)
    transcript.write_text(written(host, "Delete it", "I look at the files."))

    later = {**given, "prompt_id" if host is CLAUDE else "turn_id": "2"}
    hook(daemon, mine, "UserPromptSubmit", {**later, "prompt": "Keep it"}, tmp_path)
    with transcript.open("a") as file:
        file.write(written(host, "Keep it", "Kept.", turn="2"))
    hook(daemon, mine, "Stop", {**later, "last_assistant_message": "Kept."}, tmp_path)

    assert turns(daemon, mine, "s") == [
        ("user", "Delete it"),
        ("assistant", "I look at the files."),
        ("user", "Keep it"),
        ("assistant", "Kept."),
    ]


def test_messages_of_codex_are_read() -> None:
    """Messages of user and assistant are read, without the text that the program inserts."""

    lines = (
        codex_line("user", "<environment_context>cwd</environment_context>")
        + codex_line("user", "Fix it")
        + codex_line("assistant", "Done.")
        + codex_line("developer", "You are an agent")
    )

    assert [(one.role, one.text) for one in transcripts.read(lines.encode()).said] == [
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


def added(answer: dict[str, Any]) -> str:
    """The text that a hook adds to a prompt; none if it adds nothing."""
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


@pytest.mark.parametrize(
    ("prompt_event", "begins_anew"),
    [
        ("UserPromptSubmit", ("SessionStart", {"source": "compact"})),
        ("BeforeAgent", ("PreCompress", {"trigger": "auto"})),
    ],
)
def test_a_session_begins_with_what_is_pinned(
    daemon: Daemon,
    scope: Scope,
    tmp_path: Path,
    prompt_event: str,
    begins_anew: tuple[str, dict[str, str]],
) -> None:
    """A prompt gets only what it asks for then, and after a compaction all is given again."""
    mine = scope()
    daemon.call("override.add", scope=mine, content="Call me Judit")
    daemon.call("profile.set", scope=mine, text="I write Rust.")
    daemon.call("memory.add", scope=mine, content="The cat is called Minka")
    asked = {"session_id": "s", "prompt": "How is the cat called?"}
    begun = {"session_id": "s", "source": "startup"}

    alone = added(hook(daemon, mine, prompt_event, {**asked, "session_id": "t"}, tmp_path))
    start = added(hook(daemon, mine, "SessionStart", begun, tmp_path))
    told = added(hook(daemon, mine, prompt_event, asked, tmp_path))
    event, fields = begins_anew
    again = added(hook(daemon, mine, event, {"session_id": "s", **fields}, tmp_path))
    again += added(hook(daemon, mine, prompt_event, asked, tmp_path))

    for text in (alone, start, again):
        assert "Call me Judit" in text
        assert "I write Rust." in text
    assert "Judit" not in told
    for text in (alone, told, again):
        assert "Minka" in text
    assert "Minka" not in start


def test_a_prompt_of_which_nothing_is_known_gets_nothing(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """An empty block would stay in the history with every turn."""
    given = {"session_id": "s", "prompt": "How is the cat called?"}

    assert hook(daemon, scope(), "UserPromptSubmit", given, tmp_path) == {}
    assert hook(daemon, scope(), "SessionStart", given, tmp_path) == {}


def test_a_session_that_began_without_a_daemon_is_told_later(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """The first prompt brings what the beginning could not."""
    mine = scope()
    daemon.call("override.add", scope=mine, content="Call me Judit")
    given = {"session_id": "s", "prompt": "How is the cat called?"}
    done = subprocess.run(
        [BIN / "ash", "--home", tmp_path, "--socket", tmp_path / "none", "hook", "SessionStart"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
    )

    assert (done.returncode, done.stdout) == (0, "{}\n")
    assert "Judit" in added(hook(daemon, mine, "UserPromptSubmit", given, tmp_path))


def test_the_end_of_a_session_keeps_what_is_left(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """The transcript is whole then; one that is not there is no failure."""
    mine, transcript = scope(), tmp_path / "t.jsonl"
    given = {**CLAUDE, "transcript_path": str(transcript), "reason": "prompt_input_exit"}
    transcript.write_text(written(CLAUDE, "Fix it", "I look.", "Fixed."))
    for _ in range(2):
        hook(daemon, mine, "SessionEnd", given, tmp_path)
    gone = {**given, "session_id": "other", "transcript_path": str(tmp_path / "none")}
    hook(daemon, mine, "SessionEnd", gone, tmp_path)

    assert turns(daemon, mine, "s") == [
        ("user", "Fix it"),
        ("assistant", "I look."),
        ("assistant", "Fixed."),
    ]
    assert not (tmp_path / "hooks" / "last_failure.json").exists()


def test_a_fork_stores_its_own_turns_alone(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """Its transcript begins with a copy of the lines of the session before, or gets it later."""
    mine, transcript = scope(), tmp_path / "t.jsonl"
    fork = {**CLAUDE, "session_id": "fork", "prompt_id": "2", "transcript_path": str(transcript)}
    hook(daemon, mine, "UserPromptSubmit", {**fork, "prompt": "New"}, tmp_path)
    stopped = {**fork, "last_assistant_message": "New answer"}
    copied = (
        line("user", "Old", uuid="a", promptId="1") + line("assistant", "Old answer", uuid="b"),
        line("user", "Older", uuid="c", promptId="0"),
        line("user", "New", uuid="d", promptId="2") + line("assistant", "I look", uuid="e"),
    )
    for lines in copied:
        with transcript.open("a") as file:
            file.write(lines)
        hook(daemon, mine, "Stop", stopped, tmp_path)

    assert turns(daemon, mine, "fork") == [
        ("user", "New"),
        ("assistant", "New answer"),
        ("assistant", "I look"),
    ]


def test_a_first_prompt_that_was_taken_back_costs_no_later_turn(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """Its turn is in no transcript; the rest of the turn after it is kept."""
    mine, transcript = scope(), tmp_path / "t.jsonl"
    given = {**CLAUDE, "transcript_path": str(transcript)}
    for prompt_id, prompt in (("1", "Fxi it"), ("2", "Fix it")):
        prompted = {**given, "prompt_id": prompt_id, "prompt": prompt}
        hook(daemon, mine, "UserPromptSubmit", prompted, tmp_path)
    transcript.write_text(written(CLAUDE, "Fix it", "I look.", "Fixed.", turn="2"))
    stopped = {**given, "prompt_id": "2", "last_assistant_message": "Fixed."}
    hook(daemon, mine, "Stop", stopped, tmp_path)

    assert ("assistant", "I look.") in turns(daemon, mine, "s")


def test_a_host_that_names_origins_is_believed() -> None:
    """The person's words are those that the host says are; tags tell for an older version."""
    summary = "This session is being continued from a previous conversation"
    bang = "<bash-input>ls</bash-input>"
    lines = [
        line("user", bang, uuid="0"),
        line("user", "Fix it", uuid="1", promptSource="typed"),
        line("assistant", [{"type": "text", "text": "Done."}], uuid="2"),
        line("user", "ls prints this", uuid="3"),
        line("user", summary, uuid="4", isCompactSummary=True, promptSource="typed"),
        line("user", "[Request interrupted by user for tool use]", uuid="5"),
        line("user", [{"type": "tool_result", "content": "output"}], uuid="6"),
    ]
    found = transcripts.read("".join(lines).encode())
    older = transcripts.read(
        "".join([bang + "\n", line("user", bang), line("user", "Fix it")]).encode()
    )

    assert [one.text for one in found.said] == ["Fix it", "Done."]
    assert found.names_origins
    assert found.left_out == {
        "note of the host": 2,
        "summary of a compaction": 1,
        "interruption": 1,
    }
    assert [one.text for one in older.said] == ["Fix it"]
    assert not older.names_origins


def test_parts_of_a_message_of_codex_are_chosen_by_their_origin() -> None:
    """The host adds parts of its own to what a person wrote."""
    origins = [{"provenance": {"type": "user"}}, {"provenance": {"type": "harness"}}]
    passed = {"content_item_metadata": origins}
    parts = [{"type": "input_text", "text": text} for text in ("Fix it", "You are an agent")]

    def said(of: list[dict[str, str]], passed: dict[str, Any]) -> str:
        payload = {
            "type": "message",
            "role": "user",
            "content": of,
            "internal_chat_message_metadata_passthrough": passed,
        }
        return json.dumps({"type": "response_item", "payload": payload}) + "\n"

    compacted = json.dumps(
        {
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "They spoke of tea"}],
            },
            "metadata": {"compaction_output": True},
        }
    )
    lines = (
        said(parts, passed)
        + said(parts[1:], {"content_item_metadata": origins[1:]})
        + f"{compacted}\n"
    )
    found = transcripts.read(lines.encode())

    assert [one.text for one in found.said] == ["Fix it"]
    assert found.left_out == {"note of the host": 1, "summary of a compaction": 1}


def test_the_status_tells_of_hosts_and_of_what_was_left_out(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """Codex runs no hook until it is trusted, and an old version names no origins."""

    def status() -> tuple[Any, str]:
        shown = [
            subprocess.run(
                [BIN / "ash", "--socket", daemon.socket, "--home", tmp_path, "stats", *form],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for form in (["--json"], [])
        ]
        return json.loads(shown[0])["hooks"]["hosts"]["claude-code"], shown[1]

    subprocess.run(
        [BIN / "ash", "--home", tmp_path, "connect", "claude-code", "--hooks", "--yes"],
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        check=True,
    )
    known, shown = status()
    assert known["events"] == "none has come"
    assert "no event has come" in shown

    transcript = tmp_path / "t.jsonl"
    given = {**CLAUDE, "transcript_path": str(transcript)}
    transcript.write_text(
        line("user", "<bash-input>ls</bash-input>") + written(CLAUDE, "Fix it", "Done.")
    )
    hook(daemon, scope(), "Stop", given, tmp_path, "claude-code")
    known, shown = status()

    assert "no event has come" not in shown
    assert "not stored: 1 x note of the host; origins are not named" in " ".join(shown.split())
    assert known["last_event_at"]
    assert "events" not in known
    assert known["left_out"] == {"note of the host": 1}
    assert "tags" in known["origins"]


def test_the_events_of_copilot_are_kept(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """VS Code reads one part of the answer, Copilot CLI the other; the prompt is stored once."""
    mine = scope()
    daemon.call("override.add", scope=mine, content="Call me Judit")
    begun = {"sessionId": "v", "timestamp": 1, "source": "new"}
    answer = hook(daemon, mine, "sessionStart", begun, tmp_path, "copilot-cli")
    for _ in range(2):
        prompt = {"sessionId": "v", "timestamp": 2, "prompt": "I moved to Graz"}
        assert hook(daemon, mine, "userPromptSubmitted", prompt, tmp_path, "copilot-cli") == {}

    assert "Judit" in answer["additionalContext"]
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert added(answer) == answer["additionalContext"]
    assert turns(daemon, mine, "v") == [("user", "I moved to Graz")]


def test_the_turns_of_opencode_are_kept(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """The last turns come with each, so that one during an outage is caught up."""
    mine = scope()
    daemon.call("override.add", scope=mine, content="Call me Judit")
    asked = {"session_id": "o", "prompt": "How is the cat called?"}
    first = hook(daemon, mine, "chat.message", asked, tmp_path, "opencode")
    second = hook(daemon, mine, "chat.message", asked, tmp_path, "opencode")
    hook(daemon, mine, "session.compacted", {"session_id": "o"}, tmp_path, "opencode")
    third = hook(daemon, mine, "chat.message", asked, tmp_path, "opencode")
    both = [
        {"generation_id": f"m{number}", "prompt": f"Q{number}", "prompt_response": f"A{number}"}
        for number in (1, 2)
    ]
    for last in (1, 2):
        given = {"session_id": "o", "turns": both[:last]}
        hook(daemon, mine, "session.idle", given, tmp_path, "opencode")

    assert ["Judit" in added(one) for one in (first, second, third)] == [True, False, True]
    assert turns(daemon, mine, "o") == [
        *(("user", "Q1"), ("assistant", "A1"), ("user", "Q2"), ("assistant", "A2")),
    ]


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
        cwd=tmp_path,
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

    def late(_event: Any) -> dict[str, Any]:
        raise TimeoutError

    def keep(event: Any) -> dict[str, Any]:
        kept.append(event.given["prompt"])
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


def test_files_of_old_sessions_are_removed(tmp_path: Path) -> None:
    """Each session leaves some, and none of its host's events says that it never goes on."""
    folder = str(tmp_path)
    hook_sessions.note(folder, "old", is_told=True)
    (tmp_path / f"{hook_sessions.hash_of('old')}.json").write_text("{}")
    hook_sessions.connected(folder, "codex", "2026-01-01T00:00:00Z")
    (tmp_path / "last_failure.json").write_text("{}")
    for file in tmp_path.iterdir():
        os.utime(file, (0, 0))
    hook_sessions.note(folder, "recent", is_told=True)
    hook_sessions.note(folder, "new", is_told=True)

    left = {file.name for file in tmp_path.iterdir()}
    assert {"host-codex.json", "last_failure.json"} < left
    assert 4 == len(left)
    assert hook_sessions.begun(folder, "recent").is_told
    assert not hook_sessions.begun(folder, "old").is_told


def test_a_home_that_a_hook_makes_is_private(tmp_path: Path) -> None:
    """A hook may come before the daemon's first start; others could put a configuration there."""
    before = os.umask(0)
    try:
        hook_sessions.note(str(tmp_path / "home" / "hooks"), "first", is_told=True)
    finally:
        os.umask(before)

    for folder in (tmp_path / "home", tmp_path / "home" / "hooks"):
        assert 0o700 == folder.stat().st_mode & 0o777
