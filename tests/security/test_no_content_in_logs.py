"""No content in the log, the metrics or an error, whatever is called. Budget: 20 s.

At debug level: every method that changes something with a mark in all its texts, and every method
with the mark in place of each parameter.
"""

from collections.abc import Iterator
from typing import Any

import changes
import pytest
from daemons import CallFailed, Client, Daemon

from ashd.rpc.methods import TABLE

MARK = "zqxmark"
MINE = {"provider": "test", "user_id": f"{MARK}-alice", "display_name": f"Alice {MARK}"}
ENDS = {"system.shutdown", "db.clear"}


def marked(value: Any) -> Any:
    """Put the mark in every text."""
    if isinstance(value, str):
        return f"{value} {MARK}"
    if isinstance(value, list):
        return [marked(one) for one in value]
    if isinstance(value, dict):
        return {key: marked(one) for key, one in value.items()}
    return value


@pytest.fixture(scope="module")
def used() -> Iterator[tuple[Daemon, list[str]]]:
    """A daemon after all these calls, and the errors that it answered."""
    daemon = Daemon()
    daemon.config('[log]\nlevel = "debug"\nformat = "json"\n[embedding]\nprovider = "none"\n')
    errors: list[str] = []

    def ask(client: Client, method: str, params: dict[str, Any]) -> None:
        try:
            client.call(method, **params)
        except CallFailed as failed:
            errors.append(str(failed.error))

    try:
        daemon.start()
        with daemon.client() as client:
            for step in changes.steps(daemon.call, MINE):
                texts = {name: marked(step.params[name]) for name in step.texts}
                ask(client, step.method, {"scope": MINE, **step.params, **texts})
                ask(client, step.method, {"scope": MINE, **step.params})
            for method in TABLE.values():
                if method.name in ENDS:
                    continue
                fields = method.params.__struct_fields__
                ask(client, method.name, {"scope": MINE, **dict.fromkeys(fields, MARK)})
                ask(client, method.name, {"scope": MINE, MARK: MARK})
                for field in fields:
                    ask(client, method.name, {"scope": MINE, field: {MARK: [MARK]}})
            client.send(f'{{"jsonrpc": "2.0", "method": "{MARK}", "id": 1, {MARK}\n'.encode())
            client.receive()
        grant = daemon.call("grant.create", scope=MINE)
        with daemon.client(grant["socket"]) as sandbox:
            for method in TABLE.values():
                fields = method.params.__struct_fields__
                ask(sandbox, method.name, dict.fromkeys(fields, MARK))
        errors.append(daemon.call("system.metrics")["text"])
        daemon.stop()
        yield daemon, errors
    finally:
        daemon.remove()


def test_the_log_holds_no_word_of_a_call(used: tuple[Daemon, list[str]]) -> None:
    """The log was written: each method has a line, and failures have their kind."""
    daemon, _ = used
    log = "\n".join(daemon.log)

    assert MARK not in log
    assert all(f'"{name}"' in log for name in TABLE if name not in ENDS)
    assert '"kind": "invalid_params"' in log


def test_errors_hold_no_word_of_a_call(used: tuple[Daemon, list[str]]) -> None:
    """Errors and the metrics repeat nothing of a call."""
    _, errors = used

    assert len(errors) > len(TABLE)
    assert [error for error in errors if MARK in error] == []
