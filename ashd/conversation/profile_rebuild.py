"""Rebuild a profile: collect its statements, and store the new version.

The user's own text stays as it is, beside the model's. If a statement is deleted while the model
writes, the job is run again without it.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from ashd import errors
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import clean, one_line
from ashd.clock import from_micros
from ashd.conversation import profile_text
from ashd.language.instructions import instructs
from ashd.providers import structured
from ashd.providers.structured import Fault, Written
from ashd.store import chats, merges, profile_statements, profiles
from ashd.store.database import Tx
from ashd.store.profile_statements import ProfileStatement
from ashd.store.profiles import Profile
from ashd.token_estimate import estimate

_MOST_STATEMENTS: Final = 300
"""Largest number of statements that are read; if there are more, the newest."""


class Answer(msgspec.Struct, frozen=True):
    """The answer in the form that is asked for: the profile."""

    profile: str


class Draft(NamedTuple):
    """A profile before it is written anew."""

    owner: int
    accounts: tuple[int, ...]
    before: Profile | None
    statements: tuple[ProfileStatement, ...]
    whole: bool
    """Whether it is written from all statements instead of only the new ones."""

    def text(self, max_tokens: int) -> str:
        """Return the prompt for the language model."""
        own = profile_text.whole(self.before.text, "", self.before.notes) if self.before else ""
        learned = self.before.learned if self.before and not self.whole else ""
        parts = [
            f"At most {self.budget(max_tokens)} tokens.",
            *(["Written by the person:", _indented(own)] if own else []),
            *(["The profile so far:", _indented(learned)] if learned else []),
            "Said since:",
            *(
                f"- {from_micros(one.created_at):%Y-%m-%d} ({one.confidence:.2f}):"
                f" {one_line(one.statement)}"
                for one in self.statements
            ),
        ]
        return "\n".join(parts)

    def budget(self, max_tokens: int) -> int:
        """Return the tokens left for the model's part beside the user's text."""
        own = profile_text.whole(self.before.text, "", self.before.notes) if self.before else ""
        return max(max_tokens - estimate(own), 0)


def draft(tx: Tx, account: int, *, whole: bool) -> Draft | None:
    """Return the draft of a user's profile with the statements for it; None if there are none."""
    found = chats.account_by_id(tx, account)
    accounts = chats.joined_accounts(tx, found.person)
    before = profiles.newest(tx, accounts)
    after = 0 if whole else taken_until(tx, found.person, before)
    statements = profile_statements.of_accounts(tx, accounts, after=after)[-_MOST_STATEMENTS:]
    if not statements:
        return None
    return Draft(account, accounts, before, tuple(statements), whole)


def read(written: Written) -> str:
    """Return the profile that a model wrote; parts of it, such as subjects by name, are lines.

    Raises:
        Fault: there is none.
    """
    for value in map(structured.folded, structured.objects(written.text)):
        if "profile" in value:
            given = value["profile"]
            given = given.strip() if isinstance(given, str) else given
            lines = [line for line in _lines(given) if line != structured.TEXT_FORM]
            if lines or _is_blank(given):
                return "\n".join(lines)
    raise Fault("it holds no complete JSON object with `profile`")


def _lines(given: Any) -> Iterator[str]:
    """Yield the texts in a value, in order."""
    if isinstance(given, str) and given.strip():
        yield given
    elif isinstance(given, dict | list):
        for one in given.values() if isinstance(given, dict) else given:
            yield from _lines(one)


def _is_blank(given: Any) -> bool:
    """Return whether nothing stands in a value."""
    if isinstance(given, dict | list):
        return all(map(_is_blank, given.values() if isinstance(given, dict) else given))
    return given is None or (isinstance(given, str) and not given.strip())


def checked(written: str, made: Draft, max_tokens: int) -> tuple[str, int]:
    """Return a profile, cleaned and cut to the budget, and the number of orders in it.

    What tells an assistant what to do is left out: a profile is in every prompt.

    Raises:
        errors.ContentRefused: it holds a secret.
    """
    text = clean(written)
    require_no_secret(text, "profile")
    text, orders = profile_text.without(text, instructs)
    return profile_text.within(text, made.budget(max_tokens)), orders


def store(tx: Tx, made: Draft, learned: str) -> int:
    """Store the new version; return its number.

    Raises:
        errors.Conflict: the profile, its accounts or what was said changed meanwhile.
    """
    before = profiles.newest(tx, made.accounts)
    first = made.statements[0].id
    there = {one.id for one in profile_statements.of_accounts(tx, made.accounts, after=first - 1)}
    are_there = there.issuperset(one.id for one in made.statements)
    # What one account said is not the other's to read once they are parted.
    accounts = chats.joined_accounts(tx, chats.account_by_id(tx, made.owner).person)
    if not are_there or before != made.before or accounts != made.accounts:
        raise errors.Conflict("The profile changed meanwhile.")
    entry = profiles.insert(
        tx,
        owner=made.owner,
        version=before.version + 1 if before else 1,
        text=before.text if before else "",
        notes=before.notes if before else "",
        source=profiles.FROM_STATEMENTS,
        learned=learned,
        learned_until=made.statements[-1].id,
    )
    tx.touch(*(("account", number) for number in made.accounts))
    return entry.version


def waiting(tx: Tx, person: int) -> int:
    """Count a user's statements that are not in the latest version of the profile."""
    accounts = chats.joined_accounts(tx, person)
    after = taken_until(tx, person, profiles.newest(tx, accounts))
    return len(profile_statements.of_accounts(tx, accounts, after=after))


def taken_until(tx: Tx, person: int, before: Profile | None) -> int:
    """Return the last of a user's statements that a version has; 0 if it lacks one before that.

    It may, if accounts were joined since it was written: it has what one of them said.
    """
    joins = filter(merges.moved_accounts, merges.within(tx, person))
    if before is None or any(one.merged_at > before.created_at for one in joins):
        return 0
    return before.learned_until


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
