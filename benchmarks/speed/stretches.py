"""`ashd` with notes of how long others wait for it: each stretch of its CPU that is not shared.

    python -m benchmarks.speed.stretches FILE OWNER serve …

Writes a line of JSON for each stretch of at least `LEAST_MS`: [kind, milliseconds of CPU, name].
`loop` is the event loop's thread between two of its turns; `writer` is the writer thread in one
transaction, and `reader` a reader thread in one read; `interpreter` is the CPU that the process
used while a thread waited for the interpreter, which one call into C may hold.

For each of OWNER's turns in a thread, a read or a call of the embedder, it writes `["turn", 0, …]`
with a `Turn`.
"""

import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from ashd import daemon
from ashd.cli.ashd import main
from ashd.fair_turns import OWNER
from ashd.search import embedder_threads
from ashd.store.database import Database
from benchmarks.speed import cpu

LEAST_MS: Final = 5.0
_BEAT_SECONDS: Final = 0.005
"""Beats more often cost CPU that would be taken for that of calls."""

Note = Callable[[str, float, Any], None]


class Turn(NamedTuple):
    """A turn of a call in a thread, in milliseconds.

    `wall` and `process` are the time and the process's CPU from its being asked for to its end. Of
    that, `queue` is the process's CPU while it waited for a thread, `own` the thread's own CPU,
    and `interpreter` the CPU of others, at most, while it waited for the interpreter. `processor`
    and `loop_processor` are the times for which the thread, and meanwhile that of the event loop,
    waited for a processor.
    """

    wall: float
    process: float
    queue: float
    own: float
    interpreter: float
    processor: float
    loop_processor: float


class _Now(NamedTuple):
    wall: float
    process: float
    thread: float
    queued: float
    """The seconds for which the thread has waited for a processor."""
    loop_queued: float
    """The same of the main thread, which the event loop runs on."""

    @classmethod
    def here(cls) -> "_Now":
        queued = [cpu.queued_ns(Path(f"/proc/{of}")) / 1e9 for of in ("thread-self", "self")]
        return cls(time.monotonic(), time.process_time(), time.thread_time(), *queued)


def _turn(asked: _Now, begun: _Now, done: _Now) -> Turn:
    own, wall = done.thread - begun.thread, done.wall - begun.wall
    others = max(done.process - begun.process - own, 0.0)
    unscheduled = done.queued - begun.queued
    interpreter = min(max(wall - own - unscheduled, 0.0), others)
    queue = min(begun.wall - asked.wall, begun.process - asked.process)
    whole = (done.wall - asked.wall, done.process - asked.process)
    of_loop = done.loop_queued - asked.loop_queued
    return Turn(*(one * 1e3 for one in (*whole, queue, own, interpreter, unscheduled, of_loop)))


def notes(path: Path) -> Note:
    """Return a function that writes a stretch into a file, from any thread."""
    file, lock = path.open("a", buffering=1, encoding="ascii"), threading.Lock()

    def note(kind: str, seconds: float, name: Any) -> None:
        if kind == "turn" or seconds * 1e3 >= LEAST_MS:
            with lock:
                file.write(json.dumps([kind, round(seconds * 1e3, 1), name]) + "\n")

    return note


def watch(note: Note, owner: str) -> None:
    """Watch the writer, the readers, the event loop, the interpreter's lock and an owner."""
    commit, group = Database._commit, Database._group  # noqa: SLF001  to watch
    read, run = Database.read, daemon._run  # noqa: SLF001  to watch
    embed = embedder_threads.run
    names = set[str]()  # of one writer thread

    def named_group(self: Database, first: Any, alone: list[Any]) -> Iterator[Any]:
        for job in group(self, first, alone):
            names.add(_name(job.work))
            yield job

    def timed_commit(self: Database, connection: Any, first: Any, alone: list[Any]) -> None:
        begun = time.thread_time()
        names.clear()
        commit(self, connection, first, alone)
        note("writer", time.thread_time() - begun, ", ".join(sorted(names)))

    def timed(work: Callable[[Any], Any], kind: str) -> Callable[[Any], Any]:
        asked = _Now.here() if OWNER.get() == owner else None

        def run(argument: Any) -> Any:
            begun = _Now.here() if asked else None
            start = time.thread_time()
            try:
                return work(argument)
            finally:
                note(kind, time.thread_time() - start, _name(work))
                if asked and begun:
                    note("turn", 0, _turn(asked, begun, _Now.here()))

        return run

    async def timed_read(self: Database, work: Any, **options: Any) -> Any:
        return await read(self, timed(work, "reader"), **options)

    async def timed_embed(gate: Any, function: Any, argument: Any) -> Any:
        return await embed(gate, timed(function, "embedder"), argument)

    async def watched_run(*arguments: Any) -> None:
        beat = asyncio.create_task(_beat_of_loop(note))
        try:
            await run(*arguments)
        finally:
            beat.cancel()

    Database._group = named_group  # type: ignore[method-assign]  # noqa: SLF001  to watch
    Database._commit = timed_commit  # type: ignore[method-assign]  # noqa: SLF001  to watch
    Database.read = timed_read  # type: ignore[method-assign]  to watch
    embedder_threads.run = timed_embed
    daemon._run = watched_run  # noqa: SLF001  to watch
    threading.Thread(target=_beat_of_interpreter, args=(note,), daemon=True).start()


async def _beat_of_loop(note: Note) -> None:
    while True:
        begun = time.thread_time()
        await asyncio.sleep(_BEAT_SECONDS)
        note("loop", time.thread_time() - begun, "")


def _beat_of_interpreter(note: Note) -> None:
    while True:
        before = _Now.here()
        time.sleep(_BEAT_SECONDS)
        after = _Now.here()
        # On a busy machine it waits for a processor, too, whoever has the lock.
        late = after.wall - before.wall - _BEAT_SECONDS - (after.queued - before.queued)
        note("interpreter", min(late, after.process - before.process), "")


def _name(work: Any) -> str:
    inner = getattr(work, "func", work)
    return f"{inner.__module__}.{inner.__qualname__}"


if __name__ == "__main__":
    watch(notes(Path(sys.argv.pop(1))), sys.argv.pop(1))
    main()
