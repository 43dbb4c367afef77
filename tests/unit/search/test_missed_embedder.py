"""The model that is missed is used again, unless somebody chose another one."""

from pathlib import Path

import pytest
from services import house

from ashd.search import missed_embedder
from ashd.store import embeddings, meta

MISSED = "all-minilm-l6-v2-int8/3"


@pytest.mark.parametrize(("is_configured", "missed"), [(True, None), (False, MISSED)])
async def test_a_configured_embedder_ends_the_note(
    tmp_path: Path, *, is_configured: bool, missed: str | None
) -> None:
    """It stays ended when the configuration is taken back."""
    async with house(tmp_path) as at:
        await at.db.write(lambda tx: meta.set_missed_model(tx, MISSED))

        first = await missed_embedder.at_start(at.db, is_configured=is_configured)
        again = await missed_embedder.at_start(at.db, is_configured=False)

        assert (first.missed, again.missed) == (missed, missed)


async def test_a_choice_ends_the_note(tmp_path: Path) -> None:
    """The next start does not go back to the model that was missed."""
    async with house(tmp_path) as at:
        await at.db.write(lambda tx: meta.set_missed_model(tx, MISSED))

        await missed_embedder.forget(at.db)

        assert (await missed_embedder.at_start(at.db, is_configured=False)).missed is None


@pytest.mark.parametrize(
    ("stand_in", "missed"),
    [(MISSED, "multilingual-e5-small-int8/2"), ("multilingual-e5-small-int8/3", None)],
)
async def test_any_other_embedder_stands_in(
    tmp_path: Path, stand_in: str, missed: str | None
) -> None:
    """MiniLM too; a newer version of the same model is no other one."""
    async with house(tmp_path) as at:
        await at.db.write(lambda tx: embeddings.begin_set(tx, "multilingual-e5-small-int8/2", 384))
        found = await missed_embedder.at_start(at.db, is_configured=False)

        await missed_embedder.note(at.db, found, stand_in, is_configured=False)

        assert (await missed_embedder.at_start(at.db, is_configured=False)).missed == missed
