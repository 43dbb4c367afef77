"""The share of pairs that replace, by a model's figure, and the notes that it is fitted on."""

from typing import Any

from benchmarks.statements.calibrate import fitted
from benchmarks.statements.told_notes import chains, files, lines


def test_points_rise_in_figure_and_share() -> None:
    """Where the share falls by chance, neighbours share one point."""
    rows = [(n / 100, n >= 60 and n % 3 != 0) for n in range(100)]

    points = fitted(rows)

    assert len(points) > 1
    assert points == sorted(points)
    shares = [share for _, share in points]
    assert shares == sorted(shares)
    assert shares[0] < 0.1
    assert 0.5 < shares[-1] < 1


def test_no_point_rests_on_a_few_pairs() -> None:
    """Two pairs with the highest figure say little."""
    rows = [(0.1, False)] * 50 + [(0.8, True)] * 6 + [(0.8, False)] * 6 + [(0.99, True)] * 2

    assert len(fitted(rows)) == 2
    assert fitted(rows)[-1][1] < 0.7


def test_a_note_ends_what_its_older_one_had_ended() -> None:
    """Whoever moved twice lives in neither of the former places."""
    notes: list[dict[str, Any]] = [{"id": "a"}, {"id": "b", "replaces": ["a"]}]
    notes.append({"id": "c", "replaces": "b"})

    assert chains(notes) == {"a": set(), "b": {"a"}, "c": {"a", "b"}}


def test_every_stream_names_earlier_notes_only() -> None:
    """No author's file has an id twice, or ends what comes later."""
    streams = [path for part in ("trained", "calibrated", "held_out") for path in files(part)]
    assert len(streams) > 10
    for path in streams:
        known: set[str] = set()
        for note in lines(path):
            older = note.get("replaces") or []
            assert known.issuperset([older] if isinstance(older, str) else older), path.name
            assert note["id"] not in known, path.name
            known.add(note["id"])
