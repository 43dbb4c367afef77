"""Erasing: `memory.erase` and `memory.forget_person`.

What is erased leaves every table, index and stored reply, and the write-ahead log is emptied before
the answer. The work is done in slices, one memory or message whole at a time: an erasure that is
interrupted is finished by asking again. The receipt counts the rows that went, and names the
backups and exports that were made before.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import anyio
import msgspec

from ashd import errors
from ashd.access import grants, quota
from ashd.access.actor import Call
from ashd.access.grants import Grants, GrantsGate
from ashd.conversation import read as conversation_read
from ashd.conversation.model import ConversationId
from ashd.ids import GrantId
from ashd.memory import erase as memory_erase
from ashd.memory import lifecycle, ownership
from ashd.memory.model import MemoryId
from ashd.ops import forgetting, slices
from ashd.ops.progress import Progress
from ashd.ops.receipt import Receipt, receipt
from ashd.people.participation import AccountNamed
from ashd.store import account_erasure, chats, conversations, erasure, memories, passages
from ashd.store.chats import Account
from ashd.store.copies import Copy
from ashd.store.database import Database, Tx
