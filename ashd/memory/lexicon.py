"""What the comparison of statements knows about English: words only, no decisions.

A verb or noun that stands nowhere here is treated as one whose values may stand side by side,
so a missing word costs a supersession and never a true fact.
"""

from typing import Final


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


SELF: Final = _set("i me my mine we us our ours myself you your yours user")
"""Words for the one who speaks or is spoken of by default."""
SELF_OWNERS: Final = _set("my our your")
OTHERS: Final = _set("he she they him her them his their it its")
OWNERS: Final = SELF_OWNERS | _set("his her their its")
ARTICLES: Final = _set("the a an this that these those some any")
NEUTRAL: Final = _set("new current latest present main primary usual regular own very")
"""Adjectives that do not make another thing of what they stand with."""

EMPTY: Final = (
    ARTICLES
    | OWNERS
    | SELF
    | _set("and or of that any more not no new current latest own very only")
)
"""Words of a value that carry no meaning of their own, beside forms of "be" and adverbs."""

BE: Final = _set("be am is are was were been being")
AUXILIARIES: Final = _set(
    "do does did have has had will would can could may might shall should must"
)
NEGATIONS: Final = _set("not never no neither nor without hardly")

ADVERBS: Final = _set(
    "also too now currently presently still really always usually often generally mostly mainly "
    "typically normally just recently already again actually definitely currently only even "
    "probably certainly newly lately nowadays officially finally permanently temporarily fully "
    "please instead meanwhile soon ever once formerly previously absolutely quite both all"
)
ADDITIVE: Final = _set("also additionally another besides too")
"""The new fact says of itself that it stands beside others."""
EMPTY |= ADVERBS | BE
FORMER: Final = _set("once formerly previously")
CHANGE_WORDS: Final = _set(
    "now instead nowadays newly again actually lately correction update updated"
)
CHANGE_PHRASES: Final = (
    "no longer",
    "not any more",
    "any more",
    "these days",
    "from now on",
    "as of",
    "at the moment",
    "rather than",
    "this week",
    "this month",
    "this year",
    "since",
    "going forward",
    "effective",
)

KIN: Final = _set(
    "wife husband spouse partner girlfriend boyfriend fiance fiancee mother father parent parents "
    "sister brother sibling son daughter child baby twin grandmother grandfather grandma grandpa "
    "aunt uncle cousin niece nephew grandson granddaughter stepson stepdaughter stepmother "
    "stepfather boss manager colleague coworker friend roommate flatmate neighbor landlord dog cat "
    "puppy kitten horse rabbit parrot teacher tutor therapist doctor dentist lawyer accountant "
    "coach mentor ex mother-in-law father-in-law sister-in-law brother-in-law family"
)
"""Someone who stands to a person in a relation: a subject of its own, with a name or without."""

KIN_SAME: Final = {
    "boss": "manager",
    "supervisor": "manager",
    "mommy": "mother",
    "spouse": "partner",
    "gp": "doctor",
    "physician": "doctor",
    "puppy": "dog",
    "kitten": "cat",
    "flatmate": "roommate",
    "coworker": "colleague",
    "grandma": "grandmother",
    "grandpa": "grandfather",
    "telephone": "phone",
    "mobile": "phone",
    "occupation": "job",
    "profession": "job",
    "role": "job",
    "position": "job",
    "title": "job",
    "company": "company",
    "residence": "home",
    "timezone": "zone",
    "e-mail": "email",
    "nickname": "name",
    "vehicle": "car",
    "cuisine": "food",
    "apartment": "flat",
}
"""One word for each thing that has several."""

MANY_NOUNS: Final = _set(
    "friend hobby interest skill goal allergy pet child children son daughter brother sister "
    "sibling cousin aunt uncle niece nephew colleague coworker neighbor friend member dream wish "
    "plan project task problem issue concern fear strength weakness feature requirement example "
    "reason idea suggestion tip habit memory fact event hero book movie song trip class course "
    "customer client competitor twin grandson granddaughter dog cat roommate teacher advantage "
    "responsibility duty priority symptom talent achievement dependency risk point"
)
"""A person or thing has many of these, each with a value of its own."""

ATTRIBUTE_NOUNS: Final = _set(
    "color deadline budget port version size address email phone number name birthday age limit "
    "timeout ttl url path branch time date price cost rent salary job employer manager ceo cto cfo "
    "leader owner plan language currency zone provider editor browser bank password code status "
    "framework os engine airline height weight length width duration capacity license theme format "
    "timezone location home hometown headquarters diet major degree school university carrier "
    "operator host domain repository database platform stack model level grade rank score rate "
    "threshold quota frequency interval schedule hour hours day month year season anniversary "
    "partner wife husband girlfriend boyfriend fiance fiancee landlord doctor dentist therapist "
    "lawyer accountant coach captain president chairman chair director head lead maintainer "
    "contact assistant religion nationality gender pronoun handle username nickname key region "
    "endpoint flag mode tool ide shell terminal font layout car phone laptop computer maximum "
    "minimum default favorite preferred title drink breakfast medication dose dosage room seat "
    "gate desk floor office desk engineer representative vendor supplier insurer insurance "
    "subscription tier membership standup meeting appointment flight train party wedding exam "
    "interview lesson launch release review retrospective target estimate velocity shift team band "
    "restaurant film movie author artist song book sport food dish game show genre animal flower "
    "season subject brand blood mascot logo slogan motto"
)
"""Heads of "X is Y" that have one value at a time."""
SINGLE_MAKERS: Final = _set("favorite preferred default max maximum min minimum primary main go-to")
"""With one of these in front any noun has one value."""

SCHOOLS: Final = _set("school university college kindergarten nursery academy elementary")
ATTRIBUTES: Final = {
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
    ("reply", "in"): "language",
    ("indent", "with"): "indentation",
    ("pay", "with"): "payment",
    ("pay", "by"): "payment",
    ("process", "by"): "processor",
    ("commute", "by"): "commute",
    ("depart", "from"): "gate",
    ("major", "in"): "major",
}
"""What a verb with a preposition ("": its object) says of its subject, as a noun would."""

ATTRIBUTES_DONE: Final = {
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

ATTRIBUTES_OF: Final = {
    ("join", ""): ("employer", _set("startup company firm agency studio bank hospital lab")),
    ("attend", ""): ("school", SCHOOLS),
    ("go", "to"): ("school", SCHOOLS),
    ("transfer", "to"): ("school", SCHOOLS | _set("ucla mit stanford harvard")),
    ("subscribe", "to"): ("plan", _set("plan tier")),
    ("play", "for"): ("team", _set("team club band orchestra side squad")),
    ("wear", ""): ("size", _set("size")),
}
"""The same for verbs that say it only of some things, or of a name if in NAMED."""
NAMED: Final = _set("employer team")

SINGLE: Final = frozenset(
    {*ATTRIBUTES.values(), *ATTRIBUTES_DONE.values(), *(name for name, _ in ATTRIBUTES_OF.values())}
) | _set("age deadline version port nickname job who")
"""Attributes that have one value at a time."""

OPEN_VERBS: Final = _set(
    "report cost earn last deploy serve bind process host locate base assign schedule happen end "
    "depart arrive land belong format reply expire renew sleep head charge indent answer prefer "
    "bank subscribe weigh measure major address"
)
"""Verbs with one value more often than not: another value of the same type replaces it."""
OPEN_VERBS_OF_THINGS: Final = _set("run meet start open close begin leave")
EXCLUSIVE_VERBS: Final = _set("prefer")

VERBS: Final = (
    OPEN_VERBS
    | OPEN_VERBS_OF_THINGS
    | _set(
        """
abandon accept activate add address administer admire adopt adore advise aim alert allow analyze
annoy answer apply appreciate approve archive arrive assign attend audit authenticate avoid back
backup bake bank base bear become begin believe belong bike bill bind blog book born borrow
bother box break bring build bump buy cache calculate call camp cancel cap care carry catch
cease celebrate chair change chat check choose clean click climb close coach code collect color
come comment commit communicate commute compile configure connect consider consist consult
contact contain contract convert cook coordinate cost count cover crash create cut cycle dance
date debug decide default delay delete deliver demand demote depart depend deploy deposit
deserve design develop diagnose die diet direct disable discuss dislike display distrust dive
divorce do donate doubt downgrade draw dream drink drive drop dwell dye earn eat edit email
employ enable encrypt end engage enjoy enroll equal estimate exceed exercise expect experience
expire export expose extend fail fall fast favor fear feed feel fetch fill film filter finance
find finish fire fish fit fix fly follow forget format found fund garden gather generate get
give go graduate grant grow handle happen hate have head heal help hide hike hire hold hope host
hunt hurt identify import include increase indent index influence inspect inspire install insure
integrate intend interpret interview invest investigate invite invoice iron jog join keep knit
know label land last launch lead learn lease leave lend let lift like limit link listen live
locate log look lose love lower major make manage marry mean measure meditate meet mention
mentor merge message migrate mind miss model moderate monitor motivate move name need negotiate
notify nurse occupy occur offer open operate order organize oversee owe own paint park parse
pass pay phone photograph pick ping plan plant play please point possess post postpone practice
pray prefer prescribe present preside print process produce program promote protect provide
publish purchase push put query queue quit raise reach read reboot receive record recover
recruit reduce refactor refund relax release relocate rely remember remind remove rename render
renew rent repaint repair replace reply report represent require reschedule research reside
resign respond rest restart retain retire return review rewrite ride ring rise rotate row run
sail save say scan scare schedule search seat see seek select sell send separate serve set
settle sew share shave shift ship shop show sign sing sit skate ski sleep slip smoke snore sort
speak specialize spend split sponsor stand stay step stop store stream stretch struggle study
subscribe suffer supervise supply surf surprise surround swim switch sync tag take talk target
tax teach tend test text think tidy title toggle total track trade train transfer translate
travel treat trigger trust try turn tutor tweet type understand update upgrade use vaccinate
vacuum vape vet visit volunteer vote wake walk want wash watch water wear wed weigh win wish
withdraw work worry worship wrestle write
"""
    )
)

IRREGULAR: Final = {
    form: lemma
    for lemma, forms in {
        "be": "am is are was were been being",
        "have": "has had having",
        "do": "does did done doing",
        "go": "goes went gone going",
        "leave": "leaves left leaving",
        "sell": "sold",
        "find": "found",
        "quit": "quit quitting",
        "give": "gave given giving",
        "get": "got gotten getting",
        "become": "became becoming",
        "begin": "began begun beginning",
        "buy": "bought",
        "eat": "ate eaten",
        "drink": "drank drunk",
        "drive": "drove driven driving",
        "run": "ran running",
        "swim": "swam swum swimming",
        "read": "reading",
        "see": "saw seen",
        "meet": "met",
        "pay": "paid",
        "spend": "spent",
        "know": "knew known",
        "speak": "spoke spoken",
        "write": "wrote written writing",
        "rewrite": "rewrote rewritten rewriting",
        "take": "took taken taking",
        "make": "made making",
        "keep": "kept",
        "sleep": "slept",
        "wake": "woke woken waking",
        "wear": "wore worn",
        "teach": "taught",
        "think": "thought",
        "feel": "felt",
        "hold": "held",
        "send": "sent",
        "build": "built",
        "lead": "led",
        "lose": "lost losing",
        "win": "won winning",
        "break": "broke broken breaking",
        "bear": "born bore",
        "cut": "cutting",
        "choose": "chose chosen choosing",
        "fall": "fell fallen",
        "rise": "rose risen rising",
        "grow": "grew grown",
        "fly": "flew flown flies",
        "come": "came coming",
        "stand": "stood",
        "sit": "sat sitting",
        "die": "died dying dies",
        "ride": "rode ridden riding",
        "stop": "stopped stopping",
        "drop": "dropped dropping",
        "plan": "planned planning",
        "jog": "jogged jogging",
        "prefer": "preferred preferring",
        "transfer": "transferred transferring",
        "slip": "slipped slipping",
        "cancel": "cancelled canceled cancelling canceling",
        "travel": "travelled traveled travelling traveling",
        "marry": "married",
        "study": "studied studies",
        "carry": "carried carries",
        "bring": "brought",
        "catch": "caught",
        "split": "splitting",
        "ship": "shipped shipping",
        "commit": "committed committing",
        "back": "backed",
        "log": "logged logging",
        "chat": "chatting",
        "rent": "rented",
        "let": "letting",
        "forget": "forgot forgotten",
        "understand": "understood",
        "say": "said",
        "tell": "told",
        "sing": "sang sung",
        "draw": "drew drawn",
    }.items()
    for form in forms.split()
}

PARTICIPLES: Final = _set("become come run read cut set put quit let hit shut split")
"""Participles that look like the base form."""
PARTICLES: Final = _set("up out down back away off")

OFTEN: Final = _set("daily weekly monthly quarterly yearly hourly nightly annually")
PREPOSITIONS: Final = _set(
    "in at on to for from with as by about over under into onto near through during before after "
    "until till between against within via around off out up down toward towards than per every "
    "each since because when while if whenever unless"
)
TAIL: Final = _set("because so although though which who whose while where whereas since")
"""From here on a sentence says why or more, no longer what."""

DAYS: Final = _set(
    "monday tuesday wednesday thursday friday saturday sunday weekday weekend tomorrow today "
    "tonight yesterday"
)
MONTHS: Final = _set(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter"
)
TIME_WORDS: Final = (
    DAYS
    | MONTHS
    | _set(
        "am pm o'clock morning afternoon evening night noon midnight day days week weeks month months "
        "year years hour hours minute minutes last next ago quarter q1 q2 q3 q4"
    )
)

WISH: Final = _set("want plan intend hope wish aim decide expect dream try consider")
"""Verbs that say what one means to do: one attribute together with what is meant."""

CHANGE_VERBS: Final = _set(
    "move relocate change switch migrate upgrade downgrade update rename replace convert transfer "
    "extend postpone push shift reschedule delay slip bump raise increase cut reduce lower drop "
    "rise fall promote demote become turn rewrite repaint join set adjust marry divorce retire"
)
"""Verbs that say by themselves that a value is another now."""

ENDING: Final = {
    "stop": "",
    "quit": "",
    "cease": "",
    "give": "",
    "abandon": "",
    "leave": "employer study attend member home belong major school serve play work",
    "resign": "employer job",
    "retire": "employer job work",
    "sell": "have own drive car possess",
    "lose": "have own employer job",
    "cancel": "want plan visit book have subscribe schedule go attend travel",
    "buy": "save look search seek want shop rent",
    "purchase": "save look search seek want shop",
    "step": "job",
    "shave": "have",
    "remove": "have use",
    "delete": "have use",
    "donate": "have",
    "pay": "owe",
    "repay": "owe",
    "finish": "read watch write learn study work play build paint",
    "complete": "read watch write learn study work build",
    "recover": "recover have suffer",
    "heal": "recover have suffer",
    "find": "look search seek",
    "break": "date marital see have",
    "split": "date marital see",
    "divorce": "marital",
    "separate": "marital date",
    "drop": "study attend learn school major",
    "return": "borrow have",
}
"""Verbs that end what an older statement says, with the attributes they end; "" is any."""

OPPOSITES: Final = tuple(
    tuple(frozenset(side.split()) for side in pair.split("|"))
    for pair in (
        "like love enjoy adore appreciate|hate dislike detest loathe",
        "trust|distrust",
        "enable activate|disable deactivate",
        "open|close",
        "start begin|stop end",
        "own have buy|rent lease",
        "lose|gain",
        "increase raise|reduce lower cut",
        "buy|sell",
    )
)
SAME_VERBS: Final = {
    "love": "like",
    "enjoy": "like",
    "adore": "like",
    "detest": "hate",
    "loathe": "hate",
    "dislike": "hate",
    "own": "have",
    "possess": "have",
    "reside": "live",
    "dwell": "live",
    "settle": "live",
    "relocate": "move",
    "retain": "keep",
    "purchase": "buy",
    "answer": "reply",
    "respond": "reply",
    "begin": "start",
    "bike": "cycle",
}

_STATES_TEXT: Final = """
single|married|engaged|divorced separated|widowed|dating relationship
vegetarian vegetarianism|vegan plant-based|pescatarian|omnivore carnivore meat
left-handed|right-handed|ambidextrous
on|off
enabled enable activated activate active|disabled disable deactivated inactive paused
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
_VALUES_TEXT: Final = """
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
daily weekly monthly hourly yearly quarterly
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
morning afternoon evening night
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
ascending descending
"""


def _kinds(text: str) -> tuple[tuple[frozenset[str], ...], ...]:
    """Each line a type: its words are values, or sides split by "|" of words that agree."""
    lines = " ".join(text.split("\n ")).strip().split("\n")
    return tuple(
        tuple(map(_set, line.split("|"))) if "|" in line else tuple(map(_set, line.split()))
        for line in lines
    )


STATES: Final = _kinds(_STATES_TEXT)
"""States that exclude each other whatever the verb."""
KINDS: Final = STATES + _kinds(_VALUES_TEXT)
"""Words of one type of which only one holds at a time."""
RESTRICTING: Final = _set(
    "for when while if unless during before after every each on at daily weekly monthly until over"
)
"""Prepositions that narrow a statement down: it then holds beside a wider one."""

DATE_WORDS: Final = DAYS | MONTHS | _set("am pm next last")
HOURS: Final = _set("open closed close available free busy")
"""States that may hold on several days."""
ABSENCES: Final = _set(
    "hospital leave vacation holiday trip tour clinic rehab abroad prison jail bed mission sabbatical"
)
VIEWS: Final = _set("~like ~hate ~prefer ~know ~believe ~want ~think ~remember ~fear")
"""Attributes that end by no act: having quit coffee, one may still like it."""
COMMUTE_VERBS: Final = _set("take drive cycle bike walk ride commute go travel run get")
COMMUTE_TO: Final = _set("work office school campus")
FOR_LIFE: Final = _set("bear graduate")
"""Past for ever, and yet one value each."""
BECOMING: Final = _set("get become turn")
AMOUNT_VERBS: Final = _set("raise increase cut reduce lower drop rise fall bump")
SWITCHING: Final = _set("promote demote switch migrate convert upgrade change")
MANY_VERBS: Final = _set(
    "like love hate know speak have get read watch visit see meet play learn collect cook bake eat "
    "drink buy sell attend join volunteer build make create support follow need contain include "
    "depend require integrate offer provide manage mentor help practice try start finish find go "
    "travel win add fix test write export import convert accept teach believe remember want fear avoid use study"
)
"""Verbs whose objects stand side by side, even if the newer one says "now"."""
ORDERS: Final = _set(
    "use write call reply answer respond run keep avoid prefer make add do remember send put format "
    "indent commit name address speak include ask check show give set store treat refer assume "
    "follow start end begin explain"
)
"""Verbs that may open an instruction; any other word there is a noun: "code freeze starts"."""
LIKING: Final = _set(
    "like love hate use know visit read watch support have make surround fill include inspire "
    "influence motivate cover bother motivate scare annoy see hear test sponsor publish eat"
)
"""Verbs that many may do to one thing."""
WORKPLACES: Final = _set("office team role department company desk job position project")
ENTITY_NOUNS: Final = _set(
    "car phone laptop computer room seat flat office desk floor hotel logo font layout house home "
    "job manager partner wife husband girlfriend boyfriend landlord restaurant film movie book "
    "song game party wedding exam interview lesson flight train team band host database platform "
    "server terminal shell tool store kitchen"
)
"""Heads of "X is Y" that are described in many ways beside what they are."""
NO_NOUNS: Final = _set("it this that there")

NOT_EMPLOYERS: Final = _set("home night weekend desk office time peace risk")
UNITS: Final = _set("dollar euro pound yen time hour day week month year kg km mile percent")
NATIONALITIES: Final = _set(
    "american british english scottish irish welsh french german italian spanish portuguese dutch "
    "belgian swiss austrian polish czech hungarian greek turkish russian ukrainian swedish danish "
    "norwegian finnish chinese japanese korean indian pakistani thai vietnamese mexican brazilian "
    "argentinian canadian australian egyptian nigerian kenyan israeli iranian european african asian "
    "jewish muslim christian catholic"
)
JOB_ENDINGS: Final = ("er", "or", "ist", "ian", "ant", "ent", "eer", "man", "woman", "ess", "legal")
JOBS: Final = _set(
    "head vp lead director president nurse chef cook pilot judge clerk surgeon scientist analyst paralegal coach architect student "
    "intern ceo cto cfo professor postdoc barista waiter butler guard mechanic sales retiree"
)
NO_JOBS: Final = _set(
    "son daughter child parent friend neighbor husband wife twin cousin uncle aunt nephew niece "
    "mother father brother sister member swimmer runner player speaker owner lover reader beginner "
    "teenager newcomer believer smoker drinker writer-at-heart dancer gamer eater listener "
    "learner sleeper parent daughter partner winner volunteer participant resident descendant "
    "hiker biker cyclist advisor adviser consultant trustee investor customer user feminist optimist pessimist perfectionist person introvert extrovert "
    "vegetarian veteran survivor collector supporter follower donor"
)

REGIONS: Final = _set(
    "germany france spain italy portugal england scotland wales ireland britain uk usa us america "
    "canada mexico brazil argentina chile peru colombia china japan korea india pakistan russia "
    "ukraine poland austria switzerland belgium netherlands holland denmark sweden norway finland "
    "iceland greece turkey egypt morocco nigeria kenya ethiopia ghana israel iran iraq australia "
    "zealand thailand vietnam indonesia malaysia singapore philippines taiwan hungary romania "
    "bulgaria serbia croatia slovenia slovakia czechia estonia latvia lithuania europe asia africa "
    "california texas florida ohio oregon nevada arizona utah colorado washington montana idaho "
    "illinois michigan minnesota wisconsin iowa missouri kansas georgia virginia carolina "
    "pennsylvania massachusetts connecticut vermont maine alabama tennessee kentucky bavaria "
    "saxony catalonia andalusia ontario quebec tuscany sicily"
)
"""Places that hold others: living in one says nothing against living in a town."""
