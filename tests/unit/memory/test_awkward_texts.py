"""Texts that nobody writes are stored and looked for like any other, as long as they may be."""

from pathlib import Path

import pytest
from services import house

from ashd import limits


@pytest.mark.parametrize(
    "part",
    [
        *("x", "A", "1.", "1,", "n't", "'s", "is", "is is ", "twenty-", "my wife's ", "Sarah and "),
        *("not ", "red, ", "? ", "- ", "@", "(", "中", "😀", "ā́", "http://a.b/", "\n\nTo be. "),
    ],
    ids=repr,
)
async def test_an_awkward_text_is_stored_and_found(tmp_path: Path, part: str) -> None:
    """No part of it, however often it is repeated, makes a rule run away or give up.

    A rule that takes the square of the length takes minutes here.
    """
    async with house(tmp_path) as at:
        await at.add("My favourite colour is red")
        text = ("I say " + part * limits.CONTENT_CHARS)[: limits.CONTENT_CHARS].strip()

        assert (await at.entry(text)).outcome == "added"
        again = await at.entry(text)
        await at.found(text[: limits.QUERY_CHARS], mode="lexical")

        assert again.outcome == "duplicate"
        assert set(await at.listed()) == {"My favourite colour is red", text}


async def test_a_tag_of_invisible_characters_is_none(tmp_path: Path) -> None:
    """Neither a new fact nor a changed one has an empty tag."""
    async with house(tmp_path) as at:
        memory = await at.add("The door is red", tags=["\u200b", "door"])
        changed = await at.update(memory, tags=["\u200b"])

    assert (["door"], []) == (memory.tags, changed.tags)
