"""English clauses that say who somebody is or is called, as patterns over a text with marks.

A mark is one private-use character for a phrase of `person_phrases`, by its form; the words between
are lower case. In the table a word in capitals stands for a part that is defined below it; `A` and
`B` are the two phrases that the clause relates, `C` the third of a succession.
"""

import enum
import re
from typing import Final, NamedTuple

from ashd.language.lazy_pattern import pattern_of
from ashd.language.person_phrases import Form, Phrase

_FIRST: Final = {
    Form.NAME: 0xE000,
    Form.HANDLE: 0xE400,
    Form.ROLE: 0xE800,
    Form.GROUP: 0xEC00,
    Form.PRONOUN: 0xF000,
}
_SELF: Final = "\uf8fe"
QUOTATION: Final = "\uf8fd"
MAX_PHRASES: Final = 0x400


def mark_of(phrase: Phrase, number: int) -> str:
    """The character that stands for the phrase of this number."""
    return _SELF if phrase.reference.is_self else chr(_FIRST[phrase.form] + number)


def number_of(mark: str) -> int | None:
    """The number of the phrase that a character stands for; None for other text."""
    is_mark = len(mark) == 1 and "\ue000" <= mark <= "\uf3ff"
    return (ord(mark) - 0xE000) % MAX_PHRASES if is_mark else None


class Kind(enum.Enum):
    """The relation of two phrases that a clause states."""

    SAME = enum.auto()
    ALIKE = enum.auto()
    """One person, if `a` has no name or the two names have a word in common."""
    ALSO = enum.auto()
    """One person, who has the name `b` besides another: a nickname, a handle."""
    SURNAME = enum.auto()
    GIVEN = enum.auto()
    """`b` is the first name of `a`."""
    DIFFERENT = enum.auto()
    DENIED = enum.auto()
    """`a` is not `b`: another person, if both have names."""
    FORMER = enum.auto()
    """`a` held the role `b` in the past."""
    ENDED = enum.auto()
    """`a` holds the role `b` no longer."""
    SUCCESSION = enum.auto()
    """`a` holds the role `b` after `c`."""
    MARRIED = enum.auto()
    MEMBERS = enum.auto()
    """Each of the names `a` holds the role of the group `b`."""


class Pattern(NamedTuple):
    """A clause and the relation it states."""

    kind: Kind
    is_apposition: bool
    """An apposition holds in a question and a condition too, and needs no clause of its own."""
    expression: re.Pattern[str]


# A kind, "~" for an apposition, and an expression; an indented line goes on the one before.
_TABLE: Final = r"""
SAME: A IS (?P<b>R|H) END
SAME: A(?: is| was|'s) (?:really|actually|in fact|none other than) NAMED_B END
ALIKE: A IS (?:an? |one )?(?:(?:PERSON|someone|somebody) (?:called|named|by the name of) )?NAMED_B
  END
ALIKE: A (?:was|used to be) ADV(?: called| known as)? NAMED_B END
FORMER: A (?:was|were) ADV (?P<b>R) END
SAME: A and (?P<b>X) (?:are|were) ADV (?:ONE_SAME|one PERSON|one and the same) END
SAME: A BE ONE_SAME as (?P<b>X) END
SAME: \b(?:by|when i say|when we say|if i say) A,? (?:i|we) mean (?P<b>X) END

DENIED: A NOT (?P<b>X) END
DIFFERENT: A NOT ONE_SAME as (?P<b>X)
DIFFERENT: A NOT the same (?P<b>N)
DIFFERENT: A and (?P<b>X) (?:aren't|weren't|are not|were not) ADV (?:ONE_SAME|one PERSON|related)
DIFFERENT: A and (?P<b>X) (?:are|were) ADV (?:(?:two )?(?:different |separate )?PEOPLE|different
  |not related|unrelated|namesakes)\b
DIFFERENT: A(?: BE|,)? (?:an? (?:different|other) PERSON (?:from|than|to)|another PERSON than
  |different from|unrelated to|not (?:related to|to be (?:confused|mixed up) with)
  |no relation (?:to|of)|(?:only )?a namesake of) (?P<b>X)
DIFFERENT~ \b(?:a different|another|a second|some other) (?P<a>(?P<b>N)) END

SAME~ (?P<a>N|R), (?P<b>R) CLOSED(?!, (?:and|or)\b)
SAME~ (?P<a>R), (?P<b>N) CLOSED(?!, (?:and|or)\b)
SAME~ (?P<a>X) ?\((?P<b>R|H)[,)]
SAME~ (?P<a>R) ?\((?P<b>N)[,)]
SAME~ (?P<a>N|R) DASH (?P<b>R) CLOSED
SAME~ (?P<a>R) DASH (?P<b>N) CLOSED

SAME: A BE CALLED NAMED_B END
ALSO~ A(?:, | ?\()OFTEN(?:CALLED|aka|alias|formerly|previously|once|(?:goes|going) by)
   NAMED_B CLOSED
SAME~ A (?:aka|alias|(?:also|better) known as|formerly|(?<=R )named) NAMED_B END
SURNAME~ A,? ?\(?(?:n[ée]e|born) NAMED_B
ALSO: A ADV (?:goes|went|going|go)(?: now| mostly| only)? (?:by|under)
  (?: (?:the|THEIR) ALIAS(?: of)?)?(?: just)? B_OR_TOKEN
ALSO: A ADV (?:answers|listens|responds) to(?: the name(?: of)?)? B_OR_TOKEN
ALSO: A ADV (?:signs|writes|posts|streams|tweets|blogs|commits|publishes|performs|sings|records
  |appears|is listed|is registered|is saved)(?: THEIR \w+)?(?: off)?
   (?:as|under the name(?: of)?) B_OR_TOKEN
ALSO: A ADV calls P NAMED_B END
ALSO: A ADV prefers(?: to be called| being called| to go by) NAMED_B
ALSO: \bWHO ADV CALLS A,? NAMED_B END
ALSO: A,? (?:that )?WHO ADV CALLS NAMED_B END
ALSO: (?P<b>NH) BE (?:what|how) WHO ADV CALLS A END
ALSO~ (?P<b>NH),? as WHO ADV CALLS A END
ALSO~ A,? ?\(?(?:or )?NAMED_B,? (?:for short|as WHO ADV CALLS P
  |to (?:THEIR|our|my|us|me)(?: \w+)?) CLOSED
SURNAME: A(?:'s)? SURNAME_NOUN(?: BE|:) NAMED_B
GIVEN: A(?:'s)? (?:first|given|christian)[ -]name(?: BE|:) NAMED_B
SAME: A(?:'s)? NAME_NOUN(?: BE|:)(?: spelled| spelt)? NAMED_B
SAME: \bthe NAME_NOUN of A BE NAMED_B
ALSO: A(?:'s)? ALIAS ON(?: BE|:) B_OR_TOKEN
ALSO: \bthe ALIAS of A ON BE B_OR_TOKEN
ALSO: A ADV (?:has|uses|used|got|chose|picked|adopted) (?:the|THEIR|a) ALIAS B_OR_TOKEN
ALSO: A ADV spells (?:P(?:'s)? (?:\w+ )?name|it) NAMED_B
SAME: (?P<b>NH) BE A(?:'s)? NAME_NOUN END
ALSO: (?P<b>NH) BE A(?:'s)? ALIAS END
ALSO: (?P<b>NH)(?: BE|,?) (?:short|(?:the|an?) (?:\w+ )?(?:form|version|nickname|diminutive|alias
  |handle|name)) (?:for|of) A END
ALSO: (?P<b>NH) (?:stands for|means|refers to) A END
ALSO: \b(?:on|in) (?:the )?(?:N|\w+),? A BE HANDLE_B
ALSO: A IS HANDLE_B on (?:N|\w+) END

ALSO: A CHANGED (?:P(?:'s)?|the) (?:first )?name (?:back )?(?:from N )?(?:in)?to NAMED_B
SURNAME: A CHANGED (?:P(?:'s)?|the) SURNAME_NOUN (?:back )?(?:from N )?to NAMED_B
SURNAME: A HAS ADV (?:took|taken|adopted|kept|uses|using|resumed) (?:back )?
  (?:P(?:'s)?|the|(?:R|N)'s) (?:\w+ )?(?:SURNAME_NOUN|name)(?: again)?(?: of)?,? NAMED_B
ALIKE: A HAS ADV (?:reverted|returned|went|gone|switched) (?:back )?to (?:being )?
  (?:P(?:'s)? (?:\w+ )?name,? )?NAMED_B
ALIKE: \bknew A as NAMED_B END

ENDED: A(?:'s| is) no longer (?P<b>R) END
ENDED: (?P<b>R)(?:'s| is) no longer (?P<a>N) END
ENDED: A NOT (?P<b>R) (?:anymore|any more|any longer)\b
ENDED: (?P<b>R) NOT (?P<a>N) (?:anymore|any more|any longer)\b
ENDED: A used to be (?P<b>R) END
ENDED: A HAS (?:stopped|quit|ceased)(?: being| to be| as| working as) (?P<b>R) END
ENDED: A HAS (?:resigned|retired|stepped down|left(?: us)?|quit|is leaving) as (?P<b>R) END
SUCCESSION: A HAS TAKEN over(?: (?:the \w+|things|everything))?(?: from (?P<c>X))? as (?P<b>R)
SUCCESSION: A HAS TAKEN (?:over as|in as|up as) (?P<b>R)(?: from (?P<c>X))?
SUCCESSION: A HAS (?:replaced|replaces|succeeded|succeeds|followed) (?P<c>X) as (?P<b>R)
SUCCESSION: (?P<c>X)(?: has been| was| is| got)(?: being)? (?:replaced|succeeded|followed)
  (?: as (?P<b>R))? by A
SUCCESSION: (?P<c>X)(?: has been| was| is| got)(?: being)? (?:replaced|succeeded|followed) by A as
   (?P<b>R)
SUCCESSION: A BE (?P<c>X)'s successor as (?P<b>R)
SUCCESSION: A HAS (?:took|taken) (?P<c>X)'s (?:place|job|role|position|post|seat) as (?P<b>R)
SUCCESSION: (?P<c>X) HAS (?:handed|passed) (?:over |it )?(?:on )?to A as (?P<b>R)

MARRIED: A HAS (?:married|wed) (?P<b>N|R) END
MARRIED: A(?: is| was| got| has been) married to (?P<b>N|R) END
MARRIED: A and (?P<b>X)(?: have| are)? (?:got |just |now )*(?:married|tied the knot) END

MEMBERS~ (?P<b>G)(?: are(?: called| named)?|,|:| \()? (?P<a>LIST)
MEMBERS: (?P<a>LIST) areADV (?P<b>G) END
"""
_ADVERBS: Final = (
    "now|also|actually|really|still|currently|officially|often|usually|mostly|simply|always|just"
    "|better|legally|commonly|generally|affectionately|sometimes|once more|again|today|too|in fact"
    "|since then|these days|nowadays|already|both|all|only|formally|jokingly|fondly"
)
# After these words the phrase before them is complete.
_FOLLOWING: Final = (
    "and|but|who|whom|which|that|so|because|since|when|while|if|as|on|in|at|for|from|to|by|with"
    "|until|before|after|again|now|too|anymore|any more|actually|then|instead|these days|nowadays"
    "|today|really|though|or|not|also|of|among|online|everywhere|there|here|officially|already"
    "|once|back"
)
_PARTS: Final = {
    "NAMED_B": r"[\"'(]*(?P<b>NH)[\"')]*",
    "B_OR_TOKEN": r"[\"'(]*(?P<b>NH|\w[\w.-]*\w(?=[\"')]*(?:$|[,;.!)]| (?:on|in|at|and|there)\b)))"
    r"[\"')]*",
    "HANDLE_B": r"[\"'(]*(?P<b>NH|(?!\w+(?:ed|ing|ive|ful|able|ible|ous|ent|ant|al|ic|less|y|er)\b)"
    r"\w[\w.-]{4,}(?=[\"')]*(?:$|[,;.!)]| on\b)))[\"')]*",
    "SURNAME_NOUN": r"(?:(?:new |old |former )?"
    r"(?:(?:maiden|birth|married|family|last)[ -]name|sur-?name))",
    "ALIAS": r"(?!(?:middle|dog|cat|company|family|last|maiden|first|given|married|birth|sur)\b)"
    r"(?:(?:\w+[ -]){0,2}?(?:nick ?name|name|handle|user ?name|nick|alias|login|gamertag"
    r"|pseudonym|screen ?name|tag|moniker))",
    "NAME_NOUN": "(?:(?:full|real|actual|whole|proper|legal|new|own) )?name",
    "ONE_SAME": r"(?:one and )?the (?:very )?same(?: PERSON)?",
    "PERSON": "(?:person|man|woman|guy|girl|boy|individual|lady)",
    "PEOPLE": "(?:people|persons|men|women|guys|individuals)",
    "CHANGED": r"(?: has| had)?(?: legally| officially)? (?:changed|changes|switched)",
    "CALLED": r"(?:called|named|nicknamed|(?:known|referred to)"
    r"(?: (?:to|by|among|around|in|at)[^,.;()]{1,30}?)? as|dubbed|christened|bapti[sz]ed|renamed)",
    "CALLS": r"(?:call|nickname|name|dub|rename|christen|bapti[sz]e)(?:s|ed|d|bed)?",
    "WHO": r"(?:we|i|you|they|P|all|people|friends|everybody|everyone|most people|X"
    r"|the (?:kids|family|children|team|whole \w+)|\w+ (?:friends|family|kids|colleagues))",
    "OFTEN": r"(?:(?:also|better|now|often|usually|commonly|affectionately) )*",
    "TAKEN": "(?:taken|took|takes|stepped|taking|steps)",
    "CLOSED": r"(?=$|[,;:.!)]| -| \u2014| \u2013)",
    "THEIR": "(?:his|her|their|P(?:'s)?)",
    "DASH": r"(?:-+|\u2014|\u2013)",
    "LIST": "N(?:, N)*,? and N",
    "HAS": r"(?: has| had|'s| is)?",
    "NOT": r"(?:(?: is| was|'s)ADV (?:not|never)| isn't| wasn't| ain't)ADV",
    "END": rf"(?=\s*(?:$|[,;:.!()\u2026-])| [\uf000-\uf3ff]| (?:{_FOLLOWING})\b)",
    "ADV": rf"(?: (?:{_ADVERBS}))*",
    "BE": r"(?:(?:'s| is| was)|(?: has|'s|'ve| have| had) been| became| has become)ADV",
    "IS": r"(?:(?:'s| is)|(?: has|'s|'ve| have| had) been| became| has become)ADV",
    "ON": r"(?: (?:on|at|in) (?:the )?(?:N|\w+))?",
    "NH": "[\ue000-\ue7ff]",
    "A": "(?P<a>X)",
    "X": "[\ue000-\uebff\uf000-\uf3ff]",
    "N": "[\ue000-\ue3ff]",
    "H": "[\ue400-\ue7ff]",
    "R": "[\ue800-\uebff]",
    "G": "[\uec00-\uefff]",
    "P": "[\uf000-\uf3ff]",
}
_PART: Final = re.compile(rf"(?:{'|'.join(sorted(_PARTS, key=len, reverse=True))})(?!<)")
# These bring the space before them, or need none.
_SPACED: Final = re.compile(" (?=(?:END|CLOSED|IS|BE|NOT|HAS|ADV|ON|CHANGED)(?![A-Z_]))")
_LINE: Final = re.compile(r"(\w+)([:~]) (.+)")


def _expanded(expression: str) -> str:
    expression = _SPACED.sub("", expression)
    while (more := _PART.sub(lambda hit: _PARTS[hit[0]], expression)) != expression:
        expression = more
    return expression


def _patterns() -> tuple[Pattern, ...]:
    lines = _TABLE.replace("\n  ", "").split("\n")
    found = [_LINE.fullmatch(line) for line in lines if line]
    return tuple(
        Pattern(Kind[hit[1]], hit[2] == "~", pattern_of(_expanded(hit[3]))) for hit in found if hit
    )


PATTERNS: Final = _patterns()
