"""Callers wait for the vectors of an embedder in turn; one that runs here has few calls at once."""

from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from ashd.fair_turns import OWNER, FairGate
from ashd.providers.openai_embedder import recorded_model
from ashd.search.embedder_threads import CallerGate, WatchedGate


@pytest.mark.parametrize(
    ("model", "processors", "of_one_owner"),
    [
        ("all-minilm-l6-v2-int8", 1, 1),
        ("all-minilm-l6-v2-int8", 2, 1),
        ("all-minilm-l6-v2-int8", 3, 2),
        ("all-minilm-l6-v2-int8", 64, 3),
        (recorded_model("text-embedding-3-small", None), 1, 3),
    ],
)
async def test_calls_of_one_owner_leave_a_processor_to_others(
    model: str, processors: int, of_one_owner: int
) -> None:
    """An endpoint computes elsewhere: its calls are bounded for its own sake."""
    embedder: Any = SimpleNamespace(model=model)
    gates, running = CallerGate(processors), []

    async def call(owner: str) -> None:
        OWNER.set(owner)
        async with gates.of(embedder).turn():
            running.append(owner)
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(call, "busy")
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(call, "other")
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()

    assert running == [*["busy"] * of_one_owner, "other"]


async def test_a_watched_gate_tells_of_a_call_that_got_no_answer() -> None:
    """One that was answered, and one that waits for its turn, are none."""
    gate = FairGate(1)
    watched = WatchedGate(gate)
    async with watched.turn():
        assert watched.is_held
    async with gate.turn():
        with anyio.move_on_after(0.01):
            async with watched.turn():
                pytest.fail("the place is taken")
    assert not watched.is_held

    with anyio.CancelScope() as scope:
        async with watched.turn():
            scope.cancel()
            await anyio.sleep_forever()
    assert watched.is_held
