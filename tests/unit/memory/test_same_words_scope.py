"""The memories with the same words as a new fact: those of its scope, and at its border."""

from typing import Any, cast

import pytest
from records import ANN, BOB, GROUP, OTHER_GROUP, of_group, record

from ashd.memory import same_words
from ashd.memory.verdicts import Scope
from ashd.store.database import Tx
from ashd.store.visibility import Viewer

IN_GROUP = {"learned_in": GROUP, "learned_type": "group"}
OWN = record(id=1)
OWN_IN_GROUP = record(id=2, **IN_GROUP)
OF_BOB = record(id=3, owner=BOB, stated_by=BOB, **IN_GROUP)
SHARED = of_group(id=4)
SHARED_ELSEWHERE = of_group(id=5, chat=OTHER_GROUP, learned_in=OTHER_GROUP)
EVERY = (OWN, OWN_IN_GROUP, OF_BOB, SHARED, SHARED_ELSEWHERE)


def _find(
    _tx: Tx, _viewer: Viewer, _content: str, _key: str, *, owners: tuple[int, ...], chat: int | None
) -> list[Any]:
    """All of them have the same words."""
    return [
        one
        for one in EVERY
        if (one.owner in owners if owners else one.owner is None and one.chat == chat)
    ]


@pytest.mark.parametrize(
    ("scope", "found"),
    [
        (Scope((ANN,), None), [OWN, OWN_IN_GROUP]),
        (Scope((ANN,), None, speaker=ANN), [OWN, OWN_IN_GROUP]),
        (Scope((ANN,), None, group=GROUP, speaker=ANN), [OWN, OWN_IN_GROUP, SHARED]),
        (Scope((BOB,), None, group=GROUP, speaker=BOB), [OF_BOB, SHARED]),
        (Scope((BOB,), None, group=OTHER_GROUP, speaker=BOB), [OF_BOB, SHARED_ELSEWHERE]),
        (Scope((), GROUP, group=GROUP, speaker=ANN), [SHARED, OWN_IN_GROUP]),
        (Scope((), GROUP, group=GROUP, speaker=BOB), [SHARED, OF_BOB]),
        (Scope((), GROUP, group=GROUP), [SHARED]),
        (Scope((), OTHER_GROUP, group=OTHER_GROUP, speaker=ANN), [SHARED_ELSEWHERE]),
        (Scope((), GROUP), [SHARED]),
    ],
)
def test_what_a_group_shares_is_compared_with_its_members_own_words_there(
    monkeypatch: pytest.MonkeyPatch, scope: Scope, found: list[Any]
) -> None:
    """The words of another member, and of another chat, are not compared."""
    monkeypatch.setattr(same_words, "find", _find)

    asked = scope.with_words(cast("Tx", None), cast("Viewer", None), "Tea is fine", "key")
    assert asked == found
    assert [one for one in found if scope.holds(one) or scope.borders(one)] == found
    assert [one for one in EVERY if scope.borders(one) and one not in found] == []
