"""Made-up facts and questions, as many as are asked for, the same for the same seed."""

import random
from collections.abc import Iterator

_WHO = """Anna Bela Carlos Dora Emil Farah Goran Hana Ivo Jun Kiran Lena Marco Nadia Omar Petra Quinn
Rosa Sven Tala Uma Viktor Wanda Ximena Yusuf Zoe""".split()
_DID = """repaired|bought|lost|painted|sold|borrowed|found|cleaned|photographed|planted|returned
|ordered|broke|wrapped|hid|polished|sketched|weighed|sealed|auctioned""".replace("\n", "").split("|")
_WHAT = """a red bicycle|the kitchen clock|two concert tickets|an old map|a jar of honey|the garden gate
|a winter coat|three library books|a chess board|the broken radio|a box of tiles|an apple tree
|a silver ring|the company laptop|a fishing rod|seven postcards|a wooden boat|the spare keys
|a bag of flour|an oil lamp|a leather sofa|the tax papers|a violin bow|four candles
|a telescope|the baby monitor|a hiking tent|a glass vase|an espresso machine|the school banner""".replace(
    "\n", ""
).split("|")
_WHERE = """at the harbour|in Lisbon|near the station|behind the bakery|at the office|in the attic
|by the river|at the clinic|in Tromso|on the ferry|at the market|in the cellar|under the bridge
|at the theatre|on the roof|in Nairobi|at the airport|by the lighthouse|in the chapel|at the farm""".replace(
    "\n", ""
).split("|")
_WHY = """because of the storm|for the birthday|after the meeting|to save money|before the exam
|for the new neighbours|on the doctor's advice|as a surprise|by mistake|for the film project
|while it rained|against all advice|to please the landlord|during the strike
|for charity|with the last of the budget|at dawn|when the power failed""".replace("\n", "").split("|")
_MONTHS = """January February March April May June July August September October November
December""".split()


def facts(seed: int) -> Iterator[str]:
    """Facts without end; hardly ever one twice."""
    draw = random.Random(seed)
    while True:
        first, second = draw.sample(_WHO, 2)
        yield (
            f"On {draw.randint(1, 28)} {draw.choice(_MONTHS)} {first} {draw.choice(_DID)}"
            f" {draw.choice(_WHAT)} {draw.choice(_WHERE)} {draw.choice(_WHY)},"
            f" and {second} {draw.choice(_DID)} {draw.choice(_WHAT)}."
        )


def questions(seed: int) -> Iterator[str]:
    """Questions without end about such facts."""
    draw = random.Random(seed)
    while True:
        who, what = draw.choice(_WHO), draw.choice(_WHAT)
        yield draw.choice(
            (
                f"When was {who} {draw.choice(_WHERE)}?",
                f"What happened to {what}?",
                f"Who {draw.choice(_DID)} {what} {draw.choice(_WHERE)}?",
                f"What did {who} do {draw.choice(_WHY)}?",
            )
        )
