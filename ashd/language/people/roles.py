"""Nouns that say what one person is to another. Pure.

After "my" or "our" a noun is a role if it says by its form that it is a person's ("our
orthodontist"), or is one of the common ones that do not ("our vet"). Any other is taken for a
thing: of sixty thousand notes by others, hardly one names a person so.
"""

import re
from collections.abc import Iterable
from typing import Final

from ashd.language.english_words import FUNCTION_WORDS, word_set
from ashd.language.people import vocabulary
from ashd.language.people.vocabulary import relationship_at
from ashd.language.words import Word, split

_MAX_WORDS: Final = 4
_MAX_ACRONYM_CHARS: Final = 4
_ANYBODY: Final = word_set("man woman person guy girl boy lady gentleman fellow bloke chap lad")
"""By themselves these are nobody's role: "the woman", but "the woman from the bakery"."""
_DESCRIBED: Final = _ANYBODY | {"one"}
"""The words that a relative clause makes somebody: "the one who cuts my hair"."""
_SPEAKER: Final = frozenset({"me", "us", "my", "our"})
_MAX_DESCRIPTION_WORDS: Final = 8
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
_OBJECTS: Final = word_set("my our his her their your the a an me us him them it you")
"""No noun comes right before these, but a verb does."""
_STANDING: Final = frozenset({"in", "upstairs", "downstairs"})
"""Devices are there as often as people: "the heater in the hall"."""
_FLOORS: Final = frozenset({"upstairs", "downstairs"})
_LIKINGS: Final = frozenset({"favourite", "favorite"})
_NO_NAMES: Final = vocabulary.NOT_NAMES | (
    word_set(
        """
        lesson meeting appointment conversation chat assistant team work task topic trip vacation
        reminder weather news summary update deadline budget exam homework schedule routine exercise
        training workout lunch food drink money health time everyone everybody someone somebody
        anyone nobody people others thing things nothing
        account allergies allergy answer apartment app application article band bicycle bike
        birthday book books breakfast bug bus cake car cars city club code coffee company computer
        concert country course data database date decision deployment device diet dinner diploma
        disease dish document dog dogs email error event events fact facts feature festival file
        flat flight football friendship game games gift goal goals guitar gym headache hiking
        hobbies hobby holidays hospital hotel idea ideas illness information insurance internet
        interview job keyboard kitchen language laptop library list marathon medication medicine
        memory message month morning mortgage movie movies night nuts office order painting paper
        party password peanuts phone piano place plan plans plant plants podcast poem preference
        preferences presentation problem product program project projects purchase question
        reading recipe recipes rent report repository request response restaurant running salary
        school server session shopping show sleep software song sport sports story studies study
        subject supper surgery swimming system tennis test tests text ticket travel treatment
        university vacations vegetables video walnuts website wedding week weeks wine workshop
        year years yoga
        arbeit auto buch essen familie geld gesundheit hund katze leben projekt reise schule sprache
        termin unterricht urlaub wetter wohnung zeit
        argent chien ecole lecon livre maison projet reunion sante travail vacances voiture
        clase coche dinero escuela juego libro pelicula perro proyecto salud tiempo trabajo
        vacaciones aula cachorro carro dinheiro escola ferias licao livro projeto reuniao saude
        tempo trabalho lavoro lezione macchina progetto riunione salute scuola soldi vacanza vacanze
        boek gezondheid hond vakantie vergadering werk
        heute gestern morgen montag dienstag mittwoch donnerstag freitag samstag sonntag aujourd'hui
        demain lundi mardi mercredi jeudi vendredi samedi dimanche hoy ayer lunes miercoles jueves
        viernes oggi ieri domani lunedi martedi mercoledi giovedi venerdi hoje ontem amanha vandaag
        gisteren maandag dinsdag woensdag donderdag vrijdag zaterdag
        """
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
    return names_agent(noun)


def is_mere_word(name: str) -> bool:
    """Return whether a name is a single word of a thing or a time ("Lesson", "Today")."""
    words = split(name)
    return len(words) == 1 and words[0].key in _NO_NAMES


def is_written_as_word(name: str, texts: Iterable[str]) -> bool:
    """Return whether a name is a single word that texts have, in lower case alone ("marathon").

    A name that its writer begins in lower case everywhere is taken for a word, too, so one of the
    texts should be by somebody who writes names with a capital.
    """
    words = split(name)
    if len(words) != 1:
        return False
    found = [word for text in texts for word in split(text) if word.key == words[0].key]
    # A word of a script without capitals is no word by this; Georgian letters count as small ones.
    return bool(found) and all(
        word.text.islower() and word.text != word.text.title() for word in found
    )


def names_agent(noun: str) -> bool:
    """Return whether a folded noun says what somebody is or does: "midwife", "co-owner", "vet"."""
    head = noun.rpartition("-")[2]
    is_agent = _AGENT.search(head) is not None and len(head) > _SHORTEST_AGENT
    return head in _SAID_OF_PEOPLE or (is_agent and head not in _NO_AGENTS)


def is_of_a_person(relationship: str) -> bool:
    """Return whether a role is one that people have: not a horse, nor a bank."""
    place = vocabulary.place_of(relationship)
    role = relationship.removesuffix(f" {place}") if place else relationship
    is_described = role.partition(" ")[0] in _DESCRIBED and role not in _DESCRIBED
    is_known = vocabulary.is_known(relationship) or names_agent(role.rpartition(" ")[2])
    return is_known or is_described or (place is not None and role in _ANYBODY)


def is_surely_of_a_person(relationship: str) -> bool:
    """Return the same, but not of a word that may be a thing's: a trimmer, a contact.

    The place that somebody is from or next to makes it sure.
    """
    place = vocabulary.place_of(relationship) or ""
    role = relationship.removesuffix(f" {place}")
    noun = role.rpartition(" ")[2]
    if place and (place.partition(" ")[0] not in _STANDING or role in _ANYBODY):
        return is_of_a_person(relationship)
    is_sure = noun in _PROFESSIONS or not (noun in _PERSONS or noun.endswith(("er", "or")))
    return vocabulary.is_known(relationship) or (is_sure and names_agent(noun))


_AGENT: Final = re.compile(
    r"(?:er|[^l]or|(?<![lr])ist|[aecl]list|(?<!w)rist|ician|arian|wife|man|woman|mate|maid|parent"
    r"|child|friend|smith|wright|(?<!n)ess|eur|ee|ant|path|guard)$"
)
_SHORTEST_AGENT: Final = 4
_PROFESSIONS: Final = word_set(
    """
    gp pa pt ceo cto cfo coo hr vp md vet nurse chef cook guide judge pilot coach architect priest
    surgeon physio chaplain clerk deputy heir host notary rep vicar counsellor councillor chancellor
    tailor sailor paramedic paralegal superintendent commodore bishop monk nun apprentice analyst
    """
) | (vocabulary.TITLES - vocabulary.TITLE_LIKE - _ANYBODY)
"""The common ones that do not say so by their form."""
_PERSONS: Final = word_set(
    """
    agent associate baby bachelor chief concierge contact crush dean delegate expert guest
    hero idol intern patient postdoc prefect president pupil recruit registrar relative resident
    rival scholar sophomore steward sweetheart warden widow
    """
)
"""Words for people that are also said of things, or of whom nobody is told."""
_SAID_OF_PEOPLE: Final = _PROFESSIONS | _PERSONS
_NO_AGENTS: Final = (
    FUNCTION_WORDS
    | vocabulary.NOT_NAMES
    | _ANYBODY
    | word_set(
        """
    account address adventure answer another blender boiler browser business cancer career carrier
    chapter character charger cluster coffee committee compiler computer container cooker corner
    cover degree diaper dinner dishwasher docker door drawer dress dresser dryer elevator employer
    error factor fever fitness floor flower folder freezer german guess heater human illness insurer
    jersey jumper kindness ladder letter liver locker manner matter mirror monitor motor mower
    newsletter newspaper number offer order other pacemaker pants paper parser pepper planer plant
    poster predecessor printer process progress provider quarter radiator razor refrigerator
    restaurant river roman router scanner scooter sector sensor server shoulder shower shutter
    sickness slipper speaker stress stroller success successor summer supper supplier sweater temper
    toaster tower tracker tractor trailer tumor typewriter washer water weather whisker winner
    winter
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
        if word.owns or ends_phrase(words, end + 1) or takes_object(words, end + 1):
            # Who one likes best of all singers is nobody's singer.
            placed = end + 1 < len(words) and words[end + 1].key in vocabulary.PLACED
            is_role = may_be_role(word.key) or (placed and word.key in _ANYBODY)
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


def takes_object(words: list[Word], at: int) -> bool:
    """Return whether a word after a noun is its verb: "sold me", "cut his"."""
    after = at + 1
    goes_on = after < len(words) and words[at].gap == words[after].gap == " "
    is_before_object = goes_on and words[after].key in _OBJECTS
    return is_before_object and _is_lower(words[at]) and not may_be_role(words[at].key)


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
