"""Asks a daemon for the block of messages of every kind, and counts what is in it.

    python -m benchmarks.context.blocks --models FOLDER [--data FOLDER | --told PART] [--subjects]
        [--misses]

A folder has `messages.jsonl` (the memories that a good assistant would want for each message, those
that are fine beside them, and those on how to answer) and `facts.jsonl`, added to the `lives` that
are named there. Facts come without subjects, as a model that calls `remember` gives them. With
`--told` the facts are those of a part of the years in `../statements/told`, with all notes that no
longer hold; those that are refused as secrets are left out.
"""

import argparse
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.recall import lives_data
from benchmarks.speed import daemons
from benchmarks.statements import told_notes
from benchmarks.statements.streams import wait_until_read
from tests.daemons import CallFailed, Daemon

FOLDER: Final = Path(__file__).with_name("blocks")
BUDGETS: Final = (2_000, 800)
SECTIONS: Final = ["date", "people", "memories"]
Json = dict[str, Any]


def read(path: Path) -> list[Json]:
    """Return the records of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def of_lives(folder: Path) -> tuple[list[Json], list[Json]]:
    """Return the messages of a folder, and all facts of the lives that they are put to."""
    messages = read(folder / "messages.jsonl")
    lives = {message["life"] for message in messages}
    folders = sorted(lives_data.FOLDER.parent.glob("lives*/facts.jsonl"))
    facts = [fact for path in (*folders, folder / "facts.jsonl") for fact in read(path)]
    return messages, [fact for fact in facts if fact["life"] in lives]


def of_told(part: str) -> tuple[list[Json], list[Json]]:
    """Return the messages to a part of the years of notes, and all notes of these years."""
    messages, facts = [], []
    for path in told_notes.files(part):
        life = path.stem
        facts += [
            {"id": f"{life} {note['id']}", "life": life, "content": note["content"]}
            for note in told_notes.lines(path)
        ]
        for one in read(FOLDER / "told" / path.name):
            known = {name: [f"{life} {note}" for note in one[name]] for name in ("wanted", "fine")}
            messages.append({**one, **known, "life": life})
    return messages, facts


def store(daemon: Daemon, facts: Sequence[Json], *, subjects: bool) -> dict[str, str]:
    """Store each fact as its life's user's; return the id of the fact of every memory."""
    stored = {}
    for fact in facts:
        told = {"subjects": fact["subjects"]} if subjects else {}
        owner = daemons.owner(fact["life"])
        try:
            added = daemon.call("memory.add", scope=owner, content=fact["content"], **told)
        except CallFailed:
            continue  # refused: it looks like a secret
        stored[added["memories"][0]["memory"]["id"]] = fact["id"]
    wait_until_read(daemon)
    return stored


def ask(daemon: Daemon, message: Json, stored: dict[str, str], budget: int) -> Json:
    """Return a message with the facts in its block, in the order of the answer, and its tokens."""
    block = daemon.call(
        "context.get",
        scope=daemons.owner(message["life"]),
        message=message["message"],
        recent=[{"role": "user", "content": text} for text in message.get("before", [])],
        max_tokens=budget,
        sections=SECTIONS,
    )
    shown = [stored[memory["id"]] for memory in block["memories"]]
    return {**message, "shown": shown, "tokens": block["token_count"]}


def figures(rows: Sequence[Json]) -> str:
    """Return one line on some blocks: recall, precision, with what is fine beside, and tokens."""
    wanted = sum(len(row["wanted"]) for row in rows)
    style = sum(len(row.get("style", [])) for row in rows)
    hits = sum(len({*row["wanted"]}.intersection(row["shown"])) for row in rows)
    on_style = sum(len({*row.get("style", [])}.intersection(row["shown"])) for row in rows)
    fine = sum(
        len({*row["wanted"], *row.get("fine", [])}.intersection(row["shown"])) for row in rows
    )
    judged = sum(len(set(row["shown"]) - {*row.get("style", [])}) for row in rows)
    tokens = [row["tokens"] for row in rows]
    return (
        f"{len(rows):4}  recall {_share(hits, wanted)}  precision {_share(hits, judged)} "
        f"(fine {_share(fine, judged)})  style {_share(on_style, style)}  "
        f"shown {judged / len(rows):5.1f}  tokens {statistics.mean(tokens):4.0f} "
        f"median {statistics.median(tokens):4.0f} most {max(tokens)}"
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "   -"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--data", type=Path, default=FOLDER / "dev")
    parser.add_argument("--told", choices=("trained", "calibrated", "held_out"))
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--subjects", action="store_true", help="give the facts their subjects")
    parser.add_argument("--misses", action="store_true", help="print what is missing, and what not")
    arguments = parser.parse_args()
    messages, facts = of_told(arguments.told) if arguments.told else of_lives(arguments.data)
    contents = {fact["id"]: fact["content"] for fact in facts}
    with daemons.daemon(arguments.embedder, daemons.models_folder(arguments.models)) as daemon:
        stored = store(daemon, facts, subjects=arguments.subjects)
        for budget in BUDGETS:
            rows = [ask(daemon, message, stored, budget) for message in messages]
            needs = [row for row in rows if row["wanted"]]
            idle = [row for row in rows if row["kind"] in {"code", "general"}]
            print(f"{budget} tokens")
            print(f"  what is needed  {figures(needs)}\n  code, general   {figures(idle)}")
            for kind in dict.fromkeys(row["kind"] for row in rows):
                print(f"  {kind:14}  {figures([row for row in rows if row['kind'] == kind])}")
            if arguments.misses and budget == BUDGETS[0]:
                _print_misses(needs, contents)


def _print_misses(rows: Sequence[Json], contents: dict[str, str]) -> None:
    for row in rows:
        missing = [one for one in row["wanted"] if one not in row["shown"]]
        good = {*row["wanted"], *row.get("fine", []), *row.get("style", [])}
        print(f"\n[{row['life']} {row['kind']}] {row['message']}")
        print(*(f"   missing  {contents[one]}" for one in missing), sep="\n")
        print(
            *(f"   needless {contents[one]}" for one in row["shown"] if one not in good), sep="\n"
        )


if __name__ == "__main__":
    main()
