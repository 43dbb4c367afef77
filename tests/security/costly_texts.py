"""A search for texts that cost their readers too much: `make check-costs`.

Every pure reader of what people write is given texts that Hypothesis makes, and is told which cost
more. What is measured is the CPU time of this thread, never that of a clock on the wall; it is
compared with the time for plain prose of the same length in the same run, and with the time for a
quarter of the text. A reader fails whose time grows like a square, or who takes longer for a text
than all readers together for prose.
"""

import argparse
import datetime as dt
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from hypothesis import HealthCheck, given, seed, settings, target
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from ashd import limits
from ashd.access import secrets, sensitivity, text_cleaning
from ashd.context import render
from ashd.language import (
    assertion,
    detection,
    english_dates,
    fingerprint,
    folding,
    ngrams,
    normal_forms,
    spoken_numbers,
    tagged_words,
    text_caches,
    text_form,
    words,
)
from ashd.language.people import (
    first_person,
    identity,
    name_similarity,
    phrases,
    references,
    statements,
)
from ashd.language.people.name_index import NameIndex
from ashd.people import query_people
from ashd.search import indexing, query
from benchmarks.speed import hostile_texts

NOW = dt.datetime(2026, 5, 4, tzinfo=dt.UTC)
GROWTH = 9.0
"""The most that four times the text may take, in times of the text: a square would take sixteen."""
DOUBTFUL: Final = 6.0
"""From this growth on it is measured again: of one time each, the busy machine's share is large."""
_TURNS: Final = 5
READERS_OF_PROSE = 1.5
"""The most that one reader may take for a text, in times of all readers for prose of its length."""
NOTHING_S = 0.004
"""A shorter time says nothing about growth."""
_SISTER = references.parse_reference("my sister Anna")
_NAMES = NameIndex(["Anna", "Ben Smith", "my sister"], families=True)

Read = Callable[[str], Any]


class Reader(NamedTuple):
    """A pure function of a text, and how long its texts may be."""

    read: Read
    length: int


def _analysed(text: str) -> query.Query:
    names = ["Anna", "Ben Smith"]
    return query.analyse(query.asked(text), names=names, speaker_names=names, facts=True, now=NOW)


READERS: dict[str, Reader] = {
    **{
        name: Reader(read, limits.CONTENT_CHARS)
        for name, read in {
            "text_cleaning.clean": text_cleaning.clean,
            "normal_forms.nfc": normal_forms.nfc,
            "normal_forms.nfkc": normal_forms.nfkc,
            "secrets.find_secret": secrets.find_secret,
            "sensitivity.read": sensitivity.read,
            "indexing.read": indexing.read,
            "ngrams.index_grams": ngrams.index_grams,
            "text_form.read_cues": text_form.read_cues,
            "fingerprint.content_key": fingerprint.content_key,
            "fingerprint.fingerprint": fingerprint.fingerprint,
            "assertion.asserted": assertion.asserted,
            "person_phrases": phrases.person_phrases,
            "spoken_numbers.in_figures": spoken_numbers.in_figures,
            "tagged_words.read": tagged_words.read,
            "words.split": words.split,
            "render.safe": render.safe,
        }.items()
    },
    **{
        name: Reader(read, limits.QUERY_CHARS)
        for name, read in {
            "query.asked": query.asked,
            "query.analyse": _analysed,
            "query.without_time": query.without_time,
            "query_people.words": query_people._words,
            "detection.spoken": detection.spoken,
            "english_dates.has_time_expression": english_dates.has_time_expression,
            "phrases.related_in": phrases.related_in,
            "name_index.mentioned": _NAMES.mentioned,
            "identity.identity_of": lambda text: identity.identity_of(_SISTER, text),
            "first_person": first_person.first_person,
            "statements.read": statements.read,
        }.items()
    },
    **{
        name: Reader(read, limits.NAME_CHARS)
        for name, read in {
            "references.parse_reference": references.parse_reference,
            "references.matches": lambda text: references.matches(text, text[::-1]),
            "name_similarity.variant": lambda text: name_similarity.variant(text, text[::-1]),
            "folding.fold_entity": folding.fold_entity,
            "sensitivity.read_details": sensitivity.read_details,
        }.items()
    },
}

_UNITS = (
    *" \t\n.,;:!?'\"`-_=+*/\\|@#$%&()[]{}<>~^",
    *"aAzZ0159éßİÅ㍿ﷺﬃⅧ日本の가ก🙂☺👨",
    *("\u0301", "\u0316", "\u0345", "\u200d", "\u200c", "\ufe0f", "\u05d0", "\u0645"),
    *("the ", "my ", "my sister's ", "is ", "is my ", "and ", "not ", "I am ", "My name is "),
    *("Anna ", "Anna Ruiz, ", "Dr. ", "who ", "called ", "5 May ", "in 2020 ", "two days ago, "),
    *("next Friday ", "the 5th of ", "password is ", "key=", "user:pw@", "http://a.b/", "pin "),
    *("ab12", "1,000 ", "+49 ", "1234 ", "a.b", "a-b", "a_b", "x@y.z ", "\u2019s ", "\ufdfa "),
)


@st.composite
def pumped(draw: st.DrawFn) -> tuple[str, ...]:
    """Return what a text repeats: units, one after the other or in stretches."""
    unit = st.one_of(st.sampled_from(_UNITS), st.text(min_size=1, max_size=6))
    return tuple(draw(st.lists(unit, min_size=1, max_size=6)))


def text_of(units: tuple[str, ...], length: int, *, in_stretches: bool, kind: str | None) -> str:
    """Return a text of a length, made of the units, or of a kind of the benchmark with them."""
    if kind is not None:
        text = hostile_texts.text(kind, length // 2) + "".join(units)
        return (text + hostile_texts.text(kind, length, seed=1))[:length]
    if not in_stretches:
        whole = "".join(units)
        return (whole * (length // len(whole) + 1))[:length]
    each = length // len(units) + 1
    return "".join((unit * each)[:each] for unit in units)[:length]


def seconds(read: Read, text: str, times: int = 1) -> float:
    """Return the CPU time of reading a text for the first time, the least of some times."""
    least = float("inf")
    for _ in range(times):
        text_caches.empty()
        begun = time.thread_time()
        read(text)
        least = min(least, time.thread_time() - begun)
    return least


def prose(length: int) -> str:
    """Return plain prose."""
    return (hostile_texts.PROSE * (length // len(hostile_texts.PROSE) + 1))[:length]


def fault(reader: Reader, make: Callable[[int], str], of_all: float) -> str | None:
    """Return what is wrong with the time for a text; None if nothing is."""
    whole = seconds(reader.read, make(reader.length))
    if whole > of_all * READERS_OF_PROSE and (
        whole := seconds(reader.read, make(reader.length), 3)
    ) > (of_all * READERS_OF_PROSE):
        return f"takes {whole / of_all:.1f} times all readers of prose"
    if whole > NOTHING_S and whole > DOUBTFUL * seconds(reader.read, make(reader.length // 4)):
        # In turns, since a processor that is shared may be slow for longer than a part takes.
        turns = [
            [seconds(reader.read, make(length)) for length in (reader.length, reader.length // 4)]
            for _ in range(_TURNS)
        ]
        whole, part = map(min, zip(*turns, strict=True))
        if whole > GROWTH * part:
            return f"takes {whole / part:.1f} times as long for four times the text"
    return None


def search(name: str, examples: int, start: int) -> tuple[float, list[str]]:
    """Search texts for a reader; return the highest cost in times of prose, and the faults."""
    reader = READERS[name]
    plain = prose(reader.length)
    same_length = [one for one in READERS.values() if one.length == reader.length]
    for one in same_length:
        one.read(plain)  # expressions are compiled at their first use
    of_all = sum(seconds(one.read, plain, 3) for one in same_length)
    own = max(seconds(reader.read, plain, 3), 1e-6)
    worst, faults = [0.0], list[str]()
    kinds = st.one_of(st.none(), st.sampled_from(hostile_texts.KINDS))

    @seed(start)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(pumped(), st.booleans(), kinds)
    def costs(units: tuple[str, ...], in_stretches: bool, kind: str | None) -> None:
        def make(length: int) -> str:
            return text_of(units, length, in_stretches=in_stretches, kind=kind)

        cost = seconds(reader.read, make(reader.length))
        target(cost / of_all)
        worst[0] = max(worst[0], cost / own)
        if found := fault(reader, make, of_all):
            faults.append(f"{name}: {kind or ascii(units)} {found}")
        assert not found

    try:
        with suppress(AssertionError):
            costs()
    except Flaky:  # a text that was slow once, for some other reason
        faults.clear()
    return worst[0], faults


def main() -> None:
    """Search for every reader, and print the highest cost of each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--examples", type=int, default=300, help="texts for each reader")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--reader", nargs="*", default=list(READERS))
    arguments = parser.parse_args()
    sensitivity.load()
    failed = []
    for name in arguments.reader:
        worst, faults = search(name, arguments.examples, arguments.seed)
        failed += faults[-1:]  # the simplest
        sys.stdout.write(f"{name:36} at most {worst:6.1f} times prose\n")
        sys.stdout.flush()
    lines = [*failed, f"seed {arguments.seed}: {len(failed)} readers cost too much", ""]
    sys.stdout.write("\n".join(lines))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
