"""HTTP statuses of the daemon's errors, on the wire. Budget: 20 s."""

import json
from collections.abc import Iterator

import pytest
from daemons import Daemon
from failing_daemon import FailingDaemon, failing
from gateways import Gateway, started

from ashd import errors

KINDS = {cls.kind: cls for cls in errors.all_kinds()}
INGEST = {"agent_id": "ann", "conversation_id": "c", "turns": []}
MCP = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ROUTES = {
    "/memory/ingest": ("POST", INGEST),
    "/agents": ("GET", None),
    "/metrics": ("GET", None),
    "/mcp": ("POST", MCP),
    "/rpc": ("POST", {**MCP, "method": "memory.list"}),
}


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FailingDaemon]:
    with failing(tmp_path_factory.mktemp("f") / "s") as daemon:
        yield daemon


@pytest.fixture(scope="module")
def front(behind: FailingDaemon) -> Iterator[Gateway]:
    with started(Daemon(), behind=behind.socket) as gateway:
        yield gateway


def wire(kind: type[errors.AshError], **data: object) -> dict[str, object]:
    """Return an error as the daemon sends it."""
    own = {"kind": kind.kind, "hint": kind.default_hint, "retryable": kind.retryable}
    return {"code": kind.code, "message": "It failed.", "data": {**own, **data}}


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_an_error_has_the_status_of_its_class(
    front: Gateway, behind: FailingDaemon, kind: type[errors.AshError], path: str
) -> None:
    """Every route answers with it, and names a time to wait if waiting helps."""
    behind.error = wire(kind)
    method, body = ROUTES[path]
    status, headers, _ = front.ask(method, path, body, X_Ash_Agent_Id="ann")

    assert status == kind.http_status
    assert ("retry-after" in headers) == kind.retryable


def test_every_class_has_a_status_that_fits() -> None:
    """A mistake of the caller is a 4xx, one of the daemon a 5xx, and no class lacks its own."""
    for kind in KINDS.values():
        assert (kind.http_status >= 500) == (kind.code in (-32603, 303) or kind.code >= 400)
        if kind is not errors.InternalError and kind is not errors.StorageError:
            assert "http_status" in vars(kind), kind
        if kind.retryable and kind is not errors.StorageError:
            assert kind.http_status in (429, 503)


def test_the_time_to_wait_is_the_daemons(front: Gateway, behind: FailingDaemon) -> None:
    """A quota that is used up names when it can be used again, in whole seconds."""
    behind.error = wire(errors.QuotaExceeded, retry_after_ms=2_001)
    _, headers, _ = front.ask("POST", "/memory/ingest", INGEST)

    assert headers["retry-after"] == "3"


def test_a_kind_of_a_newer_daemon_is_a_bad_gateway(front: Gateway, behind: FailingDaemon) -> None:
    """A kind that this version does not know is no mistake of the caller."""
    behind.error = {"code": 999, "message": "New.", "data": {"kind": "of_tomorrow"}}

    assert front.ask("GET", "/agents")[0] == 502


def test_an_error_of_openais_form_names_its_kind(front: Gateway, behind: FailingDaemon) -> None:
    """A client that retries on its own is told when that is useless."""
    behind.error = wire(errors.ContentRefused)
    _, headers, body = front.ask("POST", "/memory/ingest", INGEST)

    assert json.loads(body)["error"]["code"] == "content_refused"
    assert headers["x-should-retry"] == "false"
