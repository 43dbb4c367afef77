"""Links between memories of one scope: the later memory repeats, or may replace, the earlier one.

A link of the kind `both` records a decision that both memories hold: no other link takes its place.
"""

import json
from collections.abc import Collection
from typing import Final, Literal, NamedTuple

from ashd.store import visibility
from ashd.store.database import Tx

_REPETITIONS: Final = 100
"""The most repetitions of a memory that are read."""

Kind = Literal["repeats", "may_replace", "both"]


class Link(NamedTuple):
    """A link between two active memories, as row numbers.

    `likelihood` is that of a replacement; None until an older link is judged again.
    """

    newer: int
    older: int
    kind: Kind
    likelihood: float | None = None

    @property
    def chance(self) -> float:
        """Return the likelihood of a replacement; even odds until it is judged again."""
        return 0.5 if self.likelihood is None else self.likelihood


LEFT_OPEN: Final = "left_open"
"""The reason of an event: somebody left open whether the memory is replaced."""

_COLUMNS: Final = "l.newer, l.older, l.kind, l.likelihood"


def add(tx: Tx, newer: int, older: int, kind: Kind, likelihood: float | None = None) -> None:
    """Link a memory to an earlier one, unless it is settled that both hold."""
    tx.send(
        "insert into memory_links (newer, older, kind, likelihood) values (?, ?, ?, ?)"
        " on conflict (newer, older) do update set kind = excluded.kind,"
        " likelihood = excluded.likelihood where memory_links.kind <> 'both'",
        *(newer, older, kind, likelihood),
    )


def keep_likeliest(tx: Tx, newer: int, most: int) -> None:
    """Remove the conflicts of a memory with earlier ones beyond the likeliest."""
    tx.send(
        "delete from memory_links where newer = ?1 and kind = 'may_replace' and older not in"
        " (select older from memory_links where newer = ?1 and kind = 'may_replace'"
        "  order by likelihood desc nulls last, older desc limit ?2)",
        *(newer, most),
    )


def remove(tx: Tx, newer: int, older: int) -> None:
    """Remove the link between two memories, if there is one."""
    tx.run("delete from memory_links where newer = ? and older = ?", newer, older)


def part(tx: Tx, owners: Collection[int], accounts: Collection[int]) -> None:
    """Forget that memories of some accounts repeat, or may replace, memories of others.

    Removes the links and two kinds of events: those of the moment in which a memory of the others
    was stored, and those of a memory that was linked only to memories of others.
    """
    params = {"ones": json.dumps(list(owners)), "others": json.dumps(list(accounts))}
    own, theirs = (
        f"(select {{0}} from memories where owner in (select value from json_each({name})))"
        for name in (":ones", ":others")
    )
    across = f"newer in {theirs.format('id')} and older in {own.format('id')}"
    tx.run_named(
        f"delete from memory_events where memory in {own.format('id')}"
        f" and at in {theirs.format('created_at')} and at not in {own.format('created_at')}",
        params,
    )
    tx.run_named(
        "delete from memory_events where event in ('repeated', 'may_be_replaced')"
        f" and memory in (select older from memory_links where {across})"
        " and memory not in (select older from memory_links where"
        f" older in {own.format('id')} and newer in {own.format('id')})",
        params,
    )
    tx.run_named(f"delete from memory_links where {across}", params)


def among(tx: Tx, numbers: Collection[int]) -> list[Link]:
    """Return the links between any two of these memories.

    A memory has few links, so only `newer` is looked up (`+` keeps the index from `older`): looking
    up both would try every pair of the memories.
    """
    if not numbers:
        return []
    rows = tx.named(
        f"select {_COLUMNS} from memory_links l"
        " where kind <> 'both' and newer in (select value from json_each(:numbers))"
        " and +older in (select value from json_each(:numbers))",
        {"numbers": json.dumps(list(numbers))},
    )
    return [Link(*row) for row in rows]


def repetitions_of(tx: Tx, number: int) -> set[int]:
    """Return a memory and those that repeat it, or one another, directly or not."""
    rows = tx.named(
        "with recursive said (id) as (select cast(:number as bigint) union"
        " select case l.newer when said.id then l.older else l.newer end from said"
        " join memory_links l on (l.newer = said.id or l.older = said.id) and l.kind = 'repeats')"
        " select id from said limit :most",
        {"number": number, "most": _REPETITIONS},
    )
    return {row[0] for row in rows}


def older_than(tx: Tx, number: int) -> list[Link]:
    """The links of a memory to earlier ones that are still active."""
    return tx.until_written(("links", number), lambda: _older_than(tx, number))


def _older_than(tx: Tx, number: int) -> list[Link]:
    rows = tx.named(
        f"select {_COLUMNS} from memory_links l join memories m on m.id = l.older"
        f" where l.newer = :number and l.kind <> 'both' and {visibility.in_states()}"
        " order by l.older desc",
        {"number": number, "now": tx.now},
    )
    return [Link(*row) for row in rows]


def know_none(tx: Tx, number: int) -> None:
    """Ask for no links of a memory that is new and was linked to none, until a row is written."""
    tx.until_written(("links", number), list)
    tx.until_written(("conflicts", frozenset((number,))), list)


def settled_by(tx: Tx, newer: int) -> set[int]:
    """Return the earlier memories that hold besides this memory, as somebody decided."""
    rows = tx.all("select older from memory_links where newer = ? and kind = 'both'", newer)
    return {row[0] for row in rows}


def left_open(tx: Tx, newer: int) -> set[int]:
    """Return the earlier memories that conflict with this memory, as somebody said."""
    rows = tx.all(
        "select l.older from memory_links l where l.newer = ?1 and l.kind = 'may_replace'"
        " and exists (select 1 from memory_events e where e.memory = l.older and e.newer = l.newer"
        "  and e.reason = ?2)",
        *(newer, LEFT_OPEN),
    )
    return {row[0] for row in rows}


def conflicts_of(tx: Tx, numbers: Collection[int]) -> list[Link]:
    """Return the conflicts of memories with other active ones, likeliest first."""
    wanted = frozenset(numbers)
    if not wanted:
        return []
    return tx.until_written(("conflicts", wanted), lambda: _conflicts_of(tx, wanted))


def _conflicts_of(tx: Tx, numbers: Collection[int]) -> list[Link]:
    rows = tx.named(
        f"select {_COLUMNS} from json_each(:numbers) wanted cross join memory_links l"
        " on l.newer = wanted.value join memories m on m.id = l.older"
        f" where l.kind = 'may_replace' and {visibility.in_states()}"
        f" union select {_COLUMNS} from json_each(:numbers) wanted cross join memory_links l"
        " on l.older = wanted.value join memories m on m.id = l.newer"
        f" where l.kind = 'may_replace' and {visibility.in_states()}"
        " order by 4 desc nulls last, 1 desc, 2 desc",
        {"numbers": json.dumps(list(numbers)), "now": tx.now},
    )
    return [Link(*row) for row in rows]


# Memories that wait to be judged ----------------------------------------------------------------


class ToJudge(NamedTuple):
    """A memory to be judged, perhaps only against the memories of its owner's other accounts."""

    memory: int
    across_accounts: bool


def judge_later(tx: Tx, number: int) -> None:
    """Mark a memory to be judged once it has its vectors."""
    tx.send(
        "insert into memories_to_judge (memory, across_accounts) values (?, 0)"
        " on conflict (memory) do update set across_accounts = 0",
        number,
    )


def judge_across_accounts(tx: Tx, accounts: Collection[int], most_chars: int) -> None:
    """Mark private memories of joined accounts to be judged against the other accounts'."""
    tx.named(
        "insert into memories_to_judge (memory, across_accounts)"
        " select m.id, 1 from memories m"
        " where m.owner in (select value from json_each(:accounts))"
        " and m.learned_type = 'private'"
        f" and length(m.content) <= :most and {visibility.in_states()}"
        " on conflict do nothing",
        {"accounts": json.dumps(list(accounts)), "most": most_chars, "now": tx.now},
    )


def ready_to_judge(tx: Tx, embedding_set: int | None, limit: int) -> list[ToJudge]:
    """Return the first memories that wait to be judged and have their vectors, if they get any.

    Of those to be judged across accounts the newest come first: each is offered what is likeliest
    for itself before it is judged beside a neighbour.
    """
    rows = tx.all(
        "select j.memory, j.across_accounts from memories_to_judge j where not exists"
        " (select 1 from embedding_queue q join passages p on p.id = q.passage"
        "  where q.embedding_set = ? and p.kind = 0 and p.item = j.memory)"
        " order by j.across_accounts,"
        " case j.across_accounts when 0 then j.memory else -j.memory end limit ?",
        *(embedding_set, limit),
    )
    return [ToJudge(memory, bool(across)) for memory, across in rows]


def unjudged(tx: Tx, numbers: Collection[int]) -> set[int]:
    """Return those active memories that are still to be judged against their own account's."""
    rows = tx.named(
        "select m.id from json_each(:numbers) wanted cross join memories m on m.id = wanted.value"
        " join memories_to_judge j on j.memory = m.id and j.across_accounts = 0"
        f" where {visibility.in_states()}",
        {"numbers": json.dumps(list(numbers)), "now": tx.now},
    )
    return {row[0] for row in rows}


def judged(tx: Tx, numbers: Collection[int]) -> None:
    """Unmark memories that were judged."""
    tx.run(
        "delete from memories_to_judge where memory in (select value from json_each(?))",
        json.dumps(list(numbers)),
    )
