"""Break the way to a PostgreSQL server again and again, under writers at one and at two daemons.

``python tests/faults/postgres_kills.py --rounds 500`` prints the figures (`make postgres-kills`);
the suite runs a round of each kind. Every call has an idempotency key. The server has a synchronous
standby. After each fault the writers repeat what was not acknowledged; then every daemon must have
everything exactly once, and no grant may be served after it was revoked.
"""

import argparse
import itertools
import os
import random
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, Literal

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from breaking_link import BreakingLink
from daemons import CallFailed, Daemon
from kill_writers import Eraser, Forgetter, Joiner, Tally
from postgres_pair import Pair
from postgres_server import ROLE
from streams import Revoker, Stream
from waiting import until

ROUNDS_A_HOME: Final = 25
_EXPECTED: Final = ("again_in_seconds=", "traces_left error=StorageError")
"""Lines of the log about work that nobody waits for and that is tried again."""

_numbers = itertools.count(1)


class Place:
    """Daemons on one database of a pair of servers, each by links of its own."""

    def __init__(self, pair: Pair, daemons: int, chance: random.Random) -> None:
        self.pair = pair
        self.chance = chance
        self.database = f"ash_{next(_numbers)}"
        with pair.admin() as admin:
            admin.execute(f"create database {self.database} owner {ROLE}")
        self.links = [[self._link(0), self._link(1)] for _ in range(daemons)]
        self.daemons = [self._daemon(links) for links in self.links]

    def _link(self, place: int) -> BreakingLink:
        return BreakingLink(lambda: self.pair.socket_of(place))

    def _daemon(self, links: list[BreakingLink]) -> Daemon:
        hosts = ",".join(f"127.0.0.1:{link.port}" for link in links)
        url = f"postgresql://{ROLE}@{hosts}/{self.database}"
        daemon = Daemon(environment={"ASH_STORAGE_URL": url})
        daemon.config('[embedding]\nprovider = "none"\n')
        for text in _EXPECTED:
            daemon.expect_error(text)
        return daemon.start(wait_for="daemon_ready")

    def choose(self) -> Daemon:
        """Return any of the daemons."""
        return random.choice(self.daemons)  # each caller in an order of its own

    def one(self) -> tuple[Daemon, BreakingLink]:
        """Return one of the daemons, and its link to the primary."""
        number = self.chance.randrange(len(self.daemons))
        return self.daemons[number], self.links[number][self.pair.number]

    def links_to_primary(self) -> list[BreakingLink]:
        """Return the links of all daemons to the server that takes writes."""
        return [links[self.pair.number] for links in self.links]

    def backends(self) -> list[int]:
        """Return the server's processes for the daemons."""
        with self.pair.admin() as admin:
            found = admin.execute(
                "select pid from pg_stat_activity where datname = %s", (self.database,)
            )
            return [pid for (pid,) in found.fetchall()]

    def remove(self) -> None:
        """End the daemons and the links."""
        for daemon in self.daemons:
            daemon.remove()
        for link in itertools.chain(*self.links):
            link.end()


# The faults ---------------------------------------------------------------------------------------


def kill_a_daemon(place: Place) -> None:
    """End a daemon at once, and start it again."""
    daemon, _ = place.one()
    daemon.kill()
    daemon.start(wait_for="daemon_ready")


def end_connections(place: Place) -> None:
    """End one connection, or all, as an operator does."""
    found = place.backends()
    chosen = found if place.chance.random() < 0.5 else [place.chance.choice(found)]
    with place.pair.admin() as admin:
        for pid in chosen:
            admin.execute("select pg_terminate_backend(%s)", (pid,))


def kill_a_backend(place: Place) -> None:
    """Kill the server's process of a connection: it ends all of them, and recovers from its log."""
    with suppress(ProcessLookupError):
        os.kill(place.chance.choice(place.backends()), signal.SIGKILL)
    place.pair.is_followed()


def crash_the_server(place: Place) -> None:
    """Stop the server at once, and start it again."""
    server = place.pair.primary
    server.stop(signal.SIGQUIT)
    threading.Event().wait(place.chance.choice([0, 0.3]))
    server.start()
    place.pair.is_followed()


def partition(place: Place) -> None:
    """Let a daemon's link pass nothing for a while; then what waits arrives late, or never."""
    _, link = place.one()
    link.stall()
    threading.Event().wait(place.chance.uniform(0.1, 1.5))
    if place.chance.random() < 0.5:
        link.cut()
    link.heal()


def cut_before_commit(place: Place) -> None:
    """Cut the connection of a commit that the server does not hear of."""
    _cut_at_commit(place, "before")


def cut_after_commit(place: Place) -> None:
    """Cut the connection of a commit that the server has made."""
    _cut_at_commit(place, "after")


def _cut_at_commit(place: Place, moment: Literal["before", "after"]) -> None:
    link = place.chance.choice(place.links_to_primary())
    link.cut_at_commit(moment)
    assert link.has_cut.wait(120), "no commit was cut"


def fail_over(place: Place) -> None:
    """Let the standby take over from a primary that was stopped, or that nobody reaches."""
    links = place.links_to_primary()
    if place.chance.random() < 0.5:
        place.pair.primary.stop(signal.SIGQUIT)
    else:
        for link in links:
            link.stall()
    place.pair.promote()
    for link in links:  # what fences the old primary ends its connections, too
        link.cut()
        link.heal()
    place.pair.replace_the_old_primary()


FAULTS: Final[Sequence[Callable[[Place], None]]] = (
    kill_a_daemon,
    end_connections,
    kill_a_backend,
    crash_the_server,
    partition,
    cut_before_commit,
    cut_after_commit,
    fail_over,
)


# The rounds ---------------------------------------------------------------------------------------


def run(
    faults: Sequence[Callable[[Place], None]],
    *,
    seed: int,
    daemons: int,
    tally: Tally,
    calls: int = 4,
) -> Counter[str]:
    """Meet these faults one after the other with one database; return how often each was met.

    Each writer gets so many calls acknowledged before a fault, and after it.
    """
    met: Counter[str] = Counter()
    chance = random.Random(f"{seed} {daemons}")
    with Pair() as pair, ExitStack() as at_end:
        place = Place(pair, daemons, chance)
        at_end.callback(place.remove)
        writers = [kind(kind.__name__.lower(), seed, tally) for kind in (Eraser, Forgetter, Joiner)]
        streams = [Stream(place.choose, writer) for writer in writers]
        revoker = Revoker(place.daemons, f"{seed} revoker", tally)
        for thread in (*streams, revoker):
            thread.start()
        for fault in faults:
            for stream in streams:
                stream.has_called(calls)
            fault(place)
            for stream in streams:
                stream.has_called(calls)
            for stream in streams:
                stream.rest()
            for writer, daemon in itertools.product(writers, place.daemons):
                until(lambda w=writer, d=daemon: _is_compared(w, d))
            for stream in streams:
                stream.go_on()
            met[fault.__name__] += 1
        for stream in streams:
            stream.end()
        revoker.end()
        met["calls of revoked grants"] = revoker.asked
        tally.others += [line for daemon in place.daemons for line in daemon.unexpected()]
        found = place.daemons[0].call("db.check")["findings"]
        tally.others += [one["detail"] for one in found if one["severity"] == "error"]
    return met


def _is_compared(writer: Eraser | Forgetter | Joiner, daemon: Daemon) -> bool:
    """Compare what a daemon holds for a writer; false while it cannot be reached."""
    try:
        with daemon.client() as client:
            writer.compare(client)
    except CallFailed as error:
        if error.kind != "storage_error" or not error.data["retryable"]:
            raise
        return False
    return True


def wrong(tally: Tally) -> list[str]:
    """Return all that must not be."""
    return [*tally.lost, *tally.doubled, *tally.others]


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Run the rounds, a new pair of servers every 25, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    tally = Tally()
    met: Counter[str] = Counter()
    for begun in range(0, given.rounds, ROUNDS_A_HOME):
        count = min(ROUNDS_A_HOME, given.rounds - begun)
        faults = [chance.choice(FAULTS) for _ in range(count)]
        known = Counter(wrong(tally))
        daemons = 1 + begun // ROUNDS_A_HOME % 2
        met += run(faults, seed=given.seed + begun, daemons=daemons, tally=tally)
        _say(f"{begun + count} rounds: {_figures(tally)}")
        for one, times in (Counter(wrong(tally)) - known).items():
            _say(f"  {times} times: {one}")
    for name, times in sorted(met.items()):
        _say(f"  {name}: {times}")
    sys.exit(bool(wrong(tally)))


def _figures(tally: Tally) -> str:
    return (
        f"{tally.acknowledged.total()} calls acknowledged, {tally.repeated.total()} repeated;"
        f" lost {len(tally.lost)}, doubled {len(tally.doubled)}, other {len(tally.others)}"
    )


if __name__ == "__main__":
    main()
