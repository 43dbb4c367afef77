"""`ashd` with notes of how long others wait for it: each stretch of its CPU that is not shared.

    python -m benchmarks.speed.stretches FILE serve …

Writes a line of JSON for each stretch of at least `LEAST_MS`: [kind, milliseconds of CPU, name].
`loop` is the event loop's thread between two of its turns; `writer` is the writer thread in one
transaction, and `reader` a reader thread in one read; `interpreter` is the CPU that the process
used while a thread waited for the interpreter, which one call into C may hold.
"""

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from ashd import daemon
from ashd.cli.ashd import main
from ashd.store.database import Database

LEAST_MS: Final = 5.0
_BEAT_SECONDS: Final = 0.001

Note = Callable[[str, float, str], None]


def notes(path: Path) -> Note:
    """Return a function that writes a stretch into a file, from any thread."""
    file, lock = path.open("a", buffering=1, encoding="ascii"), threading.Lock()

    def note(kind: str, seconds: float, name: str) -> None:
        if seconds * 1e3 >= LEAST_MS:
            with lock:
                file.write(json.dumps([kind, round(seconds * 1e3, 1), name]) + "\n")

    return note


def watch(note: Note) -> None:
    """Watch the writer, the readers, the event loop and the interpreter's lock."""
    commit, read, run = Database._commit, Database.read, daemon._run  # noqa: SLF001

    def timed_commit(self: Database, connection: Any, group: Iterable[Any]) -> None:
        begun, names = time.thread_time(), set[str]()

        def named() -> Iterator[Any]:
            for job in group:
                names.add(_name(job.work))
                yield job

        commit(self, connection, named())
        note("writer", time.thread_time() - begun, ", ".join(sorted(names)))

    async def timed_read(self: Database, work: Any, **options: Any) -> Any:
        def timed(tx: Any) -> Any:
            begun = time.thread_time()
            try:
                return work(tx)
            finally:
                note("reader", time.thread_time() - begun, _name(work))

        return await read(self, timed, **options)

    async def watched_run(*arguments: Any) -> None:
        beat = asyncio.create_task(_beat_of_loop(note))
        try:
            await run(*arguments)
        finally:
            beat.cancel()

    Database._commit = timed_commit  # type: ignore[method-assign]  # noqa: SLF001
    Database.read = timed_read  # type: ignore[method-assign]
    daemon._run = watched_run  # noqa: SLF001
    threading.Thread(target=_beat_of_interpreter, args=(note,), daemon=True).start()


async def _beat_of_loop(note: Note) -> None:
    while True:
        begun = time.thread_time()
        await asyncio.sleep(_BEAT_SECONDS)
        note("loop", time.thread_time() - begun, "")


def _beat_of_interpreter(note: Note) -> None:
    with Path("/proc/thread-self/schedstat").open("rb", buffering=0) as waits:
        while True:
            queued, begun, cpu = _queued_seconds(waits), time.monotonic(), time.process_time()
            time.sleep(_BEAT_SECONDS)
            late, used = time.monotonic() - begun - _BEAT_SECONDS, time.process_time() - cpu
            # On a busy machine it waits for a processor, too, whoever has the lock.
            note("interpreter", min(late - (_queued_seconds(waits) - queued), used), "")


def _queued_seconds(waits: BinaryIO) -> float:
    """Return how long the thread of this file of the kernel's has waited for a processor."""
    return int(os.pread(waits.fileno(), 100, 0).split()[1]) / 1e9


def _name(work: Any) -> str:
    inner = getattr(work, "func", work)
    return f"{inner.__module__}.{inner.__qualname__}"


if __name__ == "__main__":
    watch(notes(Path(sys.argv.pop(1))))
    main()
