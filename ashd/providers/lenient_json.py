"""JSON as language models write it, where strict JSON fails. Pure.

Also read are Python's quotes and words, bare keys, comments, missing and additional commas, and
escapes that JSON does not know. What must always hold: nothing is completed. A value that is cut
off, or could mean several things, is an error.
"""

import json
import re
from typing import Any, Final

from ashd.providers.streamed import whole_characters

_TOKEN: Final = re.compile(
    r"""
    (?: \s++ | //[^\n]*+ | /\*.*?\*/ )*+
    (?:
        (?P<mark> [{}\[\]:,] )
        | "(?P<double> (?: [^"\\] | \\. )*+ )"
        | '(?P<single> (?: [^'\\] | \\. )*+ )'
        | (?P<word> [^\s{}\[\]:,"'/]+ )
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE: Final = re.compile(r'\\(?:u[0-9a-fA-F]{4}|.)|"', re.DOTALL)
_KNOWN: Final = frozenset('"\\/bfnrt')
_KEY: Final = re.compile(r"[^\W\d][\w-]*")
_NUMBER: Final = re.compile(r"[+-]?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?")
_WORDS: Final = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "undefined": None,
    "nan": float("nan"),
}
_MOST_DEPTH: Final = 50
_decoder: Final = json.JSONDecoder(strict=False)


class NotJson(ValueError):
    """There is no complete value."""


def decode(text: str, at: int) -> tuple[Any, int]:
    """Return the value that begins at an index of a text, and the index after it.

    Raises:
        NotJson: there is none, or it is not complete.
    """
    reading = _Reading(text, at)
    return reading.value(0), reading.at


class _Reading:
    """The tokens of a text from an index on."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at

    def _next(self) -> re.Match[str]:
        token = _TOKEN.match(self._text, self.at)
        if token is None:
            raise NotJson("no token of JSON")
        self.at = token.end()
        return token

    def value(self, depth: int, token: re.Match[str] | None = None) -> Any:
        """Read a value, after its first token perhaps.

        Raises:
            NotJson: there is none, or it is not complete.
        """
        token = token or self._next()
        if depth > _MOST_DEPTH:
            raise NotJson("nested too deep")
        if token["mark"] == "{":
            return self._object(depth)
        if token["mark"] == "[":
            return self._list(depth)
        if token["mark"] is not None:
            raise NotJson("no value")
        return _word(token["word"]) if token["word"] is not None else _string(token)

    def _object(self, depth: int) -> dict[str, Any]:
        made = {}
        while (token := self._next())["mark"] != "}":
            if token["mark"] == ",":
                continue
            key = _key(token)
            if self._next()["mark"] != ":":
                raise NotJson("a key without a value")
            made[key] = self.value(depth + 1)
        return made

    def _list(self, depth: int) -> list[Any]:
        made = []
        while (token := self._next())["mark"] != "]":
            if token["mark"] != ",":
                made.append(self.value(depth + 1, token))
        return made


def _key(token: re.Match[str]) -> str:
    if token["mark"] is not None:
        raise NotJson("no key")
    if token["word"] is None:
        return _string(token)
    if _KEY.fullmatch(token["word"]) is None:
        raise NotJson("no key")
    return token["word"]


def _word(word: str) -> Any:
    folded = word.casefold()
    if folded in _WORDS:
        return _WORDS[folded]
    if _NUMBER.fullmatch(word) is None:
        raise NotJson("no value")
    return json.loads(word.lstrip("+"))


def _string(token: re.Match[str]) -> str:
    body = token["double"] if token["double"] is not None else token["single"]
    if "\\" not in body:
        return body
    # An escape may be half of a character.
    return whole_characters(_decoder.decode(f'"{_ESCAPE.sub(_escape, body)}"'))


def _escape(hit: re.Match[str]) -> str:
    """Return an escape as JSON has it; one that it does not know is the character alone."""
    if hit[0] == '"':
        return '\\"'
    is_known = len(hit[0]) > 2 or hit[0][1] in _KNOWN
    return hit[0] if is_known else hit[0][1]
