"""`model.use`: change the embedder."""

from typing import Annotated

import msgspec

from ashd import limits
from ashd.access.actor import Call
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store.database import Database


class UseParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The embedder: wordllama, minilm, multilingual or openai."""

    provider: Annotated[str, msgspec.Meta(min_length=1, max_length=limits.LABEL_CHARS)]


class UseResult(msgspec.Struct, frozen=True):
    """The model that will serve; `building` until all its vectors are there (`system.status`)."""

    model: str | None
    building: bool


async def use(
    embeddings: CurrentEmbedder, db: Database, call: Call, params: UseParams
) -> UseResult:
    """Change the embedder; searches use the current vectors until all new ones are built."""
    made = await embeddings.use(params.provider)
    await db.write(call.record, quiet=True)
    building = embeddings.building
    model = made.embedder.model if made else embeddings.model
    return UseResult(model, building is not None)
