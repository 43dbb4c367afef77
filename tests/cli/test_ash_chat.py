"""`ash chat` with a daemon and the scripted endpoint. Budget: 30 s."""

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ash_runner import Ash
from daemons import Daemon
from endpoint import Body, Calls, Cut, Endpoint, Hang, Status

KEY = "sk-a-key-that-nobody-may-see"
Scope = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def _endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.end()


@pytest.fixture
def endpoint(_endpoint: Endpoint) -> Iterator[Endpoint]:
    """The endpoint of the file's daemon, reset from the test before."""
    _endpoint.reset()
    yield _endpoint
    _endpoint.release()


@pytest.fixture(scope="module")
def _daemon_with_model(_endpoint: Endpoint) -> Iterator[Daemon]:
    daemon = Daemon(environment={"OPENAI_API_KEY": KEY})
    daemon.config(_endpoint.llm_config)
    yield daemon.start()
    daemon.remove()
    assert daemon.unexpected() == []


@dataclass(frozen=True)
class Setting:
    """A user's home with `[llm]`, whose key is in a file, and the daemon that remembers."""

    home: Path
    daemon: Daemon
    user: str

    @property
    def options(self) -> list[str]:
        return ["--socket", str(self.daemon.socket), "--as", f"test:{self.user}"]

    def said(self, conversation_id: str) -> list[tuple[str, str]]:
        """Return role and content of each stored message of a conversation."""
        found = self.call("conversation.get", conversation_id=conversation_id)
        return [(one["role"], one["content"]) for one in found["messages"]]

    def call(self, method: str, **params: Any) -> Any:
        mine = {"provider": "test", "user_id": self.user}
        return self.daemon.call(method, scope=mine, **params)


@pytest.fixture
def mine(
    _daemon_with_model: Daemon,
    endpoint: Endpoint,
    tmp_path: Path,
    scope: Scope,
    monkeypatch: pytest.MonkeyPatch,
) -> Setting:
    key = tmp_path / "key"
    key.write_text(KEY)
    (tmp_path / "config.toml").write_text(f'{endpoint.llm_config}api_key_file = "{key}"\n')
    monkeypatch.setenv("ASH_HOME", str(tmp_path))
    return Setting(tmp_path, _daemon_with_model, scope()["user_id"])


@pytest.fixture
def ash(mine: Setting) -> Ash:
    return Ash(mine.daemon.socket, f"test:{mine.user}")


def system_text(request: dict[str, Any]) -> str:
    return str(request["messages"][0]["content"])


def test_the_dialogue_of_the_seed(ash: Ash, endpoint: Endpoint, mine: Setting) -> None:
    """Three calls: a name, what "she" likes, and what the wife likes. Each turn is stored."""
    wife = ["my wife"]
    endpoint.script(
        "chat",
        Calls((("remember", {"content": "My wife's name is Sarah", "subjects": wife}),)),
        "I will remember that.",
        Calls((("remember", {"content": "Sarah likes Italian food", "subjects": wife}),)),
        "Noted.",
        lambda request: (
            "She likes Italian food."
            if "Sarah likes Italian food" in system_text(request)
            else "I do not know."
        ),
    )

    ash("chat", "Remember my wife's name is Sarah")
    ash("chat", "Remember she likes Italian food")
    done = ash("chat", "--json", "What does my wife like?")

    assert done.json["answer"] == "She likes Italian food."
    second = endpoint.asked_for("chat")[2]
    assert [one["content"] for one in second["messages"][1:4]] == [
        "Remember my wife's name is Sarah",
        "I will remember that.",
        "Remember she likes Italian food",
    ]
    assert "**Sarah** (wife)" in system_text(second)
    assert [role for role, _ in mine.said(done.json["conversation_id"])] == [
        *("user", "assistant") * 3
    ]


def test_a_new_conversation_knows_what_was_told_in_another(ash: Ash) -> None:
    """A new conversation answers from memory alone, with the reader that needs no key."""
    ash("chat", "Remember my wife's name is Sarah")
    ash("chat", "Remember she likes Italian food")

    done = ash("chat", "--new", "What does my wife like?")

    assert "Italian food" in done.out


def test_a_message_comes_from_standard_input(ash: Ash, endpoint: Endpoint) -> None:
    ash("chat", "-", stdin="Good morning\nto you\n")
    assert endpoint.asked_for("chat")[0]["messages"][-1]["content"] == "Good morning\nto you"


def test_an_empty_message_is_not_sent(ash: Ash, endpoint: Endpoint) -> None:
    """An empty message starts no conversation either."""
    ash("chat", " ", fails=2)

    assert [] == endpoint.requests


def test_without_a_message_each_line_is_one(ash: Ash, endpoint: Endpoint) -> None:
    """An error ends its turn, not the conversation."""
    endpoint.script("chat", "Hello.", Status(400), Status(400), Status(400), "Still here.")
    done = ash("chat", stdin="Hi\n\nWhat?\nAre you there?\n")
    assert done.out == "Hello.\nStill here.\n"
    assert "HTTP 400" in done.err
    *_, first, answer, last = endpoint.asked_for("chat")[-1]["messages"]
    assert (first["content"], answer["content"], last["content"]) == (
        *("Hi", "Hello."),
        "Are you there?",
    )


def test_tools_that_fail_are_told_to_the_model(ash: Ash, endpoint: Endpoint) -> None:
    """The turn goes on after a secret, an unknown tool, and arguments that are not JSON."""
    endpoint.script(
        "chat",
        Calls(
            (
                ("remember", {"content": "My password is hunter2-Tr0ub4dor&3"}),
                ("delete_everything", {}),
            )
        ),
        "That I cannot keep.",
    )
    done = ash("chat", "--json", "Keep this")
    assert done.json["tool_calls"] == [
        {"name": "remember", "is_error": True},
        {"name": "delete_everything", "is_error": True},
    ]
    results = [one for one in endpoint.asked_for("chat")[1]["messages"] if one["role"] == "tool"]
    assert [one["tool_call_id"] for one in results] == ["call_0", "call_1"]
    assert "hunter2" not in json.dumps(results)


def test_a_model_that_only_calls_tools_comes_to_an_end(ash: Ash, endpoint: Endpoint) -> None:
    endpoint.always("chat", Calls((("recall", {"query": "tea"}),)))
    done = ash("chat", "--json", "Go")
    assert len(endpoint.asked_for("chat")) == 7
    assert done.json["answer"] == ""


def test_text_before_a_cut_is_stored(ash: Ash, endpoint: Endpoint, mine: Setting) -> None:
    endpoint.script("chat", Cut(after=2))
    error = ash("chat", "--conversation", "cut", "Good day", "--json", fails=6).error
    assert error["data"]["kind"] == "llm_unavailable"
    assert mine.said("cut") == [("user", "Good day"), ("assistant", "I understand.")]


def test_without_an_answer_nothing_is_stored(ash: Ash, endpoint: Endpoint, mine: Setting) -> None:
    """The error says what to do; the key is nowhere."""
    endpoint.always("chat", Status(401))
    done = ash("chat", "Good day", fails=6)
    assert "key" in done.err
    assert KEY not in done.err + done.out
    assert mine.call("conversation.list")["conversations"] == []


def test_a_model_cannot_write_to_the_terminal(ash: Ash, endpoint: Endpoint) -> None:
    """Escape sequences in an answer are left out, even if they arrive in pieces."""
    endpoint.script("chat", "Red \x1b[31m and \x1b]0;title \x07 blue.")
    out = ash("chat", "Colours?").out
    assert "\x1b" not in out
    assert "blue." in out


def test_text_before_and_after_a_call_is_shown_once(ash: Ash, endpoint: Endpoint) -> None:
    """An answer of several lines with a tool call in between is shown as one."""
    both = Calls((("recall", {"query": "tea"}),), text="Let me look.\nA moment.")
    endpoint.script("chat", both, "There it is:\n\n- nothing.")
    done = ash("chat", "Tea?")
    assert done.out == "Let me look.\nA moment.\n\nThere it is:\n\n- nothing.\n"
    assert "recall:" in done.err


def test_the_memories_of_everybody_are_not_for_a_model(ash: Ash, endpoint: Endpoint) -> None:
    done = Ash(ash.socket, ash.account)
    assert "--all-scopes" in done("--all-scopes", "chat", "Hi", fails=2).err
    assert endpoint.asked_for("chat") == []


def test_while_memory_is_off_it_says_that_it_forgets(
    new_daemon: Callable[..., Daemon], endpoint: Endpoint, ash: Ash
) -> None:
    """The answer comes as well."""
    daemon = new_daemon()
    daemon.config("[memory]\nenabled = false\n")
    daemon.start()
    endpoint.script("chat", "Good day.")
    done = Ash(daemon.socket, ash.account)("chat", "Hello")
    assert done.out == "Good day.\n"
    assert "not remembered" in done.err


def test_tokens_count_for_the_days_ceiling(ash: Ash, endpoint: Endpoint, mine: Setting) -> None:
    """The daemon counts them, and above the ceiling the endpoint is not asked."""
    ash("chat", "Good day")
    status = mine.daemon.call("system.status")["language_model"]
    assert sum(one["sent"] for one in status["today"] if one["task"] == "chat") > 100
    assert status["today"] == mine.daemon.call("db.stats")["language_model"]
    config = mine.home / "config.toml"
    config.write_text(config.read_text() + "max_tokens_per_day = 1\n")
    asked = len(endpoint.asked_for("chat"))
    assert "max_tokens_per_day" in ash("chat", "Good day", fails=6).err
    assert len(endpoint.asked_for("chat")) == asked


def test_without_a_language_model_it_says_how_to_have_one(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASH_HOME", str(daemon.home))
    done = Ash(daemon.socket, "test:alice")("chat", "Hi", fails=6)
    assert "[llm]" in done.err
    assert "docs/language-model.md" in done.err


class Terminal:
    """`ash chat` on its own terminal."""

    def __init__(self, mine: Setting, *arguments: str) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-c", "from ashd.cli.ash import main; main()"),
                *mine.options,
                *("chat", *arguments),
            ],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "dumb"},
            start_new_session=True,
            preexec_fn=_take_terminal,  # noqa: PLW1509  one system call
        )
        os.close(slave)
        self.seen = ""
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 4096)
            except OSError:
                data = b""
            with self._changed:
                self.seen += data.decode(errors="replace")
                self._changed.notify_all()
            if not data:
                return

    def wait_for(self, text: str) -> None:
        """Wait for a text on the screen, after the one waited for before."""
        with self._changed:
            assert self._changed.wait_for(lambda: text in self.seen, 30), self.seen
            self.seen = self.seen.split(text, 1)[1]

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> int:
        status = self.process.wait(120)
        os.close(self._master)
        return status


def _take_terminal() -> None:
    """Make the child the foreground process, which gets Ctrl-C."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_ctrl_c_keeps_what_was_said(mine: Setting, endpoint: Endpoint) -> None:
    """The terminal's key stops an answer, not the conversation; Ctrl-D ends it."""
    endpoint.pause_after = 2
    terminal = Terminal(mine, "--conversation", "kept")
    try:
        terminal.wait_for("> ")
        endpoint.script("chat", "One two three four.", "Fine.")
        terminal.type("Count\n")
        terminal.wait_for("One two")
        endpoint.pause_after = None
        terminal.type("\x03")
        terminal.wait_for("> ")
        terminal.type("And now?\n")
        terminal.wait_for("Fine.")
        terminal.wait_for("> ")
        terminal.type("\x04")
        assert terminal.end() == 0
    finally:
        terminal.process.kill()
    assert mine.said("kept") == [
        ("user", "Count"),
        ("assistant", "One two"),
        ("user", "And now?"),
        ("assistant", "Fine."),
    ]
    assert "Traceback" not in terminal.seen


def test_an_interrupted_answer_ends_with_130(mine: Setting, endpoint: Endpoint) -> None:
    """A single message is stored though none of its answer had arrived."""
    endpoint.script("chat", Hang())
    terminal = Terminal(mine, "--conversation", "hung", "Hello?")
    try:
        endpoint.wait_for_request("chat")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130
    finally:
        terminal.process.kill()
    assert mine.said("hung") == [("user", "Hello?")]


def test_the_key_is_in_no_command_line_and_no_log(mine: Setting, endpoint: Endpoint) -> None:
    """The key is not shown even if the endpoint sends an invalid answer."""
    endpoint.script("chat", Body(KEY), Hang())
    terminal = Terminal(mine, "--json", "Hello?")
    try:
        endpoint.wait_for_request("chat")
        command = Path(f"/proc/{terminal.process.pid}/cmdline").read_bytes()
        assert KEY.encode() not in command
    finally:
        endpoint.release()
        terminal.process.wait(120)
        terminal.process.kill()
    assert KEY not in terminal.seen
    assert not any(KEY in line for line in mine.daemon.log)
