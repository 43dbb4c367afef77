"""The tool `forget`: whoever may not read cannot find out by it what is stored."""

from dataclasses import replace
from pathlib import Path

import pytest
from services import house

from ashd import errors
from ashd.context.forgetting import ForgetArguments, Forgetting
from ashd.memory.short_ids import ShortIds


async def test_words_find_nothing_for_whoever_may_not_read(tmp_path: Path) -> None:
    """The answer would list what fits; an id, which the caller must know, is enough."""
    async with house(tmp_path) as at:
        told = await at.add("Judit is allergic to walnuts")
        forgetting = Forgetting(at.recall, at.change, at.read, ShortIds(at.db), "me")
        call = at.call("tools.call")
        blind = replace(call, actor=replace(call.actor, rights=frozenset({"forget"})))

        for query in ("Judit is allergic to walnuts", "quixotry"):
            with pytest.raises(errors.Denied):
                await forgetting.forget(blind, ForgetArguments(query=query))
        assert await at.listed() == [told.content]

        text, deleted = await forgetting.forget(blind, ForgetArguments(id=told.id))
        assert deleted is not None
        assert deleted.memory.id == told.id
        assert text
        assert await at.listed() == []


async def test_exactly_one_of_words_and_id_is_given(tmp_path: Path) -> None:
    """Neither would mean anything, and both might mean two memories."""
    async with house(tmp_path) as at:
        told = await at.add("Judit is allergic to walnuts")
        forgetting = Forgetting(at.recall, at.change, at.read, ShortIds(at.db), "me")

        for wrong in (ForgetArguments(), ForgetArguments(query="walnuts", id=told.id)):
            with pytest.raises(errors.InvalidParams):
                await forgetting.forget(at.call("tools.call"), wrong)
        assert await at.listed() == [told.content]


async def test_whoever_may_not_forget_is_told_who_may(tmp_path: Path) -> None:
    """A sentence that asks to forget offers a memory's id to others alone."""
    async with house(tmp_path) as at:
        told = await at.add("Judit is allergic to walnuts")
        forgetting = Forgetting(at.recall, at.change, at.read, ShortIds(at.db), "me")
        call = at.call("tools.call")
        bound = replace(call, actor=replace(call.actor, rights=frozenset({"read", "write"})))
        sentence = "Forget that Judit is allergic to walnuts"

        lines, how = await forgetting.offer(call, sentence, [])
        assert [told.content in line for line in lines] == [True]
        assert "call forget with its id" in how
        lines, how = await forgetting.offer(bound, sentence, [])
        assert lines == []
        assert "`ash memory delete`" in how
        assert "call forget" not in how


async def test_a_memory_that_becomes_active_again_is_shown_to_whoever_may_read(
    tmp_path: Path,
) -> None:
    """It was replaced by the one that is forgotten."""
    async with house(tmp_path) as at:
        forgetting = Forgetting(at.recall, at.change, at.read, ShortIds(at.db), "me")
        call = at.call("tools.call")
        blind = replace(call, actor=replace(call.actor, rights=frozenset({"forget"})))
        texts = []
        for caller in (call, blind):
            older = await at.add("Judit lives in Linz")
            newer = await at.add("Judit lives in Graz", supersedes=older.id)
            text, _ = await forgetting.forget(caller, ForgetArguments(id=newer.id))
            texts.append(text)
            assert await at.listed() == [older.content]
            await at.delete(older)

        assert ["Active again" in text and "Linz" in text for text in texts] == [True, False]
        assert all("Forgotten" in text and "Graz" in text for text in texts)
