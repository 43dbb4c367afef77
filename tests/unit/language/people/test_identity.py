"""The other names that a sentence gives a person, and variants of one name."""

import time

import pytest

from ashd.language.people.clauses import Kind
from ashd.language.people.identity import identity_of
from ashd.language.people.name_similarity import variant
from ashd.language.people.phrases import related_in
from ashd.language.people.references import (
    MatchKind,
    Reference,
    display_name,
    matches,
    parse_reference,
)
from ashd.language.people.statements import read


@pytest.mark.parametrize(
    ("name", "text", "others"),
    [
        ("Fitz", "Fitz is what we call Fitzgerald.", ["Fitzgerald"]),
        ("Bob", "Bob is short for Robert.", ["Robert"]),
        ("Ola", "Aleksandra (everyone calls her Ola) is my flatmate.", ["Aleksandra"]),
        ("Sam Lee", "Sam Lee, also known as Sammy, left.", ["Sammy"]),
        ("Anna Schmidt", "Anna Schmidt got married, her name is now Anna Vogel.", ["Anna Vogel"]),
        ("Julia Keller", "Julia Keller, née Brandt, has a dog.", ["Julia Brandt"]),
        ("Julia Brandt", "Julia Brandt's married name is Keller.", ["Julia Keller"]),
        ("Dorothea", "Dorothea now goes by Thea.", ["Thea"]),
        ("Tomas", "Tomas is @tmsbass on the forum.", ["tmsbass"]),
        ("@petrichor", "@petrichor is Dagny.", ["Dagny"]),
        ("my climbing buddy", "My climbing buddy is @chalkdust.", ["chalkdust"]),
        # Two people
        ("my climbing buddy", "Bob's climbing buddy is @chalkdust.", []),
        ("Bob", "Bob called Alice.", []),
        ("Bob", "Bob has a dog called Rex.", []),
        ("Bob", "Bob's wife is called Anna.", []),
        ("Anna", "Anna named her son Tom.", []),
        ("Bob", "Bob knows Tom. Everyone calls him Tommy.", []),
        ("Bob", "Bob, @carl and I went out.", []),
        ("Bob", "Bob visits his mother, her name is Eve.", []),
    ],
)
def test_a_sentence_gives_another_name(name: str, text: str, others: list[str]) -> None:
    """The words between two names must say that both are one person's."""
    said = identity_of(parse_reference(name), text)
    assert others == [*said.names, *said.handles]


@pytest.mark.parametrize(
    ("name", "text", "relationship"),
    [
        ("Lena", "Lena, our orthodontist, is nice.", "orthodontist"),
        ("Ewald", "Our piano tuner Ewald came.", "piano tuner"),
        ("Max", "Max (an old joker) is my squash partner.", "squash partner"),
        ("Krause", "My landlord in Berlin is Krause.", "landlord in berlin"),
        ("Lena", "Lena fixed our bicycle.", None),
        ("Lena", "Bob's orthodontist is Lena.", None),
    ],
)
def test_any_noun_is_a_role(name: str, text: str, relationship: str | None) -> None:
    """A noun after "my" or "our" is a role."""
    roles = identity_of(Reference(name=name), text).roles
    assert [relationship] == ([role.relationship for role in roles if role.of is None] or [None])


@pytest.mark.parametrize(
    ("reference", "relationship"),
    [
        ("our orthodontist", "orthodontist"),
        ("the beekeeper next door", "beekeeper next door"),
        ("my rowing partner", "rowing partner"),
        ("my landlord in Berlin", "landlord in berlin"),
        ("the neighbour upstairs", "neighbour upstairs"),
    ],
)
def test_any_role_noun_names_somebody(reference: str, relationship: str) -> None:
    """No table of roles decides."""
    assert Reference(relationship=relationship) == parse_reference(reference)


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Sara", "Sarah", "spelling"),
        ("Jon Smith", "John Smith", "spelling"),
        ("Müller", "Mueller", "spelling"),
        ("Steven", "Stephen", "spelling"),
        ("Bob", "Robert", "short form"),
        ("Lizzie", "Elizabeth", "short form"),
        ("Mike", "Michael", "short form"),
        ("Tom", "Tim", None),
        ("Martin", "Martina", None),
        ("Mia", "Maria", None),
        ("Sara Lind", "Sarah Berg", None),
        ("Eva Rob", "Eva Robert", None),
    ],
)
def test_variants_of_a_name(one: str, other: str, kind: str | None) -> None:
    """Sound and form give variants; surnames have spellings only."""
    assert (kind, kind) == (variant(one, other), variant(other, one))


def test_a_title_with_a_surname_is_the_same_title_with_the_whole_name() -> None:
    """Dr. Lang is Dr. Mia Lang, and neither Mrs. Mia Lang nor Dr. Lang Mayer's namesake."""
    assert MatchKind.SHORTER is matches("Dr. Lang", "Doctor Mia Lang")
    assert matches("Dr. Lang", "Mrs. Mia Lang") is None
    assert matches("Dr. Lang", "Mia Lang") is None


def test_a_first_name_is_read_with_its_surname() -> None:
    """A first name that the sentence also has by itself stays separate."""
    tom = Reference(name="Tom")
    assert "Tom Baker" == identity_of(tom, "Tom Baker is my plumber.").whole_name
    assert identity_of(tom, "Tom met Tom Baker.").whole_name is None


def test_the_same_is_somebody_known() -> None:
    """Unless they are said not to be."""
    dan = Reference(name="Dan")
    assert identity_of(dan, "Our caretaker is Dan, yes, that same Dan who sold me a bike.").is_known
    assert not identity_of(dan, "It's not the same Dan who sold me a bike.").is_known


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Being, and an apposition on either side
        ("Marek is my new physio.", "Marek = new physio"),
        ("My physio, a guy called Marek, cancelled.", "physio = Marek"),
        ("Wilma is the gardener we hired in March.", "Wilma = gardener"),
        ("We have a new gardener called Wilma.", "Wilma = new gardener"),
        ("My wife has a sister called Petra.", "Petra = wife's sister"),
        ("Wilma is one of my colleagues.", "Wilma = colleague"),
        ("Petra is the older sister of my wife.", "Petra = wife's older sister"),
        ("Otto, our former team lead, moved.", "Otto = ex-team lead"),
        ("My sons, Ben and Jo, fight.", "Ben = son | Jo = son"),
        ("Ann was here. She is my vet.", "Ann = vet"),
        ("Husband is Con, 71.", "husband = Con"),
        ("Plumber: Jo Baker, mornings", "plumber = Jo Baker"),
        ("Eva is the woman who hired me.", "Eva = woman who hired me"),
        ("The man who grooms our dog is Leo.", "man who grooms our dog = Leo"),
        ("Eva is the woman who hired Leo.", ""),
        ("Author: Jo Baker", ""),
        ("Recipe: Jo Baker, page 9", ""),
        ("Ann is the captain of our rowing team.", "Ann = captain of rowing team"),
        ("The captain of our rowing team told us.", ""),
        ("My new landlord turned out to be Greg.", "new landlord = Greg"),
        # Names
        ("Eva in payroll prefers to be called Evie.", "Eva = Evie"),
        ("Eva, our captain, is nicknamed Evie.", "Eva = captain | Eva = Evie"),
        ("We have always called my aunt Bee.", "Bee = aunt"),
        ("Eva has been Evie to her friends since school.", "Eva = Evie"),
        ("Eva aka Volcano makes curry.", "Eva = Volcano"),
        ("Eva Lund changed her name by deed poll to Ida Berg.", "Eva Lund = Ida Berg"),
        ("My cousin Leo streams on Twitch as leo_99.", "Leo = cousin | Leo = leo_99"),
        ("@lark belongs to Leo.", "Leo = @lark"),
        ("Leo dressed up as Batman.", ""),
        (
            "From Monday my coach is Mr Hill instead of Ms Orr.",
            "coach = Mr Hill | Mr Hill = coach | Ms Orr ENDED coach",
        ),
        ("The other Leo, the tall one, left.", "Leo DIFFERENT Leo"),
        ("Petra Busch was born Petra Lang.", "Petra Busch = Petra Lang"),
        ("Ida Lund got married and is now Ida Berg.", "Ida Lund = Ida Berg"),
        ("My friend Ida took her husband's name, Berg.", "Ida = friend | Ida = Ida Berg"),
        ("Friends call Hieronymus Harry.", "Hieronymus = Harry"),
        ("You can find Ruben as @mothlamp.", "Ruben = @mothlamp"),
        ("Ruben goes by the handle mothlamp.", "Ruben = mothlamp"),
        ('On GitHub Ruben goes by "mothlamp".', "Ruben = mothlamp"),
        ("On GitHub Ruben goes by moth_lamp.", "Ruben = moth_lamp"),
        # Roles that pass on or end, one person and two
        ("Vera replaced Otto as treasurer.", "Vera = treasurer | Otto ENDED treasurer"),
        ("Otto is not our team lead any more.", "Otto ENDED team lead"),
        ("We hired Otto as our gardener.", "Otto = gardener"),
        ("Greg married Tanya.", "Greg = Tanya's spouse | Tanya = Greg's spouse"),
        ("Dr Obi and my GP are the same person.", "Dr Obi = gp"),
        ("Don't confuse Otto Klein with my cousin.", "Otto Klein DIFFERENT cousin"),
        ("My vet used to be Otto; now it's Vera.", "Vera = vet | Otto ENDED vet"),
        ("My vet is no longer Otto but Vera.", "Vera = vet | Otto ENDED vet"),
        ("Otto isn't my vet any more; Vera is.", "Otto ENDED vet | Vera = vet"),
        ("My vet changed from Otto to Vera.", "Vera = vet | Otto ENDED vet"),
        ("I married Otto Klein in June.", "Otto Klein = spouse"),
        ("I'm engaged to Otto Klein.", "Otto Klein = fiancé"),
        # Names and several people
        ("Ida Lund has been going by Ida Berg for years.", "Ida Lund = Ida Berg"),
        ("Everyone at the club calls Hieronymus Harry.", "Hieronymus = Harry"),
        ("My vet's name, by the way: Otto", "vet = Otto"),
        ("My nephew goes by the name of Zed.", "nephew = Zed"),
        ("The one who cuts my hair is Rosa.", "one who cuts my hair = Rosa"),
        ("The man looking after my dog is Leo.", "man looking after my dog = Leo"),
        ("Our upstairs neighbours are called Leo and Ann.", "Leo = neighbour | Ann = neighbour"),
        ("The neighbours on the left are Leo and Ann.", "Leo = neighbour | Ann = neighbour"),
        ("My godchildren are Tim and Lou.", "Tim = godchild | Lou = godchild"),
        # Nothing is asserted
        ("I was married to Otto for years.", ""),
        ("I nearly married Otto.", ""),
        ("I married Tom and Anna in the town hall.", ""),
        ("Otto isn't my vet; Vera is.", ""),
        ("The one that bothers me is Rosa.", ""),
        ("My sisters at home think the best singers are Leo and Ann.", ""),
        ("Is Otto our plumber?", ""),
        ("If Otto is my new boss, I quit.", ""),
        ("Tom says Anna is my boss.", ""),
        ("In the film Otto is my father.", ""),
        ('The mail says "Otto is my boss".', ""),
        ("Otto isn't my boss.", ""),
        ("Neither Tom nor Anna is my manager.", ""),
        ("Anna will be my boss in June.", ""),
        # It is said of somebody or something else
        ("My wife called Sarah yesterday.", ""),
        ("I met Tom, Anna, my boss and Karen.", ""),
        ("The house next to Anna is my studio.", ""),
        ("Anna met Berta and she is my boss.", ""),
        ("My neighbour's dog is called Max.", ""),
        ("Our band is called The Owls.", ""),
        ("Anna is my size.", ""),
        ("Tom is the father of two girls.", ""),
        ("The priest married Tom and Anna.", ""),
        ("Messi is my favourite player.", ""),
        ("Anna goes by bike.", ""),
        ("Anna's name is beautiful.", ""),
        ("My boss is Bavarian.", ""),
        ("Anna, my phone is broken.", ""),
        ("Tom and my boss went fishing.", ""),
        ("Tom took over the bakery in May.", ""),
    ],
)
def test_the_clauses_that_say_who_somebody_is(text: str, expected: str) -> None:
    """A clause teaches only what it asserts, of the person it means."""
    signs = {Kind.SAME: "=", Kind.ENDED: "ENDED", Kind.DIFFERENT: "DIFFERENT"}
    said = {
        f"{display_name(s.one)} {signs[s.kind]} {display_name(s.other)}"
        for s in read(text).statements
    }
    assert set(filter(None, expected.split(" | "))) == said


@pytest.mark.parametrize(
    "text",
    [
        "Tom listens to jazz.",
        "Tom listens to Mozart.",
        "Tom responds to antibiotics.",
        "Tom responds to Anna.",
        "Tom goes by scooter.",
        "Tom goes by e-bike.",
        "Tom goes by feel.",
        "Tom went by instinct.",
        "Tom is upset on Mondays.",
        "Tom is hungry on Fridays.",
        "Tom is short on cash.",
        "Tom is strong on detail.",
        "On Friday, Tom was drunk.",
        "On Friday, Tom was Batman.",
        "In Rome, Tom was robbed.",
        "I call Tom Mondays.",
        "We call Tom Sundays.",
        "Tom answers to Anna.",
        "Tom answers to Dr. Weber.",
        "Tom answers to reason.",
        "Tom writes as Anna dictates.",
        "Tom posts as Anna watches.",
        "Tom signs as instructed.",
        "Tom's nickname is funny.",
        "Tom and Anna are married to others.",
        "Tom and Anna got married to friends.",
    ],
)
def test_an_ordinary_clause_gives_no_name(text: str) -> None:
    """A common word is a name only where it is said to be one, and a verb's object is none."""
    assert read(text).statements == ()


@pytest.mark.parametrize(
    "text",
    [
        "It is not true that CLAUSE.",
        "I don't think that CLAUSE.",
        "Nobody knows that CLAUSE.",
        "Never ever, CLAUSE.",
        "By no means, CLAUSE.",
        "It's false that, honestly, CLAUSE.",
        "CLAUSE - not!",
        "CLAUSE, if you squint.",
        "CLAUSE, I think.",
        "CLAUSE when it rains.",
        "CLAUSE in the play.",
        "CLAUSE\nin the play.",
        "In the play, CLAUSE.",
        "In the play:\nCLAUSE.",
        "In our game, CLAUSE.",
        "Bob: CLAUSE.",
        "Bob, drunk: CLAUSE.",
        "Ignore the statement: CLAUSE.",
        "For the sake of argument: CLAUSE.",
        "When CLAUSE in the game, we win.",
        "Suppose this; CLAUSE; then we win.",
        "CLAUSE...",
        "'CLAUSE' is a lie.",
        "Kim, CLAUSE.",
    ],
)
@pytest.mark.parametrize(
    "clause",
    [
        "Tom and Anna are the same person",
        "Tom is the same person as Anna",
        "Tom and Anna are one and the same",
        "Tom and Anna are different people",
        "Tom is not the same person as Anna",
    ],
)
def test_same_or_different_must_be_a_sentence_of_its_own(text: str, clause: str) -> None:
    """Any words around it may deny or limit it, so that it says nothing."""
    assert len(read(f"{clause}.").statements) == 1
    assert len(read(f"Well, it turns out that {clause}!").statements) == 1
    assert read(text.replace("CLAUSE", clause)).statements == ()


@pytest.mark.parametrize(
    "text",
    [
        "Tom is the same as Anna in height.",
        "Tom and Anna are the same.",
        "Tom and Anna are different.",
        "Tom is the same age as Anna.",
        "Tom and Anna (in the play) are the same person.",
        "Bob: Anna is my boss.",
        "Ignore this: Anna is my boss.",
        "It is not true that Anna is my boss.",
        "In the play, Anna is my boss.",
        "Anna is my boss, in the play.",
        "Anna is my boss if we merge.",
        "Anna is my boss - not!",
    ],
)
def test_a_likeness_or_a_limited_clause_says_nothing(text: str) -> None:
    """Nobody is anybody by it."""
    assert read(text).statements == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I met Tom Baker. Tom Baker is my plumber.", "Tom Baker"),
        ("We saw Rome. Ann Lee is my plumber.", "Ann Lee"),
        ("I like Tom. Baker is my plumber.", "Baker"),
        ("Dr. Mia Lang is my plumber.", "Dr. Mia Lang"),
        ("We saw Bob. J. Lang is my plumber.", "J. Lang"),
    ],
)
def test_a_name_ends_with_its_sentence(text: str, name: str) -> None:
    """Only the dot of a title or an initial is inside a name."""
    assert name in identity_of(Reference(relationship="plumber"), text).names


def test_an_owner_ends_with_his_sentence() -> None:
    """A possessive name reaches back to the full stop alone."""
    (found,) = related_in("I met Tom Baker. Tom Baker's wife is ill.")
    assert found.of == Reference(name="Tom Baker")


@pytest.mark.parametrize(
    "text",
    [
        "\ue005 is my boss, \ue801 and \uf002 and \uf8fe are the same person.",
        "Her sister, " * 400 + "who is my boss",
        "her sister's brother his friend her aunt " * 9 + "is my boss",
        "who " * 1_900,
        "Anna's boss's " * 500,
        "Anna is my boss and " * 300,
        "My wife " + " ".join(f"Anna{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(600)),
    ],
)
def test_a_hostile_text_is_read_within_its_share(text: str) -> None:
    """No character or length of it makes the reader fail or work for long."""
    begun = time.process_time()
    identity_of(Reference(name="Anna"), text)
    identity_of(Reference(relationship="boss"), text)
    assert time.process_time() - begun < 2
