"""Callers that go on through faults, and repeat each call until it is acknowledged."""

import random
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from daemons import CallFailed, Client, Daemon
from kill_writers import Tally, Writer

_AGAIN_SECONDS = 0.02
_PATIENCE_SECONDS = 120


class Stream(threading.Thread):
    """Sends one writer's calls, at a daemon that is chosen anew for each connection."""

    def __init__(self, choose: Callable[[], Daemon], writer: Writer) -> None:
        super().__init__(daemon=True)
        self._choose = choose
        self._writer = writer
        self._client: Client | None = None
        self.ends = threading.Event()
        self.calls = threading.Semaphore(0)
        self._goes_on = threading.Event()
        self._goes_on.set()
        self._rests = threading.Event()

    def run(self) -> None:
        """Send calls until the end, and repeat the last one until it is acknowledged."""
        while not (self.ends.is_set() and self._writer.pending is None):
            if self._writer.pending is None and not self._goes_on.is_set():
                self._rests.set()
                self._goes_on.wait()
                continue
            try:
                self._client = self._client or self._choose().client()
                self._writer.step(self._client)
            except CallFailed as error:
                if not error.data["retryable"]:
                    self._writer.tally.others.append(f"{self._writer.name}: {error}")
                    return
                self.ends.wait(_AGAIN_SECONDS)
            except (OSError, AssertionError, ValueError):  # killed, perhaps within a reply
                self._hang_up()
                self.ends.wait(_AGAIN_SECONDS)
            else:
                self.calls.release()
        self._hang_up()

    def _hang_up(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None

    def has_called(self, times: int) -> None:
        """Wait for so many calls that were acknowledged."""
        for _ in range(times):
            answered = self.calls.acquire(timeout=_PATIENCE_SECONDS)
            assert answered, (self._writer.name, self._writer.pending, self._writer.tally.others)

    def rest(self) -> None:
        """Let no call begin until `go_on`; wait until the last one is acknowledged."""
        self._rests.clear()
        self._goes_on.clear()
        assert self._rests.wait(_PATIENCE_SECONDS), (self._writer.name, self._writer.pending)

    def go_on(self) -> None:
        """End the rest; the next connection is to a daemon that is chosen anew."""
        self._hang_up()
        self._goes_on.set()

    def end(self) -> None:
        """Wait for the end of the last call."""
        self.ends.set()
        self._goes_on.set()
        self.join(_PATIENCE_SECONDS)


class Revoker(threading.Thread):
    """Revokes grants at one daemon, and then asks at each whether they are still served."""

    def __init__(self, daemons: Sequence[Daemon], seed: str, tally: Tally) -> None:
        super().__init__(daemon=True)
        self._daemons = daemons
        self._chance = random.Random(seed)
        self._tally = tally
        self._ends = threading.Event()
        self._me = {"provider": "test", "user_id": "revoker"}
        self.asked = 0
        """Calls with a revoked grant."""

    def run(self) -> None:
        """Make a grant, use it, revoke it, and ask with it, again and again."""
        while not self._ends.is_set():
            clients: list[Client] = []
            try:
                grant = self._grant()
                if grant is not None:
                    clients = [client for one in self._daemons for client in self._use(one, grant)]
                    self._revoke(grant)
                    self._ask(grant, clients)
            finally:
                for client in clients:
                    client.close()

    def end(self) -> None:
        """Wait for the end of what runs."""
        self._ends.set()
        self.join(_PATIENCE_SECONDS)

    def _at_any(self) -> Daemon:
        return self._chance.choice(self._daemons)

    def _grant(self) -> str | None:
        with suppress(OSError, AssertionError, ValueError), self._at_any().client() as client:
            grant: str = client.call("grant.create", scope=self._me)["grant_id"]
            return grant
        self._ends.wait(_AGAIN_SECONDS)
        return None

    def _use(self, daemon: Daemon, grant: str) -> list[Client]:
        """Return a connection of the sandbox, if its socket opens in a while."""
        for _ in range(50):
            with suppress(OSError, AssertionError, ValueError):
                client = daemon.client(_socket(daemon, grant))
                try:
                    client.patience(5)
                    client.call("memory.list")
                except BaseException:
                    client.close()
                    raise
                return [client]
            self._ends.wait(_AGAIN_SECONDS)
        return []

    def _revoke(self, grant: str) -> None:
        while True:
            try:
                with self._at_any().client() as client:
                    client.call("grant.revoke", grant_id=grant)
            except CallFailed as error:
                if not error.data["retryable"]:  # a revocation without an answer was made
                    return
            except (OSError, AssertionError, ValueError):
                pass
            else:
                return
            self._ends.wait(_AGAIN_SECONDS)

    def _ask(self, grant: str, clients: list[Client]) -> None:
        for client in clients:
            self._require_refused(client, grant)
        for daemon in self._daemons:
            with suppress(OSError), daemon.client(_socket(daemon, grant)) as client:
                client.patience(5)
                self._require_refused(client, grant)

    def _require_refused(self, client: Client, grant: str) -> None:
        self.asked += 1
        with suppress(OSError, AssertionError, ValueError):
            client.call("memory.list")
            self._tally.others.append(f"{grant} was served after it was revoked")


def _socket(daemon: Daemon, grant: str) -> str:
    return str(daemon.run / "sandbox" / grant / "rpc.sock")
