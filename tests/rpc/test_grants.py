"""Grants and what a sandbox may do through its socket. Budget: 10 s."""

import json
import socket
import stat
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from asking import add, found, listed, refusal
from daemons import CallFailed, Daemon
from rows import opened
from waiting import until

Scope = Callable[..., dict[str, Any]]


def _audited(daemon: Daemon, grant_id: str) -> list[tuple[str, str]]:
    """(method, outcome) of the grant's audit rows, as the database has them."""
    with opened(daemon.home, read_only=True) as rows:
        return rows.execute(
            "select method, outcome from audit where grant_id = ? order by id", (grant_id,)
        ).fetchall()


def test_a_grant_opens_a_directory_with_a_socket(daemon: Daemon, scope: Scope) -> None:
    """Everybody who can enter the directory may connect; its parent lets nobody in."""
    mine = scope()

    made = daemon.call("grant.create", scope=mine)

    assert set(made) == {"grant_id", "directory", "socket", "expires_at"}
    assert len(made["grant_id"]) <= 12
    assert made["expires_at"] is None
    directory, path = Path(made["directory"]), Path(made["socket"])
    assert directory == daemon.run / "sandbox" / made["grant_id"]
    assert path == directory / "rpc.sock"
    assert [entry.name for entry in directory.iterdir()] == ["rpc.sock"]
    assert stat.S_IMODE(directory.stat().st_mode) == 0o755
    assert stat.S_IMODE(path.stat().st_mode) == 0o666
    assert stat.S_IMODE(directory.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(daemon.run.stat().st_mode) == 0o700
    assert stat.S_IMODE(daemon.socket.stat().st_mode) == 0o600


def test_a_sandbox_works_on_its_scope_only(daemon: Daemon, scope: Scope) -> None:
    """A sandbox finds its user's memories and nobody else's."""
    mine, theirs = scope(), scope()
    sandbox = daemon.call("grant.create", scope=mine)["socket"]
    add(daemon, "My passport is in the desk", scope=mine)
    hidden = add(daemon, "Their passport is in the safe", scope=theirs)

    stored = daemon.call("memory.add", at=sandbox, content="My visa is in the desk")

    assert stored["memories"][0]["memory"]["owner_user_id"] == mine["user_id"]
    assert stored["memories"][0]["memory"]["source"] == "rpc"
    assert listed(daemon, at=sandbox) == ["My visa is in the desk", "My passport is in the desk"]
    assert "Their passport is in the safe" not in found(daemon, "passport", at=sandbox)
    assert refusal(daemon, "memory.get", at=sandbox, id=hidden["id"]).kind == "not_found"
    assert listed(daemon, scope=mine) == listed(daemon, at=sandbox)


def test_a_sandbox_is_told_who_it_is(daemon: Daemon, scope: Scope) -> None:
    """hello names scope, rights and methods; discover describes the same methods."""
    mine = scope()
    made = daemon.call("grant.create", scope=mine, rights=["read"], expires_in_s=3_600)

    hello = daemon.call("session.hello", at=made["socket"], client="ash")
    document = daemon.call("rpc.discover", at=made["socket"])

    assert hello["listener"] == "sandbox"
    assert hello["grant_id"] == made["grant_id"]
    assert hello["scope"] == mine
    assert hello["rights"] == ["read"]
    assert hello["expires_at"] == made["expires_at"]
    assert hello["limits"]["batch"] == 0
    assert [method["name"] for method in document["methods"]] == hello["capabilities"]
    assert "memory.search" in hello["capabilities"]
    assert "scope" not in {
        param["name"] for method in document["methods"] for param in method["params"]
    }
    assert not {"memory.add", "memory.delete", "memory.restore", "grant.create"} & set(
        hello["capabilities"]
    )


def test_the_operator_is_told_what_every_call_may_carry(daemon: Daemon) -> None:
    """On the control socket every method may name the scope; on a sandbox's none has the param."""
    document = daemon.call("rpc.discover")

    assert all(
        {"scope", "all_scopes"} <= {param["name"] for param in method["params"]}
        for method in document["methods"]
    )
    assert "provider" in document["components"]["schemas"]["Scope"]["properties"]


# Rights -------------------------------------------------------------------------------------------

_NEEDS = {
    "read": [
        ("memory.search", {"query": "x"}),
        ("memory.list", {}),
        ("memory.get", {"id": "0" * 8}),
        ("memory.history", {"id": "0" * 8}),
        ("person.resolve", {"reference": "Tom", "create": False}),
        ("person.list", {}),
        ("person.get", {"id": "0" * 8}),
    ],
    "write": [
        ("memory.add", {"content": "x"}),
        ("memory.update", {"id": "0" * 8, "changes": {"content": "x"}}),
    ],
    "forget": [("memory.delete", {"id": "0" * 8})],
}


@pytest.mark.parametrize("right", list(_NEEDS))
def test_a_missing_right_is_named(daemon: Daemon, scope: Scope, right: str) -> None:
    """The error says which right and who can grant it; the denial is audited."""
    others = sorted(set(_NEEDS) - {right})
    made = daemon.call("grant.create", scope=scope(), rights=others)

    for method, params in _NEEDS[right]:
        error = refusal(daemon, method, at=made["socket"], **params)
        assert error.kind == "denied"
        assert error.data["right"] == right
        assert "grant create" in error.data["hint"]
        assert "--rights forget,read,write" in error.data["hint"]
    assert _audited(daemon, made["grant_id"]) == [(method, "denied") for method, _ in _NEEDS[right]]


def test_reading_does_not_allow_making_people(daemon: Daemon, scope: Scope) -> None:
    """person.resolve creates with the right to write only."""
    mine = scope()
    made = daemon.call("grant.create", scope=mine, rights=["read"])

    error = refusal(daemon, "person.resolve", at=made["socket"], reference="Quentin")

    assert (error.kind, error.data["right"]) == ("denied", "write")
    assert daemon.call("person.list", scope=mine, query="Quentin")["people"] == []


def test_what_a_sandbox_deletes_the_operator_restores(daemon: Daemon, scope: Scope) -> None:
    """Deleted memories are gone for the sandbox, by id too."""
    mine = scope()
    sandbox = daemon.call("grant.create", scope=mine, rights=["read", "forget"])["socket"]
    memory = add(daemon, "The map is in the atlas", scope=mine)

    daemon.call("memory.delete", at=sandbox, id=memory["id"])
    gone = refusal(daemon, "memory.get", at=sandbox, id=memory["id"])
    daemon.call("memory.restore", scope=mine, id=memory["id"])

    assert gone.kind == "not_found"
    assert listed(daemon, at=sandbox) == ["The map is in the atlas"]


@pytest.mark.parametrize(
    "params",
    [
        {"rights": []},
        {"rights": ["admin"]},
        {"rights": "read"},
        {"expires_in_s": 0},
        {"expires_in_s": -5},
        {"expires_in_s": "1h"},
        {"lifetime": 5},
        {"scope": {"provider": "test"}},
        {"scope": {"provider": "test", "user_id": "u", "chat_id": "-1"}},
    ],
    ids=str,
)
def test_a_bad_grant_is_refused(daemon: Daemon, scope: Scope, params: dict[str, Any]) -> None:
    """A refused grant leaves no socket open."""
    before = daemon.call("grant.list")["grants"]

    assert refusal(daemon, "grant.create", **{"scope": scope(), **params}).kind == "invalid_params"
    assert daemon.call("grant.list")["grants"] == before


# Identity -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scope", {"provider": "test", "user_id": "somebody"}),
        ("scope", None),
        ("provider", "test"),
        ("user_id", "somebody"),
        ("username", "somebody"),
        ("display_name", "Somebody"),
        ("chat_id", "-1"),
        ("chat_type", "private"),
        ("participants", []),
        ("all_scopes", True),
        ("all_scopes", False),
    ],
)
def test_a_sandbox_cannot_say_who_it_is(
    daemon: Daemon, scope: Scope, field: str, value: Any
) -> None:
    """Every identity field at the top is refused and audited, whatever its value (section 4)."""
    made = daemon.call("grant.create", scope=scope())

    error = refusal(daemon, "memory.add", at=made["socket"], content="x", **{field: value})

    assert error.kind == "scope_is_bound"
    assert field in error.error["message"]
    assert _audited(daemon, made["grant_id"]) == [("memory.add", "scope_is_bound")]
    assert daemon.call("memory.list", at=made["socket"])["total"] == 0


def test_identity_inside_a_fact_is_refused_too(daemon: Daemon, scope: Scope) -> None:
    """No field of a fact names its speaker or owner; such facts are not stored."""
    made = daemon.call("grant.create", scope=scope())

    for field in ("user_id", "source", "source_username", "owner_user_id", "stated_by", "grant_id"):
        with daemon.client(made["socket"]) as client:
            client.send(
                json.dumps(
                    {
                        "jsonrpc": "2.0",
                        "id": 1,
                        "method": "memory.add",
                        "params": {"facts": [{"content": "x", field: "somebody"}]},
                    }
                ).encode()
                + b"\n"
            )
            reply = client.receive()
        outcomes = [entry["outcome"] for entry in reply.get("result", {"memories": []})["memories"]]
        assert "added" not in outcomes
    assert daemon.call("memory.list", at=made["socket"])["total"] == 0


@pytest.mark.parametrize(
    "method",
    ["memory.restore", "grant.create", "grant.list", "grant.revoke", "db.stats"],
)
def test_control_methods_do_not_exist_for_a_sandbox(
    daemon: Daemon, scope: Scope, method: str
) -> None:
    """method_not_found like any made-up name; the attempt is audited."""
    made = daemon.call("grant.create", scope=scope())

    error = refusal(daemon, method, at=made["socket"])
    unknown = refusal(daemon, "no.such", at=made["socket"])

    assert error.kind == "method_not_found"
    assert error.data == unknown.data
    assert error.error["message"].replace(method, "") == unknown.error["message"].replace(
        "no.such", ""
    )
    assert _audited(daemon, made["grant_id"]) == [(method, "method_not_found")]


def test_the_audit_of_denials_cannot_be_flooded(daemon: Daemon, scope: Scope) -> None:
    """Denials of a grant are limited to a number of rows a minute."""
    made = daemon.call("grant.create", scope=scope(), rights=["read"])

    with daemon.client(made["socket"]) as client:
        for _ in range(100):
            client.send(b'{"jsonrpc":"2.0","id":1,"method":"memory.add","params":{}}\n')
            assert client.receive()["error"]["data"]["kind"] == "denied"

    assert 1 <= len(_audited(daemon, made["grant_id"])) <= 64


# Expiry -------------------------------------------------------------------------------------------


def test_expiry_counts_at_each_call(daemon: Daemon, scope: Scope) -> None:
    """An expired grant refuses every call, with the reason."""
    mine = scope()
    made = daemon.call("grant.create", scope=mine, expires_in_s=1)
    assert made["expires_at"] is not None

    with daemon.client(made["socket"]) as client:
        answered = 0
        failed = None
        while failed is None:
            try:
                client.call("memory.list")
                answered += 1
            except CallFailed as error:
                failed = error.kind

    assert failed == "grant_expired"
    assert answered > 0
    assert ("memory.list", "grant_expired") in _audited(daemon, made["grant_id"])
    open_ones = [grant["grant_id"] for grant in daemon.call("grant.list")["grants"]]
    assert made["grant_id"] not in open_ones


def test_expired_grants_close_by_themselves(daemon: Daemon, scope: Scope) -> None:
    """Connections, listeners and directories are removed, for tokens too."""
    mine = scope()
    token = daemon.call("grant.create", scope=mine, token=True, expires_in_s=1)
    before, counted = _descriptors(daemon), daemon.call("db.stats")["counts"]["grants"]
    with ExitStack() as stack:
        made = [daemon.call("grant.create", scope=mine, expires_in_s=1) for _ in range(50)]
        longer = daemon.call("grant.create", scope=mine, expires_in_s=600)
        clients = [stack.enter_context(daemon.client(one["socket"])) for one in made[-5:]]
        clients.append(stack.enter_context(daemon.client(token["socket"])))
        with suppress(CallFailed):
            clients[-1].call("session.hello", token=token["token"])
        assert all(client.receive() is None for client in clients), "they hang up unasked"

    assert not any(Path(one["directory"]).exists() for one in made)
    assert daemon.call("session.hello", at=longer["socket"])["grant_id"] == longer["grant_id"]
    daemon.call("grant.revoke", grant_id=longer["grant_id"])
    assert daemon.call("db.stats")["counts"]["grants"] == counted - 1
    assert _descriptors(daemon) <= before


def test_grants_that_expired_while_the_daemon_was_down_leave_nothing(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """The next start removes the directories that a crash left, and keeps those in force."""
    daemon = new_daemon().start()
    gone = daemon.call("grant.create", scope=scope(), expires_in_s=600)
    held = daemon.call("grant.create", scope=scope())
    inode = Path(held["directory"]).stat().st_ino
    daemon.kill()
    with opened(daemon.home) as connection:
        connection.execute("update grants set expires_at = 1 where id = ?", (gone["grant_id"],))
    assert Path(gone["directory"]).exists()

    daemon.start()

    assert not Path(gone["directory"]).exists()
    assert Path(held["directory"]).stat().st_ino == inode
    assert daemon.call("session.hello", at=held["socket"])["grant_id"] == held["grant_id"]


def _descriptors(daemon: Daemon) -> int:
    assert daemon.process is not None
    return len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir()))


# Revoking -----------------------------------------------------------------------------------------


def test_revoking_drops_connections_at_once(daemon: Daemon, scope: Scope) -> None:
    """Open ones hang up, new ones are impossible, the directory is gone."""
    made = daemon.call("grant.create", scope=scope())
    other = daemon.call("grant.create", scope=scope())
    connections = [daemon.client(made["socket"]) for _ in range(3)]
    for client in connections:
        client.call("session.hello")

    view = daemon.call("grant.revoke", grant_id=made["grant_id"])["grant"]

    for client in connections:
        assert client.receive() is None
        client.close()
    assert view["state"] == "revoked"
    assert view["revoked_at"] is not None
    assert not Path(made["directory"]).exists()
    assert daemon.call("session.hello", at=other["socket"])["grant_id"] == other["grant_id"]


def test_revoking_twice_says_the_same(daemon: Daemon, scope: Scope) -> None:
    """An unknown grant is not found."""
    made = daemon.call("grant.create", scope=scope())

    first = daemon.call("grant.revoke", grant_id=made["grant_id"])
    second = daemon.call("grant.revoke", grant_id=made["grant_id"])

    assert second == first
    assert refusal(daemon, "grant.revoke", grant_id="gnosuch").kind == "not_found"


def test_grants_are_listed(daemon: Daemon, scope: Scope) -> None:
    """Active grants are listed; closed ones on request."""
    mine = scope()
    kept = daemon.call("grant.create", scope=mine, rights=["write", "read"], expires_in_s=60)
    revoked = daemon.call("grant.create", scope=mine)["grant_id"]
    daemon.call("grant.revoke", grant_id=revoked)

    def states(**params: Any) -> dict[str, str]:
        grants = daemon.call("grant.list", **params)["grants"]
        return {
            grant["grant_id"]: grant["state"]
            for grant in grants
            if grant["scope"].get("user_id") == mine["user_id"]
        }

    assert states() == {kept["grant_id"]: "open"}
    assert states(include_closed=True) == {kept["grant_id"]: "open", revoked: "revoked"}
    (view,) = [
        grant
        for grant in daemon.call("grant.list")["grants"]
        if grant["grant_id"] == kept["grant_id"]
    ]
    assert sorted(view["rights"]) == ["read", "write"]
    assert view["expires_at"] == kept["expires_at"]
    assert view["scope"] == mine


def test_a_sandbox_has_so_many_connections(daemon: Daemon, scope: Scope) -> None:
    """A connection over the limit is refused and closed; a freed place can be used again."""
    made = daemon.call("grant.create", scope=scope())
    limit = daemon.call("session.hello", at=made["socket"])["limits"]["connections"]
    connections = [daemon.client(made["socket"]) for _ in range(limit - 1)]
    for client in connections:
        client.call("session.hello")

    with daemon.client(made["socket"]) as one_more:
        reply = one_more.receive()
        assert reply["error"]["data"]["kind"] == "rate_limited"
        assert one_more.receive() is None
    assert connections[0].call("session.hello")["grant_id"] == made["grant_id"]

    for client in connections:
        client.close()


# Groups -------------------------------------------------------------------------------------------


def test_a_group_grant_acts_as_the_chat(daemon: Daemon, scope: Scope) -> None:
    """Without a turn the memories belong to the chat; with one they name the speaker."""
    alice = scope()["user_id"]
    group = {
        "provider": "test",
        "chat_id": f"group of {alice}",
        "chat_type": "group",
        "participants": [alice, f"{alice}-bob"],
    }
    made = daemon.call("grant.create", scope=group)
    sandbox, grant_id = made["socket"], made["grant_id"]

    def stored(content: str) -> dict[str, Any]:
        memory: dict[str, Any] = daemon.call("memory.add", at=sandbox, content=content)["memories"][
            0
        ]["memory"]
        return memory

    nobodys = stored("The meeting is on Tuesday")
    daemon.call("memory.list", scope={**group, "user_id": alice, "display_name": "Alice"})
    daemon.call("grant.turn", grant_id=grant_id, user_id=alice, session_id="s-3", message_id="m-4")
    hers = stored("The meeting is in room four")
    daemon.call("grant.turn", grant_id=grant_id)
    nobodys_again = stored("The meeting takes an hour")

    for memory in (nobodys, hers, nobodys_again):
        assert memory["chat_id"] == group["chat_id"]
        assert memory["owner_user_id"] is None
    assert nobodys["source_display_name"] is None
    assert (hers["source_display_name"], hers["source_session_id"], hers["source_message_id"]) == (
        "Alice",
        "s-3",
        "m-4",
    )
    assert (nobodys_again["source_display_name"], nobodys_again["source_session_id"]) == (
        None,
        None,
    )


def test_only_a_participant_can_have_the_turn(daemon: Daemon, scope: Scope) -> None:
    """A user's grant has no turns."""
    mine = scope()
    group = {
        "provider": "test",
        "chat_id": f"chat of {mine['user_id']}",
        "chat_type": "group",
        "participants": [mine["user_id"]],
    }
    of_group = daemon.call("grant.create", scope=group)["grant_id"]
    of_user = daemon.call("grant.create", scope=mine)["grant_id"]

    stranger = refusal(daemon, "grant.turn", grant_id=of_group, user_id="a stranger")
    own = refusal(daemon, "grant.turn", grant_id=of_user, user_id=mine["user_id"])
    unknown = refusal(daemon, "grant.turn", grant_id="gnosuch", user_id=mine["user_id"])

    assert (stranger.kind, own.kind, unknown.kind) == (
        "invalid_params",
        "invalid_params",
        "not_found",
    )


def test_what_is_stored_carries_the_session_of_its_grant(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """The session is the grant's, after a restart too, until a turn names another."""
    daemon = new_daemon().start()
    mine = scope(session_id="s-1", message_id="m-1")
    made = daemon.call("grant.create", scope=mine)

    def place(content: str) -> tuple[str | None, str | None]:
        added = daemon.call("memory.add", at=made["socket"], content=content)
        memory = added["memories"][0]["memory"]
        return memory["source_session_id"], memory["source_message_id"]

    of_the_grant = place("I like tea")
    daemon.stop()
    daemon.start()
    after_a_restart = place("I like milk")
    turn = {"grant_id": made["grant_id"]}
    daemon.call("grant.turn", **turn, session_id="s-2")
    of_the_turn = place("I like juice")
    daemon.call("grant.turn", **turn)
    after_the_turn = place("I like water")

    assert of_the_grant == ("s-1", "m-1")
    assert after_a_restart == ("s-1", "m-1")
    assert of_the_turn == ("s-2", None)
    assert after_the_turn == ("s-1", "m-1")


def test_a_groups_turn_may_say_the_session_alone(daemon: Daemon, scope: Scope) -> None:
    """A turn with only a session has no speaker; one with only a speaker keeps the grant's
    session."""
    alice = scope()["user_id"]
    group = {
        "provider": "test",
        "chat_id": f"sessions of {alice}",
        "chat_type": "group",
        "participants": [alice],
        "session_id": "s-0",
    }
    made = daemon.call("grant.create", scope=group)

    def stored(content: str, **turn: str) -> dict[str, Any]:
        daemon.call("grant.turn", grant_id=made["grant_id"], **turn)
        added = daemon.call("memory.add", at=made["socket"], content=content)
        memory: dict[str, Any] = added["memories"][0]["memory"]
        return memory

    nobodys = stored("The meeting is on Tuesday", session_id="s-9")
    hers = stored("The meeting is in room four", user_id=alice)

    assert (nobodys["source_session_id"], nobodys["source_display_name"]) == ("s-9", None)
    assert hers["source_session_id"] == "s-0"


# Restarts -----------------------------------------------------------------------------------------


def test_grants_outlive_the_daemon(new_daemon: Callable[..., Daemon], scope: Scope) -> None:
    """A stop or a kill keeps the grant's directory (a mount keeps working), rights and turn."""
    daemon = new_daemon().start()
    mine = scope()
    kept = daemon.call("grant.create", scope=mine, rights=["read", "forget"])
    revoked = daemon.call("grant.create", scope=mine)
    daemon.call("grant.revoke", grant_id=revoked["grant_id"])
    add(daemon, "It is still here", scope=mine)
    inode = Path(kept["directory"]).stat().st_ino

    for end in (daemon.stop, daemon.kill):
        end()
        daemon.start()

        assert Path(kept["directory"]).stat().st_ino == inode
        assert listed(daemon, at=kept["socket"]) == ["It is still here"]
        assert daemon.call("session.hello", at=kept["socket"])["rights"] == ["forget", "read"]
        assert refusal(daemon, "memory.add", at=kept["socket"], content="x").kind == "denied"
        assert not Path(revoked["socket"]).exists()


def test_a_socket_that_cannot_be_opened_grants_nothing(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """The error says what to look at; no grant is left behind, and the daemon goes on."""
    daemon = new_daemon()
    daemon.run.mkdir(parents=True)
    (daemon.run / "sandbox").write_text("in the way")
    daemon.start()

    error = refusal(daemon, "grant.create", scope=scope())

    assert error.kind == "internal_error"
    assert "run directory" in error.data["hint"]
    assert str(daemon.run) not in str(error.error)
    assert daemon.call("grant.list", include_closed=True)["grants"] == []


def test_one_blocked_socket_closes_no_other(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """At a start the daemon opens the sockets that it can and logs the one that it cannot."""
    daemon = new_daemon().start()
    mine = scope()
    blocked, kept = (daemon.call("grant.create", scope=mine) for _ in range(2))
    daemon.stop()
    Path(blocked["socket"]).unlink(missing_ok=True)
    Path(blocked["socket"]).mkdir()

    daemon.expect_error("socket_failed")
    daemon.start()

    assert daemon.call("session.hello", at=kept["socket"])["grant_id"] == kept["grant_id"]
    assert until(
        lambda: any(blocked["grant_id"] in line for line in daemon.log if "socket_failed" in line)
    )
    with pytest.raises(OSError, match="refused"), socket.socket(socket.AF_UNIX) as raw:
        raw.connect(blocked["socket"])


def test_a_prefix_names_a_grant(daemon: Daemon, scope: Scope) -> None:
    """Six characters that only one grant has are enough, wherever a grant is named."""
    mine = scope()
    made = daemon.call("grant.create", scope=mine)
    group = daemon.call(
        "grant.create",
        scope={
            "provider": "test",
            "chat_id": f"prefix-{mine['user_id']}",
            "chat_type": "group",
            "participants": [mine["user_id"]],
        },
    )
    short = made["grant_id"][:7]
    daemon.call("memory.add", at=made["socket"], content="I like tea")

    listed = daemon.call("memory.list", scope=mine, grant_id=short)
    inside = daemon.call("memory.list", at=made["socket"], grant_id=short)
    rows = daemon.call("audit.list", grant_id=short)["entries"]
    turn = daemon.call("grant.turn", grant_id=group["grant_id"][:7], user_id=mine["user_id"])
    revoked = daemon.call("grant.revoke", grant_id=short.upper())

    assert (listed["total"], inside["total"]) == (1, 1)
    assert {row["grant_id"] for row in rows} == {made["grant_id"]}
    assert turn["grant"]["grant_id"] == group["grant_id"]
    assert revoked["grant"]["grant_id"] == made["grant_id"]
    assert revoked["grant"]["state"] == "revoked"


@pytest.mark.parametrize("method", ["grant.revoke", "grant.turn", "memory.list", "audit.list"])
def test_no_grant_is_not_found(daemon: Daemon, method: str) -> None:
    """An unknown prefix is an error, not an empty list."""
    assert refusal(daemon, method, grant_id="g00000").kind == "not_found"
    assert refusal(daemon, method, grant_id="memory").kind == "invalid_params"


def test_a_sandbox_finds_no_grant_by_guessing(daemon: Daemon, scope: Scope) -> None:
    """Another's grant is as unknown as one that does not exist."""
    other = daemon.call("grant.create", scope=scope())["grant_id"]
    socket = daemon.call("grant.create", scope=scope())["socket"]

    guessed = refusal(daemon, "memory.list", at=socket, grant_id=other[:6])
    nobody = refusal(daemon, "memory.list", at=socket, grant_id="g00000")

    assert (guessed.kind, str(guessed)) == (nobody.kind, str(nobody))
