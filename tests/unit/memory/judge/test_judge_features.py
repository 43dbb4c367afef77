"""Features of two texts, and of their token vectors."""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ashd.language.tagged_words import read
from ashd.memory.judge import features
from ashd.memory.judge.alignment import COUNT, alignment_features, padded
from ashd.memory.judge.features import pair_features
from ashd.providers.embedder import unit


def test_as_many_features_for_any_pair() -> None:
    """Empty and long texts have them all, and none is without bounds."""
    texts = ["", "Hi", "The rent is 720 euros.", "word " * 60]
    found = [pair_features(read(one), read(other)) for one in texts for other in texts]
    assert len({len(one) for one in found}) == 1
    assert all(np.isfinite(one).all() for one in found)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Tom owes Anna 5 euros", "Anna owes Tom 5 euros"),
        ("Locker 20 is rented", "Locker 62 is rented"),
        ("The rent is 720 euros", "The rent is 790 euros"),
        ("I live in Rome", "I do not live in Rome"),
    ],
)
def test_a_small_difference_is_seen(older: str, newer: str) -> None:
    """Texts that pooled vectors cannot distinguish have different token arrays."""
    same = pair_features(read(older), read(older))
    assert np.abs(pair_features(read(older), read(newer)) - same).max() >= 0.3


@pytest.mark.parametrize(
    ("before", "after", "counts", "relation"),
    [
        ("a b", "a b", (0, 0, 2), 0),
        ("", "a", (0, 1, 0), 1),
        ("a", "", (1, 0, 0), 2),
        ("a b", "b a", (0, 0, 2), 3),
        ("a", "a a", (0, 0, 1), 3),
        ("a b", "c d e", (2, 3, 0), 4),
        ("a", "a b", (0, 1, 1), 5),
        ("a b c", "b", (2, 0, 1), 6),
        ("a b", "b c", (1, 1, 1), 7),
        ("a b c d", "a b c d e", (0, 1, 3), 5),
    ],
)
def test_words_of_a_kind_go_come_and_stay(
    before: str, after: str, counts: tuple[int, ...], relation: int
) -> None:
    """Counted up to three, with how the two sequences relate."""
    found = features._of_kind(tuple(before.split()), tuple(after.split()))

    relations = [float(number == relation) for number in range(8)]
    assert found == [*(pytest.approx(count / 3) for count in counts), *relations]
    assert features._of_kind((), ()) == [0.0] * 11


def stems(text: str, kind: int = 0) -> Any:
    """A text as far as its words go; all are of one kind."""
    words = text.split()
    return SimpleNamespace(stems=words, content=set(words), kinds=[kind] * len(words))


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("a b c d", "a b c d", (1, 1, 1, 0, 0, 1, 0, 1, 4, 4, 0)),
        ("a b c", "a b", (2 / 3, 1, 2 / 3, 0, 0, 0, 0, 0, 3, 2, -1)),
        ("a b c", "c b a", (1, 1, 1, 1, 1, 0, 1, 1, 3, 3, 0)),
        ("a b c", "b a c", (1, 1, 1, 1, 0.5, 0, 1, 1, 3, 3, 0)),
        ("a b", "c d", (0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0)),
        ("a", "b b b", (0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 2)),
        ("a a b", "a b b", (1, 1, 1, 0, 0, 0, 0, 1, 3, 3, 0)),
    ],
)
def test_common_words_are_counted_with_their_order(
    older: str, newer: str, expected: tuple[float, ...]
) -> None:
    """Shares of either text and of both; how many turns; lengths by those of a longer text."""
    one, other = stems(older), stems(newer)
    place = {stem: at for at, stem in enumerate(other.stems)}
    *shares, before, after, longer = expected

    found = features._overlap(one, other, place)
    assert found == pytest.approx([*shares, before / 12, after / 12, longer / 12])


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("a b", "a b c", (0, 1, 0, 0)),
        ("a b c", "a c", (1 / 3, 1 / 2, 1 / 2, 1 / 3)),
        ("a b c d", "c", (2 / 3, 0, 1, 3 / 4)),
        ("a b c d e f g h", "b d f", (1, 0, 1, 5 / 8)),
        ("a", "b", (1 / 3, 0, 0, 1)),
    ],
)
def test_missing_words_come_in_runs(text: str, other: str, expected: tuple[float, ...]) -> None:
    """The features give the number of runs, the first, the last, and the share of the text."""
    assert features._runs(text.split(), other.split()) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("older", "newer", "front", "back", "gone", "come", "is_span"),
    [
        ("a b c d", "a x c d", 1 / 4, 2 / 4, 1, 1, True),
        ("x b c", "y z b c", 0, 2 / 3, 1, 2, True),
        ("a b x", "a b y", 2 / 3, 0, 1, 1, True),
        ("a b", "a b c", 1, 0, 0, 1, False),
        ("a b c", "a b", 1, 0, 1, 0, False),
        ("a b", "a b", 1, 0, 0, 0, False),
        ("a a", "a a a", 1, 0, 0, 1, False),
        ("a b c d", "a c b d", 1 / 4, 1 / 4, 2, 2, False),
        ("", "a", 0, 0, 0, 1, False),
    ],
)
def test_a_difference_is_a_stretch(
    older: str, newer: str, front: float, back: float, gone: int, come: int, is_span: bool
) -> None:
    """A difference lies between a common beginning and end, or is the whole text."""
    found = features._difference(stems(older, 1), stems(newer, 2), newer.split())

    assert found[:2] == pytest.approx([front, back])
    assert [bool(one) for one in found[2:10]] == [
        front == 0,
        back == 0,
        is_span,
        is_span and front == 0,
        is_span and back == 0,
        is_span and gone == come,
        gone == 0,
        come == 0,
    ]
    assert found[10:12] == pytest.approx([min(gone, 3) / 3, min(come, 3) / 3])
    kinds = [float(is_span and at in {1, 5 + 2}) for at in range(10)]
    assert found[20:] == kinds


def test_alignment_is_told_from_padding() -> None:
    """A pair has the same features alone and beside a longer one."""
    rng = np.random.default_rng(0)
    short, long, newer = (unit(rng.standard_normal((count, 8))) for count in (3, 9, 4))
    both, taken = padded([short, long])
    alone, alone_taken = padded([short])
    every = np.ones((1, 4), dtype=np.bool_)
    together = alignment_features((both @ newer.T).swapaxes(0, 1), taken.T, every)
    by_itself = alignment_features((alone @ newer.T).swapaxes(0, 1), alone_taken.T, every)
    assert together.shape == (2, COUNT)
    assert np.allclose(together[0], by_itself[0], atol=1e-5)


def test_the_same_tokens_find_each_other() -> None:
    """Tokens in one order are all found, without a turn; in another order with turns."""
    tokens = np.eye(5, 8, dtype=np.float32)
    every = np.ones((1, 5), dtype=np.bool_)
    mean, _, _, _, _, turned, *_ = alignment_features((tokens @ tokens.T)[None], every, every)[0]
    *_, back, _, _ = alignment_features((tokens @ tokens[::-1].T)[None], every, every)[0]
    assert mean == pytest.approx(1)
    assert turned == pytest.approx(0)
    assert back > 0


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 1), (1, 3), (4, 2), (3, 3)])
def test_alignment_is_that_of_each_token(rows: int, columns: int) -> None:
    """The features are those that a loop over the tokens of each text gives."""
    alike = np.random.default_rng(rows * 10 + columns).uniform(-1, 1, (rows, columns))
    alike.flat[: min(3, alike.size)] = (0.45, 0.65, 0.95)[: alike.size]
    masks = np.ones((1, rows), np.bool_), np.ones((1, columns), np.bool_)
    found = alignment_features(alike[None].astype(np.float32), *masks)[0]

    expected = [*_matched(alike.tolist()), *_matched(alike.T.tolist())]
    assert found.tolist() == pytest.approx(expected, abs=1e-6)


def _matched(alike: list[list[float]]) -> list[float]:
    """How well the tokens of one text are found in the other, written out."""
    best = [max(row) for row in alike]
    at = [row.index(max(row)) for row in alike]
    count = len(best)
    return [
        *(sum(best) / count, min(best)),
        *(sum(one < bound for one in best) / count for bound in (0.5, 0.7)),
        sum(one > 0.9 for one in best) / count,
        sum(after < before for before, after in pairwise(at)) / count,
        *(best[0], best[-1]),
    ]


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        (("my", "a b c", ("i",)), ("my", "a b c", ("i",)), (1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1)),
        (("", "a b c", ("tom",)), ("my", "a x c", ("i",)), (0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0)),
        (("", "a b", ("tom", "ann")), ("", "x b", ("ann", "tom")), (0,) * 8 + (1, 0, 1, 1)),
        (("my", "a b", ()), ("", "a b", ("tom",)), (0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0)),
        (("", "a b", ("tom",)), ("", "c d", ()), (0,) * 12),
        (("", "a", ("i",)), ("", "a", ()), (1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0)),
    ],
)
def test_speakers_and_subjects_are_compared(
    older: tuple[str, str, tuple[str, ...]],
    newer: tuple[str, str, tuple[str, ...]],
    expected: tuple[int, ...],
) -> None:
    """Owners, the first and the last words, and the first name of each."""
    one, other = (
        SimpleNamespace(owner=owner, stems=tuple(words.split()), named=named)
        for owner, words, named in (older, newer)
    )

    assert tuple(map(int, features._who(one, other))) == expected  # type: ignore[arg-type]  # the parts that it reads
