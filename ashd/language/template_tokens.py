"""Take apart what a language model reads as structure: template tokens, tags of roles, our fence.

A chat template marks turns by tokens such as `<|im_start|>`, `[INST]` or a line that begins with
`Human:`. Stored text may hold them, perhaps to mislead. Each gets a space where it is recognised,
so that it is text, and as readable as before. A form is folded to a skeleton of plain letters
before it is compared: look-alike signs and letters of other scripts, marks, capitals and spaces
make no difference. Pure and idempotent, in time that grows with the length of the text.
"""

import unicodedata
from typing import Final

_ANGLES: Final = frozenset("<\ufe64\uff1c\u2039\u2329\u27e8\u3008\u276e\u1438\u02c2")
_SQUARES: Final = frozenset("[\uff3b\u3010\u3014\u27e6")
_STROKES: Final = frozenset("/\\\u2044\u2215\uff0f\u29f8")
_BARS: Final = frozenset("|\uff5c\u01c0\u2223\u2758\u2502\u00a6")
_COLONS: Final = frozenset(":\uff1a\ufe55\ufe13\u2236\ua789")
_JOINERS: Final = frozenset("_-\u2581\u2010\u2011.")
_ENDINGS: Final = frozenset(
    ">\uff1e\u203a\u232a\u27e9\u3009\u276f\u1433\u02c3/=:|]\uff3d\u3011\u3015\u27e7"
)

_FENCE: Final = "memory"
_TAGS: Final = frozenset(
    {
        *("system", "user", "assistant", "human", "developer", "model", "think", "thinking"),
        *("tool", "tools", "toolcall", "toolcalls", "tooluse", "toolresult", "toolresults"),
        *("tooloutput", "toolresponse", "functioncall", "functioncalls", "functionresult"),
        *("functionresults", "functionresponse", "invoke", "antml", "instruction", "instructions"),
        *("systemprompt", "systemreminder", "systemmessage", "usermessage", "userquery", "turn"),
        *("startofturn", "endofturn", "startoftext", "endoftext", "startofimage", "endofimage"),
        *("imstart", "imend", "imsep", "bos", "eos", "pad", "unk", "s", "sys", "inst", "sep"),
        *("eot", "eotid", "hookcontext", "untrustedcontext"),
    }
)
"""Words of tags, folded, that templates and hosts of agents use."""
_COMMANDS: Final = frozenset(
    {
        *("inst", "sysprompt", "systemprompt", "availabletools", "toolcalls", "toolresults"),
        *("toolcontent", "sys"),
    }
)
"""The same between square brackets."""
_ROLES: Final = frozenset({"human", "assistant", "system", "user"})
"""Words that begin a turn, at the start of a line before a colon."""
_MARKUP: Final = " \t>*#-\u2022_`\"'"
"""Signs that may stand around such a word."""
_MOST_CHARS: Final = 48
"""The length of a form, with marks and spaces in it."""
_LETTERS: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0458\u0455\u043c\u0442\u043a\u043d\u0501\u04bb"
    "\u03b1\u03b5\u03bf\u03c1\u03c5\u03b9\u03ba\u03bd\u03c4\u03c7\u03bc\u03b7\u0280\u1d0d\u1d07\u1d0f"
    "\u028f\u04af\u0131\u0261\u0251\u1d1b\u1d00\u0299\u1d04\u1d05\u0262\u029c\u026a\u1d0a\u1d0b\u029f"
    "\u0274\u1d18\ua731\u1d1c\u1d20\u1d21\u1d22",
    "aeopcxyijsmtkhdhaeopuikvtxunrmeoyyigatabcdghijklnpsuvwz",
)
"""Letters of other scripts, in lower case, that look like a Latin one."""
_IN_ITALICS: Final = str.maketrans("tp\u0433\u03b3g", "mrryy")
"""What other letters look like in another hand: in the fence's word either reading counts."""


def defuse(text: str) -> str:
    """Return a text in which nothing is read as the structure of a prompt."""
    return "\n".join(_role_apart(_tags_apart(line)) for line in text.split("\n"))


def _tags_apart(line: str) -> str:
    """Return a line in which no tag or token is read as one; it may begin with any word."""
    made, done = [], 0
    for at, char in enumerate(line):
        if at < done or (char not in _ANGLES and char not in _SQUARES):
            continue
        start = at + 1
        while start < len(line) and (line[start].isspace() or line[start] in _STROKES):
            start += 1
        if _is_form(char, line, start):
            strokes = "".join(line[at + 1 : start].split())
            made += [line[done : at + 1], strokes, " "]
            done = start
    return "".join(made) + line[done:]


def _is_form(opening: str, line: str, start: int) -> bool:
    """Return whether what follows an opening sign, and its strokes, is a form of a template's."""
    following = line[start : start + _MOST_CHARS]
    if opening in _ANGLES and following[:1] and following[0] in _BARS:
        return any(char in _BARS for char in following[1:])
    word, ending = _folded(following)
    if opening in _SQUARES:
        return word in _COMMANDS and ending in _ENDINGS
    reads_as_fence = word.translate(_IN_ITALICS).startswith(_FENCE.translate(_IN_ITALICS))
    if reads_as_fence or (word in _TAGS and (ending in _ENDINGS or not ending)):
        return True
    first = _folded(following.partition(" ")[0])[0]
    return ending == "=" and first in _TAGS


def _role_apart(line: str) -> str:
    """Return a line that does not begin a turn: with a space before the colon of a role."""
    head = line[: len(line) - len(line.lstrip(_MARKUP)) + _MOST_CHARS]
    colon = next((at for at, char in enumerate(head) if char in _COLONS), 0)
    if not colon or line[colon - 1].isspace():
        return line
    word, ending = _folded(line[:colon].strip(_MARKUP))
    return f"{line[:colon]} {line[colon:]}" if word in _ROLES and not ending else line


def _folded(text: str) -> tuple[str, str]:
    """Return the letters at the beginning of a text, as plain ones, and the sign that ends them."""
    letters: list[str] = []
    for char in text:
        if char.isspace() or char in _JOINERS or unicodedata.combining(char):
            continue
        plain = unicodedata.normalize("NFKD", char).casefold().translate(_LETTERS)
        bare = "".join(one for one in plain if not unicodedata.combining(one))
        if not bare.isalnum():
            if unicodedata.category(char) == "Cf" or not bare:
                continue
            return "".join(letters), char
        letters.append(bare)
    return "".join(letters), ""
