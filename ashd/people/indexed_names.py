"""The names of people in the full text follow the people.

What must hold: beside a memory stands what whoever told it calls its subjects where it was told,
now. A name that was changed or taken away is found no more, and one that was told elsewhere is not
found here.
"""

from ashd.access import scope as scopes
from ashd.access.scope import Scope
from ashd.people import model
from ashd.store import memories, passages
from ashd.store.database import Tx
from ashd.store.memories import Telling


def refresh(tx: Tx, persons: set[int]) -> None:
    """Index the memories about these people under what they are called now.

    Raises:
        errors.RateLimited: there are more of them than the caller may keep the lane for.
    """
    texts: dict[tuple[Telling, tuple[int, ...]], str] = {}
    for memory, telling, about in memories.tellings_about(tx, persons):
        tx.check_time()
        if (telling, about) not in texts:
            names = model.names_for(tx, scopes.look(tx, _scope(telling)), set(about))
            texts[telling, about] = " ".join(names.values())
        passages.set_names(tx, passages.MEMORY, memory, texts[telling, about])


def _scope(told: Telling) -> Scope:
    """The scope in which a memory was told."""
    chat_type = None if told.chat_id is None else told.chat_type
    return Scope(told.provider, told.user_id, told.chat_id, chat_type)  # type: ignore[arg-type]  # one of the two
