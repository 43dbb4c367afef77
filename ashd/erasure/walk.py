"""The walk from selected records to all that goes with them: counted, or erased.

Both read the same table (`store/erasure/register`), so a dry run tells what will go. A memory or a
message is erased whole or not at all, in one transaction.
"""

from collections import Counter
from dataclasses import dataclass, field

from ashd.memory import status_changes
from ashd.store import conversations, memories, passages, summaries
from ashd.store.erasure import texts
from ashd.store.erasure.people import Learned
from ashd.store.transaction import Tx


@dataclass(frozen=True, slots=True)
class Selection:
    """Records to erase, as row numbers."""

    memories: list[int] = field(default_factory=list)
    messages: list[int] = field(default_factory=list)
    conversations: list[int] = field(default_factory=list)
    people: list[int] = field(default_factory=list)
    """With the memories, when they are counted: their records are erased by themselves."""
    entities: list[int] = field(default_factory=list)

    def parts(self) -> list["Selection"]:
        """Return its memories, messages and conversations, each by itself, in this order."""
        return [
            *(Selection(memories=[number]) for number in self.memories),
            *(Selection(messages=[number]) for number in self.messages),
            *(Selection(conversations=[number]) for number in self.conversations),
        ]


def take(tx: Tx, selected: Selection, *, erase: bool, remade: bool = True) -> Counter[str]:
    """Return the number of rows that go, by table; with `erase` they are gone.

    What is gone already is no error. With `remade`, what may have been derived from them goes too;
    it can be made again without them.
    """
    learned = Learned(tx, selected.memories)
    said = [
        *texts.told(tx, "memory", selected.memories),
        *texts.told(tx, "message", selected.messages),
    ]
    if erase:
        _let_go(tx, selected)
    gone = texts.take_jobs(tx, said, erase=erase) if said else Counter[str]()
    if selected.memories:
        numbers = selected.memories
        gone += texts.take_passages(tx, passages.MEMORY, numbers, erase=erase)
        gone += texts.take(tx, "memory", numbers, erase=erase, remade=remade)
    if selected.messages:
        numbers = selected.messages
        gone += _take_summaries(tx, numbers, erase=erase)
        gone += texts.take_passages(tx, passages.MESSAGE, numbers, erase=erase)
        gone += texts.take(tx, "message", numbers, erase=erase, remade=remade)
    gone += texts.take_conversations(tx, selected.conversations, selected.messages, erase=erase)
    gone += texts.take(tx, "entity", selected.entities, erase=erase)
    return gone + learned.take(tx, erase=erase, others=selected.people)


def _take_summaries(tx: Tx, messages: list[int], *, erase: bool) -> Counter[str]:
    """Count or erase the summaries made of any of these messages."""
    made = [row[0] for row in summaries.covering(tx, messages)]
    gone = texts.take_passages(tx, passages.SUMMARY, made, erase=erase)
    if erase:
        summaries.remove_covering(tx, messages)
    return gone + Counter({"summaries": len(made)})


def _let_go(tx: Tx, selected: Selection) -> None:
    """Note who may see the change, and take memories out of their chains."""
    for number in selected.memories:
        if memories.exists(tx, number):
            record = memories.by_id(tx, number)
            memories.touch(tx, record)
            status_changes.leave_chain(tx, record)
    for number in selected.messages:
        conversations.touch(tx, number)
