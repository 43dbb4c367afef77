"""Nouns that may say what one person is to another, and those that never do. Pure.

Any noun after "my" or "our" may be a role ("our orthodontist"), except for the words of things,
times and abstractions that are most often said to be somebody's ("my size", "our best option").
"""

import re
from typing import Final

from ashd.language.english_words import FUNCTION_WORDS, word_set
from ashd.language.people import vocabulary
from ashd.language.people.vocabulary import relationship_at
from ashd.language.words import Word, split

_MAX_WORDS: Final = 4
_MAX_ACRONYM_CHARS: Final = 4
_ABSTRACT_ENDINGS: Final = (
    *("tion", "sion", "ment", "ness", "ity", "ship", "hood", "ance", "ence", "ism", "ing"),
    *("ware", "ology"),
)
_THINGS: Final = word_set(
    """
    accent account address advice age agreement aim alias answer apartment app area arm art attempt
    back bag ball band bank bar base basis bath bed beer belief bet bicycle bike bill birthday blog
    boat body book box brain brand bread breakfast browser bus cabin cafe cake calendar camera
    capital car card career case cat cause chair challenge chance chapter charger choice choir
    church city class club cluster code coffee color colour committee company compiler computer
    concern condo container content cooker corner cottage country course crew crime cup cure
    data date day deal death debt december decision default degree desk diet dinner dish docker
    doctorate dog door dream dress drink dryer duty ear effort elevator email end error evening
    event everything excuse eye face fact factor fault favorite favourite fear fee field file film
    fish flat flight floor flower folder food foot form framework freezer fridge fuel fun future
    game garage garden gift goal god group guess guitar habit hair half hand handle hat head health
    heart hobby holiday home honeymoon hope hotel hour house idea inbox income index instrument
    interest investment island issue item job journey joy key kind kitchen knee lake land language
    laptop laugh lead letter level library life limit link list login luck lunch machine mail map
    market match maths matter meal medicine memory message mind mirror mistake model moment money
    monitor month mood morning motor motto mouth movie mower museum music name need neighborhood
    neighbourhood network newsletter newspaper nick nickname night nightmare nose november number
    october offer office one opinion option order outfit page pain painting paper park parser part
    party passion password past path pet phone photo piano pick picture pin pizza place plan plane
    plant plate platform playlist pleasure plot podcast poem point pool practice printer priority
    prize problem process product profile program programme project proof pseudonym puppy purpose
    quarter question race radiator radio rank reason recipe record refrigerator rent reply report
    request rescue rest restaurant result return ride ring risk river road rock role roof room route
    router routine rule salary sale saving scanner school scooter score screen script sea seat
    secret sector sensor september series server service shirt shoe shop show shower side sign size
    skin sleep software song sort soul sound space speech speed sport spot squad staff stage star
    start state station step stop store story street strength stress studio style subject success
    suit summer supper surname surprise sweater system table tag talent talk target task taste tax
    tea team template tent term test text theory thing ticket time title toaster tool top topic
    tower town toy track tracker tractor trade trailer train treat treatment tree trip trouble
    trousers truck trust truth try turn type university use username van version view village visit
    voice vote wage walk wall war wardrobe washer watch water way weak website wedding week weekend
    weight window wine winter wish word work workplace world worry year zip
    """
)
_ANYBODY: Final = word_set("man woman person guy girl boy lady gentleman fellow bloke chap lad")
"""By themselves these are nobody's role: "the woman", but "the woman from the bakery"."""
_DESCRIBED: Final = _ANYBODY | {"one"}
"""The words that a relative clause makes somebody: "the one who cuts my hair"."""
_SPEAKER: Final = frozenset({"me", "us", "my", "our"})
_MAX_DESCRIPTION_WORDS: Final = 8
_OFFICES: Final = word_set("ceo cto cfo coo hr vp md")
_NOT_ROLES: Final = (
    _ANYBODY
    | word_set(
        """
        someone winner same different certain one other emergency successor predecessor namesake
        divorce marriage wedding
        """
    )
    | FUNCTION_WORDS
    | (vocabulary.NOT_NAMES - _OFFICES)
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
_FLOORS: Final = frozenset({"upstairs", "downstairs"})
_LIKINGS: Final = frozenset({"favourite", "favorite"})
_NAMINGS: Final = word_set("name surname nickname handle username alias nick login pseudonym tag")
_SUPERLATIVE: Final = re.compile(r"(?<!pri)(?<!gu)est$")
_NO_NAMES: Final = vocabulary.NOT_NAMES | (
    (
        _THINGS
        | word_set(
            """
            lesson meeting appointment conversation chat assistant team work task topic trip
            vacation reminder weather news summary update deadline budget exam homework schedule
            routine exercise training workout lunch food drink money health time everyone everybody
            someone somebody anyone nobody people others thing things nothing
            heute gestern morgen montag dienstag mittwoch donnerstag freitag samstag sonntag
            aujourd'hui demain lundi mardi mercredi jeudi vendredi samedi dimanche hoy ayer lunes
            miercoles jueves viernes oggi ieri domani lunedi martedi mercoledi giovedi venerdi
            hoje ontem amanha vandaag gisteren maandag dinsdag woensdag donderdag vrijdag zaterdag
            """
        )
    )
    - vocabulary.COMMON_WORD_NAMES
)
"""Words that are nobody's name; people are called Grace, Art and June."""
_SINGULARS: Final = {
    "kids": "child",
    "wives": "wife",
}


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
        or _SUPERLATIVE.search(head)
        or (len(head) > 5 and head.endswith(_ABSTRACT_ENDINGS))
    )


def is_mere_word(name: str) -> bool:
    """Return whether a name is a single word of a thing or a time ("Lesson", "Today")."""
    words = split(name)
    return len(words) == 1 and words[0].key in _NO_NAMES


def names_agent(noun: str) -> bool:
    """Return whether a folded noun says by its form that it is somebody's: "midwife", "tutor"."""
    is_agent = noun in _PROFESSIONS or (
        _AGENT.search(noun) is not None and len(noun) > _SHORTEST_AGENT
    )
    return is_agent and noun not in _NO_AGENTS and may_be_role(noun)


def is_of_a_person(relationship: str) -> bool:
    """Return whether a role is one that people have: not a horse, nor a bank."""
    place = vocabulary.place_of(relationship)
    role = relationship.removesuffix(f" {place}") if place else relationship
    is_described = role.partition(" ")[0] in _DESCRIBED and role not in _DESCRIBED
    is_known = vocabulary.is_known(relationship) or names_agent(role.rpartition(" ")[2])
    return is_known or is_described or (place is not None and role in _ANYBODY)


def is_surely_of_a_person(relationship: str) -> bool:
    """Return the same, but not of a word that may be a device's: a trimmer, a sensor."""
    role = relationship.removesuffix(f" {vocabulary.place_of(relationship)}")
    noun = role.rpartition(" ")[2]
    is_device = re.search("(?:er|or)$", noun) and noun not in _PROFESSIONS
    return vocabulary.is_known(relationship) or (names_agent(noun) and not is_device)


_AGENT: Final = re.compile(
    r"(?:er|[^l]or|(?<![lr])ist|[aecl]list|(?<!w)rist|ician|arian|wife|man|woman|mate|maid|parent"
    r"|smith|wright|ess|eur|ee|ant|path|guard)$"
)
_SHORTEST_AGENT: Final = 4
_PROFESSIONS: Final = word_set(
    """
    gp pa pt ceo cto cfo vet nurse chef cook guide judge pilot coach architect priest surgeon physio
    chaplain clerk deputy heir host notary rep vicar
    """
) | (vocabulary.TITLES - vocabulary.TITLE_LIKE)
"""The common ones that do not say so by their form."""
_NO_AGENTS: Final = frozenset(
    str.split(
        """
        account adventure address business carrier employer insurer provider supplier cancer career
        character corner cover diaper door drawer dress dresser error fever fitness floor flower
        folder freezer german heater human illness jersey jumper kindness ladder liver locker manner
        mirror motor mower offer pacemaker pants pepper plant poster printer process progress razor
        restaurant roman router scooter shoulder shower shutter sickness slipper speaker stress
        stroller success summer supper sweater temper toaster tower tractor trailer tumor typewriter
        weather whisker
        """
    )
)


def role_at(words: list[Word], at: int) -> tuple[str, int] | None:
    """The role noun with its adjectives that begins at `at`, and the word after it.

    A role of the table is one wherever it is; any other noun must end its phrase.
    """
    keys = [word.key for word in words[at : at + 2 * _MAX_WORDS]]
    found = relationship_at(keys, 0) if keys else None
    if found and not _is_first_part(words, at + found[1]):
        return (found[0], at + found[1]) if found[0] not in vocabulary.GROUPS else None
    for end in range(at, min(at + _MAX_WORDS, len(words))):
        word = words[end]
        if end > at and (word.gap != " " or words[end - 1].owns):
            return None
        found = relationship_at(keys, end - at) if end > at else None
        if found and found[0] not in vocabulary.GROUPS:
            return " ".join([*keys[: end - at], found[0]]), end + found[1]
        if not (_is_lower(word) or is_acronym(word)) or word.key in _NO_PART:
            return None
        if word.owns or ends_phrase(words, end + 1):
            # Who one likes best of all singers is nobody's singer.
            placed = end + 1 < len(words) and words[end + 1].key in vocabulary.PLACED
            is_role = may_be_role(word.key) or (placed and word.key in _ANYBODY)
            is_role = is_role and _NAMINGS.isdisjoint(keys[: end + 1 - at])
            is_role = is_role and not _LIKINGS & set(keys[: end - at])
            return (" ".join(keys[: end + 1 - at]), end + 1) if is_role else None
    return None


def _is_first_part(words: list[Word], at: int) -> bool:
    """Return whether another noun comes before the verb: "my mother tongue is Polish"."""
    goes_on = at + 1 < len(words) and words[at].gap == words[at + 1].gap == " "
    return (
        goes_on
        and words[at + 1].key in vocabulary.COPULAS
        and _is_lower(words[at])
        and words[at].key not in _NO_PART | vocabulary.FILLERS
        and not words[at - 1].owns
        and not words[at].key.endswith("ly")
    )


def description_at(words: list[Word], at: int) -> tuple[str, int] | None:
    """The relative clause that says who somebody is to the speaker: "woman who hired me"."""
    keys = [word.key for word in words[at : at + _MAX_DESCRIPTION_WORDS]]
    if not keys[1:] or keys[0] not in _DESCRIBED:
        return None
    if not (keys[1] in {"who", "that"} or keys[1].endswith("ing")):
        return None
    if keys[0] not in _ANYBODY and keys[1] != "who":  # "the one that bothers me"
        return None
    for end in range(at + 1, at + len(keys)):
        after = end + 1
        if words[end].gap != " " or not words[end].text.islower():
            return None
        is_last = after == len(words) or words[after].gap.strip(" ")
        if is_last or words[after].key in vocabulary.COPULAS:
            told = keys[: after - at]
            return (" ".join(told), after) if _SPEAKER.intersection(told) else None
    return None


def _is_lower(word: Word) -> bool:
    return word.text.islower() and word.text.replace("-", "").isalpha()


def is_acronym(word: Word) -> bool:
    """Return whether a word is written as "GP", "CEO" or "PhD" are."""
    is_short = 1 < len(word.text) <= _MAX_ACRONYM_CHARS and word.text.isalpha()
    return is_short and word.text[0].isupper() and word.text[-1].isupper()


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
        is_part = word.key not in _NO_PART or word.key in _FLOORS
        if not (_is_lower(word) and is_part) or (end > at and word.gap != " "):
            return None
        plural = "ren" if word.key.endswith("children") else "s"
        single = _SINGULARS.get(word.key) or word.key.removesuffix(plural)
        if single != word.key and (role := vocabulary.canonical_relationship(single)):
            return role, end + 1
    return None


def closes_place(word: Word) -> bool:
    """Return whether a word cannot go on with "in Berlin" or "of our club"."""
    return word.key in _NO_PART and word.key not in vocabulary.ARTICLES
