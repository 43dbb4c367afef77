"""A relation that is stated again: the newer statement counts, whenever it is read."""

from types import SimpleNamespace
from typing import Any

import pytest

from ashd.graph import store_relation
from ashd.graph.model import Period

ASSERTED = 500
Dates = tuple[int | None, int | None]


@pytest.mark.parametrize(
    ("known", "stated", "said_at", "then"),
    [
        # a newer one adds what it names, and is the last that asserted it
        ((100, None), (None, 900), 600, (600, 0.9, (100, 900))),
        ((100, 900), (200, None), ASSERTED, (ASSERTED, 0.9, (200, 900))),
        # one that is read late tells only when it began, if nothing did
        ((None, None), (100, 300), 400, (ASSERTED, 0.5, (100, None))),
        ((None, 300), (100, None), 400, (ASSERTED, 0.5, (100, 300))),
        ((100, None), (50, None), 400, None),
        ((None, None), (None, 300), 400, None),
        ((None, 300), (300, None), 400, None),
        ((None, 300), (400, None), 400, None),
    ],
)
def test_the_newer_statement_counts(
    monkeypatch: pytest.MonkeyPatch,
    known: Dates,
    stated: Dates,
    said_at: int,
    then: tuple[int, float, Dates] | None,
) -> None:
    """An older one changes no date that is known, and ends nothing."""
    noted: list[Any] = []
    monkeypatch.setattr(
        store_relation.graph_changes, "assert_again", lambda _tx, *given: noted.append(given)
    )
    relation: Any = SimpleNamespace(
        id=1, asserted_at=ASSERTED, confidence=0.5, valid_from=known[0], valid_until=known[1]
    )
    tx: Any = None

    store_relation._assert_again(tx, relation, 0.9, Period(*stated), said_at)

    assert noted == ([] if then is None else [(1, then[0], then[1], Period(*then[2]))])
