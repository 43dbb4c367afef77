"""Statements for the judge, from new and stored facts, with their people by row number."""

import re
from collections.abc import Collection, Sequence

from ashd.language import own_words, tagged_words
from ashd.language.people.first_person import speaks_for_several
from ashd.memory import expiry, model
from ashd.memory.judge.statement import Statement, Trust
from ashd.store.memories import Record


def statement(
    text: str,
    *,
    subjects: Collection[int],
    stater: int | None,
    of_group: bool,
    in_first_person: bool,
    fades: bool,
    is_event: bool,
    stated_at: int,
    observed_at: int | None,
    valid_from: int | None,
    valid_until: int | None,
) -> Statement:
    """Return a new fact as a statement.

    A fact without subjects is about its speaker. In a group it is so only in the first person: "the
    offsite is on 3 June" is about nobody, and "we ship on Thursdays" about nobody or the speaker.
    """
    about, may_be_about = set(subjects), set[int]()
    if not about and stater is not None and (not of_group or in_first_person):
        if of_group and speaks_for_several(text):
            may_be_about = {stater}
        else:
            about = {stater}
    trust: Trust = "hearsay"
    if stater is None or not about:
        trust = "unknown"
    elif stater in about:
        trust = "fact"
    return Statement(
        text=text,
        subjects=frozenset(map(str, about)),
        may_be_about=frozenset(map(str, may_be_about)),
        first_person=trust,
        fades=fades,
        is_event=is_event,
        stated_at=stated_at,
        observed_at=observed_at,
        valid_from=valid_from,
        valid_until=valid_until,
    )


def statement_of(record: Record, *, to_group: bool = False) -> Statement:
    """Return a stored memory as a statement; with `to_group` as one that the group was told."""
    return statement(
        record.content,
        subjects=model.given_subjects(record),
        stater=record.stater_person,
        of_group=to_group or record.chat is not None,
        in_first_person=bool(record.first_person),
        fades=record.expires_at is not None or record.memory_type in expiry.FADES_AFTER,
        is_event=record.memory_type == "event",
        stated_at=record.created_at,
        observed_at=record.observed_at,
        valid_from=record.valid_from,
        valid_until=record.valid_until,
    )


def as_user(text: str, names: Collection[str]) -> str:
    """Return the text with "User" in place of its speaker's name, if it begins with that.

    An agent notes "Alice moved to Lyon" of what Alice said: that is the user, not another Alice.
    """
    first = next((name for name in names if text.startswith(name)), None)
    if first is None:  # the usual case, decided without a regular expression
        return text
    written = sorted((name for name in names if name[0].isupper()), key=len, reverse=True)
    if not written:
        return text
    return re.sub(rf"^(?:{'|'.join(map(re.escape, written))})\b", "User", text, count=1)


def told_alike(texts: Sequence[str]) -> list[str]:
    """Return texts that are compared, in the first person if one of them is: else as they are.

    "User lives in Ghent" was told of whoever says "I live in Bruges".
    """
    if any(own_words.speaks(tagged_words.read(text)) for text in texts):
        return list(map(own_words.in_first_person, texts))
    return list(texts)
