"""What attributes there are and how many values each has at a time.

Words only, no decisions. An attribute that stands nowhere here may have many values, so a word
that is missing costs a supersession and never a true fact.
"""

from collections.abc import Mapping
from typing import Final


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


SCHOOLS: Final = _set("school university college kindergarten nursery academy elementary")
ATTRIBUTES: Final[Mapping[tuple[str, str], str]] = {
    ("live", "in"): "home",
    ("live", "at"): "home",
    ("live", "with"): "household",
    ("live", ""): "household",
    ("work", "from"): "workplace",
    ("base", "in"): "home",
    ("locate", "in"): "home",
    ("move", "to"): "home",
    ("work", "at"): "employer",
    ("work", "for"): "employer",
    ("employ", "at"): "employer",
    ("employ", "by"): "employer",
    ("work", "as"): "job",
    ("employ", "as"): "job",
    ("promote", "to"): "job",
    ("report", "to"): "manager",
    ("bank", "with"): "bank",
    ("drive", ""): "car",
    ("weigh", ""): "weight",
    ("cost", ""): "price",
    ("earn", ""): "salary",
    ("bear", "on"): "birthday",
    ("rename", "to"): "name",
    ("study", "at"): "school",
    ("assign", "to"): "assigned",
    ("deploy", "on"): "host",
    ("deploy", "to"): "host",
    ("host", "on"): "host",
    ("host", "in"): "host",
    ("rewrite", "in"): "language",
    ("park", "in"): "parked",
    ("park", "on"): "parked",
    ("park", "at"): "parked",
    ("indent", "with"): "indentation",
    ("address", "as"): "nickname",
    ("pay", "with"): "payment",
    ("pay", "by"): "payment",
    ("process", "by"): "processor",
    ("commute", "by"): "commute",
    ("depart", "from"): "gate",
    ("major", "in"): "major",
}
"""What a verb with a preposition ("": its object) says of its subject, named as a noun would."""
ATTRIBUTES_DONE: Final[Mapping[tuple[str, str], str]] = {
    ("call", ""): "name",
    ("name", ""): "name",
    ("paint", ""): "color",
    ("repaint", ""): "color",
    ("dye", ""): "color",
    ("write", "in"): "language",
    ("rewrite", "in"): "language",
    ("store", "in"): "stored",
    ("keep", "in"): "stored",
    ("hold", ""): "held",
    ("hold", "in"): "held",
    ("hold", "at"): "held",
    ("park", "in"): "parked",
}
"""The same for what is done to the subject: "it is called", "they are stored in"."""
ATTRIBUTES_OF: Final[Mapping[tuple[str, str], tuple[str, frozenset[str]]]] = {
    ("join", ""): ("employer", _set("agency bank company firm hospital lab startup studio")),
    ("attend", ""): ("school", SCHOOLS),
    ("go", "to"): ("school", SCHOOLS),
    ("transfer", "to"): ("school", SCHOOLS),
    ("subscribe", "to"): ("plan", _set("plan tier")),
    ("study", "in"): ("school", SCHOOLS),
    ("play", "for"): ("team", _set("band club orchestra side squad team")),
    ("wear", ""): ("size", _set("size")),
    ("reply", "in"): (
        "language",
        _set("english spanish french german italian portuguese dutch chinese japanese"),
    ),
    ("pay", "in"): ("payment", _set("cash bitcoin euro dollar pound franc installment")),
    ("ride", ""): ("motorcycle", _set("motorcycle motorbike scooter")),
}
"""The same for verbs that say it only of some things, or of any name if in NAMED."""
NAMED: Final = {
    ("join", ""),
    ("play", "for"),
    ("study", "in"),
    ("transfer", "to"),
    ("ride", ""),
    ("reply", "in"),
}
SINGLE: Final = (
    frozenset({*ATTRIBUTES.values(), *ATTRIBUTES_DONE.values()})
    | {name for name, _ in ATTRIBUTES_OF.values()}
    | _set("age deadline version port nickname who")
)
"""Attributes that verbs speak of and that have one value at a time."""
NOT_EMPLOYERS: Final = _set("home night weekend desk office time peace risk")
"""What one may work at that is no employer."""
WORKPLACES: Final = _set("office team role department company desk job position project")
"""What one may move to without moving house."""
COMMUTE_VERBS: Final = _set("take drive cycle bike walk ride commute go travel run get")
COMMUTE_BY: Final = {"drive": "car", "cycle": "bicycle"}
COMMUTE_TO: Final = _set("work office school campus")

ATTRIBUTE_NOUNS: Final = _set(
    "accountant address admin administrator affiliation age agenda agent airline allowance "
    "altitude animal anniversary anthem appointment approver arrival artist assignee assistant "
    "author babysitter balance band bank barber birthday blood bonus book booking boyfriend "
    "branch brand breakfast broker browser bucket budget cadence campus capacity capital captain "
    "car carrier ceo cfo chair chairman cholesterol church cleaner cluster coach code color "
    "commute compiler computer contact convention cost cto currency database date day deadline "
    "default degree delimiter dentist department departure deposit desk destination diagnosis "
    "diet director discount dish doctor domain dorm dosage dose drink duration edition editor "
    "email employer encoding endpoint engine engineer estimate exam executor expiry extension "
    "faculty faith fare favorite fee fiance fiancee film flag flight floor flower font food "
    "format formatter framework frequency fuel game gardener gate gateway gender genre girlfriend "
    "gpa grade guardian hairdresser handle head headcount headmaster headquarters height home "
    "hometown host hostname hour hours husband ide income indentation instructor insurance "
    "insurer interest interval interview ip job key keynote landlord language laptop launch "
    "lawyer layout layover lead leader length lesson level license limit line linter locale "
    "location logo maintainer major manager mascot maximum mayor mechanic medication meeting "
    "membership mileage milestone minimum mode model moderator month mortgage motto movie name "
    "namespace nanny nationality network nickname number office operator optician organizer "
    "origin os owner partner party passcode passport password path pediatrician penalty pension "
    "phone physiotherapist pin plan plate platform plumber population port preferred prefix "
    "prescription president pressure price principal professor profit pronoun protocol provider "
    "proxy psychologist pulse quota rank rate region registration registry release religion rent "
    "repository representative reservation residence restaurant retro retrospective revenue "
    "review reviewer room route router row runtime salary schedule school score season seat "
    "secretary separator shell shift show sign signature size slogan song sponsor sport stack "
    "standup status stipend stop stylist subject subnet subscription suffix supplier surgeon "
    "target tax team temperature terminal theme therapist thesis threshold tier time timeout "
    "timezone title toll tool topic track train trainer transmission treasurer ttl tuition "
    "turnover tutor unit university url username validity vat velocity vendor venue version vet "
    "visa wage waist wedding weight width wife wifi year zone"
)
"""Heads of "X is Y" that have one value at a time."""
SINGLE_MAKERS: Final = _set("favorite preferred default max maximum min minimum primary main go-to")
"""With one of these in front any noun has one value."""
MANY_NOUNS: Final = _set(
    "friend hobby interest skill goal allergy pet child children son daughter brother sister "
    "sibling cousin aunt uncle niece nephew colleague coworker neighbor member dream wish plan "
    "project task problem issue concern fear strength weakness feature requirement example "
    "reason idea suggestion tip habit memory fact event hero book movie song trip class course "
    "customer client competitor twin grandson granddaughter dog cat roommate teacher advantage "
    "responsibility duty priority symptom talent achievement dependency risk point"
)
"""A person or thing has many of these, each with a value of its own."""
ENTITY_NOUNS: Final = _set(
    "car phone laptop computer room seat flat office desk floor hotel logo font layout house "
    "home job manager partner wife husband girlfriend boyfriend landlord restaurant film movie "
    "book song game party wedding exam interview lesson flight train team band host database "
    "platform server terminal shell tool store kitchen"
)
"""Heads of "X is Y" that are described in many ways beside what they are."""
JOBS: Final = _set(
    "accountant analyst apprentice architect barista butler captain ceo cfo chef clerk coach cook "
    "cto dentist director doctor freelancer guard head intern judge lawyer lead manager marine "
    "mechanic midwife minister model notary nurse paralegal paramedic pilot poet postdoc "
    "president priest professor retiree sales scientist secretary soldier student surgeon teacher "
    "therapist trainee treasurer vet vp waiter"
)
JOB_ENDINGS: Final = ("er", "or", "ist", "ian", "ant", "ent", "eer", "man", "woman", "ess", "legal")
ADJECTIVE_ENDINGS: Final = (
    *("y", "ful", "ous", "ive", "al", "ic", "able", "ible", "less", "ed", "ing", "ant", "ent"),
    *("ary", "ish", "en"),
)
NO_JOBS: Final = _set(
    "son daughter child parent friend neighbor husband wife twin cousin uncle aunt nephew niece "
    "mother father brother sister member swimmer runner player speaker owner lover reader "
    "beginner teenager newcomer believer smoker drinker writer-at-heart dancer gamer eater "
    "listener learner sleeper partner winner volunteer participant resident descendant hiker "
    "biker cyclist advisor adviser consultant trustee investor customer user feminist optimist "
    "pessimist perfectionist person introvert extrovert vegetarian veteran survivor collector "
    "supporter follower donor"
)
"""Words that end as jobs do and are none, or none that excludes another."""


def is_adjective(word: str) -> bool:
    """Whether a word may describe a thing rather than name a value."""
    return len(word) < 6 or word.endswith(ADJECTIVE_ENDINGS)


def is_job(word: str) -> bool:
    """Whether a noun says what someone does: listed, or ending as such nouns do."""
    return word in JOBS or (len(word) > 4 and word.endswith(JOB_ENDINGS) and word not in NO_JOBS)


OPEN_VERBS: Final = _set(
    "report cost earn last deploy serve bind process host locate base assign schedule happen "
    "end depart arrive land belong format reply expire renew sleep head charge indent answer "
    "prefer bank subscribe weigh measure major address"
)
"""Verbs with one value more often than not: another value of the same type replaces it."""
OPEN_VERBS_OF_THINGS: Final = _set("run meet start open close begin leave")
EXCLUSIVE_VERBS: Final = _set("prefer")
MANY_VERBS: Final = _set(
    "take like love hate know speak have get read watch visit see meet play learn collect cook "
    "bake eat drink buy sell attend join volunteer build make create support follow need contain "
    "include depend require integrate offer provide manage mentor help practice try start "
    "finish find go travel win add fix test write export import convert accept teach believe "
    "remember want fear avoid use study"
)
"""Verbs whose objects stand side by side, even if the newer one says "now"."""
LIGHT_VERBS: Final = _set("take have get make go use")
"""Verbs that say little beside their object."""
AT_TIMES: Final = _set("open close start begin stop end")
"""Verbs of what happens again and again: the opposite does too, at another time."""
LIKING: Final = _set(
    "like love hate use know visit read watch support have make surround fill include inspire "
    "influence motivate cover bother scare annoy see hear test sponsor publish eat"
)
"""Verbs that many may do to one thing."""

CHANGE_VERBS: Final = _set(
    "move relocate change switch migrate upgrade downgrade update rename replace convert "
    "transfer extend postpone push shift reschedule delay slip bump raise increase cut reduce "
    "lower drop rise fall promote demote become turn rewrite repaint join set adjust marry "
    "divorce retire"
)
"""Verbs that say by themselves that a value is another now."""
PLACES: Final = _set("host home stored parked")
"""Attributes that say where a thing is."""
SWITCHING: Final = _set("promote demote switch migrate convert upgrade change")
"""Of these, those that say of a person what they use or are."""
AMOUNT_VERBS: Final = _set("raise increase cut reduce lower drop rise fall bump")
"""Of these, those that speak of an amount, not of a date."""
GETTING: Final = _set("get buy adopt receive find rent lease purchase")
BECOMING: Final = _set("get become turn")
FOR_LIFE: Final = _set("bear graduate")
"""Past for ever, and yet one value each."""
ENDING: Final[Mapping[str, frozenset[str]]] = {
    "stop": _set(""),
    "quit": _set(""),
    "cease": _set(""),
    "give": _set(""),
    "abandon": _set(""),
    "leave": _set("be employer study attend member home belong major school serve play work"),
    "resign": _set("employer job"),
    "retire": _set("employer job work"),
    "sell": _set("have own drive car possess"),
    "lose": _set("have own employer job"),
    "cancel": _set("want plan visit book have subscribe schedule go attend travel"),
    "buy": _set("save look search seek want shop rent"),
    "purchase": _set("save look search seek want shop"),
    "step": _set("job"),
    "shave": _set("have"),
    "remove": _set("have use"),
    "delete": _set("have use"),
    "donate": _set("have"),
    "pay": _set("owe"),
    "repay": _set("owe"),
    "finish": _set("take read watch write learn study work play build paint"),
    "complete": _set("read watch write learn study work build"),
    "recover": _set("recover have suffer"),
    "heal": _set("recover have suffer"),
    "find": _set("look search seek"),
    "break": _set("date marital see have"),
    "split": _set("date marital see"),
    "divorce": _set("marital"),
    "separate": _set("marital date"),
    "drop": _set("study attend learn school major"),
    "return": _set("borrow have"),
}
"""Verbs that end what an older statement says, with the attributes they end; none: any."""
VIEWS: Final = _set("~like ~hate ~prefer ~know ~believe ~want ~think ~remember ~fear")
"""Attributes that end by no act: having quit coffee, one may still like it."""
ABSENCES: Final = _set(
    "hospital leave vacation holiday trip tour clinic rehab abroad prison jail bed mission "
    "sabbatical"
)
"""Where, or on what, someone is who may be back."""
HOURS: Final = _set("open closed close available free busy")
"""States that may hold on several days."""
RESTRICTING: Final = _set(
    "for when while if unless during before after every each on at until over"
)
"""Prepositions that narrow a statement down: it then holds beside a wider one."""
UNITS: Final = _set("dollar euro pound yen time hour day week month year kg km mile percent")
