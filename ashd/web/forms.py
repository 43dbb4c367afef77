"""Forms as handlers get them: fields by name, after the form token was checked."""

import hmac
from typing import Final
from urllib.parse import parse_qs

from starlette.requests import Request

from ashd.web.problems import Problem
from ashd.web.sessions import Session

_MOST_FIELDS: Final = 2_000
_MOST_DIGITS: Final = 9


class Form:
    """The fields of a form that was posted."""

    def __init__(self, fields: dict[str, list[str]]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """Return a field without the white space around it; an absent one is empty."""
        return self._fields.get(name, [""])[-1].strip()

    def optional(self, name: str) -> str | None:
        """Return a field; None if it is absent or empty."""
        return self.text(name) or None

    def every(self, name: str) -> list[str]:
        """Return all values of a field, such as the selected rows of a table."""
        return self._fields.get(name, [])

    def words(self, name: str) -> list[str] | None:
        """Return the comma-separated values of a field; None if there are none."""
        return [part.strip() for part in self.text(name).split(",") if part.strip()] or None

    def number(self, name: str) -> int | None:
        """Return a field as a whole number; None if it is empty.

        Raises:
            Problem: it is none.
        """
        text = self.optional(name)
        if text is None:
            return None
        try:
            return int(text)
        except ValueError:
            raise Problem(400, f"{name} is no whole number.", "Go back and correct it.") from None

    def has(self, name: str) -> bool:
        """Return whether a field was in the form, empty or not, or a checkbox was checked."""
        return name in self._fields


async def read(request: Request) -> Form:
    """Return the form in a request's body, without checking any token.

    Raises:
        Problem: it is no form.
    """
    try:
        body = (await request.body()).decode()
        fields = parse_qs(
            body, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise Problem(400, "This form cannot be read.", "Go back and send it again.") from None
    return Form({name: [_unix(one) for one in values] for name, values in fields.items()})


def check_token(form: Form, session: Session) -> None:
    """Check that a form was made by this session.

    Raises:
        Problem: it was not.
    """
    if not hmac.compare_digest(form.text("token").encode(), session.form_token.encode()):
        raise Problem(
            403, "This form is not from this session.", "Open the page again and repeat the change."
        )


def query_number(request: Request, name: str) -> int | None:
    """Return a number of the address's query; None if it is absent.

    Raises:
        Problem: it is none.
    """
    given = request.query_params.get(name)
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= _MOST_DIGITS):
        raise Problem(400, f"{name} is no number in this address.", "Go back and follow a link.")
    return int(given)


def _unix(text: str) -> str:
    """Return a field with the line ends that the browser's form has changed."""
    return text.replace("\r\n", "\n")
