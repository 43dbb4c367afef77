"""English clauses that say who somebody is or is called: a table of regular expressions.

They are matched against a text with marks: a mark is one private-use character for a phrase of
`phrases`, by its form, and the words between are in lower case. In the table a word in capitals
stands for a part that is defined below it; `A` and `B` are the two phrases that the clause relates,
the group `c` is the third of a succession, or an owner.
"""

import enum
import re
from typing import Final, NamedTuple

from ashd.language.lazy_pattern import pattern_of
from ashd.language.people.phrases import Form, Phrase

# A kind, "~" for an apposition or "!" for a sentence of its own, and an expression; an indented
# line goes on the one before.
CLAUSES: Final = r"""
SAME: A IS (?P<b>R|H) END
SAME: A(?: is| was|'s) (?:really|actually|in fact|none other than) NAMED_B END
ALIKE: A IS (?:one |(?:an? )?(?:PERSON|someone|somebody) (?:called|named|by the name of) )?NAMED_B
  END
WAS: A was ADV(?: called| known as| born)? NAMED_B END
ALIKE: (?P<a>N|P|R) used to be(?: called| known as) NAMED_B END
ALIKE: (?P<a>N|P) used to be NAMED_B END
ENDED: (?P<b>R) used to be (?P<a>N) END
FORMER: A (?:was|were) ADV (?P<b>R)(?! (?:until|till|before)\b) END
ENDED: A was ADV (?P<b>R) (?:until|till|before)\b
SAME: (?:\b(?:i|we|they)|X|SELF) (?:have |has )?(?:hired|appointed|elected|chosen|chose|got)
   A as (?P<b>R) END
SAME: A (?:works|worked|serves|acts|doubles|volunteers|is working|is acting)(?: now)? as
   (?P<b>R) END
MEMBERS: (?P<a>N|R) IS one of (?P<b>G) END
MEMBERS: (?P<a>N|R) and i are ADV (?P<b>G) END
HELD: (?:\b(?:i|we)|SELF)(?: now)?(?:'ve| have| has)?(?: got| hired| found| met)? (?P<b>S)(?:,|:)?
   (?:(?:called|named|by the name of) )?NAMED_A CLOSED
HELD: (?:\b(?:i|we)|SELF)(?: now)?(?:'ve| have| has)?(?: got| hired| found)? (?P<b>S),?
   (?:called|named|by the name of) NAMED_A
HELD: \bthere(?:'s| is) (?P<b>S),? (?:called|named|by the name of) NAMED_A
HELD: (?P<c>X) has (?P<b>S),? (?:called|named|by the name of) NAMED_A
ONE! A and (?P<b>X) are ADV (?:ONE_SAME|one PERSON|one and the same)
ONE! A BE ONE_SAME as (?P<b>X)

DENIED! A NOT (?P<b>X)
DIFFERENT! A NOT ONE_SAME as (?P<b>X)
DIFFERENT: A NOT the same (?P<b>N)(?! (?:(?:that|who|as) )?P )
DIFFERENT! A and (?P<b>X) (?:aren't|are not) ADV (?:ONE_SAME|one PERSON|related)
DIFFERENT! A and (?P<b>X) are ADV (?:(?:two )?(?:different |separate )?PEOPLE|not related
  |unrelated|namesakes)
DIFFERENT! A BE OTHER_THAN (?P<b>X)
DIFFERENT: A,? OTHER_THAN (?P<b>X)
DIFFERENT! (?:don't|do not|never) (?:confuse|mix up|mistake) A (?:with|for|and) (?P<b>X)
DIFFERENT~ \b(?:a different|another|a second|some other) (?P<a>(?P<b>N)) END
KNOWN~ \b(?<!not )(?<!n't )(?:the|that) (?:very )?same (?P<a>(?P<b>N))
DIFFERENT~ \b(?:the|my|our) (?:other|second) (?P<a>(?P<b>N))

SAME~ (?<!\bin )(?<!\bhi )(?<!\bhey )(?<!\bhello )(?P<a>N|R), (?P<b>R) CLOSED
  (?!, (?:and|or)\b|, \w+ and i\b)
SAME~ (?P<a>R), (?P<b>N) CLOSED(?!, (?:and|or)\b)
SAME~ (?P<a>R), (?:an? |some |S )(?:\w+ ){0,4}(?:called|named|by the name of) (?P<b>N) CLOSED
SAME~ (?P<a>X) ?\((?P<b>R|H)[,)]
SAME~ (?P<a>R) ?\((?P<b>N)[,)]
SAME~ (?P<a>N|R) DASH (?P<b>R) CLOSED
SAME~ (?P<a>R) DASH (?P<b>N) CLOSED
SAME~ ^(?P<a>R)(?::| =) (?P<b>N) CLOSED
SAME~ ^(?P<a>N)(?::| =) (?P<b>R) CLOSED

SAME: A BE CALLED NAMED_B END
SAME: A BE CALLED (?P<b>[^\W\d_]{2,}) CLOSED
ALSO~ A(?:, | ?\()OFTEN(?:CALLED|aka|alias|formerly|previously|once|(?:goes|going) by)
   NAMED_B CLOSED
ALIKE~ A(?:, | ?\()(?:now|today) NAMED_B CLOSED
ALSO~ A,? \(?(?:aka|alias|(?:also|better) known as) NAMED_B
SAME~ A,? (?:formerly|(?<=R )named|(?<=R, )named) NAMED_B END
SURNAME~ A,? ?\(?(?:n[ée]e|born) NAMED_B
ALSO: A ADV GOES(?: just)? B_OR_LOGIN
ALSO: A ADV GOES the name(?: of)? NAMED_B
ALSO: A ADV GOES (?:the|THEIR) ALIAS(?: of)? B_OR_TOKEN
ALSO: A ADV SIGNS as B_OR_LOGIN
ALSO: A ADV SIGNS (?:as|under) (?:the|THEIR) ALIAS(?: of)? B_OR_TOKEN
ALSO: A ADV calls P NAMED_B END
ALSO: A ADV (?:likes|prefers|wants|asked|asks|would (?:like|rather|prefer))
  (?: to be called| being called| to go by| be called) NAMED_B
ALSO~ \b(?:find|reach|follow|know|add|message) A(?: \w+)? (?:as|under|by|at) (?P<b>H)
SPLIT: WHO(?: (?:at|in|from) (?:the |our )?(?:\w+|N|R))? ADV (?:call|nickname)s?
   (?P<a>(?P<b>N))(?=[.!]?$)
ALSO: WHO HAVE ADV CALLS A,? NAMED_B END
ALSO: A,? (?:that )?WHO HAVE ADV CALLS NAMED_B END
ALSO: (?P<b>NH) BE (?:what|how) WHO HAVE ADV CALLS A END
ALSO~ (?P<b>NH),? as WHO HAVE ADV CALLS A END
ALSO: A IS (?:just |only )?NAMED_B to (?:THEIR|our|my|us|me|all|most|everyone|everybody|G|the)
ALSO~ A(?:,| DASH)? ?\(?(?:or )?NAMED_B,? (?:for short|as WHO ADV CALLS P
  |to (?:(?:THEIR|our|my|us|me)(?: \w+)?|G)) CLOSED
SURNAME: A(?:'s)? SURNAME_NOUN(?: BE|:) NAMED_B
GIVEN: A(?:'s)? (?:first|given|christian)[ -]name(?: BE|:) NAMED_B
SAME: A(?:'s)? NAME_NOUN(?:, [a-z ]{1,30},?)?(?: BE|:)(?: spelled| spelt)? NAMED_B
SAME: A(?:'s)? NAME_NOUN(?: BE|:) (?P<b>[^\W\d_]{2,}) CLOSED
SAME: A (?:est|es|\u00e8|\u00e9|heisst|hei\u00dft|heet|se llama|se chama|chama-se|s'appelle
  |si chiama|ma na imi\u0119|\u0437\u043e\u0432\u0443\u0442|ad\u0131|ismi) NAMED_B END
SAME: A (?:ist|est|es|\u00e8|\u00e9|to jest|jest|benim) (?P<b>R) END
SAME: \bthe NAME_NOUN of A BE NAMED_B
ALSO: A(?:'s)? ALIAS ON(?: BE|:) B_OR_TOKEN
ALSO: A ADV (?:has|uses|used|got|chose|picked|adopted) (?:the|THEIR|a) ALIAS B_OR_TOKEN
SAME: (?P<b>NH) BE A(?:'s)? NAME_NOUN END
ALSO: (?P<b>NH) BE A(?:'s)? ALIAS END
ALSO: (?P<b>NH)(?: BE|,?) (?:short|(?:the|an?) (?:\w+ )?(?:form|version|nickname|diminutive|alias
  |handle|name)) (?:for|of) A END
ALSO: (?P<b>NH) (?:stands for|means|refers to) A END
ALSO: \b(?:on|in) (?:the )?(?:N|\w+),? A BE LOGIN_B
ALSO: A IS LOGIN_B on (?:N|\w+) END
ALSO: A ADV (?:is|plays|streams|games|chats|trades|uses|logs|races|competes)
  (?: (?:on|in|to|into|at))?(?: (?:N|\w+)){0,2} as LOGIN_B
ALSO: (?P<b>H) (?:belongs to|is run by|is used by) A

ALSO: A CHANGED (?:P(?:'s)?|the) (?:first )?name (?:(?:back|from N|[a-z ]{1,30}) )?(?:in)?to NAMED_B
SURNAME: A CHANGED (?:P(?:'s)?|the) SURNAME_NOUN (?:(?:back|from N|[a-z ]{1,30}) )?to NAMED_B
SURNAME: A HAS ADV (?:took|taken|adopted|kept|uses|using|resumed) (?:back )?
  (?:P(?:'s)?|the|(?:R|N)'s) (?:\w+ )?(?:SURNAME_NOUN|name)(?: again)?(?: of)?,? NAMED_B
ALIKE: A HAS ADV (?:reverted|returned|went|gone|switched) (?:back )?to (?:being )?
  (?:P(?:'s)? (?:\w+ )?name,? )?NAMED_B
ALSO: WHO(?: (?:at|in|from) (?:the )?(?:\w+|N|R))? HAVE ADV (?:knows?|refers? to) A as NAMED_B END
ALSO~ (?P<b>H)(?: (?:on|at|in) (?:the )?(?:N|\w+))?,? (?:that's|that is) A END

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
SUCCESSION: (?P<b>R) IS NAMED_A,? (?:instead of|in place of|rather than|(?:and )?no longer|not)
   (?P<c>N) END
SUCCESSION: A IS (?P<b>R),? (?:instead of|in place of) (?P<c>N) END
SUCCESSION: (?P<b>R)(?:NOT|IS no longer| used to be| was) (?P<c>N)(?: (?:anymore|any more
  |any longer|now|before))?,?(?: DASH)? (?:but |and )?(?:now )?(?:it's|it is|that's) ADV NAMED_A END
SUCCESSION: (?P<b>R)(?: has|'s)?(?: been)? (?:changed|switched|gone|passed) from (?P<c>N) to NAMED_A
SUCCESSION: (?P<c>N)(?:NOT|IS no longer) (?P<b>R)(?: (?:anymore|any more|any longer|now))?,?
  (?: DASH)? (?:but |and )?(?:now )?NAMED_A IS(?: now)?(?=[.!]?$)
SUCCESSION: (?P<b>R)(?: has|'s)? (?:changed|switched)[,:;]?(?: DASH)? (?:and )?(?:now )?
  (?:it's|it is) ADV NAMED_A END
SUCCESSION: (?P<b>R)(?:NOT|IS no longer) (?P<c>N)(?: (?:anymore|any more|any longer|now))?,? but
   (?:now )?NAMED_A END
SUCCESSION: A BE (?P<c>X)'s successor as (?P<b>R)
SUCCESSION: A HAS (?:took|taken) (?P<c>X)'s (?:place|job|role|position|post|seat) as (?P<b>R)
SUCCESSION: (?P<c>X) HAS (?:handed|passed) (?:over |it )?(?:on )?to A as (?P<b>R)

PARTED: (?P<b>N|R) and i(?: have| are)?SOON (?:divorced|separated|split(?: up)?|broke up|broken up
  |parted ways) END
PARTED: \b(?:i|me) and (?P<b>N|R)(?: have| are)?SOON (?:divorced|separated|split(?: up)?|broke up
  |broken up|parted ways) END
PARTED: (?P<b>N|R)(?: has|'s)?SOON (?:left|divorced|dumped|(?:broke|broken|split) up with) me END
PARTED: \bi(?: have|'ve)?SOON (?:divorced|dumped|(?:broke|broken|split) up with|split (?:with|from)
  |separated from) (?P<b>N|R) END
PARTED: \b(?:i am|i'm)SOON (?:divorced|separated) from (?P<b>N|R) END

MARRIED: A HAS (?:married|wed) (?P<b>N|R)(?! and (?:N|R|P)) END
MARRIED: (?:\bi|SELF)(?: have|'ve| has)?(?: (?:just|finally|got))* (?:married(?: to)?|wed)
   (?P<b>N)(?! and\b)
MARRIED: (?:\bi am|\bi'm|SELF is) ADV married to (?P<b>N)(?! and\b)
ENGAGED: (?:\bi|SELF)(?:'m| am| is|'ve been| have been| got)(?: (?:just|now|finally|got))*
   engaged to (?P<b>N)(?! and\b)
MARRIED: A(?: is| was| got| has been) married to (?P<b>N|R) END
MARRIED: A and (?P<b>X)(?: have| are)? (?:got |just |now )*(?:married(?! to\b)|tied the knot) END

MEMBERS~ (?P<b>G)(?: are(?: called| named)?|,|:| \()? (?P<a>LIST)
MEMBERS: (?P<b>G) (?:upstairs|downstairs|opposite|(?:next|on|in|at|from|across)(?: (?:\w+|N)){1,3}?)
   are(?: called| named)? (?P<a>LIST)
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
    "|today|really|though|or|not|also|among|online|everywhere|there|here|officially|already"
    "|once|back|we|i|you|they|no|none"
)
PARTS: Final = {
    "OTHER_THAN": r"(?:an? (?:different|other) PERSON (?:from|than|to)|another PERSON than"
    r"|unrelated to|not (?:related to|to be (?:confused|mixed up) with)"
    r"|no relation (?:to|of)|(?:only )?a namesake of)",
    "NAMED_B": r"[\"'(]*(?P<b>NH)[\"')]*",
    "B_OR_TOKEN": r"[\"'(]*(?P<b>NH|\w[\w.-]*\w(?=[\"')]*(?:$|[,;.!)]| (?:on|in|at|and|there)\b)))"
    r"[\"')]*",
    "B_OR_LOGIN": r"[\"'(]*(?P<b>NH(?=[\"')]*(?:$|[,;.!)]"
    r"| (?:on|in|at|and|there|here|online|now|from|since|for|lately"
    r"|ever|among|with|to|again|instead)\b))|TOKEN)[\"')]*",
    "TOKEN": r"(?:(?<=\")\w[\w.-]*(?=\")|(?=\w*[_\d])[a-z_]{3,}\w*"
    r"|[a-z]\w{2,}\.[a-z]\w{2,})",
    "NAMED_A": r"[\"'(]*(?P<a>NH)[\"')]*",
    "GOES": r"(?:(?:has|have|had) (?:been )?)?(?:goes|went|going|gone|go)(?: now| mostly| only)?"
    r" (?:by|under)",
    "SIGNS": r"(?:signs|writes|posts|streams|tweets|blogs|commits|publishes|performs|sings|records"
    r"|appears|is listed|is registered|is saved)(?: THEIR \w+)?(?: off)?",
    "SELF": "\uf8fe",
    "SURNAME_NOUN": r"(?:(?:new |old |former )?"
    r"(?:(?:maiden|birth|married|family|last)[ -]name|sur-?name))",
    "ALIAS": r"(?!(?:middle|dog|cat|company|family|last|maiden|first|given|married|birth|sur)\b)"
    r"(?:(?:(?:\w+|N)[ -]){1,2}?name|(?:(?:\w+|N)[ -]){0,2}?(?:nick ?name|handle|user ?name|nick"
    r"|alias|login|gamertag|pseudonym|tag|moniker))",
    "NAME_NOUN": "(?:(?:full|real|actual|whole|proper|legal|new|own) )?name",
    "ONE_SAME": r"(?:(?:one and )?the (?:very )?same PERSON|one and the same)",
    "PERSON": "(?:person|man|woman|guy|girl|boy|individual|lady)",
    "PEOPLE": "(?:people|persons|men|women|guys|individuals)",
    "SOON": "(?: (?:now|just|got|finally|recently|both))*",
    "CHANGED": r"(?: has| had)?(?: legally| officially)? (?:changed|changes|switched)",
    "CALLED": r"(?:called|named|nicknamed|(?:known|referred to)"
    r"(?: (?:to|by|among|around|in|at)[^,.;()]{1,30}?)? as|dubbed|christened|bapti[sz]ed|renamed)",
    "CALLS": r"(?:call|nickname|name|dub|rename|christen|bapti[sz]e)(?:s|ed|d|bed)?",
    "WHO": r"(?<!\w)(?:we|i|you|they|P|G|all|people|friends|everybody|everyone|most people|X"
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
    "BE": r"(?:(?:'s| is| was)|TURNS|(?: has|'s|'ve| have| had) been| became| has become)ADV",
    "IS": r"(?:(?:'s| is)|TURNS|(?: has|'s|'ve| have| had) been| became| has become)ADV",
    "TURNS": r"(?: turn(?:s|ed) out to be| proved to be)",
    "HAVE": r"(?: have| has|'ve|'s| had| used to)?",
    "LOGIN_B": r"[\"'(]*(?P<b>H|TOKEN)(?![\w-])[\"')]*",
    "ON": r"(?: (?:on|at|in) (?:the )?(?:N|\w+))?",
    "NH": "[\ue000-\ue7ff]",
    "A": "(?P<a>X)",
    "X": "[\ue000-\uebff\uf000-\uf3ff]",
    "N": "[\ue000-\ue3ff]",
    "H": "[\ue400-\ue7ff]",
    "R": "[\ue800-\uebff]",
    "G": "[\uec00-\uefff]",
    "P": "[\uf000-\uf3ff]",
    "S": "[\uf400-\uf7ff]",
}

_FIRST: Final = {
    Form.NAME: 0xE000,
    Form.HANDLE: 0xE400,
    Form.ROLE: 0xE800,
    Form.GROUP: 0xEC00,
    Form.PRONOUN: 0xF000,
    Form.SOMEBODY: 0xF400,
}
_SELF: Final = "\uf8fe"
QUOTATION: Final = "\uf8fd"
MAX_PHRASES: Final = 0x400


def mark_of(phrase: Phrase, number: int) -> str:
    """The character that stands for the phrase of this number."""
    return _SELF if phrase.reference.is_self else chr(_FIRST[phrase.form] + number)


def number_of(mark: str) -> int | None:
    """The number of the phrase that a character stands for; None for other text."""
    is_mark = len(mark) == 1 and "\ue000" <= mark <= "\uf7ff"
    return (ord(mark) - 0xE000) % MAX_PHRASES if is_mark else None


class Kind(enum.Enum):
    """The relation of two phrases that a clause states."""

    SAME = enum.auto()
    ONE = enum.auto()
    """The same, and expressly so: "are one person"."""
    ALIKE = enum.auto()
    """One person, if `a` has no name or the two names have a word in common."""
    ALSO = enum.auto()
    """One person, who has the name `b` besides another: a nickname, a handle."""
    SURNAME = enum.auto()
    GIVEN = enum.auto()
    """`b` is the first name of `a`."""
    KNOWN = enum.auto()
    """`a` is somebody who is known: "that same Dan"."""
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
    """`a` and `b` are spouses; without `a` the speaker and `b`."""
    ENGAGED = enum.auto()
    """The speaker and `b` are engaged."""
    PARTED = enum.auto()
    """`b` is the speaker's partner no longer, by whatever word for a partner."""
    HELD = enum.auto()
    """`a` holds the role `b` of `c`, or of the speaker."""
    WAS = enum.auto()
    """The role `a` was held by `b`, or `a` once had the name `b`."""
    SPLIT = enum.auto()
    """`a` is a name and another name of one person, without a word between."""
    MEMBERS = enum.auto()
    """Each of the names `a` holds the role of the group `b`."""


class Pattern(NamedTuple):
    """A clause and the relation it states."""

    kind: Kind
    is_apposition: bool
    """An apposition holds in a question and a condition too, and needs no clause of its own."""
    is_sentence: bool
    """Whether the clause counts only as a whole sentence: words around it may limit or deny it."""
    expression: re.Pattern[str]


_PART: Final = re.compile(rf"(?:{'|'.join(sorted(PARTS, key=len, reverse=True))})(?!<)")
# These bring the space before them, or need none.
_SPACED: Final = re.compile(
    " (?=(?:END|CLOSED|IS|BE|NOT|HAS|ADV|ON|CHANGED|HAVE|TURNS|SOON)(?![A-Z_]))"
)
_LINE: Final = re.compile(r"(\w+)([:~!]) (.+)")


def _expanded(expression: str) -> str:
    expression = _SPACED.sub("", expression)
    while (more := _PART.sub(lambda hit: PARTS[hit[0]], expression)) != expression:
        expression = more
    return expression


def _patterns() -> tuple[Pattern, ...]:
    lines = CLAUSES.replace("\n  ", "").split("\n")
    found = [_LINE.fullmatch(line) for line in lines if line]
    return tuple(
        Pattern(Kind[hit[1]], hit[2] == "~", hit[2] == "!", pattern_of(_expanded(hit[3])))
        for hit in found
        if hit
    )


PATTERNS: Final = _patterns()
