"""What a new fact does to an older one: the cases of A10, A11 and A13 by name."""

from dataclasses import replace

import pytest

from ashd.memory.conflict import Judge, Outcome, Verdict, attribute_keys, decide, guard
from ashd.memory.statement import Statement
from ashd.providers.embedder import Thresholds

GATES = Thresholds(
    same_statement=0.7,
    message=0.3,
    relevant=0.25,
    conflict_gate=0.55,
    duplicate=0.8,
    value_type=0.29,
)
ALICE, SARAH = frozenset({"alice"}), frozenset({"sarah"})

# Each as the user says it, as an assistant notes it, of someone by name, and as a fragment.
PERSONS = {
    "I": ("I {0}.", "My {1}."),
    "User": ("User {2}.", "User's {1}."),
    "the user": ("The user {2}.", "The user's {1}."),
    "Sarah": ("Sarah {2}.", "Sarah's {1}."),
    "fragment": ("{2}", "{1}"),
}
STAY = [
    (("am allergic to peanuts", "", "is allergic to peanuts"), "am/is allergic to shellfish"),
    (("know Docker", "", "knows Docker"), "know/knows Kubernetes"),
    (("have a daughter Emma", "", "has a daughter Emma"), "have/has a son Noah"),
    (("like cats", "", "likes cats"), "like/likes dogs"),
]
REPLACED = [
    (("live in Los Angeles", "", "lives in Los Angeles"), "moved/moved to Irvine"),
    (("", "favourite colour is red", ""), "favourite colour is blue"),
]


def verdict(older: Statement | str, newer: Statement | str, cosine: float | None = None) -> Verdict:
    return decide(
        older if isinstance(older, Statement) else Statement(older),
        newer if isinstance(newer, Statement) else Statement(newer),
        cosine=cosine,
        value_cosine=None,
        gates=GATES,
    )


def outcome(older: Statement | str, newer: Statement | str, cosine: float | None = None) -> Outcome:
    return verdict(older, newer, cosine).outcome


def told(form: str, parts: tuple[str, str, str], newer: str) -> tuple[str, str]:
    verb, noun = PERSONS[form]
    if parts[1]:
        return noun.format(*parts), noun.format("", newer, "")
    mine, _, rest = newer.partition(" ")
    first, _, third = mine.partition("/")
    return verb.format(*parts), verb.format(f"{first} {rest}", "", f"{third} {rest}")


@pytest.mark.parametrize("cosine", [None, 0.3, 0.7, 0.95])
@pytest.mark.parametrize("form", PERSONS)
@pytest.mark.parametrize(("parts", "newer"), STAY)
def test_what_one_may_have_several_of_stays(
    parts: tuple[str, str, str], newer: str, form: str, cosine: float | None
) -> None:
    """Row A11's pairs that stay do so in every person and however near the embedder finds them."""
    assert outcome(*told(form, parts, newer), cosine) is Outcome.KEEP_BOTH


@pytest.mark.parametrize("cosine", [None, 0.3, 0.7, 0.95])
@pytest.mark.parametrize("form", PERSONS)
@pytest.mark.parametrize(("parts", "newer"), REPLACED)
def test_another_value_of_one_attribute_replaces(
    parts: tuple[str, str, str], newer: str, form: str, cosine: float | None
) -> None:
    """Row A11's pairs that supersede do so in every person, with any embedder and without."""
    assert outcome(*told(form, parts, newer), cosine) is Outcome.SUPERSEDE


@pytest.mark.parametrize(
    "newer",
    [
        "It's Anna's dream job.",
        "it\N{RIGHT SINGLE QUOTATION MARK}s anna\N{RIGHT SINGLE QUOTATION MARK}s dream job",
        "  IT'S   Anna's dream job!! ",
        "It's Anna's “dream job”…",
    ],
)
def test_the_same_words_are_a_duplicate_without_an_embedder(newer: str) -> None:
    """Case, spacing, punctuation and typography make no other fact (A10), in any language."""
    assert verdict("It's Anna's dream job.", newer) == (Outcome.DUPLICATE, "same_words")
    assert outcome("我住在柏林。", "我住在柏林") is Outcome.DUPLICATE


@pytest.mark.parametrize(
    ("older", "newer"),
    [("Likes C++", "Likes C"), ("It is -5 degrees", "It is 5 degrees"), ("Use v1.2", "Use v12")],
)
def test_signs_that_carry_meaning_are_no_typography(older: str, newer: str) -> None:
    """C++ is not C: a sign at or in a word can make another fact."""
    assert verdict(older, newer).reason != "same_words"


@pytest.mark.parametrize(
    ("older", "newer", "reason"),
    [
        ("User likes jazz.", "User doesn't like jazz.", "negation"),
        ("User has a car.", "User sold the car.", "ended"),
        ("The office is open.", "The office is closed.", "state"),
        ("We use LastPass.", "We replaced LastPass with Bitwarden.", "replaced"),
        ("The project uses Python 3.10.", "The project uses Python 3.12.", "number"),
        ("The party is on Saturday.", "The party was moved to Sunday.", "change_cue"),
        ("User's boss is Linda.", "User's boss is Greg.", "same_slot"),
    ],
)
def test_the_reason_says_what_was_seen(older: str, newer: str, reason: str) -> None:
    """A supersession carries a reason that a machine can read, for the history (E7)."""
    assert verdict(older, newer, 0.7) == (Outcome.SUPERSEDE, reason)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("User visited Rome in 2019.", "User visited Rome in 2021."),
        ("User speaks German.", "User now also speaks Dutch."),
        ("User lives in Berlin.", "User lives in Germany."),
        ("User lives in Milan.", "User would like to live in Rome."),
        ("User is a pilot.", "User was a teacher."),
        ("User has a dog.", "User has a dog named Rex."),
        ("User lives in Berlin.", "User used to live in Hamburg."),
        ("The store opens at 8.", "The store closes at 18."),
    ],
)
def test_what_does_not_contradict_stays(older: str, newer: str) -> None:
    """Events, additions, wishes, the past and more detail leave the older fact standing."""
    assert outcome(older, newer, 0.9) is Outcome.KEEP_BOTH


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ich wohne in Berlin.", "Ich wohne in Hamburg."),
        ("Meine Lieblingsfarbe ist rot.", "Meine Lieblingsfarbe ist blau."),
        ("Vivo en Madrid.", "Vivo en Sevilla."),
        ("J'aime le thé.", "J'aime le café."),
        ("我住在柏林。", "我住在汉堡。"),
    ],
)
def test_a_language_that_is_not_read_keeps_both(older: str, newer: str) -> None:
    """Near as they are, facts that cannot be read are never dropped and never superseded."""
    assert outcome(older, newer, 0.97) is Outcome.KEEP_BOTH


def test_an_older_fact_that_says_more_stays_whole() -> None:
    """Only what is contradicted in every part is superseded."""
    older = "User lives in Berlin and works at Siemens."
    assert verdict(older, "User moved to Hamburg.", 0.7) == (Outcome.KEEP_BOTH, "says_more")
    newer = "User moved to Hamburg and works at Bosch now."
    assert outcome(older, newer, 0.7) is Outcome.SUPERSEDE


def test_near_texts_without_another_value_are_paraphrases() -> None:
    """A paraphrase is a duplicate if the embedder says so, and only then."""
    older, newer = "User is allergic to penicillin.", "User has a penicillin allergy."
    assert verdict(older, newer, 0.92) == (Outcome.DUPLICATE, "paraphrase")
    assert outcome(older, newer, 0.6) is Outcome.KEEP_BOTH
    assert outcome(older, newer) is Outcome.KEEP_BOTH


@pytest.mark.parametrize("newer", ["Likes Italian food.", "Likes Thai food."])
def test_other_subjects_never_conflict(newer: str) -> None:
    """What is known of another person stays, were it the same words."""
    older = Statement("Likes Italian food.", subjects=ALICE)
    assert verdict(older, Statement(newer, subjects=SARAH)) == (
        Outcome.KEEP_BOTH,
        "different_subject",
    )
    assert outcome(older, Statement(newer)) is Outcome.KEEP_BOTH


def test_names_for_one_known_person_are_one_subject() -> None:
    """Resolved to the same person, "my wife", "she" and her name agree; two names never do."""
    older = Statement("Sarah lives in Leeds.", subjects=SARAH, first_person="hearsay")
    for newer in ("My wife moved to York.", "She lives in York."):
        assert outcome(older, replace(older, text=newer)) is Outcome.SUPERSEDE
    assert outcome(older, replace(older, text="Emma lives in York.")) is Outcome.KEEP_BOTH
    assert outcome(older, replace(older, text="Sarah's mother lives in York.")) is Outcome.KEEP_BOTH


@pytest.mark.parametrize("newer", ["My brother lives in York.", "Anna lives in York."])
def test_others_in_ones_own_words_are_others(newer: str) -> None:
    """A fact that names nobody known is stored as its teller's; it still is about the other."""
    older = Statement("I live in Leeds.", subjects=ALICE, first_person="fact")
    assert outcome(older, replace(older, text=newer)) is Outcome.KEEP_BOTH


def test_a_persons_own_word_supersedes_hearsay_and_never_the_other_way() -> None:
    """A13: what a person says of an attribute replaces what others said of it."""
    hearsay = Statement("Alice lives in Paris.", subjects=ALICE, first_person="hearsay")
    own = Statement("I live in London.", subjects=ALICE, first_person="fact")
    assert outcome(hearsay, own) is Outcome.SUPERSEDE
    assert outcome(own, hearsay) is Outcome.KEEP_BOTH
    by_name = replace(own, text="Alice lives in London.")
    assert verdict(by_name, hearsay) == (Outcome.KEEP_BOTH, "hearsay")
    assert outcome(hearsay, replace(own, text="I like dogs.")) is Outcome.KEEP_BOTH


def test_hearsay_confirmed_by_the_person_becomes_their_word() -> None:
    """The same told by the person is worth more than what stands; the other way it is a repeat."""
    hearsay = Statement("Alice likes tea.", subjects=ALICE, first_person="hearsay")
    own = replace(hearsay, first_person="fact")
    assert verdict(hearsay, own) == (Outcome.SUPERSEDE, "own_word")
    assert verdict(own, hearsay) == (Outcome.DUPLICATE, "same_words")


def test_what_fades_never_supersedes_what_lasts() -> None:
    """A11: a passing fact leaves a lasting one standing; a lasting one takes its place."""
    lasts, fades = Statement("User's boss is Linda."), Statement("User's boss is Greg.", fades=True)
    assert verdict(lasts, fades) == (Outcome.KEEP_BOTH, "fades")
    assert outcome(fades, lasts) is Outcome.SUPERSEDE
    again = replace(lasts, fades=True)
    assert outcome(lasts, again) is Outcome.DUPLICATE
    assert verdict(again, lasts) == (Outcome.SUPERSEDE, "lasts")


def test_what_was_seen_earlier_does_not_supersede() -> None:
    """A fact that is told later but was observed before the other is not the newer one."""
    older = Statement("User's boss is Linda.", observed_at=20)
    newer = Statement("User's boss is Greg.", observed_at=10)
    assert verdict(older, newer) == (Outcome.KEEP_BOTH, "observed_earlier")
    assert outcome(older, replace(newer, observed_at=20)) is Outcome.SUPERSEDE
    assert outcome(older, replace(newer, observed_at=None)) is Outcome.SUPERSEDE


def test_similarity_alone_decides_nothing() -> None:
    """Neither a cosine of 1 nor shared words make a conflict or a duplicate (A11)."""
    assert outcome("User likes red wine.", "User likes white wine.", 1.0) is Outcome.KEEP_BOTH
    assert outcome("Anna works at Bosch.", "Peter works at Bosch.", 1.0) is Outcome.KEEP_BOTH


@pytest.mark.parametrize(("value_cosine", "expected"), [(0.5, "same_slot"), (0.1, "other_type")])
def test_the_embedder_tells_whether_two_values_are_of_one_type(
    value_cosine: float, expected: str
) -> None:
    """Where structure leaves it open, only values of one type exclude each other."""
    result = decide(
        Statement("User prefers muesli for breakfast."),
        Statement("User prefers pancakes for breakfast."),
        cosine=0.7,
        value_cosine=lambda _left, _right: value_cosine,
        gates=GATES,
    )
    assert result.reason == expected


def test_a_language_model_may_judge_within_the_same_bounds() -> None:
    """The seam: a judge's verdict passes `guard` as the rule's own does."""

    def always(older: Statement, newer: Statement) -> Verdict | None:
        assert older != newer
        return Verdict(Outcome.SUPERSEDE, "model")

    judge: Judge = always
    own = Statement("I live in London.", subjects=ALICE, first_person="fact")
    hearsay = Statement("Alice left town.", subjects=ALICE, first_person="hearsay")
    judged = judge(own, hearsay)
    assert judged is not None
    assert guard(own, hearsay, judged) == (Outcome.KEEP_BOTH, "hearsay")
    assert guard(hearsay, own, judged) == judged


def test_one_attribute_has_one_key_however_it_is_worded() -> None:
    """Candidates are found by key where their vectors are far apart; many-valued ones have none."""
    home = attribute_keys("I live in Los Angeles.")
    assert home
    assert home == attribute_keys("User moved to Irvine.") == attribute_keys("My home is in Rome.")
    assert home != attribute_keys("Sarah moved to Irvine.")
    assert attribute_keys("User likes cats.") == frozenset() == attribute_keys("Ich mag Katzen.")


def with_model(older: str, newer: str, view: tuple[bool, bool], cosine: float = 0.6) -> Verdict:
    return decide(
        Statement(older),
        Statement(newer),
        cosine=cosine,
        value_cosine=None,
        gates=GATES,
        pair_model=lambda _: view,
    )


PROMOTION = ("User works as a barista.", "User got promoted to store manager.")


def test_what_grammar_cannot_tell_the_model_of_pairs_may() -> None:
    """A replacement and a repetition that no rule here knows; without them both stay."""
    assert with_model(*PROMOTION, (True, False)) == Verdict(Outcome.SUPERSEDE, "meaning")
    assert with_model(*PROMOTION, (False, True)) == Verdict(Outcome.DUPLICATE, "paraphrase")
    assert with_model(*PROMOTION, (False, False)).outcome is Outcome.KEEP_BOTH


def test_what_grammar_is_sure_of_stands() -> None:
    """The model is not asked about a replaced value, nor about the same words."""
    older, newer = "I live in Berlin.", "I moved to Hamburg."

    assert with_model(older, newer, (False, True)).outcome is Outcome.SUPERSEDE
    assert with_model(older, older, (True, False)).outcome is Outcome.DUPLICATE


def test_what_is_near_alone_is_a_paraphrase_only_if_the_model_agrees() -> None:
    """Nearness is a guess: the model makes it a repetition, a replacement or neither."""
    older, newer = "User gets home internet from Vodafone.", "User's home internet is by Vodafone."
    assert verdict(older, newer, 0.9) == Verdict(Outcome.DUPLICATE, "paraphrase")

    assert with_model(older, newer, (False, False), 0.9).outcome is Outcome.KEEP_BOTH
    assert with_model(older, newer, (True, False), 0.9).outcome is Outcome.SUPERSEDE


def test_the_model_cannot_overrule_who_said_it() -> None:
    """Hearsay replaces nobody's own word, other subjects never conflict, whatever it says."""
    older = Statement(PROMOTION[0], ALICE, "fact")
    hearsay = Statement(PROMOTION[1], ALICE, "hearsay")
    of_another = Statement(PROMOTION[1], SARAH, "fact")

    for newer in (hearsay, of_another):
        found = decide(
            older,
            newer,
            cosine=0.6,
            value_cosine=None,
            gates=GATES,
            pair_model=lambda _: (True, False),
        )
        assert found.outcome is Outcome.KEEP_BOTH


def test_another_person_is_no_repetition() -> None:
    """Whatever the model says: Lena's allergy is not one's own, Rex is the dog in both."""
    of_lena = with_model("I am allergic to nuts.", "Lena is allergic to nuts.", (False, True))
    of_rex = with_model("I have a dog named Rex.", "My dog is called Rex.", (False, True))

    assert of_lena.outcome is Outcome.KEEP_BOTH
    assert of_rex.outcome is Outcome.DUPLICATE


@pytest.mark.parametrize(
    ("older", "newer", "asked"),
    [
        ("list 3", "list 4", False),
        ("red shelf", "blue shelf", False),
        ("The sandbox's, number 3", "The sandbox's, number 4", False),
        ("Gym: Tuesdays", "Gym: Fridays", True),
        ("Bread rolls from the corner shop", "Bread rolls from the market instead", True),
    ],
)
def test_labels_are_not_told_apart(older: str, newer: str, asked: bool) -> None:
    """Short ones without a verb or a colon say too little, as do those that only count."""
    found = with_model(older, newer, (True, False))

    assert (found.outcome is Outcome.SUPERSEDE) == asked


DAY = 86_400_000_000
OSLO, ROME = "I live in Oslo.", "I live in Rome."


@pytest.mark.parametrize(
    ("older", "newer", "replaced"),
    [
        ({}, {}, True),
        ({}, {"valid_until": 50 * DAY}, False),
        ({}, {"valid_until": 150 * DAY}, True),
        ({}, {"valid_from": 150 * DAY}, False),
        ({}, {"valid_from": 50 * DAY}, True),
        ({"valid_from": 20 * DAY}, {"valid_from": 10 * DAY}, False),
        ({"valid_from": 10 * DAY}, {"valid_from": 20 * DAY}, True),
        ({"valid_until": 50 * DAY}, {}, False),
        ({}, {"observed_at": 10 * DAY}, False),
        ({}, {"observed_at": 90 * DAY}, True),
        ({"observed_at": 20 * DAY}, {"observed_at": 10 * DAY}, False),
    ],
)
def test_what_is_of_another_time_replaces_nothing(
    older: dict[str, int], newer: dict[str, int], replaced: bool
) -> None:
    """What is over, or to come, or was so before the other, stands beside it."""
    before = replace(Statement(OSLO, told_at=90 * DAY), **older)
    after = replace(Statement(ROME, told_at=100 * DAY), **newer)

    assert (verdict(before, after).outcome is Outcome.SUPERSEDE) == replaced


def test_what_opens_also_closes() -> None:
    """At another time; but what is open is not closed."""
    assert outcome("The shop opens at 9.", "The shop closes at 9.") is Outcome.KEEP_BOTH
    assert outcome("I eat fish.", "I don't eat raw fish.") is Outcome.KEEP_BOTH
    assert outcome("I eat fish.", "I don't eat fish.") is Outcome.SUPERSEDE
