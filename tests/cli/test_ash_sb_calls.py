"""The requests of `ash-sb`: each command's method and parameters, with texts in many languages."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from scripted_daemon import ScriptedDaemon, ash_sb, error, memory

ADDED = {"memories": [{"outcome": "added", "memory": memory(), "superseded": [], "people": []}]}
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    (
        (
            "memory search what does|she eat -n 5 --about Sarah --type knowledge --type event "
            "--tag a --since 2026-01-02 --until 2026-02-03 --as-of 2026-02-04T10:00:00+02:00 "
            "--min-score 0.25 --mode lexical --include-superseded --explain"
        ),
        "memory.search",
        {
            "query": "what does|she eat",
            "limit": 5,
            "about": "Sarah",
            "types": ["knowledge", "event"],
            "tags": ["a"],
            "since": "2026-01-02",
            "until": "2026-02-03",
            "as_of": "2026-02-04T10:00:00+02:00",
            "min_score": 0.25,
            "mode": "lexical",
            "include_superseded": True,
            "explain": True,
        },
    ),
    (
        "memory search -n7 --about=Sarah x",
        "memory.search",
        {"query": "x", "limit": 7, "about": "Sarah"},
    ),
    ("memory search -- -x -y", "memory.search", {"query": "-x -y"}),
    (
        "memory list -n 20 --cursor c1 --about Bob --type task --tag t --include-superseded",
        "memory.list",
        {
            "limit": 20,
            "cursor": "c1",
            "about": "Bob",
            "types": ["task"],
            "tags": ["t"],
            "include_superseded": True,
        },
    ),
    ("memory list", "memory.list", {}),
    ("memory show 3f2a1c", "memory.get", {"id": "3f2a1c", "explain": True}),
    ("memory conflicts", "memory.conflicts", {}),
    (
        "memory conflicts -n 5 --cursor c1",
        "memory.conflicts",
        {"limit": 5, "cursor": "c1"},
    ),
    (
        "memory supersede 3f2a1c 90bd4e",
        "memory.supersede",
        {"id": "3f2a1c", "superseded_id": "90bd4e"},
    ),
    (
        "memory supersede 3f2a1c 90bd4e --verdict both",
        "memory.supersede",
        {"id": "3f2a1c", "superseded_id": "90bd4e", "verdict": "both"},
    ),
    (
        (
            "memory update 3f2a1c She moved --type event --subject Sarah --expires 3 --sensitivity "
            "personal --tag home --revision 2"
        ),
        "memory.update",
        {
            "id": "3f2a1c",
            "expected_revision": 2,
            "changes": {
                "content": "She moved",
                "type": "event",
                "subjects": ["Sarah"],
                "expires_in_days": 3,
                "sensitivity": "personal",
                "tags": ["home"],
            },
        },
    ),
    ("memory delete 3f2a1c", "memory.delete", {"id": "3f2a1c"}),
    ("memory history 3f2a1c", "memory.history", {"id": "3f2a1c"}),
    (
        "memory extract --wait I moved",
        "memory.extract",
        {"wait": True, "messages": [{"role": "user", "content": "I moved"}]},
    ),
    (
        "person resolve my wife --hint Tea --no-create",
        "person.resolve",
        {"reference": "my wife", "content_hint": "Tea", "create": False},
    ),
    ("person list sar -n 3", "person.list", {"query": "sar", "limit": 3}),
    ("person list", "person.list", {}),
    ("person show 81bb02", "person.get", {"id": "81bb02"}),
    (
        "context What now --max-tokens 900",
        "context.get",
        {"message": "What now", "max_tokens": 900},
    ),
    (
        (
            "conversation search Lisbon -n 3 --conversation s1 --since 2026-01-01 --until "
            "2026-01-02T03:04:05Z --window 2"
        ),
        "conversation.search",
        {
            "query": "Lisbon",
            "limit": 3,
            "conversation_id": "s1",
            "since": "2026-01-01",
            "until": "2026-01-02T03:04:05Z",
            "window": 2,
        },
    ),
    ("recall peanuts -n 4", "search.all", {"query": "peanuts", "limit": 4}),
    ("status", "session.hello", {}),
]


@pytest.mark.parametrize(("typed", "method", "params"), CALLS, ids=[call[0][:40] for call in CALLS])
def test_a_command_calls_its_method(
    tmp_path: Path, typed: str, method: str, params: dict[str, Any]
) -> None:
    """Each command sends its method with what was typed; --json gives the answer as it is."""
    answer = {"anything": ["goes", {"through": "ä"}], "n": 1.5}
    with ScriptedDaemon(tmp_path / "s", answer) as daemon:
        done = ash_sb("--json", *typed.split(" "), socket_path=daemon.path)

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == answer
    assert daemon.call == {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def test_add_sends_one_fact_with_its_labels(tmp_path: Path) -> None:
    """`memory add` sends the text, every label, and a fresh idempotency key."""
    with ScriptedDaemon(tmp_path / "s", ADDED) as daemon:
        typed = (
            "memory add Sarah likes tea --subject Sarah --subject Bob --type preference --shared "
            "--expires 2027-01-31 --sensitivity public --tag food --supersedes 3f2a1c"
        )
        ash_sb(*typed.split(" "), socket_path=daemon.path)
        ash_sb(*typed.split(" "), socket_path=daemon.path)
    first, second = (call["params"] for call in daemon.calls)
    keys = {call.pop("idempotency_key") for call in (first, second)}

    assert len(keys) == 2
    assert all(UUID4.fullmatch(key) for key in keys)
    assert first == second
    assert first == {
        "content": "Sarah likes tea",
        "subjects": ["Sarah", "Bob"],
        "type": "preference",
        "shared": True,
        "expires_at": "2027-01-31",
        "sensitivity": "public",
        "tags": ["food"],
        "supersedes": "3f2a1c",
    }


def test_a_key_of_ones_own_is_used(tmp_path: Path) -> None:
    """`--key` is the idempotency key; days are sent as days."""
    with ScriptedDaemon(tmp_path / "s", ADDED) as daemon:
        ash_sb("memory", "add", "x", "--key", "k1", "--expires", "7", socket_path=daemon.path)

    assert daemon.call["params"] == {
        "content": "x",
        "idempotency_key": "k1",
        "expires_in_days": 7,
    }


HARD_TEXT = 'He said "no"; $HOME `x`\n\tÄ 日本語 👩‍👧 \\ end'


@pytest.mark.parametrize("source", ["argument", "-", "--file", "--file -"])
def test_a_text_arrives_as_it_was(tmp_path: Path, source: str) -> None:
    """Quotes, newlines and any script survive every way in; only the last line end is dropped."""
    file = tmp_path / "text"
    file.write_text("\ufeff" + HARD_TEXT + "\n", encoding="utf-8")
    arguments = {
        "argument": [HARD_TEXT],
        "-": ["-"],
        "--file": ["--file", str(file)],
        "--file -": ["--file", "-"],
    }
    with ScriptedDaemon(tmp_path / "s", ADDED) as daemon:
        ash_sb("memory", "add", *arguments[source], stdin=HARD_TEXT + "\n", socket_path=daemon.path)

    assert daemon.call["params"]["content"] == HARD_TEXT


def test_a_text_arrives_in_any_locale(tmp_path: Path) -> None:
    """UTF-8 on the command line is UTF-8 on the wire where the locale is another one."""
    with ScriptedDaemon(tmp_path / "s", ADDED) as daemon:
        done = ash_sb(
            "memory",
            "add",
            "Größe 日本".encode(),
            socket_path=daemon.path,
            LC_ALL="en_US.ISO-8859-1",
            PYTHONUTF8="0",
            PYTHONCOERCECLOCALE="0",
        )

    assert done.returncode == 0
    assert daemon.call["params"]["content"] == "Größe 日本"


@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize("source", ["-", "file"])
def test_a_batch_comes_as_json(tmp_path: Path, source: str, wrapped: bool) -> None:
    """`--facts-json` takes a list or {"facts": list}, and the options are the facts' defaults."""
    facts = [{"content": "one", "subjects": ["Bob"]}, {"content": "two"}]
    text = json.dumps({"facts": facts} if wrapped else facts)
    file = tmp_path / "facts.json"
    file.write_text(text)
    where = "-" if source == "-" else str(file)
    with ScriptedDaemon(tmp_path / "s", ADDED) as daemon:
        ash_sb(
            *("memory", "add", "--facts-json", where, "--type", "event"),
            stdin=text,
            socket_path=daemon.path,
        )
    params = daemon.call["params"]

    assert UUID4.fullmatch(params.pop("idempotency_key"))
    assert params == {"facts": facts, "type": "event"}


def test_a_batch_may_be_lines_with_line_separators_in_a_text(tmp_path: Path) -> None:
    """JSON lines end at line feeds alone."""
    facts = [{"content": "one\u2028two"}, {"content": "three"}]
    text = "\n".join(json.dumps(fact, ensure_ascii=False) for fact in facts)
    with ScriptedDaemon(tmp_path / "s", ADDED) as daemon:
        ash_sb("memory", "add", "--facts-json", "-", stdin=text, socket_path=daemon.path)

    assert daemon.call["params"]["facts"] == facts


@pytest.mark.parametrize("wrapped", [True, False])
def test_extract_takes_messages_as_json(tmp_path: Path, wrapped: bool) -> None:
    """`memory extract -` takes a list of messages or {"messages": list}."""
    messages = [{"role": "user", "content": "I moved"}, {"role": "assistant", "content": "Oh"}]
    text = json.dumps({"messages": messages} if wrapped else messages)
    with ScriptedDaemon(tmp_path / "s", {"job_id": "j1"}) as daemon:
        done = ash_sb("memory", "extract", "-", stdin=text, socket_path=daemon.path)

    assert daemon.call["params"] == {"messages": messages}
    assert done.stdout.startswith("job: j1 ")


def test_a_token_is_said_once_and_before_the_call(tmp_path: Path) -> None:
    """With ASH_CONTEXT_TOKEN the connection says hello with it, then asks without it."""
    with ScriptedDaemon(tmp_path / "s", {"results": []}) as daemon:
        done = ash_sb("recall", "x", socket_path=daemon.path, ASH_CONTEXT_TOKEN="t0k")

    assert done.returncode == 0
    assert [(call["method"], call["params"]) for call in daemon.calls] == [
        ("session.hello", {"token": "t0k"}),
        ("search.all", {"query": "x"}),
    ]


def test_a_wrong_token_ends_it(tmp_path: Path) -> None:
    """When the token is refused, the call is not sent, and the token is not shown."""
    with ScriptedDaemon(tmp_path / "s", error("denied", 100)) as daemon:
        done = ash_sb("recall", "x", socket_path=daemon.path, ASH_CONTEXT_TOKEN="t0k-secret")

    assert done.returncode == 4
    assert "t0k-secret" not in done.stdout + done.stderr
    assert daemon.call["method"] == "session.hello"


USAGE_FAULTS = [
    ("memory add", "TEXT is missing", "- for standard input"),
    ("memory add -", "TEXT is missing", "--file"),
    ("memory add x --file y", "exclude", "one of them"),
    ("memory add x --facts-json -", "exclude", "one of them"),
    ("memory add --facts-json -", "is not JSON", "JSON list"),
    ("memory add --file /no/such/file", "cannot read", "Name a file"),
    ("memory add x --type", "--type wants a value", "help memory add"),
    ("memory add x --subject=", "--subject is empty", "help memory add"),
    ("memory add x --shared=1", "--shared takes no value", "help memory add"),
    ("memory search x -n five", "-n wants a whole number", "help memory search"),
    ("memory search x --min-score nan", "--min-score wants a number", "help memory search"),
    ("memory search x --abuot Sarah", "no option '--abuot'", "Did you mean --about?"),
    ("memory search -5 degrees", "no option '-5'", "behind --"),
    ("memory show", "one ID is wanted", "first 6"),
    ("memory show a b", "one ID is wanted", "first 6"),
    ("memory update a", "nothing to change", "TEXT"),
    ("memory list x", "one word too many", "help memory list"),
    ("memory", "memory needs a command", "add, search, list"),
    ("memroy search x", "no command", "help"),
    ("memory serach x", "no command", "Did you mean `ash-sb memory search`?"),
]


@pytest.mark.parametrize(
    ("typed", "said", "remedy"), USAGE_FAULTS, ids=[c[0] for c in USAGE_FAULTS]
)
def test_a_wrong_command_line_says_how_to_mend_it(typed: str, said: str, remedy: str) -> None:
    """Exit 2 without asking the daemon; one line names what is wrong and what is right."""
    done = ash_sb(*typed.split(" "), socket_path="/nonexistent/socket")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: invalid_params: ")
    assert "?." not in done.stderr
    assert said in done.stderr
    assert remedy in done.stderr
    assert done.stderr.count("\n") == 1


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """A file, standard input and an argument must be UTF-8; the place of the fault is named."""
    file = tmp_path / "latin"
    file.write_bytes("Grüße".encode("latin-1"))
    by_file = ash_sb("memory", "add", "--file", str(file))
    by_stdin = ash_sb("memory", "add", "-", stdin=b"\xff")
    by_argument = ash_sb("memory", "add", b"\xff")

    assert [done.returncode for done in (by_file, by_stdin, by_argument)] == [2, 2, 2]
    assert "byte 2 of" in by_file.stderr
    assert "UTF-8" in by_stdin.stderr
    assert "UTF-8" in by_argument.stderr


def test_json_and_help_stand_anywhere(tmp_path: Path) -> None:
    """`--json` before, between and after the words; `--help` explains instead of calling."""
    with ScriptedDaemon(tmp_path / "s", {"a": 1}) as daemon:
        shown = [
            ash_sb(*typed.split(" "), socket_path=daemon.path).stdout
            for typed in ("--json memory list", "memory --json list", "memory list --json")
        ]
        explained = ash_sb("memory", "list", "--help", socket_path=daemon.path)

    assert shown == ['{"a":1}\n'] * 3
    assert explained.stdout.startswith("usage: ash-sb memory list")
    assert len(daemon.calls) == 3
