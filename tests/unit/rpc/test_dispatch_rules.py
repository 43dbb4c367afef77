"""Each rule of the dispatcher by itself, with functions that note their calls."""

import json
from types import SimpleNamespace
from typing import Any

import anyio
import anyio.to_thread
import msgspec
import pytest

from ashd import errors, limits
from ashd.access.actor import Call, Peer, Turn
from ashd.access.grants import Grant
from ashd.access.quota import Cost, QuotaParams
from ashd.access.scope import Scope
from ashd.ended_calls import Connection
from ashd.prometheus_text import Requests
from ashd.rpc import decoding, dispatch
from ashd.rpc.app import Session
from ashd.rpc.methods import TABLE
from ashd.rpc.outcomes import Outcomes
from ashd.rpc.table import Method

ANN = Scope(provider="p", user_id="ann")


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The params of all methods here."""

    text: str = ""


class Meter:
    """Lets everything pass, and notes what it is asked."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.decoding = anyio.Lock()
        self.lock = anyio.Lock()

    def receive(self, size: int) -> None:
        self.seen.append(("receive", size))

    def require_replies(self) -> None:
        self.seen.append("require_replies")

    def replied(self, size: int) -> None:
        self.seen.append(("replied", size))

    async def admit(self, cost: Cost) -> None:
        self.seen.append(("admit", cost))

    def one_at_a_time(self, _cost: Cost) -> anyio.Lock:
        return self.lock


class Daemon:
    """The dispatcher in front of methods that note who calls them."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.denied: list[tuple[str, str, str | None]] = []
        self.meter = Meter()
        self.admitted = Grant("g2", ANN, frozenset({"read"}), None, QuotaParams(), b"")
        self.app: Any = SimpleNamespace(
            audit_key=b"k",
            memory_on=True,
            local_user="me",
            clock=SimpleNamespace(now=lambda: 100),
            denials=self,
            looks=self,
            outcomes=Outcomes(Requests()),
            services={},
            decoders=anyio.CapacityLimiter(1),
            grants=SimpleNamespace(with_token=self._with_token, note_expired=self._note_expired),
            quotas=SimpleNamespace(meter=self._meter_of),
            db=self,
            others=SimpleNamespace(catch_up=self._catch_up),
        )
        self.behind: list[Exception] = []
        """Errors to raise, one for each attempt to catch up with other daemons."""
        self.requests: list[str] = []
        self.expired: list[str] = []

    async def _catch_up(self) -> None:
        self.requests.append("catch up")
        if self.behind:
            raise self.behind.pop()

    async def _note_expired(self, grant: Grant) -> None:
        self.expired.append(grant.id)

    async def record(self, call: Call, kind: str, _now: int) -> None:
        self.denied.append((kind, call.method, call.actor.grant_id))

    async def read(self, _work: Any) -> bool:
        """No scope tells anything new."""
        self.requests.append("read")
        return False

    async def write(self, _work: Any, **_: Any) -> None:
        """Stand in for recording that an operator read all scopes."""
        self.requests.append("write")

    def _with_token(self, token: str) -> Grant:
        if token != "right":
            raise errors.Denied("No such grant.")
        return self.admitted

    def admit(self, session: Session, grant: Grant) -> None:
        session.grant = grant

    async def __call__(self, call: Call, params: Params) -> dict[str, str]:
        """The function of every method."""
        self.calls.append(call)
        return {"text": params.text}

    async def _meter_of(self, _id: str, _scope: Scope, _quota: QuotaParams) -> Any:
        return self.meter

    def session(self, *rights: Any, listener: Any = "sandbox", **fields: Any) -> Session:
        """A connection of a grant with these rights, or of the control socket."""
        grant = Grant("g1", ANN, frozenset(rights), None, QuotaParams(), None)
        is_granted = listener == "sandbox" and fields.pop("granted", True)
        return Session(
            listener,
            "place",
            limits.SANDBOX if listener == "sandbox" else limits.CONTROL,
            anyio.CancelScope(),
            Peer(1, 2),
            self,  # type: ignore[arg-type]
            Connection(-1),  # no client hangs up
            grant if is_granted else None,
            self.meter if is_granted else None,  # type: ignore[arg-type]
            **fields,
        )

    async def ask(self, session: Session, method: str, params: Any = None, **more: Any) -> Any:
        """The result, or the kind of the error; None without any reply."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}, **more}
        request = {name: value for name, value in request.items() if value is not ...}
        line = await dispatch.reply_to(self.app, session, json.dumps(request).encode())
        if line is None:
            return None
        reply = json.loads(line)
        return reply["error"]["data"]["kind"] if "error" in reply else reply["result"]


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Daemon:
    made = Daemon()
    for name, right, sandbox, changes, stores in (
        ("t.read", "read", True, False, False),
        ("t.open", None, True, False, False),
        ("t.add", "write", True, True, True),
        ("t.change", "write", True, True, False),
        ("t.host", None, False, False, False),
        ("session.hello", None, True, False, False),
        ("system.look", None, False, False, False),
    ):
        takes, params, result = (Call, Params), Params, dict
        described = (
            name,
            made,
            takes,
            params,
            result,
            right,
            sandbox,
            changes,
            stores,
            "asked",
            False,
        )
        cost = Cost(1, 5) if changes else Cost()
        method = Method(*described, lambda _params, cost=cost: cost, (), "")  # type: ignore[arg-type]
        monkeypatch.setitem(TABLE, name, method)
    return made


DONE = {"text": ""}


@pytest.mark.parametrize(
    ("rights", "method", "answer"),
    [
        ({"read"}, "t.read", DONE),
        ({"write"}, "t.read", "denied"),
        (set(), "t.open", DONE),
        ({"read"}, "t.add", "denied"),
        ({"write"}, "t.add", DONE),
        ({"read", "write", "forget"}, "t.host", "method_not_found"),
        ({"read", "write", "forget"}, "t.none", "method_not_found"),
        ({"read", "write", "forget"}, "system.look", "method_not_found"),
    ],
)
async def test_a_sandbox_calls_what_its_grant_has_the_right_to(
    daemon: Daemon, rights: set[Any], method: str, answer: Any
) -> None:
    """A call acts for its grant alone; the host's own methods do not exist there."""
    assert await daemon.ask(daemon.session(*rights), method) == answer

    if answer == DONE:
        (call,) = daemon.calls
        assert (call.actor.kind, call.actor.grant_id, call.scope) == ("sandbox", "g1", ANN)
        assert (call.all_scopes, call.actor.source, call.method) == (False, "rpc", method)
    else:
        assert not daemon.calls
    recorded = {"denied": [("denied", method, "g1")], "method_not_found": []}
    if method in {"t.host", "system.look"}:  # they exist, so somebody tries to reach the host's
        recorded["method_not_found"] = [("method_not_found", method, "g1")]
    assert daemon.denied == recorded.get(str(answer), [])


@pytest.mark.parametrize(
    "field",
    [
        *("scope", "provider", "user_id", "username", "display_name", "chat_id", "chat_type"),
        *("participants", "all_scopes"),
    ],
)
async def test_a_sandbox_names_no_owner(daemon: Daemon, field: str) -> None:
    """A sandbox may not name an owner, whatever the value is."""
    assert await daemon.ask(daemon.session("read"), "t.read", {field: None}) == "scope_is_bound"
    assert daemon.denied == [("scope_is_bound", "t.read", "g1")]
    assert not daemon.calls


async def test_a_token_is_shown_first_and_once(daemon: Daemon) -> None:
    """A connection without a token gets no answer; with one it belongs to the grant."""
    session = daemon.session(granted=False)
    for method, params in (
        ("t.open", {}),
        ("t.open", {"token": "right"}),
        ("session.hello", {}),
        ("session.hello", {"token": 1}),
        ("session.hello", {"token": "wrong"}),
        ("t.host", {}),
    ):
        assert await daemon.ask(session, method, params) == "denied"
    assert {grant for _, _, grant in daemon.denied} == {None}
    await daemon.ask(session, "session.hello", {"token": "right"})
    assert await daemon.ask(session, "t.read") == DONE
    assert daemon.calls[-1].actor.grant_id == "g2"
    assert await daemon.ask(session, "session.hello", {"token": "right"}) == "scope_is_bound"


async def test_a_grant_that_ended_answers_nothing(daemon: Daemon) -> None:
    """The grant's calls are refused from the very moment of its end."""
    session = daemon.session("read")
    assert session.grant is not None
    session.grant.turn = Turn("bob", None, None)
    session.grant.expires_at = 101
    assert await daemon.ask(session, "t.read") == DONE
    assert daemon.calls[-1].turn == session.grant.turn
    session.grant.expires_at = 100
    assert await daemon.ask(session, "t.read") == "grant_expired"
    assert daemon.expired == [session.grant.id]
    session.grant.expires_at, session.grant.revoked = None, True
    assert await daemon.ask(session, "t.host") == "grant_revoked"


async def test_a_sandbox_waits_for_what_other_daemons_did(daemon: Daemon) -> None:
    """Its grant may have been revoked there; what cannot be known is not answered."""
    session = daemon.session("read")
    assert await daemon.ask(session, "t.read") == {"text": ""}
    assert daemon.requests == ["catch up"]

    daemon.behind.append(errors.StorageError("The server does not answer."))
    assert await daemon.ask(session, "t.read") == "storage_error"
    assert len(daemon.calls) == 1


async def test_every_byte_of_a_grant_is_counted(daemon: Daemon) -> None:
    """Bytes count for requests before decoding, for every reply, and for the cost of the call."""
    session = daemon.session("read", "write")
    frame = b'{"jsonrpc":"2.0","id":1,"method":"t.add"}'
    line = await dispatch.reply_to(daemon.app, session, frame)
    assert line is not None
    broken = await dispatch.reply_to(daemon.app, session, b"{")
    assert broken is not None

    seen = daemon.meter.seen
    assert seen == [
        ("receive", len(frame)),
        "require_replies",
        ("admit", Cost(1, 5)),
        ("replied", len(line)),
        ("receive", 1),
        ("replied", len(broken)),
    ]


async def test_the_operator_acts_on_behalf_of_a_scope(daemon: Daemon) -> None:
    """The given one, else that of the connection, else the local user's."""
    plain = daemon.session(listener="control")
    bound = daemon.session(listener="control", scope_bound=ANN, client="ash web")
    given = {"scope": {"provider": "p", "user_id": "bob"}}

    for session, params, expected in (
        (plain, {}, (Scope(provider="local", user_id="me"), False, "rpc", False)),
        (bound, {}, (ANN, True, "web", False)),
        (bound, {"scope": None}, (ANN, True, "web", False)),
        (bound, given, (Scope(provider="p", user_id="bob"), True, "web", False)),
        (plain, {"all_scopes": True}, (Scope(provider="local", user_id="me"), False, "rpc", True)),
    ):
        assert await daemon.ask(session, "t.host", params) == DONE
        call = daemon.calls[-1]
        assert (call.scope, call.scope_given, call.actor.source, call.all_scopes) == expected
        assert (call.actor.kind, call.meter) == ("operator", None)
    assert await daemon.ask(plain, "t.host", {"all_scopes": 1}) == "invalid_params"
    assert await daemon.ask(plain, "t.host", {"scope": {"provider": "p"}}) == "invalid_params"
    assert await daemon.ask(plain, "t.host", {"scope": {"user": "p"}}) == "invalid_params"


async def test_a_look_at_all_scopes_is_on_record(daemon: Daemon) -> None:
    """A call about the daemon itself is recorded on nobody's behalf."""
    session = daemon.session(listener="control")
    named = {"provider": "p", "user_id": "ann", "display_name": "Ann"}
    for method, params, asked in (
        ("t.host", {}, []),
        ("t.host", {"scope": named}, ["read"]),
        ("t.host", {"all_scopes": True}, ["write"]),
        ("t.change", {"all_scopes": True}, ["write"]),
        ("system.look", {"all_scopes": True}, []),
    ):
        daemon.requests.clear()
        assert await daemon.ask(session, method, params) == DONE
        assert daemon.requests == asked
    session.read_only = True
    daemon.requests.clear()
    await daemon.ask(session, "t.host")
    assert daemon.requests == []


async def test_a_connection_to_read_changes_nothing(daemon: Daemon) -> None:
    """While memory is off, nothing new is stored, but existing memories may change."""
    session = daemon.session(listener="control", read_only=True)
    assert await daemon.ask(session, "t.change") == "denied"
    assert await daemon.ask(session, "t.read") == DONE
    session.read_only = False
    daemon.app.memory_on = False
    assert await daemon.ask(session, "t.add") == "denied"
    assert await daemon.ask(session, "t.change") == DONE
    assert not daemon.calls[-1].memory_on
    assert len(daemon.calls) == 2


async def test_a_notification_has_no_effect(daemon: Daemon) -> None:
    """A notification is refused on record, since its sender cannot receive the outcome."""
    session = daemon.session("read", "write")
    for method in ("t.add", "t.read"):
        assert await daemon.ask(session, method, id=...) is None
    assert not daemon.calls
    assert {kind for kind, _, _ in daemon.denied} == {"ignored_notification"}


async def test_params_go_by_name(daemon: Daemon) -> None:
    """A list, and a name that no method has, are refused before anything is done."""
    session = daemon.session("read")
    for params in (["a"], {"text": 1}, {"other": 1}):
        assert await daemon.ask(session, "t.read", params) == "invalid_params"
    assert not daemon.calls


async def test_a_secret_in_a_field_is_refused_where_it_would_be_stored(daemon: Daemon) -> None:
    """A key as an idempotency key, too; what only reads may look for what it likes."""
    secret = "ghp_" + "a1B2c3D4e5" * 4
    session = daemon.session("read", "write")

    assert await daemon.ask(session, "t.add", {"idempotency_key": secret}) == "content_refused"
    assert await daemon.ask(session, "t.add", {"idempotency_key": ""}) == "invalid_params"
    assert daemon.denied == [("content_refused", "t.add", "g1")]
    assert not daemon.calls


async def test_a_batch_is_for_the_host(daemon: Daemon) -> None:
    """A batch is bounded in requests; one of notifications alone gets no reply."""
    one = {"jsonrpc": "2.0", "id": 1, "method": "t.host"}
    control = daemon.session(listener="control")

    async def sent(session: Session, *requests: Any) -> Any:
        line = await dispatch.reply_to(daemon.app, session, json.dumps(requests).encode())
        return line and json.loads(line)

    refused = await sent(daemon.session("read"), one)
    assert refused["error"]["data"]["kind"] == "invalid_request"
    most = await sent(control, *[one] * limits.CONTROL.batch)
    assert len(most) == limits.CONTROL.batch
    over = await sent(control, *[one] * (limits.CONTROL.batch + 1))
    assert over["error"]["data"]["kind"] == "too_large"
    assert await sent(control, {"jsonrpc": "2.0", "method": "t.host"}) is None
    mixed = await sent(control, one, 7)
    assert ["result" in reply for reply in mixed] == [True, False]


async def test_a_fault_costs_one_reply(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of a fault may hold content, so it is neither sent nor logged."""

    async def fails(_call: Call, _params: Params) -> None:
        raise RuntimeError("my secret")

    method = TABLE["t.host"]._replace(function=fails)
    monkeypatch.setitem(TABLE, "t.host", method)
    frame = b'{"jsonrpc":"2.0","id":1,"method":"t.host"}'
    line = await dispatch.reply_to(daemon.app, daemon.session(listener="control"), frame)

    assert line is not None
    assert json.loads(line)["error"]["data"]["kind"] == "internal_error"
    assert b"secret" not in line


@pytest.mark.parametrize(("size", "aside"), [(16_383, False), (16_384, True), (20_000, True)])
async def test_a_large_frame_is_decoded_beside_the_loop(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, size: int, aside: bool
) -> None:
    """Sandboxes share one decoding at a time, as do the connections of a grant."""
    limiters: list[Any] = []
    run_sync = anyio.to_thread.run_sync

    async def noted(work: Any, frame: bytes, *, limiter: Any = None) -> Any:
        limiters.append(limiter)
        assert daemon.meter.decoding.locked() is (limiter is not None)
        return await run_sync(work, frame)

    monkeypatch.setattr(anyio.to_thread, "run_sync", noted)
    frame = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "t.open"}).encode().ljust(size)
    for session in (daemon.session(), daemon.session(listener="control")):
        found = await decoding.single(daemon.app, session, frame)
        assert isinstance(found, decoding.Decoded)

    assert limiters == ([daemon.app.decoders, None] if aside else [])


@pytest.mark.usefixtures("daemon")
def test_a_digest_is_of_the_params_without_their_key() -> None:
    """The digest recognises a repeated call; another audit key gives another digest."""

    def read(key: bytes, **params: Any) -> decoding.Decoded:
        frame = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "t.add", "params": params})
        found = decoding.read(key, limits.CONTROL, frame.encode())
        assert isinstance(found, decoding.Decoded)
        return found

    plain = read(b"k", text="a")
    assert plain.digest == read(b"k", text="a", idempotency_key="1").digest
    assert plain.digest != read(b"k", text="b").digest
    assert plain.digest != read(b"l", text="a").digest
    assert (plain.cost, plain.name, plain.arguments()) == (Cost(1, 5), "t.add", Params("a"))
    unkeyed = decoding.read(
        b"k",
        limits.CONTROL,
        b'{"jsonrpc":"2.0","id":1,"method":"t.read","params":{"idempotency_key":"1"}}',
    )
    assert isinstance(unkeyed, decoding.Decoded)
    with pytest.raises(errors.InvalidParams):
        unkeyed.arguments()
