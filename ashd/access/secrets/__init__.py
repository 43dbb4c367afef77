"""Secrets are refused at every entry, even on request (row A9 of the features).

Owns the one question "is there a secret in this?". What must always hold: the answer is a kind,
never the value; it is a pure function of the text; its time grows with the length of the text.
python-stdnum checks the digits and structures of cards and IBANs, and mnemonic has the words of
seed phrases. The shapes of tokens and the grammar of prose are here, because detectors made for
source code know neither today's AI providers nor sentences.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ashd.access.secrets.access_codes import find_code
from ashd.access.secrets.account_numbers import find_card, find_iban, find_ssn
from ashd.access.secrets.called_values import find_called
from ashd.access.secrets.commands import find_command_password, find_near_password
from ashd.access.secrets.credential_records import find_record
from ashd.access.secrets.described_values import find_described
from ashd.access.secrets.disguised import answered, decoded, in_digits, ungrouped, unspelled
from ashd.access.secrets.entry_acts import find_entry_act
from ashd.access.secrets.generated_values import find_generated
from ashd.access.secrets.key_formats import (
    find_jwt,
    find_one_time_seed,
    find_password_hash,
    find_private_key,
    find_seed_phrase,
    find_url,
)
from ashd.access.secrets.named_values import find_key, find_pin
from ashd.access.secrets.normalisation import Reading, joined, read
from ashd.access.secrets.product_keys import find_product_key
from ashd.access.secrets.security_answers import find_answer
from ashd.access.secrets.spoken_passwords import find_password
from ashd.access.secrets.token_formats import find_marked_key, find_token
from ashd.errors import ContentRefused

__all__ = ["find_secret", "require_no_secret"]

Rule = Callable[[Reading], str | None]

# The most specific kinds come first.
_FORMATS = (find_private_key, find_token, find_jwt)
_RULES = (
    find_marked_key,
    find_url,
    find_one_time_seed,
    find_password_hash,
    find_product_key,
    find_record,
    find_card,
    find_iban,
    find_ssn,
    find_pin,
    find_code,
    find_key,
    find_password,
    find_answer,
    find_described,
    find_generated,
    find_called,
    find_command_password,
    find_near_password,
    find_entry_act,
    find_seed_phrase,
)


# Other forms of a text, and the rules for a secret in each.
_DISGUISES: tuple[tuple[Callable[[Reading], Reading | None], tuple[Rule, ...]], ...] = (
    (ungrouped, (*_FORMATS, find_key)),
    (unspelled, (find_password, find_pin, find_code)),
    (in_digits, (find_pin, find_code, find_entry_act)),
    (answered, (find_pin, find_code, find_key, find_password)),
)


def find_secret(text: str) -> str | None:
    """Return the kind of a secret in `text` ("password", "openai_api_key", "iban", …), or None.

    If there are several secrets, returns the most specific kind; never the value.
    """
    reading = read(text)
    # A format is recognised across line breaks too, and in base64.
    lines = [each for each in (reading, joined(reading)) if each is not None]
    plain = [each for each in map(decoded, lines) if each is not None]
    if kind := _first(_FORMATS, [*lines, *plain]) or _first(_RULES, [reading]):
        return kind
    if kind := _first(_RULES, plain):
        return kind
    for disguise, rules in _DISGUISES:
        if (form := disguise(reading)) and (kind := _first(rules, [form])):
            return kind
    return None


def _first(rules: Iterable[Rule], readings: Sequence[Reading]) -> str | None:
    """Return the kind that the first matching rule finds in one of the readings."""
    for rule in rules:
        for reading in readings:
            if kind := rule(reading):
                return kind
    return None


def require_no_secret(value: Any, field: str) -> None:
    """Raise if any string or number in `value` (JSON as Python has it) is a secret.

    Raises:
        ContentRefused: with `secret_kind` and `field` in its data.
    """
    if kind := _find_deep(value, ""):
        said = kind.replace("_", " ")
        raise ContentRefused(
            f"{field} seems to hold a secret ({said}); secrets are never stored.",
            secret_kind=kind,
            field=field,
        )


def _find_deep(value: Any, name: str) -> str | None:
    """Return the kind of a secret in `value`, which has the key `name` ("" for none)."""
    if isinstance(value, dict):
        for key, item in value.items():
            if kind := find_secret(str(key)) or _find_deep(item, str(key)):
                return kind
    elif isinstance(value, list | tuple):
        for item in value:
            if kind := _find_deep(item, name):
                return kind
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        return find_secret(str(value)) or (find_secret(f"{name}: {value}") if name else None)
    return None
