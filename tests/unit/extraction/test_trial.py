"""A trial of the language model, for which somebody waits."""

from typing import Any, cast

import anyio

from ashd.clock import SystemClock
from ashd.extraction import trial
from ashd.providers.llm import LanguageModel


class Hanging:
    """A model that never answers."""

    graph = None

    async def ask_for(self, *_: Any, **__: Any) -> Any:
        await anyio.sleep_forever()


def test_model_that_hangs_is_left_in_time() -> None:
    """The finding says so; the doctor goes on with everything else."""

    async def tried() -> trial.Fault | None:
        model = cast("LanguageModel", Hanging())
        return await trial.fault_of(model, SystemClock(), 0.7, seconds=0.01)

    fault = anyio.run(tried)

    assert fault is not None
    assert "took longer" in fault.detail
