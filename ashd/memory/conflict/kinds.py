"""What attributes there are, how many values they have, and which values are of one type.

Words only, no decisions. An attribute that stands nowhere here may have many values, so a word
that is missing costs a supersession and never a true fact.
"""

from collections.abc import Mapping
from typing import Final


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _types(text: str) -> tuple[tuple[frozenset[str], ...], ...]:
    """A type a line: its words exclude each other, or its sides, where "|" stands between them."""
    lines = text.strip().replace("\n ", " ").split("\n")
    return tuple(
        tuple(map(_set, line.split("|") if "|" in line else line.split())) for line in lines
    )


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
    "color deadline budget port version size address email phone number name birthday age "
    "limit timeout ttl url path branch time date price cost rent salary job employer manager "
    "ceo cto cfo leader owner plan language currency zone provider editor browser bank "
    "password code status framework os engine airline height weight length width duration "
    "capacity license theme format timezone location home hometown headquarters diet major "
    "degree school university carrier operator host domain repository database platform stack "
    "model level grade rank score rate threshold quota frequency interval schedule hour hours "
    "day month year season anniversary partner wife husband girlfriend boyfriend fiance "
    "fiancee landlord doctor dentist therapist lawyer accountant coach captain president "
    "chairman chair director head lead maintainer contact assistant religion nationality "
    "gender pronoun handle username nickname key region endpoint flag mode tool ide shell "
    "terminal font layout car laptop computer maximum minimum default favorite preferred title "
    "drink breakfast medication dose dosage room seat gate desk floor office engineer "
    "representative vendor supplier insurer insurance subscription tier membership standup "
    "meeting appointment flight train party wedding exam interview lesson launch release "
    "review retrospective target estimate velocity shift team band restaurant film movie "
    "author artist song book sport food dish game show genre animal flower subject brand blood "
    "mascot logo slogan motto"
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
    "head vp lead director president nurse chef cook pilot judge clerk surgeon scientist "
    "analyst paralegal coach architect student intern ceo cto cfo professor postdoc barista "
    "waiter butler guard mechanic sales retiree"
)
JOB_ENDINGS: Final = ("er", "or", "ist", "ian", "ant", "ent", "eer", "man", "woman", "ess", "legal")
ADJECTIVE_ENDINGS: Final = (
    *("y", "ful", "ous", "ive", "al", "ic", "able", "ible", "less", "ed", "ing", "ant", "ent"),
    *("ary", "ish", "en"),
)
NO_JOBS: Final = _set(
    "son daughter child parent friend neighbor husband wife twin cousin uncle aunt nephew "
    "niece mother father brother sister member swimmer runner player speaker owner lover "
    "reader beginner teenager newcomer believer smoker drinker writer-at-heart dancer gamer "
    "eater listener learner sleeper partner winner volunteer participant resident descendant "
    "hiker biker cyclist advisor adviser consultant trustee investor customer user feminist "
    "optimist pessimist perfectionist person introvert extrovert vegetarian veteran survivor "
    "collector supporter follower donor"
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
OPPOSITES: Final = _types(
    """
like love enjoy adore appreciate|hate dislike detest loathe
trust|distrust
enable activate|disable deactivate
open|close
start begin|stop end
own have buy|rent lease
lose|gain
increase raise|reduce lower cut
buy|sell
"""
)
"""Verbs of which one denies the other of the same thing."""
RESTRICTING: Final = _set(
    "for when while if unless during before after every each on at until over"
)
"""Prepositions that narrow a statement down: it then holds beside a wider one."""
UNITS: Final = _set("dollar euro pound yen time hour day week month year kg km mile percent")

STATES: Final = _types(
    """
single|married|engaged|divorced separated|widowed|dating relationship
vegetarian vegetarianism|vegan plant-based|pescatarian|omnivore carnivore meat
left-handed|right-handed|ambidextrous
on|off
enabled enable activated activate active|disabled disable deactivated inactive paused hold
open|closed close
online up working fixed running repaired repair fix|offline down broken break
sick ill|healthy well recovered
pending progress todo started|finished done complete completed|cancelled canceled
signed|unsigned
approved accepted|rejected denied declined|pending
public|private internal
person onsite|online remote virtual|hybrid
introvert introverted|extrovert extroverted
employed job|unemployed|retired
alive|dead
part-time|full-time|freelance
busy|free available
asleep|awake
pregnant|birth
locked|unlocked
required mandatory|optional
"""
)
"""States that exclude each other whatever the verb."""
KINDS: Final = STATES + _types(
    """
red blue green yellow orange purple pink black white gray brown teal navy beige turquoise maroon
basic premium free pro enterprise standard plus
short brief concise|long detailed verbose lengthy
formal professional|casual informal friendly playful
spicy|mild
single double
tab space
bus train car bicycle tram subway metro tube foot ferry scooter taxi
small medium large s m l xs xl xxl
english spanish french german italian portuguese dutch chinese mandarin japanese korean arabic
 hindi polish swedish russian turkish
metric imperial
celsius fahrenheit
light dark
tea coffee cocoa juice
daily|weekly|monthly|hourly|yearly annual annually|quarterly|nightly
kitchen bedroom bathroom hallway garage basement attic garden
master main trunk develop
dollar euro pound yen usd eur gbp chf
python java javascript typescript rust go ruby kotlin swift php scala perl elixir
react vue angular svelte
mysql postgres postgresql sqlite mariadb mongodb oracle
aws azure gcp heroku
windows macos linux ubuntu fedora debian arch
android|ios iphone
vim emacs helix neovim vscode nano zed
firefox chrome brave safari edge
window aisle middle
morning afternoon evening night day
pacific eastern central mountain atlantic
junior senior lead principal staff intern
beginner intermediate advanced fluent expert
email sms phone text letter call message chat slack video post mail fax
pdf excel word csv json xml yaml html markdown
christian catholic protestant muslim jewish hindu buddhist atheist agnostic
democrat republican
cash card paypal credit
dry wet raw
black milk
sweet sour savory
hot cold warm iced
left right center
north south east west
upper lower
ground first top
manual automatic
analog digital
paper electronic
work home
high|low|normal
good|bad poor
cheap|expensive
easy|hard difficult
fast quick|slow
big|tiny
happy|sad
full|empty
indoor|outdoor
clean|dirty
quiet|loud noisy
classic|modern
ascending descending
"""
)
"""Values of one type of which one holds at a time."""
NATIONALITIES: Final = _set(
    "american british english scottish irish welsh french german italian spanish portuguese "
    "dutch belgian swiss austrian polish czech hungarian greek turkish russian ukrainian "
    "swedish danish norwegian finnish chinese japanese korean indian pakistani thai vietnamese "
    "mexican brazilian argentinian canadian australian egyptian nigerian kenyan israeli "
    "iranian european african asian jewish muslim christian catholic"
)
REGIONS: Final = _set(
    "germany france spain italy portugal england scotland wales ireland britain uk usa us "
    "america canada mexico brazil argentina chile peru colombia china japan korea india "
    "pakistan russia ukraine poland austria switzerland belgium netherlands holland denmark "
    "sweden norway finland iceland greece turkey egypt morocco nigeria kenya ethiopia ghana "
    "israel iran iraq australia zealand thailand vietnam indonesia malaysia singapore "
    "philippines taiwan hungary romania bulgaria serbia croatia slovenia slovakia czechia "
    "estonia latvia lithuania europe asia africa california texas florida ohio oregon nevada "
    "arizona utah colorado washington montana idaho illinois michigan minnesota wisconsin iowa "
    "missouri kansas georgia virginia carolina pennsylvania massachusetts connecticut vermont "
    "maine alabama tennessee kentucky bavaria saxony catalonia andalusia ontario quebec "
    "tuscany sicily"
)
"""Places that hold others: living in one says nothing against living in a town."""
