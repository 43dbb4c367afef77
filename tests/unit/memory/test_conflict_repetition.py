"""What is no repetition, whatever likeness says: what is taken for one is stored nowhere."""

import pytest

from ashd.memory.conflict import Outcome, decide
from ashd.memory.conflict.repetition import may_repeat
from ashd.memory.statement import Statement
from ashd.providers.embedder import Thresholds

GATES = Thresholds(
    same_statement=0.7,
    message=0.3,
    relevant=0.25,
    conflict_gate=0.55,
    duplicate=0.8,
    value_type=None,
)
OTHER = [
    ("I'm allergic to penicillin.", "I'm allergic to penicillin and aspirin."),
    ("I can't eat gluten.", "I can't eat gluten or lactose."),
    ("I'm lactose intolerant.", "I'm lactose and fructose intolerant."),
    ("I don't eat pork.", "I don't eat pork or beef."),
    ("I have a son.", "I have a son and a daughter."),
    ("I work on Mondays.", "I work on Mondays and Wednesdays."),
    ("I need the report by Friday.", "I need the report by Friday noon."),
    ("I'm allergic to nuts.", "I'm allergic to all nuts but almonds."),
    ("I never eat mushrooms.", "I never eat raw mushrooms."),
    ("I don't like horror films.", "I don't like old horror films."),
    ("Me gusta el flamenco.", "No me gusta el flamenco."),
    ("Me gusta el vino tinto.", "Ya no me gusta el vino tinto."),
    ("Mi hijo come cacahuetes.", "Mi hijo no come cacahuetes."),
    ("Anna lent Tom 50 euros.", "Tom lent Anna 50 euros."),
    ("I owe Ben 20 euros.", "Ben owes me 20 euros."),
    ("I'm taller than Lena.", "Lena is taller than me."),
    ("My flight is at 9 am.", "My flight is at 9 pm."),
    ("I start work before 9.", "I start work after 9."),
    ("I travel with Ann and without Bob.", "I travel with Bob and without Ann."),
    ("I like my job.", "I like my new job."),
    ("I hate Mondays.", "I hate meetings on Mondays."),
    ("Bob owes Ann 20 euros.", "Ann owes Bob 20 euros."),
    ("Bob is taller than Ann.", "Ann is taller than Bob."),
    ("Tom called me.", "I called Tom."),
    ("I lent Ann my bike.", "Ann lent me her bike."),
    ("Ann arrives on Monday.", "Ann leaves on Monday."),
    ("My flight arrives on Monday.", "My flight departs on Monday."),
    ("I start work at 9.", "I finish work at 9."),
    ("I have a meeting with Ann on Monday.", "I have a meeting with Ann on Tuesday."),
    ("I get up before 7.", "I get up after 7."),
    ("The key is under the mat.", "The key is on the mat."),
    ("I live with Ann.", "I live near Ann."),
    ("The car has a radio.", "I love the radio of the car."),
    ("House 3 has an oven", "We like the oven of house 3"),
]
SAME = [
    ("I have a dog named Rex.", "My dog is called Rex."),
    ("I love hiking in the Alps.", "Hiking in the Alps is something I love."),
    ("The scout group has 32 members.", "There are 32 members in the scout group."),
    ("Tom is my husband.", "My husband is Tom."),
    ("My favourite colour is blue.", "Blue is the colour I like most."),
    ("User likes step-by-step instructions.", "User prefers explanations broken down into steps."),
]


@pytest.mark.parametrize(("older", "newer"), OTHER)
def test_what_says_more_or_something_else_is_no_repetition(older: str, newer: str) -> None:
    """More things, another order of people, a denial, an opposite, another number or day."""
    found = decide(
        Statement(older),
        Statement(newer),
        cosine=0.95,
        value_cosine=None,
        gates=GATES,
        pair_model=lambda _: (False, True),
    )

    assert found.outcome is not Outcome.DUPLICATE


@pytest.mark.parametrize(("older", "newer"), SAME)
def test_other_words_for_the_same_may_repeat_it(older: str, newer: str) -> None:
    """Turned round, in other words, with another verb."""
    assert may_repeat(older, newer, is_guess=True)
