"""Erase an account, once nothing that it owned or said is left but names and edges.

The account's row goes last: the database itself refuses that while any table still refers to it.
"""

import json
from collections import Counter
from typing import Final

import apsw

from ashd.store import account_joins, chats, erasure, merges, people
from ashd.store.chats import Account
from ashd.store.register import GONE_WITH
from ashd.store.transaction import Tx

_OTHERS_TELL: Final = (
    "select 1 from relations r where (r.source = e.id or r.target = e.id)"
    " and coalesce(r.owner, 0) <> :account and coalesce(r.stated_by, 0) <> :account"
)


def memories_of(tx: Tx, account: int) -> list[int]:
    """Return the memories that an account owns or stated."""
    return _numbers(tx, "select id from memories where owner = ?1 or stated_by = ?1", account)


def messages_of(tx: Tx, account: int) -> list[int]:
    """Return the messages of an account's own conversations, and its messages in others."""
    return _numbers(
        tx,
        "select id from messages where account = ?1 or conversation in"
        " (select id from conversations where owner = ?1)",
        account,
    )


def conversations_of(tx: Tx, account: int) -> list[int]:
    """An account's own conversations."""
    return _numbers(tx, "select id from conversations where owner = ?", account)


def entities_of(tx: Tx, account: int) -> list[int]:
    """Return the entities that an account stated and that no relation stated by others needs."""
    rows = tx.named(
        "select e.id from entities e where (e.owner = :account or e.stated_by = :account)"
        f" and not exists ({_OTHERS_TELL})",
        {"account": account},
    )
    return [row[0] for row in rows]


def rows_of(tx: Tx, account: Account) -> Counter[str]:
    """Count what `erase` would remove, apart from people."""
    with_entity = {
        table: where.replace(":numbers", ":entities")
        for table, where in GONE_WITH["entity"].items()
    }
    params = {
        "numbers": json.dumps([account.id]),
        "entities": json.dumps(entities_of(tx, account.id)),
    }
    counted = Counter({"accounts": 1})
    for table in {**with_entity, **GONE_WITH["account"]}:
        either = [where[table] for where in (with_entity, GONE_WITH["account"]) if table in where]
        sql = f"select count(*) from {table} where ({') or ('.join(either)})"
        counted[table] = tx.named(sql, params)[0][0]
    return +counted


def erase(tx: Tx, account: Account) -> Counter[str]:
    """Erase what an account stated about people and things, then the account and its own person."""
    counted: Counter[str] = Counter()
    _leave_joined(tx, account)
    _hand_over_entities(tx, account.id)
    counted += erasure.erase_rows(tx, "entity", entities_of(tx, account.id))
    counted += erasure.erase_rows(tx, "account", [account.id])
    counted += _erase_people(tx, account.id)
    counted += _erase_chats(tx, account)
    counted["accounts"] += tx.run("delete from accounts where id = ?", account.id)
    counted["people"] += merges.erase(tx, account.own_person)
    return +counted


def _hand_over_entities(tx: Tx, account: int) -> None:
    """Let the first of the others' relations own an entity that others need."""
    for column in ("owner", "stated_by"):
        tx.run_named(
            f"update entities as e set {column} = (select r.{column} from relations r"
            "   where (r.source = e.id or r.target = e.id)"
            "   and coalesce(r.owner, 0) <> :account and coalesce(r.stated_by, 0) <> :account"
            "   order by r.id limit 1)"
            f" where e.{column} = :account and exists ({_OTHERS_TELL})",
            {"account": account},
        )


def _erase_people(tx: Tx, account: int) -> Counter[str]:
    """Erase the people known from this account only; remove its name and data from all others."""
    made = _numbers(tx, "select id from people where created_by = ?", account)
    alone = _numbers(
        tx,
        "select p.id from people p where p.created_by = ?"
        " and not exists (select 1 from memory_subjects s where s.person = p.id)"
        " and not exists (select 1 from person_aliases n where n.person = p.id)"
        " and not exists (select 1 from person_relationships r where r.person = p.id)"
        " and not exists (select 1 from accounts a where a.person = p.id or a.own_person = p.id)"
        " and not exists (select 1 from entities e where e.person = p.id)"
        " and not exists (select 1 from people q where q.merged_into = p.id)",
        account,
    )
    counted = erasure.erase_people(tx, alone)
    for number in set(made) - set(alone):
        other = next(iter(people.aliases(tx, [number])), None)
        if other is not None:
            tx.run(
                "update people set name = ?, created_by = ?, learned_in = ?, sensitivity = ?,"
                " named_at = ?, said_at = ?, metadata = null where id = ?",
                *(other.value, other.added_by, other.learned_in, other.sensitivity),
                *(other.created_at, other.said_at, number),
            )
        else:  # others mention the person, by a name that only this account gave
            tx.run(
                "update people set name = 'someone', named = 0, created_by = null,"
                " learned_in = null, sensitivity = null, metadata = null where id = ?",
                number,
            )
    return counted


def _erase_chats(tx: Tx, account: Account) -> Counter[str]:
    """Erase the account's private chats, in which nothing is left."""
    gone = 0
    for number in _numbers(tx, "select id from chats where account = ?", account.id):
        try:
            with tx.savepoint():
                gone += tx.run("delete from chats where id = ?", number)
        except apsw.ConstraintError:
            # A row of somebody else (an operator) was learned there: only the chat's name is
            # removed.
            tx.run(
                "update chats set account = null, user_id = iif(user_id is null, null, ?1),"
                " chat_id = iif(chat_id is null, null, ?1) where id = ?2",
                *(f"erased-{number}", number),
            )
    return Counter({"chats": gone})


def _leave_joined(tx: Tx, account: Account) -> None:
    """Part the account from those joined with it, so that its own names go, and theirs stay."""
    joined = chats.accounts_of(tx, account.person)
    for own_person in dict.fromkeys((account.own_person, *(one.own_person for one in joined))):
        merged = merges.of_loser(tx, own_person)
        if merged is not None:
            merges.split(tx, merged)
            ones = chats.joined_accounts(tx, people.final(tx, merged.winner))
            account_joins.end(tx, ones, chats.joined_accounts(tx, merged.loser), merged.merged_at)


def erase_grants(tx: Tx, grant_ids: list[str], owner: str) -> Counter[str]:
    """Erase the rows of closed grants, and the use of the grants and their owner."""
    holders = json.dumps([*grant_ids, owner])
    return +Counter(
        {
            "jobs": tx.run(
                "delete from jobs where owner = ?1"
                " or grant_id in (select value from json_each(?2))",
                *(owner, holders),
            ),
            "usage": tx.run(
                "delete from usage where holder in (select value from json_each(?))", holders
            ),
            "grants": tx.run(
                "delete from grants where id in (select value from json_each(?))", holders
            ),
        }
    )


def _numbers(tx: Tx, sql: str, number: int) -> list[int]:
    return [row[0] for row in tx.all(sql, number)]
