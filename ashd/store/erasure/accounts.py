"""Erase an account, once nothing that it owned or said is left but names and edges.

The account's row goes last: the database itself refuses that while any table still refers to it.
"""

import json
from collections import Counter
from typing import Final

from ashd.store import account_joins, chats, jobs, merges, people
from ashd.store.chats import Account
from ashd.store.dialect import text_list
from ashd.store.erasure import people as people_erasure
from ashd.store.erasure import rows
from ashd.store.erasure.register import GOES_WITH
from ashd.store.erasure.rows import Rows
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
    """Return the entities that an account stated and that no other account's relation needs."""
    found = tx.named(
        "select e.id from entities e where (e.owner = :account or e.stated_by = :account)"
        f" and not exists ({_OTHERS_TELL})",
        {"account": account},
    )
    return [row[0] for row in found]


def rows_of(tx: Tx, account: Account) -> Counter[str]:
    """Count what `erase` would remove, apart from people and chats."""
    return _take(tx, account, erase=False) + Counter({"accounts": 1})


def erase(tx: Tx, account: Account) -> Counter[str]:
    """Erase what an account stated about people and things, then the account and its own person."""
    _leave_joined(tx, account)
    _hand_over_entities(tx, account.id)
    counted = _take(tx, account, erase=True)
    counted += _erase_people(tx, account.id)
    counted += _erase_chats(tx, account)
    counted["accounts"] += tx.run("delete from accounts where id = ?", account.id)
    return counted + people_erasure.erase_record(tx, account.own_person)


def _take(tx: Tx, account: Account, *, erase: bool) -> Counter[str]:
    params = {
        "numbers": json.dumps([account.id]),
        "entities": json.dumps(entities_of(tx, account.id)),
    }
    return rows.take(tx, GOES_WITH["account"], params, erase=erase)


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
    counted = people_erasure.take(tx, alone, erase=True)
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
    """Erase the account's private chats, which are empty by now."""
    gone = 0
    for number in _numbers(tx, "select id from chats where account = ?", account.id):
        try:
            with tx.savepoint():
                gone += tx.run("delete from chats where id = ?", number)
        except tx.dialect.refused:
            # A row of somebody else (an operator) was learned there: only the chat's name is
            # removed.
            tx.run(
                "update chats set account = null,"
                " user_id = case when user_id is not null then ?1 end,"
                " chat_id = case when chat_id is not null then ?1 end where id = ?2",
                *(f"erased-{number}", number),
            )
    return Counter({"chats": gone})


def _leave_joined(tx: Tx, account: Account) -> None:
    """Part the account from the accounts joined with it: its own names are erased, theirs stay."""
    joined = chats.accounts_of(tx, account.person)
    for own_person in dict.fromkeys((account.own_person, *(one.own_person for one in joined))):
        merged = merges.of_loser(tx, own_person)
        if merged is not None:
            merges.split(tx, merged)
            ones = chats.joined_accounts(tx, people.final(tx, merged.winner))
            account_joins.end(tx, ones, chats.joined_accounts(tx, merged.loser), merged.merged_at)


_HOLDERS: Final = f"in (select value from {text_list(':holders')})"
_CALLERS: Final = (
    f"caller in (select value from {text_list(':callers')}) or caller >= :low and caller < :high"
)
_HELD: Final = (
    Rows("jobs", f"owner = :owner or grant_id {_HOLDERS}"),
    Rows("usage", f"holder {_HOLDERS}"),
    Rows("grants", f"id {_HOLDERS}"),
    Rows("idempotency", _CALLERS),
    Rows("replies", _CALLERS),
)


def group_jobs(tx: Tx, owner: str) -> list[tuple[int, str, str]]:
    """Return an owner's jobs that are to read a group, each with the group's provider and id."""
    rows = tx.all(
        "select j.id, h.provider, h.chat_id from jobs j join conversations c"
        " on j.key in ('extract_facts/' || cast(c.id as text), 'summarise/' || c.uuid)"
        " join chats h on h.id = c.chat"
        " where j.owner = ? and j.state <> 'done' and c.learned_type = 'group'",
        owner,
    )
    return [(row[0], row[1], row[2]) for row in rows]


def hand_over_job(tx: Tx, number: int, owner: str) -> None:
    """Give a job to another owner, so that it stays."""
    tx.run("update jobs set owner = ? where id = ?", owner, number)


def erase_grants(tx: Tx, grant_ids: list[str], owner: str, callers: str) -> Counter[str]:
    """Erase closed grants, their and their owner's use, and the idempotency keys of their calls.

    `callers` is the beginning of the names of those who call for the owner (`Call.key_space`).
    """
    params = {
        "owner": owner,
        "holders": json.dumps([*grant_ids, owner]),
        "callers": json.dumps([f"grant:{grant_id}" for grant_id in grant_ids]),
        "low": callers,
        "high": callers[:-1] + chr(ord(callers[-1]) + 1),
    }
    counted = rows.take(tx, _HELD, params, erase=True)
    if counted["jobs"]:
        jobs.move_up_bereft(tx)
    return counted


def _numbers(tx: Tx, sql: str, number: int) -> list[int]:
    return [row[0] for row in tx.all(sql, number)]
