"""English as far as statements are read: small words, persons, verbs and their forms, times.

Words only, no decisions. What stands nowhere here is read as a name or a thing, or the whole
text is not read; then it is compared by its exact words alone.
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

BE: Final = _set("be am is are was were been being")
AUXILIARIES: Final = _set(
    "do does did have has had will would can could may might shall should must"
)
NEGATIONS: Final = _set("not never no neither nor without hardly")
ADVERBS: Final = _set(
    "also too now currently presently still really always usually often generally mostly "
    "mainly typically normally just recently already again actually definitely only even "
    "probably certainly newly lately nowadays officially finally permanently temporarily fully "
    "please instead meanwhile soon ever once formerly previously absolutely quite both all rather"
)
EMPTY: Final = (
    ARTICLES
    | OWNERS
    | SELF
    | ADVERBS
    | BE
    | _set("and or of that any more not no new current latest own very")
)
"""Words of a value that carry no meaning of their own."""

ADDITIVE: Final = _set("also additionally another besides too")
"""The new fact says of itself that it stands beside others."""
FORMER: Final = _set("once formerly previously")
"""It tells of what was once so."""
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
"""The new fact says of itself that it was not so before."""
LEAD_INS: Final = _set(
    "correction update updated actually note fyi please no ok yes so but and always"
)
"""Words before a statement that are no part of it."""
SAYING: Final = _set("say mention report state note tell confirm")
"""Verbs of "the user mentioned that …"."""

KIN: Final = _set(
    "wife husband spouse partner girlfriend boyfriend fiance fiancee mother father parent "
    "parents sister brother sibling son daughter child baby twin grandmother grandfather "
    "grandma grandpa aunt uncle cousin niece nephew grandson granddaughter stepson "
    "stepdaughter stepmother stepfather boss manager colleague coworker friend roommate "
    "flatmate neighbor landlord dog cat puppy kitten horse rabbit parrot teacher tutor "
    "therapist doctor dentist lawyer accountant coach mentor ex mother-in-law father-in-law "
    "sister-in-law brother-in-law family"
)
"""Someone who stands in a relation: a subject of its own, with a name or without."""
SAME_NOUNS: Final = {
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
    "residence": "home",
    "timezone": "zone",
    "e-mail": "email",
    "vehicle": "car",
    "cuisine": "food",
    "apartment": "flat",
    "bike": "bicycle",
    "people": "person",
    "children": "child",
}
"""One word for each thing that has several."""

VERBS: Final = _set(
    """
abandon accept activate add address adjust administer admire adopt adore advise aim alert allow
analyze annoy answer apply appreciate approve archive arrive ask assign assume attend audit
authenticate authorize avoid back backup bake ban bank base bear become begin believe belong
bike bill bind bite blog book born borrow bother box break breathe bring build bump bundle buy
cache calculate call camp cancel cap care carry catch cease celebrate chair change charge chat
check chew choose clean click climb close coach code collect color come comment commit
communicate commute compile complete configure connect consider consist consult contact contain
contract convert cook coordinate cost count cover crash create cut cycle dance date debug decide
decode default delay delete deliver demand demote deny depart depend deploy deposit deprecate
deserve design develop diagnose die diet dig direct disable discuss dislike display distrust
dive divorce do donate doubt downgrade draw dream drill drink drip drive drop dwell dye earn eat
edit email emit employ enable encode encrypt end engage enjoy enroll equal escalate escape
estimate exceed exercise expect experience expire explain export expose extend fade fail fall
fast favor fear feed feel fetch fill film filter finance find finish fire fish fit fix fly
follow forbid forget forgive format found freeze fund gain garden gather generate get give glue
go graduate grant greet grill grow handle hang happen hate have head heal help hide hike hire
hold hope host hum hunt hurt identify implement import include increase indent index influence
inspect inspire install insure integrate intend interpret interview invest investigate invite
invoice iron jog join juggle keep kick knit knock know label land last launch lay lead learn
lease leave lend let lick lift like limit link lint listen live load locate log look lose love
lower major make manage marry mean measure meditate meet mention mentor merge message migrate
mind minify mirror miss model moderate monitor mop motivate mount move mow name need negotiate
notify nurse obey occupy occur offer open operate order organize oversee owe own paint park
parse pass paste pay peel permit phone photograph pick ping plan plant play please point possess
post postpone pour practice pray prefer prescribe present preside print process produce program
promote protect provide publish pull purchase push put query queue quit quote raise ratify reach
read reboot receive recommend record recover recruit reduce refactor refer refund refuse reject
relax release relocate rely remember remind remove rename render renew rent repaint repair repay
repeat replace replicate reply report represent require reschedule research reside resign
respond rest restart restrict retain retire retry return reveal review rewrite ride ring rise
roast rock roll rotate row run sail save say scale scan scare schedule scrub search seat see
seek select sell send separate serve set settle sew shard share shave shift shine ship shop show
shrink shut sign sing sit skate ski sleep slip smell smoke snore solve sort speak specialize
spend split sponsor spread stand start stay step stir stop store stream stretch strike strip
struggle study subscribe suffer suggest supervise supply support surf surprise surrender
surround swap sweep swim switch sync tag take talk target taste tax teach tend test text think
throttle tidy tie title toast toggle tolerate total touch tow track trade train transfer
translate transpile travel treat triage trigger trim trust try turn tutor tweet type understand
unite unload update upgrade uphold use vaccinate vacuum validate vape vet visit volunteer vote
wake walk want wash watch water wear weave wed weigh whistle win wipe wish withdraw work worry
worship wrap wrestle write yell
"""
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
"""Verb forms that no ending explains."""
PARTICIPLES: Final = _set("become come run read cut set put quit let hit shut split")
"""Participles that look like the base form."""
PARTICLES: Final = _set("up out down back away off")
SAME_VERBS: Final = {
    "become": "be",
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
"""One verb for each meaning that has several."""
WISH: Final = _set("want plan intend hope wish aim decide expect dream try consider")
"""Verbs that say what one means to do: one attribute together with what is meant."""
ORDERS: Final = _set(
    "use write call reply answer respond run keep avoid prefer make add do remember send put "
    "format indent commit name address speak include ask check show give set store treat refer "
    "assume follow start end begin explain"
)
"""Verbs that may open an instruction; any other word there is a noun: "code freeze starts"."""

PREPOSITIONS: Final = _set(
    "in at on to for from with as by about over under into onto near through during before "
    "after until till between against within via around off out up down toward towards than "
    "per every each since because when while if whenever unless"
)
OFTEN: Final = _set("daily weekly monthly quarterly yearly hourly nightly annually")
TAIL: Final = _set("because although though which who whose while where whereas since")
"""From here on a sentence says why, or more, and no longer what."""

DAYS: Final = _set(
    "monday tuesday wednesday thursday friday saturday sunday weekday weekend tomorrow today "
    "tonight yesterday"
)
MONTHS: Final = _set(
    "january february march april may june july august september october november december jan "
    "feb mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter"
)
TIME_WORDS: Final = (
    DAYS
    | MONTHS
    | _set("am pm o'clock morning afternoon evening night noon midnight last next ago quarter")
    | _set("day days week weeks month months year years hour hours minute minutes q1 q2 q3 q4")
)
DATE_WORDS: Final = DAYS | MONTHS | _set("am pm next last")
"""What differs between two dates beside their numbers."""
