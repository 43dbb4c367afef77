"""The disclosure policy as SQL: the same rules as `access.disclosure`, inside the queries.

A condition on a row `m` of `memories`, for a viewer whose numbers `parameters` gives. A property
test holds both forms together.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple


@dataclass(frozen=True, slots=True)
class Viewer:
    """The asker (`accounts` are joined to one person) and the audience of the answer."""

    everything: bool
    """Whether an operator asked for all scopes (rule 1)."""
    account: int | None
    """The asking account itself; a group grant may have none."""
    accounts: tuple[int, ...]
    persons: tuple[int, ...]
    """The asker's own person, as a tuple of at most one."""
    chat: int | None
    """The chat of the question; None for a chat in which nothing was ever said."""
    group: bool
    audience: tuple[int, ...]
    """The accounts that take part in the group now; in a private chat the asker's."""
    audience_persons: tuple[int, ...]
    audience_known: bool
    """False if the audience includes somebody unknown, whose presence in the past is unknown too.
    """
    project: str | None = None
    """The project of the question; `EVERY_PROJECT` for all of them."""


EVERY_PROJECT: Final = "*"


def in_project(row: str) -> str:
    """Return the condition that a row is of the viewer's project, or of none."""
    return (
        f"({row}.project is null or {row}.project is not distinct from :project"
        f" or :project is not distinct from '{EVERY_PROJECT}')"
    )


ASKERS: Final = "(select value from json_each(:accounts))"
_PUBLIC: Final = "coalesce(m.sensitivity, 'public') = 'public'"
_OWN: Final = f"(m.owner in {ASKERS} or m.stated_by in {ASKERS})"


def _present(accounts: str) -> str:
    return (
        "select count(distinct p.account) from participations p where p.chat = m.learned_in"
        f" and p.account in (select value from json_each({accounts}))"
        " and p.joined_at <= m.said_at and (p.left_at is null or p.left_at > m.said_at)"
    )


def _about(persons: str) -> str:
    """The condition that the caller named one of the people; reading names opens nothing."""
    return (
        "exists (select 1 from memory_subjects s where s.memory = m.id and s.is_read = 0"
        f" and s.person in (select value from json_each({persons})))"
    )


def _nobody(_persons: str) -> str:
    return "false"


def _in_private(about: Callable[[str], str]) -> str:
    return f"""(m.learned_in is not null and (
    (m.learned_type in ('private', 'group') and {_OWN})
    or (m.learned_type = 'group' and (
        (({_present(":accounts")}) > 0
            and ({_PUBLIC} or m.sensitivity = 'personal' or {about(":persons")}))
        or ({_PUBLIC} and m.portable = 1 and {about(":persons")})))))"""


def _in_group(about: Callable[[str], str]) -> str:
    return f"""(m.learned_type = 'group' and m.learned_in is not null and (
    case when m.learned_in = :chat
    then {_PUBLIC} or (m.sensitivity = 'personal' and :audience_known = 1
        and ({_present(":audience")}) = json_array_length(:audience))
    else {_PUBLIC} and m.portable = 1 and ({_OWN} or {about(":audience_persons")})
    end))"""


_IN_PRIVATE: Final = _in_private(_about)
_IN_GROUP: Final = _in_group(_about)
_STATED_IN_PRIVATE: Final = _in_private(_nobody)
_STATED_IN_GROUP: Final = _in_group(_nobody)


# A turn has no label: it counts as personal, and never leaves its chat for another group.
_HEARD_AT: Final = "min(t.said_at, t.created_at)"  # none is heard in the future
_TURN_PRESENT: Final = (
    "select count(distinct p.account) from participations p where p.chat = c.chat"
    " and p.account in (select value from json_each({accounts}))"
    f" and p.joined_at <= {_HEARD_AT} and (p.left_at is null or p.left_at > {_HEARD_AT})"
)
_TURN_IN_PRIVATE: Final = f"""(
    (c.learned_type in ('private', 'group') and c.owner in {ASKERS})
    or (c.learned_type = 'group' and (t.account in {ASKERS}
        or ({_TURN_PRESENT.format(accounts=":accounts")}) > 0)))"""
_TURN_IN_GROUP: Final = f"""(c.learned_type = 'group' and c.chat = :chat and :audience_known = 1
    and ({_TURN_PRESENT.format(accounts=":audience")}) = json_array_length(:audience))"""


def turn_condition(viewer: Viewer) -> str:
    """The SQL condition on a message `t` of a conversation `c` under which a viewer may see it."""
    if viewer.everything:
        return "true"
    return f"({_TURN_IN_GROUP if viewer.group else _TURN_IN_PRIVATE} and {in_project('t')})"


SUMMARISED_ROLES: Final = ("user", "assistant")
"""The roles of the messages that a summary is made of."""


def source_messages(condition: str) -> str:
    """Return SQL to count the source messages of a summary `s` of `c` that meet a condition."""
    return (
        "(select count(*) from messages t where t.conversation = s.conversation"
        " and t.position between s.first_position and s.last_position"
        f" and t.role in {SUMMARISED_ROLES} and {condition})"
    )


def summary_condition(viewer: Viewer) -> str:
    """Return the condition on a summary `s` of `c`: every turn of it may be seen (C5).

    A deleted turn cannot be seen, so a summary never outlives its source.
    """
    if viewer.everything:
        return "true"
    return f"{source_messages(turn_condition(viewer))} = s.messages"


_ASKERS_CHATS: Final = f"(select chat from participations where account in {ASKERS})"


def _all_of(table: str) -> str:
    """Return a query for every `id` above `:after`, by an index, which is smaller than the rows."""
    return (
        f"select id from {table} where :after = 0"
        f" union all select id from {table} where :after > 0 and id > :after"
    )


def reach(viewer: Viewer) -> str:
    """Return a query for the `id` of every memory above `:after` that `condition` may let through.

    It uses indexes only, so that a viewer does not wait for what all others have stored.
    """
    newer = "select id from memories where id > :after"
    if viewer.everything:
        return _all_of("memories")
    chats, persons = (
        ("(:chat)", ":audience_persons") if viewer.group else (_ASKERS_CHATS, ":persons")
    )
    return (
        f"{newer} and owner in {ASKERS} union {newer} and stated_by in {ASKERS}"
        f" union {newer} and learned_in in {chats}"
        " union select memory from memory_subjects where memory > :after"
        f" and person in (select value from json_each({persons}))"
    )


def conversation_reach(viewer: Viewer) -> str:
    """Return the query of `reach` for conversations with a message that passes `turn_condition`."""
    if viewer.everything:
        return "select id from conversations"
    if viewer.group:
        return "select id from conversations where chat = :chat"
    return (
        f"select id from conversations where owner in {ASKERS}"
        f" union select id from conversations where chat in {_ASKERS_CHATS}"
        f" union select conversation from messages where account in {ASKERS}"
    )


def turn_reach(viewer: Viewer) -> str:
    """Return the query of `reach` for messages that may pass `turn_condition`."""
    newer = "select id from messages where id > :after"
    if viewer.everything:
        return _all_of("messages")
    if viewer.group:
        return f"{newer} and conversation in (select id from conversations where chat = :chat)"
    return (
        f"{newer} and conversation in (select id from conversations where owner in {ASKERS}"
        f" union select id from conversations where chat in {_ASKERS_CHATS})"
        f" union {newer} and account in {ASKERS}"
    )


def summary_reach(viewer: Viewer) -> str:
    """Return the query of `reach` for summaries that may pass `summary_condition`."""
    newer = "select id from summaries where id > :after"
    if viewer.everything:
        return _all_of("summaries")
    return f"{newer} and conversation in ({conversation_reach(viewer)})"


def condition(viewer: Viewer) -> str:
    """Return the SQL condition on `m` under which the reader may see a memory."""
    if viewer.everything:
        return "true"
    return f"({_IN_GROUP if viewer.group else _IN_PRIVATE} and {in_project('m')})"


def stated_condition(viewer: Viewer) -> str:
    """Return the condition on a row `m` that was stated like a memory, but is about nobody (C5)."""
    if viewer.everything:
        return "true"
    stated = _STATED_IN_GROUP if viewer.group else _STATED_IN_PRIVATE
    return f"({stated} and {in_project('m')})"


def parameters(viewer: Viewer) -> dict[str, Any]:
    """Return the named parameters of `condition`."""
    return {
        "accounts": json.dumps(viewer.accounts),
        "persons": json.dumps(viewer.persons),
        "chat": viewer.chat,
        "audience": json.dumps(viewer.audience),
        "audience_persons": json.dumps(viewer.audience_persons),
        "audience_known": viewer.audience_known,
        "project": viewer.project,
    }


State = Literal["active", "superseded", "expired", "archived"]
# A superseded memory that the clean-up archived stays in the history of its chain (A12), and is
# active for whoever may not read what superseded it.
_THERE: Final = "(m.archived_at is null or m.archive_reason = 'superseded')"
_ONLY: Final[dict[State, str]] = {
    "active": f"{_THERE} and m.ends_at > :now",
    "superseded": f"{_THERE} and m.ends_at > :now",
    "expired": f"{_THERE} and m.ends_at <= :now",
    "archived": "m.archived_at is not null and m.archive_reason <> 'superseded'",
}
"""Each memory is in one state, if it is also known whether it is superseded; one that has expired
since is expired.
"""


class States(NamedTuple):
    """The states to include besides active memories; or `only` one state."""

    superseded: bool = False
    expired: bool = False
    archived: bool = False
    only: State | None = None

    @property
    def are_superseded(self) -> bool | None:
        """Whether the memories in these states are superseded; None if that is irrelevant."""
        if self.only is not None:
            return {"active": False, "superseded": True}.get(self.only)
        return None if self.superseded else False


ACTIVE: Final = States()
_SUPERSEDED: Final = {
    None: "true",
    True: "m.superseded_until > :now",
    False: "m.superseded_until <= :now",
}


def in_states(states: States = ACTIVE, *, doubtful: str = "false") -> str:
    """Return the condition on `m` for its state now (`:now`), for a reader of everything.

    For any other, rows under the condition `doubtful` are let through whether superseded or not
    (`store.chains`).
    """
    superseded = f"({_SUPERSEDED[states.are_superseded]} or {doubtful})"
    if states.only is not None:
        return f"{_ONLY[states.only]} and {superseded}"
    parts = [superseded]
    if not states.archived:
        parts.append(_THERE)
    if not states.expired:
        parts.append("m.ends_at > :now")
    return " and ".join(parts)
