"""What somebody told over a year: notes in order, some of which end earlier ones.

`told/trained/*.jsonl` are to train models on, `told/calibrated` to calibrate the cross-encoder by,
and nothing is fitted on `told/held_out` and `told/languages`. These are short streams in ten
languages; those called `near` have many notes about the same things. No author had seen the code.
Thirty of the years, each with a voice of its own, are by six hands who wrote five each; two of them
(`crane_family`, `twins_at_uni`) are held out. Twenty-one are by three more who wrote seven each.
Two that are calibrated by (`arborist`, `houseboats`) and three that are held out (`ferry_mate`,
`organist`, `taxi_owner`) are by one hand, of which nothing else is here. All stand under this
repository's licence. A line is a note: id, date, content and, if it ends earlier notes, their ids
under `replaces`. A file of questions has the notes that answer now, and those that did once.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.statements.data import Pair, Vectors
from benchmarks.tuning.data import Life, Question

Json = dict[str, Any]
TOLD: Final = Path(__file__).with_name("told")
NEAREST: Final = 8
"""The earlier notes that a new one is compared with, as in the daemon."""


class Compared(NamedTuple):
    """A note, the earlier notes nearest to it, and which of all earlier ones it ends."""

    newer: str
    nearest: list[str]
    ended: list[str]


def lines(path: Path) -> list[Json]:
    """Return the objects of a file, one a line; lines that begin with # are comments."""
    texts = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(text) for text in texts if text.strip() and not text.startswith("#")]


def files(part: str) -> list[Path]:
    """Return the files of notes of a part of `told`."""
    return [one for one in sorted((TOLD / part).glob("*.jsonl")) if "_questions" not in one.stem]


def chains(notes: Sequence[Json]) -> dict[str, set[str]]:
    """Return for each note all earlier ones that no longer hold because of it."""
    found: dict[str, set[str]] = {}
    for note in notes:
        older = note.get("replaces") or []
        ended = set([older] if isinstance(older, str) else older)
        found[note["id"]] = ended.union(*(found.get(one, set()) for one in ended))
    return found


def compared(vectors: Vectors, notes: Sequence[Json]) -> list[Compared]:
    """Return each note with its nearest earlier ones."""
    ended, contents = chains(notes), {note["id"]: note["content"] for note in notes}
    ids = [note["id"] for note in notes]
    pooled = np.stack([vectors.of(note["content"]).pooled for note in notes])
    found = []
    for at, note in enumerate(notes):
        order: NDArray[np.int64] = np.argsort(-(pooled[:at] @ pooled[at]), kind="stable")
        nearest = [ids[one] for one in order[:NEAREST].tolist()]
        found.append(
            Compared(
                note["content"],
                [contents[one] for one in nearest],
                [contents[one] for one in sorted(ended[note["id"]])],
            )
        )
    return found


def pairs(vectors: Vectors) -> list[Pair]:
    """Return the pairs to train on: what a note ends, near or not, and what it leaves alone."""
    found = []
    for path in files("trained"):
        for one in compared(vectors, lines(path)):
            wanted = [("replace", older) for older in one.ended]
            wanted += [("keep", older) for older in one.nearest if older not in one.ended]
            found += [
                Pair("told", path.stem, want, older, one.newer, 1.0) for want, older in wanted
            ]
    return found


def asked() -> list[Life]:
    """Return the notes to train on with their questions, each with the newest note that answers."""
    found = []
    for path in files("trained"):
        notes = lines(path)
        places = {note["id"]: place for place, note in enumerate(notes)}
        questions = []
        for one in lines(path.with_name(f"{path.stem}_questions.jsonl")):
            *others, answer = sorted(places[name] for name in one["want"])
            once = [places[name] for name in one["stale"]]
            questions.append(Question(one["question"], answer, (*others, *once)))
        found.append(Life([note["content"] for note in notes], questions))
    return found
