"""Known names are found in questions as whole words."""

import pytest

from ashd.language.people.name_index import NameIndex

NAMES = [
    "Sarah Jane",
    "Sarah",
    "Sarah's sister",
    "my wife",
    "my mom",
    "my older sister",
    "Alice's boss",
    "Bob",
    "Michael Scott",
    "Will",
    "May",
    "Mark",
    "Rose",
    "Al",
    "Jos\u00e9",
    "Zo\u00eb",
    "@mike",
    "Dr. M\u00fcller",
    "\u5c0f\u7f8e",
    "\u0930\u093e\u0939\u0941\u0932",
    "\ubbfc\uc218",
    "Alex",
    "Alexandra",
]


@pytest.fixture(scope="module")
def index() -> NameIndex:
    return NameIndex(NAMES)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What does Sarah's sister like?", ["Sarah Jane", "Sarah", "Sarah's sister"]),
        ("what does sarah\u2019s dog like", ["Sarah Jane", "Sarah"]),
        ("Where is Sarah Jane?", ["Sarah Jane"]),
        ("What did Michael say?", ["Michael Scott"]),
        ("Michael Jackson songs", []),
        ("Is Michael Bob's boss?", ["Michael Scott", "Bob"]),
        ("who is Alice\u2019s boss", ["Alice's boss"]),
        ("who is the boss of Alice?", ["Alice's boss"]),
        ("who is my boss", []),
        ("what does my wife like", ["my wife"]),
        ("what does the wife like", ["my wife"]),
        ("what does Bob's wife like", ["Bob"]),
        ("what does his wife like", []),
        ("when is mother's birthday", ["my mom"]),
        ("what does my sister like", ["my older sister"]),
        ("what does my younger sister like", []),
        ("Alexandra", ["Alexandra"]),
        ("does Alex sing", ["Alex"]),
        ("bobsled, addison and moment", []),
        ("what about JOSE", ["Jos\u00e9"]),
        ("Is zoe there", ["Zo\u00eb"]),
        ("ask @mike", ["@mike"]),
        ("Does M\u00fcller work today", ["Dr. M\u00fcller"]),
        ("\u5c0f\u7f8e\u559c\u6b22\u4ec0\u4e48\uff1f", ["\u5c0f\u7f8e"]),
        (
            "\u0930\u093e\u0939\u0941\u0932 \u0915\u0939\u093e\u0901 \u0939\u0948?",
            ["\u0930\u093e\u0939\u0941\u0932"],
        ),
        ("\ubbfc\uc218\ub294 \uc5b4\ub514\uc5d0?", ["\ubbfc\uc218"]),
        ("", []),
    ],
)
def test_names_in_a_question(index: NameIndex, question: str, found: list[str]) -> None:
    """The longest name at a place counts, possessives and relationships included."""
    assert [NAMES[i] for i in index.mentioned(question)] == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("will it rain in may", []),
        ("Will it rain?", []),
        ("WILL IT RAIN", []),
        ("What does Will like?", ["Will"]),
        ("Will Will come?", ["Will"]),
        ("Will likes what?", ["Will"]),
        ("May I ask something?", []),
        ("mark the date", []),
        ("Mark the date", []),
        ("Mark and Bob", ["Mark", "Bob"]),
        ("a rose", []),
        ("Rose's birthday", ["Rose"]),
        ("Bob et al", ["Bob"]),
        ("Where is Al?", ["Al"]),
    ],
)
def test_names_that_are_words(index: NameIndex, question: str, found: list[str]) -> None:
    """A name that is a common word counts where only a name would be capitalised."""
    assert [NAMES[i] for i in index.mentioned(question)] == found


def test_two_people_of_one_name() -> None:
    """The name "Sarah" finds both Sarahs, one of them by her full name."""
    index = NameIndex(["Sarah Miller", "Sarah Jones"])
    assert index.mentioned("What does Sarah like?") == [0, 1]
    assert index.mentioned("What does Sarah Jones like?") == [1]


def test_relationships_outside_the_table() -> None:
    """A relationship that the table does not have is found by its own words."""
    assert NameIndex(["my math teacher"]).mentioned("Who is my math teacher?") == [0]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Petersen?", ["Mark Petersen"]),
        ("What does Petersen do", ["Mark Petersen"]),
        ("what is Ms Petersen's hobby", ["Mark Petersen"]),
        ("Long", ["Lydia Long"]),
        ("how long is it", []),
        ("Is Long there", ["Lydia Long"]),
        ("Long ago", []),
        ("mark", ["Mark Petersen"]),
        ("can I mark the bins", []),
        ("what does Anna Petersen do", []),
        ("Lydia L.", ["Lydia Long"]),
        ("Lydia Brand", []),
        ("jean luc", ["Jean-Luc"]),
        ("Jean Luc's hobby", ["Jean-Luc"]),
        ("what does Jean-Luc do", ["Jean-Luc"]),
        ("Mary-Ann", ["Mary Ann"]),
        ("what does Eva-Lydia do", []),
        ("the Petersen-Holm case", []),
        ("who is Jean-Luc's sister", ["Jean-Luc", "Jean-Luc's sister"]),
    ],
)
def test_family_names_and_hyphens(question: str, found: list[str]) -> None:
    """A family name alone means its people, unless another given name or a hyphen goes with it."""
    names = ["Mark Petersen", "Lydia Long", "Jean-Luc", "Mary Ann", "Jean-Luc's sister"]
    index = NameIndex(names, families=True)

    assert [names[i] for i in index.mentioned(question)] == found


def test_without_family_names_only_given_ones_stand_alone() -> None:
    """A family name alone is no mention where a memory is to be attributed."""
    assert NameIndex(["Mark Petersen"]).mentioned("ask Petersen") == []


@pytest.mark.parametrize(
    ("name", "text", "is_named"),
    [
        ("Elif", "Elif'in doğum günü ne zaman?", True),
        ("Anna", "When'd Anna'd rather come?", True),
        ("Timo", "Wann ist Timos Geburtstag?", True),
        ("Bill", "Have the Bills been paid?", False),
        ("May", "What did we do in May?", False),
        ("May", "What is in May's room?", True),
        ("May", "What does May like?", True),
    ],
)
def test_a_name_is_known_by_its_endings_and_its_place(name: str, text: str, is_named: bool) -> None:
    """The cases of Turkish, the genitive of German; a month is nobody."""
    assert bool(NameIndex([name], families=True).mentioned(text)) is is_named


@pytest.mark.parametrize(
    "text",
    [
        "姉の誕生日はいつですか",
        "昨日、姉が来たのはいつ",
        "我姐姐的生日是什么时候",
        "우리 누나의 생일은 언제야",
    ],
)
def test_a_question_names_relatives_in_unspaced_scripts(text: str) -> None:
    """By the word that says whose they are, or that is for one's own."""
    index = NameIndex(["my older sister"])
    assert index.mentioned(text) == [0]


@pytest.mark.parametrize("text", ["神父は誰ですか", "국내 친구는 누구야"])
def test_a_part_of_a_word_is_no_relative(text: str) -> None:
    """A priest is no father."""
    assert NameIndex(["my father", "my friend"]).mentioned(text) == []
