"""Relationship words: every spelling and its one canonical word.

Owns the vocabulary that `references` reads with: relationship words, the words around them,
and words that look like a name but are not. What must hold: every word here is folded (lower case,
no Latin accents, spaces for hyphens), so a look-up compares folded text and nothing else; a word
counts only whole (Addison is nobody's son). Words that may mean two people (boss and manager, wife
and spouse) stay two: a question costs less than a wrong person.
"""

import re
from collections.abc import Sequence
from typing import Final

from ashd.language.date_spans import MONTHS, WEEKDAYS
from ashd.language.folding import clean
from ashd.language.people.unspaced_relationships import unspaced_relationship_at
from ashd.language.text_caches import cached_by_text
from ashd.language.words import split


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The canonical word: its other spellings, in every form without a foreign possessive.
_ENGLISH: Final[dict[str, str]] = {
    # Partners
    "wife": "wifey, missus",
    "husband": "hubby",
    "spouse": "",
    "partner": "significant other, other half, better half, life partner",
    "girlfriend": "gf, girl friend",
    "boyfriend": "bf, boy friend",
    "fiancé": "fiance, fiancee",
    "ex": "",
    # Family
    "mother": "mom, mum, mommy, mummy, mama, momma",
    "father": "dad, daddy, papa, pop, pops",
    "parent": "",
    "sister": "sis",
    "brother": "bro",
    "sibling": "",
    "younger sister": "kid sister, baby sister",
    "younger brother": "kid brother, baby brother",
    "twin": "",
    "twin sister": "",
    "twin brother": "",
    "son": "",
    "daughter": "",
    "child": "kid",
    "grandmother": "grandma, granny, gran, nana, nan, grandmom, oma, nonna, abuela",
    "grandfather": "grandpa, granddad, grandad, gramps, opa, nonno, abuelo",
    "grandson": "",
    "granddaughter": "",
    "grandchild": "grandkid",
    "uncle": "",
    "aunt": "auntie, aunty",
    "cousin": "",
    "nephew": "",
    "niece": "",
    # Friends and home
    "friend": "buddy, pal, mate",
    "best friend": "bestie, bff",
    "roommate": "room mate, flatmate, flat mate, housemate, house mate",
    "neighbour": "neighbor",
    "landlord": "",
    "landlady": "",
    "babysitter": "baby sitter",
    "nanny": "",
    "au pair": "",
    # Work and school
    "boss": "",
    "manager": "line manager",
    "supervisor": "",
    "colleague": "coworker, co worker, workmate, work mate",
    "teammate": "team mate",
    "team lead": "team leader",
    "business partner": "",
    "cofounder": "co founder",
    "assistant": "",
    "secretary": "",
    "intern": "",
    "employee": "",
    "client": "",
    "customer": "",
    "mentor": "",
    "mentee": "",
    "teacher": "",
    "tutor": "",
    "professor": "",
    "student": "",
    "classmate": "class mate, schoolmate",
    "coach": "",
    "trainer": "",
    # Services
    "doctor": "physician",
    "dentist": "",
    "therapist": "",
    "nurse": "",
    "lawyer": "attorney",
    "accountant": "",
    "plumber": "",
    "electrician": "",
    "mechanic": "",
    "hairdresser": "",
    "barber": "",
    "vet": "veterinarian",
    # Several people at once: a word of their own, never one of them
    "parents": "folks",
    "children": "kids",
    "siblings": "",
    "sons": "",
    "daughters": "",
    "sisters": "",
    "brothers": "",
    "grandparents": "",
    "in-laws": "inlaws",
    "friends": "",
    "roommates": "flatmates, housemates",
    "neighbours": "neighbors",
    "colleagues": "coworkers, co workers",
    "family": "relatives",
    "team": "",
}
GROUPS: Final = _words(
    "parents children siblings sons daughters sisters brothers grandparents in-laws friends"
    " roommates neighbours colleagues family team"
)

# These count only after a possessive of their own language: Frau Müller is nobody's wife.
_SPEAKERS: Final[dict[str, str]] = {
    "de": "mein meine meinen meinem meiner meines unser unsere unseren unserem unserer",
    "fr": "mon ma notre",
    "es": "mi nuestro nuestra",
    "it": "mio mia nostro nostra",
    "pt": "meu minha nosso nossa",
    "nl": "mijn onze ons",
    "pl": "moj moja moje mojego mojej mojemu moim nasz nasza nasze naszego naszej naszym",
    "ru": "мой моя моё моего моей моему моим мою наш наша нашего нашей нашему нашим нашу",
}
_FOREIGN: Final[dict[str, str]] = {
    "de": (
        "frau=wife ehefrau=wife mann=husband ehemann=husband mutter=mother mama=mother"
        " mutti=mother vater=father papa=father vati=father schwester=sister bruder=brother"
        " sohn=son tochter=daughter kind=child freund=freund freundin=freundin chef=boss"
        " chefin=boss kollege=colleague kollegen=colleague kollegin=colleague"
        " nachbar=neighbour nachbarn=neighbour nachbarin=neighbour onkel=uncle tante=aunt"
        " oma=grandmother opa=grandfather grossmutter=grandmother grossvater=grandfather"
        " cousin=cousin cousine=cousin partner=partner partnerin=partner verlobte=fiancé"
        " verlobter=fiancé mitbewohner=roommate mitbewohnerin=roommate lehrer=teacher"
        " schwiegermutter=mother-in-law schwiegervater=father-in-law lehrerin=teacher"
        " nichte=niece neffe=nephew enkel=grandson enkelin=granddaughter schwager=brother-in-law"
        " schwagerin=sister-in-law schwiegersohn=son-in-law schwiegertochter=daughter-in-law"
        " arzt=doctor arztin=doctor exfrau=ex-wife exmann=ex-husband"
    ),
    "fr": (
        "femme=wife epouse=wife mari=husband epoux=husband mere=mother maman=mother"
        " pere=father papa=father sœur=sister soeur=sister frere=brother fils=son"
        " fille=daughter enfant=child ami=friend amie=friend copain=boyfriend"
        " copine=girlfriend chef=boss patron=boss patronne=boss collegue=colleague"
        " voisin=neighbour voisine=neighbour oncle=uncle tante=aunt grand-mere=grandmother"
        " grand-pere=grandfather cousin=cousin cousine=cousin fiance=fiancé fiancee=fiancé"
        " niece=niece neveu=nephew petit-fils=grandson petite-fille=granddaughter"
        " beau-frere=brother-in-law belle-sœur=sister-in-law belle-soeur=sister-in-law"
        " beau-pere=father-in-law belle-mere=mother-in-law gendre=son-in-law"
        " compagnon=partner compagne=partner colocataire=roommate medecin=doctor"
        " ex-femme=ex-wife ex-mari=ex-husband"
    ),
    "es": (
        "esposa=wife mujer=wife esposo=husband marido=husband madre=mother mama=mother"
        " padre=father papa=father hermana=sister hermano=brother hijo=son hija=daughter"
        " amigo=friend amiga=friend novio=boyfriend novia=girlfriend jefe=boss jefa=boss"
        " colega=colleague vecino=neighbour vecina=neighbour tio=uncle tia=aunt"
        " abuelo=grandfather abuela=grandmother primo=cousin prima=cousin"
        " sobrino=nephew sobrina=niece nieto=grandson nieta=granddaughter cunado=brother-in-law"
        " cunada=sister-in-law yerno=son-in-law nuera=daughter-in-law"
        " suegra=mother-in-law suegro=father-in-law pareja=partner prometido=fiancé"
        " prometida=fiancé"
    ),
    "it": (
        "moglie=wife marito=husband madre=mother mamma=mother padre=father papa=father"
        " babbo=father sorella=sister fratello=brother figlio=son figlia=daughter"
        " amico=friend amica=friend ragazzo=boyfriend ragazza=girlfriend capo=boss"
        " collega=colleague vicino=neighbour vicina=neighbour zio=uncle zia=aunt"
        " nonno=grandfather nonna=grandmother cugino=cousin cugina=cousin"
        " cognato=brother-in-law cognata=sister-in-law genero=son-in-law nuora=daughter-in-law"
        " suocera=mother-in-law suocero=father-in-law compagno=partner compagna=partner"
        " coinquilino=roommate coinquilina=roommate"
    ),
    "pt": (
        "esposa=wife mulher=wife esposo=husband marido=husband mae=mother mamae=mother"
        " pai=father papai=father irma=sister irmao=brother filho=son filha=daughter"
        " amigo=friend amiga=friend namorado=boyfriend namorada=girlfriend chefe=boss"
        " patrao=boss colega=colleague vizinho=neighbour vizinha=neighbour tio=uncle tia=aunt"
        " sobrinho=nephew sobrinha=niece neto=grandson neta=granddaughter cunhado=brother-in-law"
        " cunhada=sister-in-law genro=son-in-law nora=daughter-in-law"
        " primo=cousin prima=cousin sogra=mother-in-law sogro=father-in-law noivo=fiancé"
        " noiva=fiancé companheiro=partner companheira=partner medico=doctor medica=doctor"
        " professor=teacher professora=teacher"
    ),
    "nl": (
        "vrouw=wife echtgenote=wife man=husband echtgenoot=husband moeder=mother mama=mother"
        " vader=father papa=father zus=sister zusje=sister broer=brother broertje=brother"
        " zoon=son dochter=daughter kind=child vriend=freund vriendin=freund baas=boss chef=boss"
        " collega=colleague buurman=neighbour buurvrouw=neighbour oom=uncle tante=aunt"
        " oma=grandmother opa=grandfather grootmoeder=grandmother grootvader=grandfather"
        " neef=cousin nicht=cousin kleinzoon=grandson kleindochter=granddaughter"
        " zwager=brother-in-law schoonzus=sister-in-law schoonzoon=son-in-law"
        " schoondochter=daughter-in-law schoonmoeder=mother-in-law schoonvader=father-in-law"
        " partner=partner verloofde=fiancé huisgenoot=roommate huisgenote=roommate"
        " huisarts=doctor dokter=doctor leraar=teacher lerares=teacher"
    ),
    "pl": (
        "zona=wife zone=wife zony=wife zonie=wife maz=husband meza=husband mezem=husband"
        " mama=mother mame=mother mamy=mother mamie=mother matka=mother matke=mother matki=mother"
        " tata=father tate=father taty=father ojciec=father ojca=father ojcem=father"
        " siostra=sister siostre=sister siostry=sister siostrze=sister brat=brother brata=brother"
        " bratu=brother bratem=brother syn=son syna=son synem=son corka=daughter corke=daughter"
        " corki=daughter corce=daughter dziecko=child przyjaciel=friend przyjaciela=friend"
        " przyjaciołka=friend przyjaciołke=friend przyjaciołki=friend chłopak=boyfriend"
        " chłopaka=boyfriend dziewczyna=girlfriend dziewczyne=girlfriend szef=boss szefa=boss"
        " szefem=boss szefowa=boss szefowej=boss kolega=colleague kolege=colleague"
        " kolezanka=colleague kolezanke=colleague sasiad=neighbour sasiada=neighbour"
        " sasiadka=neighbour sasiadke=neighbour wujek=uncle wujka=uncle ciocia=aunt cioci=aunt"
        " babcia=grandmother babcie=grandmother babci=grandmother dziadek=grandfather"
        " dziadka=grandfather kuzyn=cousin kuzyna=cousin kuzynka=cousin kuzynke=cousin"
        " wnuk=grandson wnuka=grandson wnuczka=granddaughter wnuczke=granddaughter"
        " szwagier=brother-in-law szwagra=brother-in-law szwagierka=sister-in-law"
        " bratowa=sister-in-law ziec=son-in-law synowa=daughter-in-law"
        " tesciowa=mother-in-law tesciowej=mother-in-law tesc=father-in-law tescia=father-in-law"
        " narzeczony=fiancé narzeczona=fiancé partner=partner partnera=partner partnerka=partner"
        " lekarz=doctor lekarza=doctor lekarka=doctor nauczyciel=teacher nauczycielka=teacher"
    ),
    "ru": (
        "жена=wife жену=wife жены=wife жене=wife женой=wife муж=husband мужа=husband мужу=husband"
        " мужем=husband мама=mother маму=mother мамы=mother маме=mother мать=mother матери=mother"
        " папа=father папу=father папы=father отец=father отца=father отцу=father сестра=sister"
        " сестру=sister сестры=sister сестре=sister сестрой=sister брат=brother брата=brother"
        " брату=brother братом=brother сын=son сына=son сыну=son сыном=son дочь=daughter"
        " дочери=daughter дочка=daughter дочку=daughter друг=friend друга=friend другу=friend"
        " подруга=friend подругу=friend подруги=friend начальник=boss начальника=boss"
        " начальница=boss коллега=colleague коллегу=colleague коллеги=colleague сосед=neighbour"
        " соседа=neighbour соседка=neighbour соседку=neighbour дядя=uncle дядю=uncle тётя=aunt"
        " тётю=aunt бабушка=grandmother бабушку=grandmother бабушки=grandmother"
        " племянник=nephew племянника=nephew племянница=niece племянницу=niece внук=grandson"
        " внука=grandson внучка=granddaughter внучку=granddaughter зять=son-in-law"
        " невестка=daughter-in-law дедушка=grandfather дедушку=grandfather"
        " тёща=mother-in-law свекровь=mother-in-law"
        " тесть=father-in-law жених=fiancé невеста=fiancé врач=doctor врача=doctor"
    ),
}
# Turkish says "my" with an ending of the word itself, and a case after it.
_OWNED: Final = (
    "karım=wife kocam=husband annem=mother babam=father ablam=sister kız_kardesim=sister"
    " agabeyim=brother abim=brother erkek_kardesim=brother oglum=son kızım=daughter"
    " arkadasım=friend is_arkadasım=colleague ev_arkadasım=roommate sevgilim=partner"
    " nisanlım=fiancé patronum=boss mudurum=boss komsum=neighbour amcam=uncle dayım=uncle"
    " teyzem=aunt halam=aunt anneannem=grandmother babaannem=grandmother dedem=grandfather"
    " esim=spouse kardesim=sibling kuzenim=cousin torunum=grandchild enistem=brother-in-law"
    " yengem=sister-in-law damadım=son-in-law gelinim=daughter-in-law"
    " kayınvalidem=mother-in-law kayınpederim=father-in-law doktorum=doctor"
    " ogretmenim=teacher"
)
_OWNED_ENDINGS: Final = ("", *_words("e a i ı u in ın un de da den dan le la"))

# Words that may come before a relationship word. These make it more specific …
_QUALIFIERS: Final[dict[str, str]] = {
    "older": "older",
    "elder": "older",
    "big": "older",
    "younger": "younger",
    "little": "younger",
    "oldest": "oldest",
    "eldest": "oldest",
    "youngest": "youngest",
    "middle": "middle",
    "twin": "twin",
    "best": "best",
    "new": "new",
    "first": "first",
    "second": "second",
    "third": "third",
    "other": "other",
}
# … and these do not.
_PLAIN: Final = _words(
    "dear dearest lovely beautiful beloved late amazing wonderful sweet darling own current good"
    " close closest longtime old favourite favorite poor great"
)
# With "old", these become former ones; an old friend is still a friend.
_OUTLIVED: Final = _words(
    "roommate landlord landlady babysitter nanny boss manager supervisor colleague teammate"
    " assistant secretary teacher tutor professor coach trainer doctor dentist therapist client"
    " girlfriend boyfriend neighbour"
)
_FAMILY: Final = re.compile(
    r"(?:mother|father|parent|sister|brother|sibling|twin|son|daughter|child|uncle|aunt|cousin"
    r"|nephew|niece)(?:-in-law)?$"
)
_MAX_PHRASE_WORDS: Final = 4
_MAX_ADJECTIVES: Final = 3
_CACHED_ROLES: Final = 4_096


def _table() -> dict[str, str]:
    table = {}
    for canonical, spellings in _ENGLISH.items():
        for spelling in (canonical.replace("é", "e").replace("-", " "), *spellings.split(", ")):
            table[spelling] = canonical
    for head in ("mother", "father", "sister", "brother", "son", "daughter", "child"):
        for spelling in [s for s, canonical in table.items() if canonical == head]:
            table[f"{spelling} in law"] = f"{head}-in-law"
            table[f"god{spelling}"] = f"god{head}"
            table[f"step{spelling}"] = table[f"step {spelling}"] = f"step{head}"
    for head in ("sister", "brother"):
        table[f"half {head}"] = f"half-{head}"
    for head in ("grandmother", "grandfather"):
        for spelling in [s for s, canonical in table.items() if canonical == head]:
            table[f"great {spelling}"] = f"great-{head}"
    del table[""]
    return table


_TABLE: Final = _table()
POSSESSIVES: Final[dict[str, str]] = {
    word: language for language, words in _SPEAKERS.items() for word in words.split()
}
_FOREIGN_TABLE: Final[dict[str, dict[str, str]]] = {
    language: dict(pair.split("=") for pair in pairs.split())
    for language, pairs in _FOREIGN.items()
}
_OWNED_TABLE: Final[dict[tuple[str, ...], str]] = {
    tuple(f"{word}{ending}".split("_")): relationship
    for word, relationship in (pair.split("=") for pair in _OWNED.split())
    for ending in _OWNED_ENDINGS
}
_OWNED_STARTS: Final = frozenset(words[0] for words in _OWNED_TABLE)
_STARTS: Final = (
    {phrase.split()[0] for phrase in _TABLE} | set(_QUALIFIERS) | _PLAIN | {"ex", "former"}
)


def canonical_relationship(phrase: str) -> str | None:
    """Return the canonical word for a folded `phrase` that is a relationship word and no more."""
    phrase = phrase.replace("-", " ")
    if found := _TABLE.get(phrase):
        return found
    former, _, rest = phrase.partition(" ")
    if former in {"ex", "former"} and (found := _TABLE.get(rest)):
        return f"ex-{found}" if found != "ex" else None
    return None


def may_begin(word: str) -> bool:
    """Return whether a relationship in any language may begin with this folded word."""
    is_foreign = word in POSSESSIVES or word in _OWNED_STARTS
    return is_foreign or word.partition("-")[0] in _STARTS


def relationship_at(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """Return the relationship that begins at ``words[at]``, and how many words it takes.

    `words` are folded. Adjectives are part of it: specific ones stay ("older sister"), an old boss
    is an ex-boss, others are dropped ("dear wife" is the wife).
    """
    if at >= len(words) or words[at].split("-")[0] not in _STARTS:
        return None
    kept: list[str] = []
    old = False
    for i in range(at, min(at + _MAX_ADJECTIVES + 1, len(words))):
        for width in range(min(_MAX_PHRASE_WORDS, len(words) - i), 0, -1):
            if head := canonical_relationship(" ".join(words[i : i + width])):
                if old and head in _OUTLIVED:
                    head = f"ex-{head}"
                return " ".join([*kept, head]), i - at + width
        word = words[i]
        if word in _QUALIFIERS:
            kept.append(_QUALIFIERS[word])
        elif word in _PLAIN:
            old = old or word == "old"
        else:
            return None
    return None


def relationships_in(text: str) -> set[str]:
    """Return the relationship words of a text, whoever they are of."""
    words = split(clean(text))
    keys = [word.key for word in words]
    hits = [
        relationship_at(keys, at) or foreign_relationship_at(keys, at)
        for at, key in enumerate(keys)
        if may_begin(key)
    ]
    hits += [unspaced_relationship_at(words, at, of_name=True) for at in range(len(words))]
    return {hit[0] for hit in hits if hit}


def foreign_relationship_at(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """Return the relationship of a possessive and its word ("meine Frau"), and how many words.

    In Turkish, that of the word alone ("annem"), which may be of two parts ("erkek kardeşim").
    """
    language = POSSESSIVES.get(words[at])
    if words[at] in _OWNED_STARTS:
        phrases = [tuple(words[at : at + width]) for width in (2, 1)]
        owned = next((one for one in phrases if one in _OWNED_TABLE), None)
        return (_OWNED_TABLE[owned], len(owned)) if owned else None
    if language is None or at + 1 >= len(words):
        return None
    found = _FOREIGN_TABLE[language].get(words[at + 1])
    return (found, 2) if found else None


@cached_by_text(_CACHED_ROLES)
def base_relationship(relationship: str) -> str | None:
    """Return the wider word for a specific one: "older sister" → "sister"; else None.

    "My sister" may mean the older sister; "my older sister" means no other.
    """
    words = relationship.split(" ")
    if place := place_of(relationship):
        return relationship.removesuffix(f" {place}")
    set_apart = words[0] in _QUALIFIERS
    if relationship in _ENGLISH and not set_apart:
        return None
    for i in range(1, len(words)):
        rest = " ".join(words[i:])
        # A dance partner is not the partner.
        if canonical_relationship(rest) == rest and (set_apart or rest != "partner"):
            return rest
    is_open = len(words) > 1 and canonical_relationship(words[-1]) is None
    return words[-1] if is_open else None


@cached_by_text(_CACHED_ROLES)
def place_of(relationship: str) -> str | None:
    """A complement that tells relationships apart: "from school", "of the studio"."""
    words = relationship.split(" ")
    found = (i for i in range(1, len(words)) if words[i] in PLACED or words[i] == "of")
    return next((" ".join(words[i:]) for i in found), None)


def former(relationship: str) -> str:
    """The word for one who was this to somebody: "ex-boss", but a grandmother stays one."""
    role = relationship.removeprefix("new ")
    return f"ex-{role}" if role in _OUTLIVED or role in PARTNERS else relationship


def is_family(relationship: str) -> bool:
    """Return whether a relationship is by birth or marriage: "sister", "older stepbrother"."""
    return _FAMILY.search(relationship) is not None


def is_private(relationship: str) -> bool:
    """Return whether a relationship is of somebody's private life: family, a partner, a friend."""
    role = one_role(relationship)
    return is_family(role) or role in {"partner", "friend", "best friend"}


def is_open(relationship: str) -> bool:
    """Return whether a relationship is any noun after "my", "our" or "the" that the table lacks."""
    return relationship not in _ENGLISH and base_relationship(relationship) not in _ENGLISH


def is_known(relationship: str) -> bool:
    """Return whether the noun of a relationship is in the table: "climbing partner"."""
    place = place_of(relationship)
    role = relationship.removesuffix(f" {place}") if place else relationship
    return canonical_relationship(role) is not None or (
        canonical_relationship(role.rpartition(" ")[2]) is not None
    )


@cached_by_text(_CACHED_ROLES)
def one_role(relationship: str) -> str:
    """Return the word that stays while a relationship changes: girlfriend, wife, ex-wife."""
    word = relationship.removeprefix("new ").removeprefix("ex-")
    word = base_relationship(word) or word
    return "partner" if word in PARTNERS | {"ex"} else word


# A phrase after a relationship that makes it specific: "friend from school", "beekeeper next door".
PLACED: Final = _words("from in next near across opposite upstairs downstairs")
PARTNERS: Final = _words("wife husband spouse partner girlfriend boyfriend fiancé")
"""The words for somebody one lives with or loves; one person has one at a time."""

FOREIGN_SPEAKER_WORDS: Final = frozenset(POSSESSIVES)
SPEAKER_WORDS: Final = _words("my our") | FOREIGN_SPEAKER_WORDS
DETERMINERS: Final = _words("my our the")
ARTICLES: Final = DETERMINERS | _words("a an")
# "la mia moglie"
FOREIGN_ARTICLES: Final = _words("la il lo")
# Words used for one's own relatives without a possessive.
CALLED_BARE: Final = _words("mother father grandmother grandfather")
OTHERS_WORDS: Final = _words("his her their your its whose")
SELF_WORDS: Final = _words("i me myself self user speaker ich mich")
THIRD_PERSON: Final = OTHERS_WORDS | _words("he she they")
PRONOUNS: Final = OTHERS_WORDS | _words(
    "he she they it him her them his hers theirs its you your yours we us who whom someone"
    " somebody anyone everyone everybody nobody this that these those themselves himself herself"
)
# Relationship words that are rather a title or a surname if capitalised before a name.
TITLE_LIKE: Final = _words(
    "mother father sister brother son doctor professor coach kid buddy friend mate pal child nurse"
)
TITLES: Final = _words(
    "dr mr mrs ms miss mx prof mister doktor sir madam dame lord lady herr frau mme mlle monsieur"
    " madame senor senora signor signora doctor professor captain sergeant father sister reverend"
    " rev pastor rabbi imam colonel major admiral lieutenant inspector senator"
)
ONE_TITLE: Final = {
    "doctor": "dr",
    "doktor": "dr",
    "professor": "prof",
    "mister": "mr",
    "rev": "reverend",
}
NAME_PARTICLES: Final = _words("de da di do dos du del der den la le van von bin ibn al el zu")
COPULAS: Final = _words("is was ist est es")

# Capitalised words that are no names.
NOT_NAMES: Final = (
    PRONOUNS
    | SELF_WORDS
    | frozenset(WEEKDAYS)
    | frozenset(f"{day}s" for day in WEEKDAYS)
    # People are called April, May, June and August.
    | (frozenset(MONTHS) - {"april", "may", "june", "august"})
    | _words(
        "christmas easter thanksgiving halloween ramadan"
        " hanukkah today tomorrow yesterday tonight morning evening weekend spring winter"
    )
    | _words(
        "a an the and or but nor so if when while because since although though after before"
        " until once as at by for from in into of off on onto out over per than then there to"
        " under up via with without about my our mine ours no not yes yeah ok okay hi hello hey"
        " dear thanks please sorry well now also still again already always never often sometimes"
        " usually maybe perhaps however therefore meanwhile instead anyway actually just only even"
        " both either neither each every all some any most many much more less few here what which"
        " why how where is are was were be been being am do does did has have had would can could"
        " meet call ask tell visit thank invite hopefully apparently supposedly allegedly"
        " presumably luckily sadly finally honestly according should shall might must remember"
        " note fyi btw remind forget save store last next later soon recently plus besides i'm"
        " i've i'd i'll we're we've let don't loves likes hates works lives said says went wants"
        " turns needs told called named got gets born married single pregnant vegan vegetarian"
    )
    | _words(
        "american british english scottish welsh irish canadian australian german french spanish"
        " italian portuguese dutch belgian swiss austrian polish czech hungarian romanian greek"
        " turkish russian ukrainian swedish norwegian danish finnish chinese japanese korean"
        " vietnamese thai indian pakistani iranian persian israeli arab egyptian moroccan nigerian"
        " african asian european latino latina mexican brazilian argentinian colombian cuban"
        " jewish muslim christian catholic protestant buddhist hindu orthodox mormon republican"
        " democrat aries taurus gemini cancer leo virgo libra scorpio sagittarius capricorn"
        " aquarius pisces bavarian bulgarian croatian serbian slovenian slovak estonian latvian"
        " lithuanian albanian armenian georgian belarusian icelandic maltese kenyan ghanaian"
        " ethiopian somali sudanese tunisian algerian lebanese syrian iraqi afghan nepalese nepali"
        " malaysian indonesian filipino singaporean taiwanese mongolian peruvian chilean"
        " venezuelan ecuadorian bolivian jamaican haitian californian texan parisian sicilian"
        " catalan basque sikh atheist agnostic"
    )
    | _words(
        "google amazon netflix apple iphone ipad android microsoft windows facebook instagram"
        " whatsapp twitter youtube tiktok spotify uber lyft airbnb tesla bmw audi toyota honda ikea"
        " nike adidas walmart costco starbucks slack zoom github linkedin telegram openai linux"
        " python docker ceo cto cfo coo hr it ai tv pc uk us usa eu vp phd md"
    )
) - _words("leo virgo christian")

# Names that are common words too: no name in lower case, hardly one at a sentence's start.
COMMON_WORD_NAMES: Final = NOT_NAMES | _words(
    "will may mark rose grace hope faith joy bill sue art frank jack pat rob drew chase hunter"
    " dawn summer autumn june april august angel brook brooks dean earl eve ginger guy harmony"
    " heather holly iris ivy jade jasmine jay lance lily melody miles nick norm olive page pearl"
    " penny pierce piper rain ray reed rich river robin rocky ruby rusty sage sandy skip sky star"
    " sterling stone storm sunny van victor violet wade ward woody young long price love cook"
    " baker king prince duke major bishop west north rowan clay cliff dale glen heath forest gene"
    " grant hazel jewel justice kit noble patience peace trinity charity crystal daisy destiny"
    " diamond fern flora gale honey journey mercy misty opal poppy serenity chance ace basil buck"
    " cash chip colt curt dash don gray jet lane max nova pace porter rod roman saw tanner trip"
    " tucker axel"
)
MONTH_NAMES: Final = _words("april may june august jan")

# A reference's name ends before these: "my boss at work", "my friend Bob from school".
AFTER_NAME: Final = _words("at from in on who whom that which and or with is was")
# Words between "is" and the name.
FILLERS: Final = _words("now actually really also simply officially")
# Adjectives said of a name, which are none: "my wife's name is beautiful".
NAME_REMARKS: Final = _words(
    "beautiful pretty unusual common rare long short hard difficult easy unknown secret similar"
    " different misspelled spelled spelt changed funny weird nice cool great same often away back"
    " up out important private confidential"
)
NO_LOWER_NAMES: Final = NOT_NAMES | NAME_REMARKS

FIRST_PERSON: Final = _words(
    "i we i'm i've i'd i'll we're we've ich wir je j'ai j'aime j'adore nous"
)
_FIRST_PERSON_OF: Final = {
    "es": "yo",
    "it": "io",
    "pt": "eu",
    "nl": "ik wij",
    "pl": "ja",
    "ru": "я мы",
    "tr": "ben biz",
}
FIRST_PERSON_OF: Final = {
    word: language for language, words in _FIRST_PERSON_OF.items() for word in words.split()
}
"""Words for the speaker that mean something else in English."""
OWN_WORDS: Final = _words("my our mein meine meinen meinem meiner unser unsere")
FIRST_PERSON_OBJECTS: Final = _words("me us mir mich")
FIRST_PERSON_PLURAL: Final = _words("we us our ours ourselves wir uns unser unsere nous notre nos")
OPINION_VERBS: Final = _words(
    "think believe guess suppose assume heard hear know knew learned noticed hope"
)
# Before "me" these introduce a report: "Bob told me that …".
TELLING_WORDS: Final = _words(
    "told tell tells asked ask asks informed texted emailed called messaged reminded remind wrote"
    " writes let promised says said to"
)
