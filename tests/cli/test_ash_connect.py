"""`ash connect` and `ash disconnect`, on the files that hosts read. Budget: 15 s."""

import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon
from waiting import until

from ashd.cli.hosts import HOSTS

BIN = Path(sys.executable).parent
SERVERS = {
    "claude-code": (".claude.json", ["mcpServers", "ash"]),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", ["mcpServers", "ash"]),
    "cline": (
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ["mcpServers", "ash"],
    ),
    "codex": (".codex/config.toml", ["mcp_servers", "ash"]),
    "copilot-cli": (".copilot/mcp-config.json", ["mcpServers", "ash"]),
    "cursor": (".cursor/mcp.json", ["mcpServers", "ash"]),
    "gemini": (".gemini/settings.json", ["mcpServers", "ash"]),
    "lm-studio": (".lmstudio/mcp.json", ["mcpServers", "ash"]),
    "opencode": (".config/opencode/opencode.json", ["mcp", "ash"]),
    "vscode": (".config/Code/User/mcp.json", ["servers", "ash"]),
    "windsurf": (".codeium/windsurf/mcp_config.json", ["mcpServers", "ash"]),
    "zed": (".config/zed/settings.json", ["context_servers", "ash"]),
}
COPILOT = (".copilot/hooks/ash.json", ["sessionStart", "userPromptSubmitted"])
HOOKED = {
    "claude-code": (
        ".claude/settings.json",
        ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"],
    ),
    "codex": (".codex/hooks.json", ["SessionStart", "UserPromptSubmit", "Stop"]),
    "copilot-cli": COPILOT,
    "cursor": (".cursor/hooks.json", ["beforeSubmitPrompt", "afterAgentResponse"]),
    "gemini": (
        ".gemini/settings.json",
        ["SessionStart", "BeforeAgent", "AfterAgent", "PreCompress"],
    ),
    "vscode": COPILOT,
}
GROUPED = ("claude-code", "codex", "gemini")
LEFT_OUT = ("ASH_HOME", "ASH_RUN_DIR", "ASHD_SOCKET", "XDG_RUNTIME_DIR")
PLUGIN = ".config/opencode/plugins/ash.js"


def ash(home: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """`ash` of a person with that home."""
    return subprocess.run(
        [BIN / "ash", *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={
            name: value
            for name, value in {**os.environ, "HOME": str(home)}.items()
            if name not in LEFT_OUT
        },
    )


def read(path: Path) -> Any:
    """A file of a host, as the host reads it."""
    text = path.read_text()
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def at(value: Any, keys: list[str]) -> Any:
    """Return the value under nested keys, None if one is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def test_the_hosts_are_those_of_the_documentation() -> None:
    """Each has its file here, and those with hooks theirs."""
    assert HOSTS.keys() == SERVERS.keys()
    assert {name for name, host in HOSTS.items() if host.hooks} == {*HOOKED, "opencode"}
    page = (Path(__file__).parents[2] / "docs" / "connect.md").read_text()
    assert f"`~/{PLUGIN}`" in page
    for host, (path, _) in [*SERVERS.items(), *HOOKED.items()]:
        assert f"`{host}`" in page
        assert f"`~/{path}`" in page


@pytest.mark.parametrize("host", SERVERS)
def test_a_host_finds_the_server_and_keeps_its_own(tmp_path: Path, host: str) -> None:
    """Ours is added beside the others, and removed without touching them."""
    name, keys = SERVERS[host]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    before = (
        'model = "m" # mine\n[mcp_servers.other]\ncommand = "x"\n'
        if path.suffix == ".toml"
        else json.dumps({"theme": "dark", keys[0]: {"other": {"command": "x"}}})
    )
    path.write_text(before)
    assert ash(tmp_path, "connect", host, "--yes").returncode == 0
    entry = at(read(path), keys)
    words = [*entry["command"]] if host == "opencode" else [entry["command"], *entry["args"]]

    assert Path(words[0]).is_absolute()
    assert words[-1] == "mcp"
    assert at(read(path), [keys[0], "other"]) == {"command": "x"}
    assert path.with_name(f"{path.name}.before-ash").read_text() == before

    assert ash(tmp_path, "disconnect", host, "--yes").returncode == 0
    assert read(path) == (tomllib if path.suffix == ".toml" else json).loads(before)


@pytest.mark.parametrize("host", HOOKED)
def test_hooks_stand_beside_those_of_others(tmp_path: Path, host: str) -> None:
    """Hooks are added once, however often the command runs, and later edits stay."""
    name, events = HOOKED[host]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    other = {"hooks": [{"command": "other"}]} if host in GROUPED else {"command": "other"}
    path.write_text(json.dumps({"hooks": {events[0]: [other]}}))
    for _ in range(2):
        assert ash(tmp_path, "connect", host, "--hooks", "--yes").returncode == 0
    hooks = read(path)["hooks"]

    for event in events:
        ours = [one for one in hooks[event] if one != other]
        [hook] = ours[0]["hooks"] if host in GROUPED else ours
        assert len(ours) == 1
        name = "copilot-cli" if host == "vscode" else host
        assert hook.get("command", hook.get("bash")).endswith(f" hook {event} {name}")
    assert hooks[events[0]][0] == other

    value = read(path)
    path.write_text(json.dumps({**value, "later": True}))
    assert ash(tmp_path, "disconnect", host, "--yes").returncode == 0
    left = read(path)
    assert left["hooks"] == {events[0]: [other]}
    assert left["later"]


def test_a_file_is_for_those_for_whom_it_was(tmp_path: Path) -> None:
    """File and copy keep their permissions, as a key may be in them; a new file is its owner's."""
    path = tmp_path / ".cursor" / "mcp.json"
    assert ash(tmp_path, "connect", "cursor", "--yes").returncode == 0
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("{}")
    path.chmod(0o640)
    assert ash(tmp_path, "connect", "cursor", "--yes").returncode == 0

    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o640}
    assert len(list(path.parent.iterdir())) == 2


def test_nothing_is_changed_without_a_yes(tmp_path: Path) -> None:
    """The change is shown first; --print shows it alone."""
    shown = ash(tmp_path, "connect", "cursor", "--print")
    refused = ash(tmp_path, "connect", "cursor", given="n\n")

    assert shown.returncode == 0
    assert '+    "ash": {' in shown.stderr
    assert refused.returncode != 0
    assert not (tmp_path / ".cursor").exists()


@pytest.mark.parametrize(
    ("host", "meant"),
    [("claude", "claude-code or claude-desktop"), ("cluade-code", "claude-code"), ("x", "")],
)
def test_an_unknown_host_suggests_its_likes(tmp_path: Path, host: str, meant: str) -> None:
    """The message names all hosts once."""
    done = ash(tmp_path, "connect", host)
    assert 2 == done.returncode
    assert done.stderr.count("opencode") == 1
    assert (f"Did you mean {meant}?" in done.stderr) == bool(meant)


@pytest.mark.parametrize(
    "text",
    ["[1]", "{", '{"context_servers": 1}', '{"context_servers": {}, "context_servers": {}}'],
)
def test_an_unreadable_settings_file_is_left_unchanged(tmp_path: Path, text: str) -> None:
    """The message has the text to add by hand."""
    path = tmp_path / ".config" / "zed" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    done = ash(tmp_path, "connect", "zed", "--yes")

    assert done.returncode != 0
    assert "context_servers" in done.stderr
    assert "Traceback" not in done.stderr
    assert path.read_text() == text


@pytest.mark.parametrize("host", [host for host in SERVERS if host != "codex"])
def test_comments_and_order_stay(tmp_path: Path, host: str) -> None:
    """Connecting adds our entry, a second time changes nothing, and disconnecting undoes it."""
    name, [key, _] = SERVERS[host]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f"""// settings of mine
{{
    "zebra": 1, // first
    "{key}": {{
        // theirs
        "other": {{"command": "x", "args": ["// no comment"],}}, /* here */
    }},
    "apple": [1, 2,],
}}
"""
    path.write_text(text)
    hooks = ["--hooks"] if host in HOOKED else []
    assert ash(tmp_path, "connect", host, *hooks, "--yes").returncode == 0
    connected = path.read_text()
    again = ash(tmp_path, "connect", host, *hooks, "--yes")

    left = iter(connected.split("\n"))
    assert all(line.rstrip(",") in (one.rstrip(",") for one in left) for line in text.split("\n"))
    assert "Nothing is to be changed." in again.stdout
    assert path.read_text() == connected
    assert ash(tmp_path, "disconnect", host, "--yes").returncode == 0
    assert path.read_text() == text


def test_tables_that_codex_wrote_between_our_old_marks_stay(tmp_path: Path) -> None:
    """Codex keeps a comment at the end of its file, so its own tables came before it."""
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    theirs = """model = "m"

[tui]
theme = "dark"

[projects."/home/me/project"]
trust_level = "trusted"

[hooks.state."/home/me/.codex/hooks.json:stop:0:0"]
trusted_hash = "sha256:1"
"""
    first, _, rest = theirs.partition("[tui]")
    entry = '[mcp_servers.ash]\ncommand = "/opt/ash"\nargs = ["mcp"]\n'
    path.write_text(
        f"{first}# begin: made by `ash connect`\n{entry}\n[mcp_servers.ash.env]\nA = '1'\n\n"
        f"[tui]{rest}# end: made by `ash connect`\n"
    )
    assert ash(tmp_path, "connect", "codex", "--yes").returncode == 0
    connected = path.read_text()

    assert "made by" not in connected
    assert read(path)["mcp_servers"]["ash"]["env"] == {"A": "1"}
    assert "Nothing is to be changed." in ash(tmp_path, "connect", "codex", "--yes").stdout
    assert ash(tmp_path, "disconnect", "codex", "--yes").returncode == 0
    assert read(path) == tomllib.loads(theirs)


def test_our_table_without_marks_is_found_by_its_command(tmp_path: Path) -> None:
    """Codex drops a comment above a table when it adds another server."""
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(
        'model = "m"\n[mcp_servers.ash]\ncommand = "/x/ash"\nargs = ["mcp"]\n\n'
        '# the other one\n[mcp_servers.other]\ncommand = "/bin/true"\n'
    )
    assert ash(tmp_path, "disconnect", "codex", "--yes").returncode == 0

    assert path.read_text() == (
        'model = "m"\n\n# the other one\n[mcp_servers.other]\ncommand = "/bin/true"\n'
    )


def test_an_older_hook_is_brought_up_to_date(tmp_path: Path) -> None:
    """A hook that ran beside the host ended with it, so the answer was lost."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    old = {"type": "command", "timeout": 60, "async": True, "command": "/old/ash hook Stop"}
    other = {"type": "command", "command": "say"}
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [old, other]}]}}, indent=2))
    assert ash(tmp_path, "connect", "claude-code", "--hooks", "--yes").returncode == 0
    [group] = read(path)["hooks"]["Stop"]

    assert group["hooks"][1] == other
    assert "async" not in group["hooks"][0]
    assert group["hooks"][0]["command"] != old["command"]


@pytest.mark.parametrize("of", ["Stop", "Stop claude-code"])
def test_our_hooks_of_either_form_are_removed(tmp_path: Path, of: str) -> None:
    """Earlier versions did not say whose events they were."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    group = {"hooks": [{"type": "command", "command": f"/opt/ash hook {of}"}]}
    path.write_text(json.dumps({"theme": "dark", "hooks": {"Stop": [group]}}))

    assert ash(tmp_path, "disconnect", "claude-code", "--yes").returncode == 0
    assert read(path) == {"theme": "dark"}


def test_the_plugin_is_a_file_of_its_own(tmp_path: Path) -> None:
    """It is deleted by disconnecting; one that somebody else wrote is left alone."""
    path = tmp_path / PLUGIN
    for _ in range(2):
        assert ash(tmp_path, "connect", "opencode", "--hooks", "--yes").returncode == 0
    assert json.dumps([str(BIN / "ash")]) in path.read_text()
    assert f"Removed {path}" in ash(tmp_path, "disconnect", "opencode", "--yes").stdout
    assert not path.exists()

    path.write_text("export const Mine = async () => ({})\n")
    assert ash(tmp_path, "connect", "opencode", "--hooks", "--yes").returncode != 0
    assert ash(tmp_path, "disconnect", "opencode", "--yes").returncode == 0
    assert path.read_text() == "export const Mine = async () => ({})\n"


def test_the_file_that_a_host_has_is_changed(tmp_path: Path) -> None:
    """OpenCode reads one of three; where none is there, the first is made."""
    folder = tmp_path / ".config" / "opencode"
    folder.mkdir(parents=True)
    commented = folder / "opencode.jsonc"
    commented.write_text('{\n  // mine\n  "model": "m"\n}\n')
    ash(tmp_path, "connect", "opencode", "--yes")

    assert [one.name for one in sorted(folder.glob("opencode.json*"))] == [
        *("opencode.jsonc", "opencode.jsonc.before-ash"),
    ]
    assert "// mine" in commented.read_text()
    assert '"ash"' in commented.read_text()


def test_the_server_is_tried_as_the_host_will_start_it(daemon: Daemon, tmp_path: Path) -> None:
    """A call of a tool is answered, or the reason why not is said."""
    works = ash(tmp_path, "--socket", str(daemon.socket), "connect", "windsurf", "--yes")
    absent = ash(tmp_path, "connect", "lm-studio", "--yes", "--json")
    printed = ash(tmp_path, "connect", "cursor", "--print", "--json")

    assert "A trial call of recall was answered." in works.stderr
    check = json.loads(absent.stdout)["check"]
    assert not check["works"]
    assert "ashd is not running" in check["problem"]
    assert "check" not in json.loads(printed.stdout)


def test_the_check_waits_for_a_daemon_that_starts(new_daemon: type[Daemon], tmp_path: Path) -> None:
    """With --wait, as after `ashd serve &`."""
    daemon = new_daemon()
    command = ["--socket", str(daemon.socket), "--wait", "100", "connect", "cursor", "--yes"]
    connecting = subprocess.Popen(
        [BIN / "ash", *command],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    until((tmp_path / ".cursor" / "mcp.json").exists)
    daemon.start()

    assert "A trial call of recall was answered." in connecting.communicate(timeout=120)[1]


def test_a_linked_file_is_changed_where_it_is(tmp_path: Path) -> None:
    """A person may keep settings elsewhere and link to them."""
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}\n")
    path = tmp_path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.symlink_to(kept)
    assert ash(tmp_path, "connect", "cursor", "--yes").returncode == 0

    assert path.is_symlink()
    assert "ash" in read(kept)["mcpServers"]
    assert kept.with_name("dotfiles.json.before-ash").read_text() == "{}\n"


def test_what_the_host_wrote_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    """A host may write its file while the person reads the change."""
    path = tmp_path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text("{}")
    asking = subprocess.Popen(
        [BIN / "ash", "connect", "cursor"],
        **dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE),
        text=True,
        bufsize=1,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    assert asking.stderr is not None
    while not asking.stderr.readline().startswith("+}"):
        pass  # the shown change ends with this line
    path.write_text('{"mine": 1}')
    _, said = asking.communicate("y\n", timeout=120)

    assert asking.returncode != 0
    assert "changed meanwhile" in said
    assert path.read_text() == '{"mine": 1}'


def test_the_server_is_of_whom_it_was_connected_for(tmp_path: Path) -> None:
    """--as and --home are part of the entry."""
    ash(tmp_path, "--as", "telegram:7", "--home", str(tmp_path / "h"), "connect", "cursor", "--yes")
    entry = read(tmp_path / ".cursor" / "mcp.json")["mcpServers"]["ash"]

    assert entry["args"] == ["--home", str(tmp_path / "h"), "--as", "telegram:7", "mcp"]


def test_the_environment_of_connecting_is_written_down(tmp_path: Path) -> None:
    """A host starts the command with an environment and in a folder of its own."""
    for variable, words in (
        ({"ASHD_SOCKET": "s.sock"}, ["--socket", str(tmp_path / "s.sock")]),
        ({"ASH_RUN_DIR": "~/run"}, ["--socket", str(tmp_path / "run" / "ashd.sock")]),
        ({"ASH_HOME": "~/h"}, ["--home", str(tmp_path / "h")]),
        ({"ASHD_SOCKET": "/s", "ASH_HOME": "/h"}, ["--socket", "/s", "--home", "/h"]),
    ):
        environment = {**os.environ, "HOME": str(tmp_path), **variable}
        subprocess.run(
            [BIN / "ash", "connect", "claude-code", "--hooks", "--yes"],
            cwd=tmp_path,
            env=environment,
            check=True,
            capture_output=True,
        )
        assert read(tmp_path / ".claude.json")["mcpServers"]["ash"]["args"] == [*words, "mcp"]
        hook = read(tmp_path / ".claude" / "settings.json")["hooks"]["Stop"][0]["hooks"][0]
        assert hook["command"] == shlex.join(
            [str(BIN / "ash"), *words, "hook", "Stop", "claude-code"]
        )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--all-scopes"], "--all-scopes"),
        (["--as", "telegram:"], "names no user"),
        (["--as", "telegram:", "--chat", "club"], "names no user"),
        (["--as", ":bob"], "names no"),
    ],
)
def test_a_scope_that_is_of_no_one_account_is_refused(
    tmp_path: Path, options: list[str], reason: str
) -> None:
    """The file would give an agent more than one person may see."""
    done = ash(tmp_path, *options, "connect", "cursor", "--yes")

    assert done.returncode != 0
    assert reason in done.stderr
    assert not (tmp_path / ".cursor").exists()


def recalled(command: list[str], home: Path, query: str) -> str:
    """Start a server as a host does, with next to no environment, and return what it recalls."""
    calls = [
        {
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        },
        {"method": "tools/call", "params": {"name": "recall", "arguments": {"query": query}}},
    ]
    lines = [json.dumps({"jsonrpc": "2.0", "id": at, **one}) for at, one in enumerate(calls)]
    done = subprocess.run(
        command,
        input="\n".join([*lines, ""]),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        cwd="/",
        env={"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
    )
    return done.stdout


@pytest.mark.parametrize("chat_type", [None, "group", "private"])
def test_an_agent_reads_what_its_connection_may_read(
    daemon: Daemon, scope: Callable[..., dict[str, Any]], tmp_path: Path, chat_type: str | None
) -> None:
    """The written command reads in the chat that was named, and nothing of the private one."""
    mine = scope()
    chat = {} if chat_type is None else {"chat_id": "club", "chat_type": chat_type}
    daemon.call("memory.add", scope=mine, content="My private diary is about otters")
    daemon.call(
        "memory.add",
        scope={**mine, "chat_id": "club", "chat_type": "group"},
        content="The club's otters swim on Monday",
    )
    options = ["--chat", "club", "--chat-type", chat_type] if chat_type else []
    account = f"{mine['provider']}:{mine['user_id']}"
    connected = ash(
        tmp_path,
        *("--socket", str(daemon.socket), "--as", account, *options),
        *("connect", "cursor", "--yes"),
    )
    assert connected.returncode == 0, connected.stderr
    entry = read(tmp_path / ".cursor" / "mcp.json")["mcpServers"]["ash"]
    found = recalled([entry["command"], *entry["args"]], tmp_path, "otters")
    direct = daemon.call("memory.search", scope={**mine, **chat}, query="otters")["results"]

    assert ("diary" in found) == any("diary" in one["memory"]["content"] for one in direct)
    assert ("diary" in found) == (chat_type != "group")
    assert ("Monday" in found) == any("Monday" in one["memory"]["content"] for one in direct)


def test_hooks_that_look_like_ours_stay(tmp_path: Path) -> None:
    """Only entries written by `ash connect` are removed, even from a shared group."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    others = {
        "Stop": [{"hooks": [{"type": "command", "command": "/opt/team/audit hook Stop"}]}],
        "UserPromptSubmit": [
            {"hooks": [{"type": "command", "command": "/opt/bash hook UserPromptSubmit"}]}
        ],
    }
    path.write_text(json.dumps({"hooks": others}))
    ash(tmp_path, "connect", "claude-code", "--hooks", "--yes")
    shared = read(path)
    mine = shared["hooks"]["Stop"].pop()["hooks"]
    shared["hooks"]["Stop"][0]["hooks"] += mine
    path.write_text(json.dumps(shared))
    ash(tmp_path, "disconnect", "claude-code", "--yes")

    assert read(path) == {"hooks": others}


@pytest.mark.parametrize("host", ["cursor", "codex"])
def test_a_server_of_another_hand_is_left_alone(tmp_path: Path, host: str) -> None:
    """An entry with our name, in any form, blocks connecting; disconnecting leaves it alone."""
    path = tmp_path / SERVERS[host][0]
    path.parent.mkdir(parents=True)
    text = (
        'mcp_servers = { ash = { command = "x" } }\n'
        if host == "codex"
        else '{"mcpServers": {"ash": {"command": "x"}}}'
    )
    path.write_text(text)

    assert ash(tmp_path, "connect", host, "--yes").returncode != 0
    assert ash(tmp_path, "disconnect", host, "--yes").returncode == 0
    assert path.read_text() == text


def test_a_host_that_is_connected_by_hand_is_told_where_to_read_how(tmp_path: Path) -> None:
    """The page has what Goose and Open WebUI need, and any other host."""
    refused = ash(tmp_path, "connect", "goose")

    assert refused.returncode == 2
    assert "There is no host 'goose'." in refused.stderr
    assert "connect.md has how to connect any other." in " ".join(refused.stderr.split())


def test_an_entry_to_be_added_by_hand_can_be_pasted(tmp_path: Path) -> None:
    """A file in a form that cannot be edited is valid, and the entry for it has its lines."""
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('mcp_servers = { other = { command = "x" } }\n')

    refused = ash(tmp_path, "connect", "codex", "--yes")

    assert refused.returncode != 0
    assert "mcp_servers is written as one value" in refused.stderr
    assert "not TOML" not in refused.stderr
    entry = tomllib.loads(refused.stderr.partition("ash: ")[0])
    assert entry["mcp_servers"]["ash"]["args"][-1] == "mcp"


@pytest.mark.parametrize("host", SERVERS)
def test_disconnecting_leaves_nothing_of_a_file_that_connecting_made(
    tmp_path: Path, host: str
) -> None:
    """Not even the version that some hosts want beside the hooks."""
    hooks = ["--hooks"] if HOSTS[host].hooks else []
    assert ash(tmp_path, "connect", host, *hooks, "--yes").returncode == 0
    made = {path for path in tmp_path.rglob("*") if path.is_file() and ".ash" not in path.parts}
    assert made
    assert ash(tmp_path, "disconnect", host, "--yes").returncode == 0

    assert not [path for path in made if path.exists()]


@pytest.mark.parametrize("text", ["{}\n", '{"version": 1}\n', '{\n  // mine\n  "version": 1\n}\n'])
def test_an_almost_empty_file_of_the_person_stays(tmp_path: Path, text: str) -> None:
    """A file that was there before is not deleted."""
    path = tmp_path / ".copilot" / "hooks" / "ash.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert ash(tmp_path, "connect", "copilot-cli", "--hooks", "--yes").returncode == 0
    assert ash(tmp_path, "disconnect", "copilot-cli", "--yes").returncode == 0

    assert path.exists()
    assert ("// mine" in path.read_text()) == ("// mine" in text)


MOVED = {
    "claude-code": ("CLAUDE_CONFIG_DIR", [".claude.json", "settings.json"]),
    "codex": ("CODEX_HOME", ["config.toml", "hooks.json"]),
    "copilot-cli": ("COPILOT_HOME", ["mcp-config.json", "hooks/ash.json"]),
    "gemini": ("GEMINI_CLI_HOME", [".gemini/settings.json"]),
    "opencode": ("XDG_CONFIG_HOME", ["opencode/opencode.json", "opencode/plugins/ash.js"]),
}


@pytest.mark.parametrize("host", MOVED)
def test_a_host_is_connected_where_the_environment_has_its_files(
    tmp_path: Path, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that was told to keep its settings elsewhere reads none below the home."""
    variable, names = MOVED[host]
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert ash(tmp_path, "connect", host, "--hooks", "--yes").returncode == 0
    made = {path for path in tmp_path.rglob("*") if path.is_file() and ".ash" not in path.parts}
    assert made == {tmp_path / "elsewhere" / name for name in names}

    assert ash(tmp_path, "disconnect", host, "--yes").returncode == 0
    assert not [path for path in made if path.exists()]


def test_a_device_or_a_pipe_in_the_place_of_a_file_is_left_alone(tmp_path: Path) -> None:
    """A link to /dev/null switches a file off; root would replace the device by a file."""
    path = tmp_path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for target in (pipe, tmp_path, path):
        path.symlink_to(target)
        for command in ("connect", "disconnect"):
            done = ash(tmp_path, command, "cursor", "--yes")
            assert "is left alone" in done.stderr, (target, done.stderr)
            assert "Traceback" not in done.stderr
        assert path.readlink() == target
        path.unlink()
    assert pipe.is_fifo()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change files of others")
def test_files_that_root_changes_stay_their_owners(tmp_path: Path) -> None:
    """`sudo ash connect` in a person's home: the host could not read its own settings."""
    os.chown(tmp_path, 12345, 12346)
    kept = tmp_path / ".claude.json"
    kept.write_text("{}")
    os.chown(kept, 12345, 12347)
    assert ash(tmp_path, "connect", "claude-code", "--hooks", "--yes").returncode == 0
    files = {path for path in tmp_path.rglob("*") if ".ash" not in path.parts}

    assert {path.stat().st_uid for path in files} == {12345}
    assert {path.stat().st_gid for path in files if path.name.startswith(".claude.json")} == {12347}
    assert (tmp_path / ".claude" / "settings.json") in files


def test_a_byte_order_mark_stays_where_it_is(tmp_path: Path) -> None:
    """Some editors begin a file with it, and hosts read over it."""
    for host, text in (
        ("cursor", '\ufeff{"mcpServers": {"other": {"command": "x"}}}\r\n'),
        ("codex", '\ufeffmodel = "m"\r\n'),
    ):
        path = tmp_path / SERVERS[host][0]
        path.parent.mkdir()
        path.write_bytes(text.encode())
        assert ash(tmp_path, "connect", host, "--yes").returncode == 0
        connected = path.read_bytes().decode()
        assert connected.startswith("\ufeff")
        assert "ash" in connected
        assert ash(tmp_path, "disconnect", host, "--yes").returncode == 0
        assert path.read_bytes().decode() == text


def test_hooks_that_are_there_ask_the_daemon_that_the_server_asks(tmp_path: Path) -> None:
    """Connected again for another home, a host would recall from one and keep in the other."""
    for host in ("claude-code", "opencode"):
        ash(tmp_path, "--home", str(tmp_path / "old"), "connect", host, "--hooks", "--yes")
        ash(tmp_path, "--home", str(tmp_path / "new"), "connect", host, "--yes")
    texts = [
        path.read_text()
        for name in (HOOKED["claude-code"][0], PLUGIN, SERVERS["claude-code"][0])
        for path in [tmp_path / name]
    ]
    ash(tmp_path, "connect", "gemini", "--yes")

    assert all(str(tmp_path / "new") in text for text in texts)
    assert not any(str(tmp_path / "old") in text for text in texts)
    assert "hooks" not in read(tmp_path / SERVERS["gemini"][0])


def test_a_name_that_is_not_in_utf_8_is_an_error_in_words(tmp_path: Path) -> None:
    """The shell passes any bytes on, and no file of JSON can hold them."""
    for words in (
        [b"key", b"create", b"--agent", b"caf\xe9"],
        [b"--as", b"caf\xe9", b"connect", b"cursor", b"--yes"],
    ):
        done = subprocess.run(
            [os.fsencode(BIN / "ash"), *words],
            capture_output=True,
            check=False,
            env={**os.environ, "HOME": str(tmp_path), "ASH_HOME": str(tmp_path / "h")},
        )
        assert 2 == done.returncode
        assert b"UTF-8" in done.stderr
        assert b"Traceback" not in done.stderr
    assert not (tmp_path / ".cursor" / "mcp.json").exists()
    assert not (tmp_path / "h" / "keys.json").exists()


def test_hooks_that_another_host_shares_stay(tmp_path: Path) -> None:
    """Copilot CLI goes on to recall and to keep what was said when VS Code is disconnected."""
    hooks = tmp_path / COPILOT[0]
    for host in ("copilot-cli", "vscode"):
        assert 0 == ash(tmp_path, "connect", host, "--hooks", "--yes").returncode
    before = hooks.read_text()

    done = ash(tmp_path, "disconnect", "vscode", "--yes")

    assert before == hooks.read_text()
    assert "Copilot CLI has the same" in done.stderr
    ash(tmp_path, "disconnect", "copilot-cli", "--yes")
    assert not hooks.exists()


def test_the_ash_that_runs_is_the_one_that_is_connected(tmp_path: Path) -> None:
    """Beside a Python of the system, `ash` may be a shell."""
    installed = tmp_path / "bin" / "ash"
    installed.parent.mkdir()
    installed.write_text("from ashd.cli.ash import main; main()")

    done = subprocess.run(
        [sys.executable, str(installed), "connect", "claude-code", "--print"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )

    assert str(installed) in done.stderr


def test_ash_starts_as_a_module(tmp_path: Path) -> None:
    """A host starts it so if there is no program of that name."""
    done = subprocess.run(
        [sys.executable, "-m", "ashd.cli.ash", "--version"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert done.stdout.strip()
