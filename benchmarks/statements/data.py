"""All that the judge is trained on: texts as an embedder sees them, and pairs of them.

`pairs/*.tsv`: what is wanted, the older text and the newer one a line, with tabs between;
`lives/*.txt`: facts that are all true at the same time, a line each, as are the notes about a
person of `tuning/questions`.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ashd.language.detection import may_be_english
from ashd.language.english_words import CHANGES
from ashd.language.tagged_words import read
from ashd.providers.embedder import Embedder, Embedding
from benchmarks.statements import made
from benchmarks.statements.made import Row
from benchmarks.tuning.data import lives

HERE = Path(__file__).parent
TESTS = HERE.parents[1] / "tests" / "unit" / "memory"
WANTS = {
    "conflict": "replace",
    "duplicate": "repeat",
    "compatible": "keep",
    "othersubject": "keep",
    "unrelated": "keep",
}
CLASSES = ("replace", "repeat", "keep")
OTHER_HANDS = frozenset(
    {
        "a_year_told",
        "amounts_and_opposites",
        "at_the_office",
        "at_work",
        "away_from_home",
        "behind_the_counter",
        "chatting",
        "clubs_and_schools",
        "days_told",
        "developers_at_home",
        "events_and_states",
        "events_at_home",
        "events_at_work",
        "families_abroad",
        "families_talking",
        "first_weeks",
        "four_far_apart",
        "four_more_people",
        "four_people",
        "fresh_a",
        "fresh_b",
        "fresh_c",
        "friends_and_relatives",
        "health_law_and_money",
        "home_and_health",
        "household",
        "houses_and_trips",
        "in_passing",
        "incidents",
        "instructions_and_opposites",
        "invented",
        "labs_and_offices",
        "lives_of_five",
        "long_and_short",
        "makers_and_managers",
        "minds_and_tastes",
        "near_misses",
        "neighbouring_parts",
        "neighbouring_slots",
        "neighbours_at_home",
        "neighbours_at_work",
        "neighbours_in_hobbies",
        "numbered_lines",
        "numbers_and_names",
        "offices",
        "one_slot",
        "one_value",
        "opinions_and_plans",
        "other_attributes",
        "other_words_for_a_value",
        "outcomes",
        "pensioners",
        "people_around",
        "persons_and_events",
        "plans_and_travel",
        "plans_that_go_on",
        "relations",
        "retired_and_gardens",
        "reworded",
        "rules_and_abilities",
        "rules_and_routines",
        "services_and_owners",
        "shops_and_sites",
        "small_matters",
        "startups_and_offices",
        "states_and_ends",
        "students_and_fields",
        "tastes_and_rules",
        "terse",
        "things_and_rooms",
        "things_and_routines",
        "side_by_side",
        "three_households",
        "three_times",
        "trades_and_clinics",
        "trades_and_shifts",
        "twelve_lives",
        "twelve_trades",
        "two_friends",
        "unusual_lives",
        "values_in_other_words",
        "village_life",
        "wards_and_families",
        "weeks_apart",
        "young_in_cities",
    }
)
"""Files by authors who wrote nothing else here."""
NEAREST = 12
"""Of the true facts of a life, as many as the daemon would compare with a new one."""
LEARNT = 5
"""Of them, as many as are trained on."""
LEARNT_OF_NOTES = 1
"""The same for persons of whom there are fewer facts, and more persons."""
CROSSED = 1 / 3
"""So many pairs thrown together for a pair as written."""
FAR = 0.45
"""Cosine below which two texts thrown together are taken for strangers."""


@dataclass(frozen=True)
class Pair:
    """Two texts: what the newer one does to the older one, where they come from, how they count."""

    kind: str
    file: str
    want: str
    older: str
    newer: str
    weight: float


class Vectors:
    """Texts by an embedder, each embedded once."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._known: dict[str, Embedding] = {}

    def of(self, text: str) -> Embedding:
        if text not in self._known:
            self._known[text] = self.embedder.embed([text])[0]
        return self._known[text]

    def cosine(self, one: str, other: str) -> float:
        return float(self.of(one).pooled @ self.of(other).pooled)


def rows_of(path: Path) -> list[Row]:
    """The pairs of a file in English, with the wants of this module."""
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
    rows = [(WANTS.get(row[0], row[0]), row[1], row[2]) for row in lines if row[0][0] != "#"]
    return [row for row in rows if may_be_english(row[1]) and may_be_english(row[2])]


def facts_of(path: Path) -> list[str]:
    """The facts of a life, in English."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and may_be_english(line)]


@dataclass(frozen=True)
class Weights:
    """The weight of a pair of each kind."""

    written: float = 1.0
    other_hands: float = 1.5
    crossed: float = 0.9
    life: float = 0.6
    made: float = 0.5
    turned: float = 0.4


def trained_on(vectors: Vectors, weights: Weights = Weights()) -> list[Pair]:
    """Pairs as written, thrown together, made by rule and turned round; true facts."""
    found = []
    for path in (TESTS / "pairs.tsv", *sorted((HERE / "pairs").glob("*.tsv"))):
        rows = rows_of(path)
        weight = weights.other_hands if path.stem in OTHER_HANDS else weights.written
        found += [Pair("written", path.stem, *row, weight) for row in rows]
        found += [
            Pair("crossed", path.stem, *row, weights.crossed) for row in _crossed(vectors, rows)
        ]
        found += [Pair("made", path.stem, *row, weights.made) for row in made.of_rows(rows)]
        found += [Pair("turned", path.stem, *row, weights.turned) for row in _turned(rows)]
    found += [Pair("made", "frames", *row, weights.made) for row in made.of_frames()]
    true_together = [
        *((path.stem, facts_of(path), LEARNT) for path in sorted((HERE / "lives").glob("*.txt"))),
        *(("questions", life.notes, LEARNT_OF_NOTES) for life in lives()),
    ]
    for file, facts, count in true_together:
        found += [
            Pair("life", file, "keep", older, newer, weights.life)
            for older, newer in neighbours(vectors, facts, count)
        ]
    return found


def _crossed(vectors: Vectors, rows: Sequence[Row]) -> list[Row]:
    """The newer text of one pair after the older one of another: next to never a replacement."""
    rng = random.Random(0)
    found: list[Row] = []
    for _, _, newer in rows:
        older = rng.choice(rows)[1]
        if vectors.cosine(older, newer) < FAR and rng.random() < CROSSED:
            found.append(("keep", older, newer))
    return found


def _turned(rows: Sequence[Row]) -> list[Row]:
    """The older text after the newer one; a replacement only where no word tells the order."""
    return [
        (want, newer, older)
        for want, older, newer in rows
        if want != "replace" or CHANGES.isdisjoint(read(newer).lowered | read(older).lowered)
    ]


def neighbours(
    vectors: Vectors, facts: Sequence[str], count: int = NEAREST
) -> list[tuple[str, str]]:
    """Every fact after those before it that are nearest to it."""
    pooled = np.stack([vectors.of(fact).pooled for fact in facts])
    found = []
    for at, newer in enumerate(facts):
        nearest: NDArray[np.int64] = np.argsort(-(pooled[:at] @ pooled[at]), kind="stable")
        found += [(facts[before], newer) for before in nearest[:count].tolist()]
    return found
