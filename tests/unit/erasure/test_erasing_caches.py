"""Caches in memory after an erasure: no text of what was erased is left in them. Budget: 10 s."""

from pathlib import Path

import pytest
from erasures import ERASURES, Erasure, daemon
from services import call_of

from ashd.context.assemble import Context, ContextParams
from ashd.context.planner import Plan
from ashd.language.text_caches import cached_by_text
from ashd.memory.add import AddMemory
from ashd.memory.incoming_facts import AddParams
from ashd.search.current_embedder import CurrentEmbedder

ALICE = call_of("alice")


@pytest.mark.parametrize("erasure", ERASURES.values(), ids=ERASURES)
async def test_no_cache_has_a_text_after_an_erasure(erasure: Erasure, tmp_path: Path) -> None:
    """Functions of texts start anew, and no block or plan is left that was made of them."""
    read: list[str] = []

    @cached_by_text(8)
    def words(text: str) -> list[str]:
        read.append(text)
        return text.split()

    async with daemon(tmp_path) as services:
        content = "Zebedee tunes harpsichords"
        await services[AddMemory].add(ALICE, AddParams(content="I like tea"))
        added = await services[AddMemory].add(
            ALICE, AddParams(content=content, subjects=["Zebedee"])
        )
        context = services[Context]
        await context.get(ALICE, ContextParams(message="Who tunes harpsichords?"))
        context._planner._plans["Who tunes harpsichords?"] = Plan(content)
        assert [words(content), words(content)] == [content.split()] * 2
        assert context._cache
        assert services[CurrentEmbedder].holders._places
        assert read == [content]

        memory = added.memories[0].memory
        assert memory is not None
        await erasure(services, ALICE, memory)

        assert not context._cache
        assert not context._planner._plans
        assert not services[CurrentEmbedder].holders._places
        words(content)
        assert read == [content] * 2
