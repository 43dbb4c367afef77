"""Nouns that may say what one person is to another, and those that never do. Pure.

Any noun after "my" or "our" may be a role ("our orthodontist"), except for the words of things,
times and abstractions that are most often said to be somebody's ("my size", "our best option").
"""

import re
from typing import Final

from ashd.language import relationship_words as vocabulary
from ashd.language.english_words import FUNCTION_WORDS, word_set
from ashd.language.relationship_words import relationship_at
from ashd.language.words import Word

_MAX_WORDS: Final = 4
_MAX_ACRONYM_CHARS: Final = 4
_ABSTRACT_ENDINGS: Final = (
    *("tion", "sion", "ment", "ness", "ity", "ship", "hood", "ance", "ence", "ism", "ing", "est"),
    *("ware", "ology"),
)
_THINGS: Final = word_set(
    """
    account address advice alias handle login nick nickname pseudonym username committee crew
    choir staff team squad age aim answer app apartment area arm art attempt back bag ball band
    bank bar base basis bath bed beer belief bet bicycle bike bill birthday blog boat body book
    box brain brand bread breakfast bus cabin cafe cake camera capital car card career case cat
    cause chair challenge chance choice church city class club code coffee colour color company
    computer concern condo contact content cottage country course crime cup cure data date day
    deal death debt decision default desk diet dinner dish doctorate dog door dream dress drink
    duty ear effort email end evening everything excuse eye face fact fault favourite favorite
    fear field file film fish flat flight floor folder food foot form framework fridge fuel fun
    future game garage garden gift goal god group guess guitar habit hair half hand hat head
    health heart hobby holiday home honeymoon hope hotel hour house idea income inbox index
    instrument interest island issue item job journey joy key kind kitchen lake land language
    laptop laugh lead letter level library life limit link list lunch luck machine mail map market
    match maths meal medicine memory message mind mistake model moment money month mood morning
    motto mouth movie museum music name need neighbourhood neighborhood network newspaper night
    nightmare nose number office one opinion option order outfit page pain painting paper park
    part party passion password past path pet phone photo piano picture pick pin pizza place plan
    plane plant plate platform playlist pleasure plot podcast poem point pool practice priority
    prize problem process product profile programme program project proof puppy purpose quarter
    question race radio rank reason recipe record rent reply report request rescue rest restaurant
    result return ride ring risk river road rock role roof room route routine rule salary sale
    saving school score screen script sea seat secret series server service shirt shoe shop show
    side sign size skin sleep software song sort soul sound space speech speed sport spot stage
    star start state station step stop store story street strength stress studio style subject
    success suit summer surname tag surprise system table talk target task taste tax tea template
    term test text theory thing ticket time title tool top topic town toy track trade train treat
    treatment trip trouble truck trust truth try turn type university use van version view village
    visit voice vote wage walk wall war wardrobe watch water way weak website wedding week weekend
    weight window wine winter wish word work workplace world worry year zip
    """
)
_NOT_ROLES: Final = (
    word_set(
        """
    man woman person guy girl boy lady gentleman fellow someone winner same
    """
    )
    | FUNCTION_WORDS
    | vocabulary.NOT_NAMES
    | vocabulary.COPULAS
)
_NO_PART: Final = (
    FUNCTION_WORDS
    | vocabulary.PRONOUNS
    | vocabulary.PLACED
    | word_set(
        """
    is was are were be has had have a an the and or but nor who whom whose that which of in on at
    for from with to by as into than like near under over goes calls called named known took takes
    married replaced answers says said means became changed kept uses
    """
    )
)
_LIKINGS: Final = frozenset({"favourite", "favorite"})
_SINGULARS: Final = {"children": "child", "kids": "child", "wives": "wife"}


def may_be_role(noun: str) -> bool:
    """Return whether a folded noun may say what a person is to somebody."""
    if vocabulary.canonical_relationship(noun):
        return noun not in vocabulary.GROUPS
    head = noun.rpartition("-")[2]
    is_plural = head.endswith("s") and not head.endswith(("ss", "us", "is"))
    return not (
        is_plural
        or head in _THINGS
        or head in _NOT_ROLES
        or (len(head) > 5 and head.endswith(_ABSTRACT_ENDINGS))
    )


def names_agent(noun: str) -> bool:
    """Return whether a folded noun says by its form that it is somebody's: "midwife", "tutor"."""
    is_agent = noun in _ACRONYMS or (
        _AGENT.search(noun) is not None and len(noun) > _SHORTEST_AGENT
    )
    return is_agent and noun not in _NO_AGENTS and may_be_role(noun)


_AGENT: Final = re.compile(
    r"(?:er|[^l]or|(?<![lr])ist|ician|arian|wife|man|woman|mate|smith|wright|ess|eur|ant|guard)$"
)
_SHORTEST_AGENT: Final = 4
_ACRONYMS: Final = frozenset(("gp", "pa", "pt", "ceo", "cto", "cfo"))
_NO_AGENTS: Final = frozenset(
    str.split(
        """
        account adventure address business cancer career character corner cover diaper door drawer
        dress dresser error fever fitness floor flower folder freezer german heater human illness
        jersey jumper kindness ladder liver locker manner mirror motor mower offer pacemaker pants
        pepper plant poster printer process progress razor restaurant roman router scooter shoulder
        shower shutter sickness slipper speaker stress stroller success summer supper sweater temper
        toaster tower tractor trailer tumor typewriter weather whisker
        """
    )
)


def role_at(words: list[Word], at: int) -> tuple[str, int] | None:
    """The role noun with its adjectives that begins at `at`, and the word after it.

    A role of the table is one wherever it is; any other noun must end its phrase.
    """
    keys = [word.key for word in words[at : at + 2 * _MAX_WORDS]]
    if keys and (found := relationship_at(keys, 0)):
        return (found[0], at + found[1]) if found[0] not in vocabulary.GROUPS else None
    for end in range(at, min(at + _MAX_WORDS, len(words))):
        word = words[end]
        if end > at and (word.gap != " " or words[end - 1].owns):
            return None
        if end > at and (found := relationship_at(keys, end - at)):
            return " ".join([*keys[: end - at], found[0]]), end + found[1]
        if not (_is_lower(word) or is_acronym(word)) or word.key in _NO_PART:
            return None
        if word.owns or ends_phrase(words, end + 1):
            # Who one likes best of all singers is nobody's singer.
            is_role = may_be_role(word.key) and not _LIKINGS & set(keys[: end - at])
            return (" ".join(keys[: end + 1 - at]), end + 1) if is_role else None
    return None


def _is_lower(word: Word) -> bool:
    return word.text.islower() and word.text.replace("-", "").isalpha()


def is_acronym(word: Word) -> bool:
    """Return whether a word is written as "GP" or "CEO" are."""
    return 1 < len(word.text) <= _MAX_ACRONYM_CHARS and word.text.isalpha() and word.text.isupper()


def ends_phrase(words: list[Word], at: int) -> bool:
    """Return whether a noun before the word `at` is the last of its phrase."""
    if at >= len(words) or words[at].gap.strip(" ") != "":
        return True
    word = words[at]
    is_name = word.capital and not is_acronym(word)
    return is_name or word.key in _NO_PART or word.key in vocabulary.FILLERS


def group_at(words: list[Word], at: int) -> tuple[str, int] | None:
    """The role of each of several people at `at` ("brothers", "two nieces"), and the word after."""
    for end in range(at, min(at + _MAX_WORDS, len(words))):
        word = words[end]
        if not _is_lower(word) or word.key in _NO_PART or (end > at and word.gap != " "):
            return None
        single = _SINGULARS.get(word.key) or word.key.removesuffix("s")
        if single != word.key and (role := vocabulary.canonical_relationship(single)):
            return role, end + 1
    return None


def closes_place(word: Word) -> bool:
    """Return whether a word cannot go on with "in Berlin" or "of our club"."""
    return word.key in _NO_PART and word.key not in vocabulary.ARTICLES
