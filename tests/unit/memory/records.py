"""Records of memories as a database would give them, for the rules that are decided on them."""

import json
from typing import Any

from ashd.clock import FOREVER
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

ANN, BOB, CLEO = 1, 2, 3
"""Accounts; the person of each has ten times its number."""
PRIVATE, GROUP, OTHER_GROUP = 100, 200, 300
"""Chats: Ann's private one, and two groups."""


def record(*about: int, **fields: Any) -> Record:
    """A memory of Ann's, said in private, about some persons."""
    known: dict[str, Any] = {
        **dict.fromkeys(Record._fields),
        "id": 1,
        "uuid": "m-1",
        "version": 1,
        "revision": 1,
        "content": "Tea is fine",
        "content_key": "",
        "memory_type": "knowledge",
        "created_at": 0,
        "said_at": 0,
        "owner": ANN,
        "learned_in": PRIVATE,
        "learned_type": "private",
        "stated_by": ANN,
        "stater_person": ANN * 10,
        "source": "rpc",
        "portable": 1,
        "ends_at": FOREVER,
        "tags": "[]",
        "superseded_until": 0,
        "access_count": 0,
        "subjects": json.dumps([[person, f"p-{person}", 0] for person in about]),
    }
    return Record(**{**known, **fields})


def of_group(*about: int, **fields: Any) -> Record:
    """A memory of the group's, said by Ann."""
    group = {"owner": None, "chat": GROUP, "learned_in": GROUP, "learned_type": "group"}
    return record(*about, **{**group, **fields})


def viewer(account: int, chat: int = PRIVATE, *, everything: bool = False) -> Viewer:
    """The caller, alone or in a group of Ann and Bob."""
    group = chat != PRIVATE
    audience = (ANN, BOB) if group else (account,)
    return Viewer(
        everything=everything,
        account=account,
        accounts=(account,),
        persons=(account * 10,),
        chat=chat,
        group=group,
        audience=audience,
        audience_persons=tuple(one * 10 for one in audience),
        audience_known=True,
    )
