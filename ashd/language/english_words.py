"""English function words and cue words: the word lists for the judge's features.

They are inputs of its model, not rules: the meaning of each is learned.
"""

from typing import Final

from ashd.language.date_spans import MONTHS, WEEKDAYS


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


_SMALL: Final = """\
the of and in to was he is as for on with that it his by at from her she you had an were but be
this are not my they one which or have him me first all also their has up who out been when after
there into new two its time would no what about said we over then other a so if than do does did
now never longer anymore any more still used since instead switched actually correction update too
only again already yet just currently until will going want plan may might because while don't
doesn't isn't can't won't didn't i i'm i've it's user your our than each every both some another
next last before earlier formerly got became ago turns back off down gone wrong after sold left
stopped quit gave moved changed replaced cancelled called former old favourite favorite main
anyone nobody nothing none without us them mine myself we're we've they're he's she's wasn't
haven't hasn't aren't weren't couldn't should could can must these those during as well
"""
SMALL_WORDS: Final = tuple(dict.fromkeys(_SMALL.split()))
"""Words that token vectors leave out or blur; the model sees which of these words a text has."""
FUNCTION_WORDS: Final = frozenset(SMALL_WORDS) - word_set(
    "first two one time new update used switched correction turns gone wrong sold left stopped quit"
    " gave moved changed replaced cancelled called former old favourite favorite main user said"
    " going want plan got became back"
)
"""The small words that carry no content of their own."""
SELF: Final = word_set("i me my mine myself user we us our ours i'm i've i'd i'll we're we've")
OWNERS: Final = {
    **{word: word for word in ("my", "our", "his", "her", "their", "your", "its")},
    "user's": "my",
}
"""Possessives; an assistant's "user's" is the user's own "my"."""

CUES: Final = (
    word_set(
        "not no never nothing nobody none without neither nor hardly don't doesn't isn't can't"
        " won't didn't wasn't haven't hasn't aren't weren't couldn't cannot anymore longer"
    ),
    word_set(
        "stopped stop quit quits left leaves gave cancelled canceled cancel sold ended ends over"
        " closed broke lost retired dropped resigned finished gone died scrapped abandoned fired"
        " removed returned ditched deleted divorced separated lapsed expired decommissioned"
    ),
    word_set(
        "now moved moving switched changed replaced became new instead swapped turned upgraded"
        " promoted raised bumped rescheduled postponed pushed migrated renamed shifted brought"
        " transferred took taken traded extended grew since nowadays currently again started"
        " anymore longer went goes cut"
    ),
    word_set(
        "actually correction wrong mistake mistaken meant rather typo misremembered incorrect turns"
        " turned correct misread sorry fact contrary update strictly misspoke"
    ),
    word_set(
        "was were used formerly previously had before ago last earlier once former been past"
        " originally until yesterday"
    ),
    word_set(
        "also too another second both besides additionally well extra plus more third other else"
    ),
    word_set(
        "want wants would might may plan plans planning hope hopes consider considering thinking if"
        " will wish wishes intend could should maybe perhaps someday dream"
    ),
)
"""Negation, an end, a change, a correction, the past, an addition, a wish or a possibility."""
CHANGES: Final = CUES[1] | CUES[2] | CUES[3]
"""Words by which a text says that something no longer holds."""

# "May" is too often a verb to count as a time.
TIMES: Final = (
    (frozenset(MONTHS) - {"may"})
    | frozenset(WEEKDAYS)
    | {f"{day}s" for day in WEEKDAYS}
    | word_set(
        "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat"
        " sun spring summer autumn winter morning afternoon evening night noon midnight weekend"
        " weekday daily weekly monthly yearly today tomorrow yesterday tonight mornings"
        " afternoons evenings nights weekends weekdays hourly quarterly annually nightly"
    )
)
_CARDINALS: Final = """\
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
CARDINALS: Final = tuple(_CARDINALS.split())
"""Zero to nineteen, in order."""
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS: Final = tuple(_TENS.split())
"""Twenty to ninety, in order."""
_ORDINALS: Final = "first second third fourth fifth sixth seventh eighth ninth tenth"
NUMBERS: Final = {
    **{word: str(number) for number, word in enumerate(CARDINALS) if word != "one"},
    **{word: str(number) for number, word in enumerate(_ORDINALS.split(), 1)},
    **{word: str(10 * number) for number, word in enumerate(TENS, 2)},
    "dozen": "12",
    "twice": "2",
    "double": "2",
    "single": "1",
    "hundred": "100",
    "thousand": "1000",
}
"""Words for numbers; "one" is more often a pronoun."""
