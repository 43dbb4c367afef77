"""Kill a daemon again and again under writers that merge, part, extract, relate, forget and erase.

``python tests/faults/kill_rounds.py --rounds 1000`` prints the figures (`make kill-rounds`); the
suite runs fewer rounds. Every call has an idempotency key. After a kill at a write or a sync each
writer repeats the call that was interrupted; then everything must be there exactly once.
"""

import argparse
import random
import shutil
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from daemons import CallFailed, Daemon
from endpoint import Endpoint
from kill_writers import Talker, Tally, Writer, writers
from rounds import FaultyDaemon, starts
from scanning import left_in

ROUNDS_A_HOME = 25
_MOST_CALLS = 40


def run(*, rounds: int, seed: int) -> Tally:
    """Run so many rounds, a new home every 25; return the counts."""
    tally = Tally()
    endpoint = Endpoint()
    endpoint.delay_seconds = 0.01
    try:
        for era, start in enumerate(range(0, rounds, ROUNDS_A_HOME)):
            folder = Path(tempfile.mkdtemp(prefix="ash-kills-"))
            try:
                home = _Home(folder, endpoint, seed, era, tally)
                known = Counter(wrong(tally))
                for number in range(min(ROUNDS_A_HOME, rounds - start)):
                    home.round(number)
                home.finish()
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            _say(f"{min(start + ROUNDS_A_HOME, rounds)} rounds: {figures(tally)}")
            for one, count in (Counter(wrong(tally)) - known).items():
                _say(f"  {count} times: {one}")
    finally:
        endpoint.end()
    return tally


def wrong(tally: Tally) -> list[str]:
    """Return all that must not be."""
    return [*tally.lost, *tally.doubled, *tally.others]


def figures(tally: Tally) -> str:
    """Return the counts in a line."""
    return (
        f"{sum(tally.acknowledged.values())} calls acknowledged,"
        f" {sum(tally.repeated.values())} of them only when they were repeated;"
        f" lost {len(tally.lost)}, doubled {len(tally.doubled)}, other {len(tally.others)}"
    )


class _Home:
    """One home, with its writers, over several rounds."""

    def __init__(self, folder: Path, endpoint: Endpoint, seed: int, era: int, tally: Tally) -> None:
        self._folder = folder
        self._endpoint = endpoint
        self._tally = tally
        self._chance = random.Random(f"{seed} {era}")
        self._writers = writers(seed, tally, eras=era)

    def round(self, number: int) -> None:
        """Compare, then work until a kill."""
        report = self._folder / f"fault-{number}.txt"
        kind = self._chance.choice(["kill", "kill", "torn"])
        operation = self._chance.choice(["write", "write", "sync"])
        # Now and then the start, or what repeats the interrupted calls, is killed.
        armed = self._chance.random() < 0.85
        at = self._chance.randint(1, 400 if operation == "write" else 100)
        daemon = FaultyDaemon(self._folder / "home", kind, f"{operation}:{at}", report, armed=armed)
        daemon.config(f'{self._endpoint.llm_config}[embedding]\nprovider = "none"\n')
        try:
            if not starts(daemon):
                return
            try:
                self._compare(daemon)
            except (OSError, AssertionError, ValueError) as error:
                assert daemon.process is not None
                if daemon.process.poll() is None and not report.exists():
                    self._tally.others.append(f"no answer, though nothing was killed: {error!r}")
            report.with_suffix(".armed").touch()
            threads = [threading.Thread(target=self._work, args=(daemon, w)) for w in self._writers]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self._note_faults(daemon)
            daemon.kill()
        finally:
            daemon.remove()

    def finish(self) -> None:
        """Compare everything once more on a sound disk, and look into the files."""
        daemon = Daemon(self._folder / "home")
        try:
            daemon.start(wait_for="daemon_ready")
            self._compare(daemon)
            with daemon.client() as client:
                for writer in self._writers:
                    if isinstance(writer, Talker):
                        writer.finish(client)
            found = daemon.call("db.check")["findings"]
            self._tally.others += [one["detail"] for one in found if one["severity"] == "error"]
            self._note_faults(daemon)
            daemon.stop()
        finally:
            daemon.remove()
        shutil.rmtree(self._folder / "home" / "data" / "backups", ignore_errors=True)
        words = {word for writer in self._writers for word in writer.erased}
        self._tally.others += [
            f"left in a file: {word}" for word in left_in(self._folder / "home" / "data", words)
        ]

    def _compare(self, daemon: Daemon) -> None:
        with daemon.client() as client:
            for writer in self._writers:
                try:
                    writer.settle(client)
                    writer.compare(client)
                except CallFailed as error:
                    self._failed(writer, error)

    def _failed(self, writer: Writer, error: CallFailed) -> None:
        """Note an error; a call that may be tried again stays pending."""
        if not error.data["retryable"]:
            self._tally.others.append(f"{writer.name}: {writer.pending}: {error}")
            writer.pending = None

    def _work(self, daemon: Daemon, writer: Writer) -> None:
        try:
            with daemon.client() as client:
                for _ in range(_MOST_CALLS):
                    writer.step(client)
        except CallFailed as error:
            self._failed(writer, error)
        except (OSError, AssertionError, ValueError):
            return  # killed, perhaps in the middle of a reply

    def _note_faults(self, daemon: Daemon) -> None:
        self._tally.others += [line for line in daemon.unexpected() if "writes_lost" not in line]
        self._tally.lost += [line for line in daemon.log if "writes_lost" in line]


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Run the rounds and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tally = run(rounds=options.rounds, seed=options.seed)
    _say(f"{options.rounds} kill rounds, seed {options.seed}: {figures(tally)}")
    for name, count in sorted(tally.acknowledged.items()):
        _say(f"  {name}: {count}, repeated {tally.repeated[name]}")
    sys.exit(bool(wrong(tally)))


if __name__ == "__main__":
    main()
