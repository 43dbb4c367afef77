"""Tells a daemon a stream of notes as one owner's, and asks its questions, when all has been read.

    python -m benchmarks.statements.streams FILE QUESTIONS [--models FOLDER] [--embedder NAME]

Both are as `told_notes` says.
"""

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import Final

import apsw

from benchmarks.speed import daemons
from benchmarks.statements.told_notes import Json, chains, lines
from tests.daemons import CallFailed, Daemon

_POLL_SECONDS: Final = 0.2


def wait_until_read(daemon: Daemon) -> None:
    """Wait until no memory waits to be judged."""
    database = str(daemon.home / "data" / "ash.db")
    while True:
        connection = apsw.Connection(database, flags=apsw.SQLITE_OPEN_READONLY)
        left = connection.execute("select count(*) from memories_to_judge").get
        connection.close()
        if not left:
            return
        time.sleep(_POLL_SECONDS)


def measure(
    daemon: Daemon, notes: list[Json], questions: list[Json], *, shows: bool = False
) -> Counter[str]:
    """Tell the notes, ask the questions; return the counts."""
    scope = daemons.owner("streams")
    ended = chains(notes)
    stale = set().union(*ended.values())
    count: Counter[str] = Counter()
    ids: dict[str, str] = {}
    contents = {note["id"]: note["content"] for note in notes}
    for note in notes:
        told = {"content": note["content"], "observed_at": note["date"]}
        try:
            (entry,) = daemon.call("memory.add", scope=scope, **told)["memories"]
        except CallFailed as refusal:
            if refusal.kind != "content_refused":
                raise
            count["refused"] += 1
            continue
        ids[entry["memory"]["id"]] = note["id"]
        offers = [ids[one["id"]] for one in entry["may_replace"]]
        right = [one for one in offers if one in ended[note["id"]]]
        count["offers"] += len(offers)
        count["offers right"] += len(right)
        count["notes with a wrong offer"] += len(offers) > len(right)
        for one in set(offers) - set(right):
            if shows:
                print("OFFER", contents[one], "<-", note["content"])
    wait_until_read(daemon)
    marked: dict[str, set[str]] = {}
    active: set[str] = set()
    cursor = None
    while True:
        page = daemon.call(
            "memory.list", scope=scope, limit=100, **({"cursor": cursor} if cursor else {})
        )
        for memory in page["memories"]:
            note = ids[memory["id"]]
            active.add(note)
            newer = {ids[one["id"]] for one in memory["conflicts"] if one["relation"] == "newer"}
            if newer:
                marked[note] = newer
        cursor = page["next_cursor"]
        if not cursor:
            break
    true = set(ids.values()) - stale
    count["notes"], count["true"], count["stale"] = len(notes), len(true), len(stale)
    count["true hidden"] = len(true - active)
    count["true marked"] = len(true & marked.keys())
    count["stale hidden or marked"] = len(stale - active) + len(stale & active & marked.keys())
    if shows:
        for one in sorted(true & marked.keys()):
            print("MARK", contents[one], "<-", [contents[newer] for newer in marked[one]])
        for one in sorted((stale & active) - marked.keys()):
            print("MISS", contents[one])
    for question in questions:
        _ask(daemon, scope, question, ids, marked, count)
    return count


def _ask(
    daemon: Daemon,
    scope: Json,
    question: Json,
    ids: dict[str, str],
    marked: dict[str, set[str]],
    count: Counter[str],
) -> None:
    want, ended = set(question["want"]), set(question["stale"])
    results = daemon.call("memory.search", scope=scope, query=question["question"])["results"]
    found = [ids[one["memory"]["id"]] for one in results]
    unmarked = {one for one in found if one in ended and one not in marked}
    count["questions"] += 1
    count["first"] += bool(found) and found[0] in want
    count["shown"] += bool(want.intersection(found))
    count["first, no stale unmarked"] += bool(found) and found[0] in want and not unmarked
    block = daemon.call("context.get", scope=scope, message=question["question"])
    told = {ids[one["id"]] for one in block["memories"]}
    stale = {one for one in told if one in ended and one not in marked}
    count["block"] += bool(want & told)
    count["block, no stale unmarked"] += bool(want & told) and not stale
    count["block tokens"] += block["token_count"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("notes", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--models", type=Path)
    parser.add_argument(
        "--embedder", default="minilm", choices=("minilm", "wordllama", "none", "multilingual")
    )
    parser.add_argument("--show", action="store_true", help="the wrong offers and marks")
    options = parser.parse_args()
    environment = {"ASH_MODELS": str(options.models.resolve())} if options.models else {}
    daemon = Daemon(environment=environment)
    daemon.config(f'[embedding]\nprovider = "{options.embedder}"\n')
    daemon.start()
    try:
        found = measure(daemon, lines(options.notes), lines(options.questions), shows=options.show)
    finally:
        daemon.stop()
    for name, number in found.items():
        print(f"{number:6} {name}")


if __name__ == "__main__":
    main()
