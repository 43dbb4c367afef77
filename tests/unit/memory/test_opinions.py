"""Opinions on new facts: which earlier ones they are compared with."""

from functools import partial
from pathlib import Path

import pytest
from services import FixedClock, house

from ashd.memory import candidates, opinions
from ashd.memory.candidates import Candidate, Near
from ashd.memory.incoming_facts import prepare
from ashd.memory.model import Fact
from ashd.search.indexing import TextVectors

LONG = "The boiler in the cellar was serviced, and the plumber found " + "a valve that leaks, " * 8


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("The boiler in the cellar is new.", True),
        ("Der Boiler im Keller ist neu und wurde gestern von der Firma gebracht.", False),
        (LONG, False),
    ],
)
async def test_a_text_that_the_model_cannot_read_is_compared_with_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, looks: bool
) -> None:
    """Nothing near is looked up for it: there is no opinion on it anyway."""
    looked_up = []

    def nearest(*given: object) -> list[Candidate]:
        looked_up.append(given)
        return []

    monkeypatch.setattr(candidates, "nearest", nearest)
    async with house(tmp_path, FixedClock()) as place:
        await place.add("The boiler in the cellar is old.")
        looked_up.clear()
        judge = partial(
            opinions.of_facts,
            call=place.call(),
            facts=[prepare(Fact(content=text))],
            vectors=TextVectors(),
            near=Near.of(place.embeddings),
        )
        found = await place.db.read(judge)
    assert bool(looked_up) is looks
    assert not found[0].of_stored
