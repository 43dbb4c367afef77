"""jobs.* over the wire, on a daemon without a language model."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def test_an_empty_queue_is_through_at_once(daemon: Daemon) -> None:
    """Nothing was asked for, so nothing is listed and nothing waits."""
    assert {"jobs": [], "next_cursor": None} == daemon.call("jobs.list", state="waiting")
    assert {"done": 0, "set_aside": 0, "waiting": 0} == daemon.call("jobs.flush")


@pytest.mark.parametrize("method", ["jobs.get", "jobs.retry"])
def test_an_unknown_job_is_not_found(daemon: Daemon, method: str) -> None:
    with pytest.raises(CallFailed) as failed:
        daemon.call(method, id=UNKNOWN)

    assert "not_found" == failed.value.kind


@pytest.mark.parametrize("method", ["jobs.retry", "jobs.flush"])
def test_a_sandbox_does_not_drive_the_queue(
    daemon: Daemon, scope: Callable[..., dict[str, Any]], method: str
) -> None:
    """A sandbox may only look at the jobs that it started."""
    grant = daemon.call("grant.create", scope=scope())
    params = {"id": UNKNOWN} if method == "jobs.retry" else {}
    with pytest.raises(CallFailed) as failed:
        daemon.call(method, at=grant["socket"], **params)

    assert "method_not_found" == failed.value.kind
    assert [] == daemon.call("jobs.list", at=grant["socket"])["jobs"]
