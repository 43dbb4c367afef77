"""A caller that names nobody teaches as much: whom a fact is about is read from its words."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from services import House, call_of, house

from ashd import errors
from ashd.memory.incoming_facts import AddParams
from ashd.memory.search import SearchParams
from ashd.people.directory import PeopleDirectory, ResolveParams
from ashd.store import watched


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as made:
        yield made


async def _who(at: House, reference: str) -> str | None:
    """The name of the person a reference means; None if nobody is known by it."""
    params = ResolveParams(reference=reference, create=False)
    try:
        found = await PeopleDirectory(at.db).resolve(at.call("person.resolve"), params)
    except errors.NotFound:
        return None
    return found.person_name


@pytest.mark.parametrize(
    ("content", "reference", "name"),
    [
        ("My husband's name is Okan", "my husband", "Okan"),
        ("The head gardener is Ilse Brandt", "the head gardener", "Ilse Brandt"),
        ("Since she married, Nora Feld goes by Nora Kessler", "Nora Kessler", "Nora Feld"),
        ("Everyone calls Winifred Cole Winnie", "Winnie", "Winifred Cole"),
        ("A. B. Lindqvist read the draft", "AB Lindqvist", "A. B. Lindqvist"),
        ("My wife Sarah Jane loves tulips", "my wife", "Sarah Jane"),
        ("My boss never uses email", "my boss", "boss"),
        ("@kestrel_9 sent the patch", "@kestrel_9", "kestrel_9"),
        ("The manager of the branch is Lotte Brandt", "the manager of the branch", "Lotte Brandt"),
        ("My osteopath is Alda Verne", "my osteopath", "Alda Verne"),
    ],
)
async def test_a_fact_names_its_people(at: House, content: str, reference: str, name: str) -> None:
    """The people are known by what the fact says, and the fact is about them."""
    await at.add(content)

    assert await _who(at, reference) == name
    assert await at.listed(about=reference) == [content]


@pytest.mark.parametrize(
    ("content", "reference", "name"),
    [
        ("My manager at Larkfield is Paula Rhys", "my manager", "Paula Rhys"),
        ("Mijn zus heet Fleur", "mijn zus", "Fleur"),
        ("Minha irmã se chama Ana", "minha irmã", "Ana"),
        ("Ana é minha irmã", "minha irmã", "Ana"),
        ("Moja siostra ma na imię Ola", "moja siostra", "Ola"),
        ("Мою сестру зовут Оля", "моя сестра", "Оля"),
        ("Ablam\u0131n ad\u0131 Elif", "ablam", "Elif"),
        ("Elif benim ablam", "ablam", "Elif"),
        ("Eşim Deniz öğretmen", "eşim", "Deniz"),
        ("Meine Nichte Lea klettert", "meine Nichte", "Lea"),
        ("Mi cuñado Pedro pesca", "mi cuñado", "Pedro"),
        ("Ma belle-sœur Zoé chante", "ma belle-sœur", "Zoé"),
    ],
)
async def test_relatives_are_named_in_other_languages(
    at: House, content: str, reference: str, name: str
) -> None:
    """By the verb of naming of the language, or beside the word for the relative."""
    await at.add(content)

    assert await _who(at, reference) == name


@pytest.mark.parametrize("name", ["Ärztin", "Lehrerin"])
async def test_a_profession_is_no_name(at: House, name: str) -> None:
    """German writes every noun with a capital; two who have one profession are two people."""
    await at.add(f"Meine Schwester ist {name}")
    await at.add(f"Meine Mutter ist {name}")

    assert await _who(at, name) is None
    assert await _who(at, "meine Schwester") != await _who(at, "meine Mutter")


@pytest.mark.parametrize(
    ("content", "word"),
    [("My mother tongue is Polish", "my mother"), ("My student loan is paid", "my student")],
)
async def test_a_relative_in_a_longer_noun_is_nobody(at: House, content: str, word: str) -> None:
    """A mother tongue is no mother."""
    await at.add(content)

    assert await _who(at, word) is None


async def test_an_adverb_is_no_part_of_a_longer_noun(at: House) -> None:
    """ "Usually" is said of the verb."""
    await at.add("My sister usually is late")

    assert await _who(at, "my sister") == "sister"


@pytest.mark.parametrize(
    "content", ["이 책은 재미있다", "내 차는 빨간색이다", "ה ספר טוב", "书 很好"]
)
async def test_a_word_of_one_sign_is_no_initial(at: House, content: str) -> None:
    """In scripts without case a sentence may begin with one, and makes nobody."""
    assert [] == (await at.entry(content)).people


async def test_somebody_introduced_to_another_is_not_that_one(at: House) -> None:
    """ "To" joins two in no language that is read."""
    await at.add("My boss Ann lives in Bern")
    await at.add("I introduced Petra Lang to my boss")

    assert await _who(at, "my boss") == "Ann"


@pytest.mark.parametrize(
    ("content", "reference", "name"),
    [
        ("My sister Anna'll come on Monday", "my sister", "Anna"),
        ("My boss Bo'd rather walk", "my boss", "Bo"),
        ("Ablam Elif'in bisikleti eski", "ablam", "Elif"),
        ("Ablam Elif İzmir'de oturuyor", "ablam", "Elif"),
        ("Ablam Elif'e Ankara yak\u0131n", "ablam", "Elif"),
        ("My friend Ja'far skates", "my friend", "Ja'far"),
    ],
)
async def test_an_ending_is_no_part_of_a_name(
    at: House, content: str, reference: str, name: str
) -> None:
    """Neither "will" and "would" nor a case of Turkish."""
    await at.add(content)

    assert await _who(at, reference) == name


@pytest.mark.parametrize(
    ("content", "subject", "reference", "name"),
    [
        ("姉の美咲は登山が好き", "姉の美咲", "姉", "美咲"),
        ("私の上司の田中さんは早起きだ", "私の上司の田中", "上司", "田中"),
        ("我姐姐李梅喜欢爬山", "我姐姐李梅", "我的姐姐", "李梅"),
        ("우리 누나 지은은 등산을 좋아해", "우리 누나 지은", "내 누나", "지은"),
    ],
)
async def test_relatives_of_unspaced_scripts_are_told_by_their_words(
    at: House, content: str, subject: str, reference: str, name: str
) -> None:
    """A reference to them holds the relationship and the name, in English too."""
    await at.add(content, subjects=[subject])
    role = "my boss" if name == "田中" else "my sister"

    assert await _who(at, role) == name
    if reference != "上司":  # anybody's
        assert await _who(at, reference) == name


@pytest.mark.parametrize(
    ("content", "reference"),
    [
        ("父は元気です", "my father"),
        ("昨日、母が来た", None),
        ("我妈妈是医生", "my mother"),
        ("我朋友圈里有新照片", None),
        ("我的朋友们来了", None),
        ("他妈妈是医生", None),
        ("내 딸은 여섯 살이다", "my daughter"),
        ("내 딸기가 맛있다", None),
        ("母校に行った", None),
        ("母の日に花を買った", None),
        ("神父は元気です", None),
        ("田中さんの姉は医者だ", None),
    ],
)
async def test_a_relative_in_an_unspaced_script_is_a_whole_word(
    at: House, content: str, reference: str | None
) -> None:
    """A daughter is no strawberry, an alma mater no mother, and his mother not mine."""
    people = (await at.entry(content)).people
    known = [await _who(at, one) for one in ("my mother", "my father", "my daughter", "my friend")]

    assert len(people) == (reference is not None)
    assert sum(one is not None for one in known) == len(people)
    assert reference is None or await _who(at, reference) is not None


async def test_a_role_goes_to_its_next_holder(at: House) -> None:
    """The former one is still known, and the fact is about both."""
    await at.add("My climbing partner Bo has his own rope")
    await at.add("My climbing partner isn't Bo any more, it's Tariq")

    assert await _who(at, "my climbing partner") == "Tariq"
    assert await _who(at, "Bo") == "Bo"
    assert len(await at.listed(about="Bo")) == 2


@pytest.mark.parametrize(
    "content",
    [
        'Ann wrote: "My wife is Carol. She is ill."',
        "My wife is not Carol",
        "Maybe my wife is called Carol",
        "Is my wife's name Carol?",
        "If Carol were my wife I would move",
        "I don't think Carol is my wife",
        "I don't believe that Carol is my wife",
        "It isn't true that Carol is my wife",
        "I'm not sure Carol is my wife",
        "I am no longer sure Carol is my wife",
        "Carol sang in the choir",
        "My kayak is called Carol",
        "My bank is Carol",
        "My gym is Carol Vernon",
        "The Carol from next door is called Biscuit",
    ],
)
async def test_a_statement_that_asserts_nothing_makes_nobody(at: House, content: str) -> None:
    """A quotation, a doubt or a denial teaches nothing, and a mere name is most often no person."""
    await at.add(content)

    assert await _who(at, "Carol") is None


async def test_somebody_is_sure_of_what_they_say(at: House) -> None:
    """Only a negation of it makes a doubt."""
    await at.add("I'm sure Carol is my wife")

    assert await _who(at, "my wife") == "Carol"


@pytest.mark.parametrize("between", [", she's", ". She is"])
async def test_she_is_nobody_that_she_is_said_not_to_be(at: House, between: str) -> None:
    """The pronoun after a denial means whom it denies the role."""
    await at.add(f"Petra isn't my wife{between} my cousin")

    assert await _who(at, "my wife") is None


async def test_two_people_without_names_marry(at: House) -> None:
    """Both are known by their relationships, whose owners alone have names."""
    await at.add("Greta's aunt is married to Leo's uncle")

    assert await at.listed(about="Greta's aunt") == await at.listed(about="Leo's uncle")
    assert await at.listed(about="Greta's aunt") == ["Greta's aunt is married to Leo's uncle"]


async def test_a_mere_name_finds_who_is_known(at: House) -> None:
    """It makes nobody, and of two who may be meant it finds neither."""
    await at.add("My wife Zoe breeds whippets")
    await at.add("Zoe rang about the fence")
    await at.add("My colleague Zoe is in Denver", subjects=["my colleague Zoe"])
    entry = await at.entry("Zoe is late")

    assert "Zoe rang about the fence" in await at.listed(about="my wife")
    assert entry.people == []


async def test_a_thing_of_somebody_is_nobody(at: House) -> None:
    """A move of Petra is no person, though she is known; Petra Schmidt is one then."""
    await at.add("My friend Petra sails")
    moved = await at.entry("The move of Petra to Bern is in May")
    another = await at.entry("Petra Schmidt called about the car")

    assert [] == moved.people
    assert ["Petra Schmidt"] == [one.name for one in another.people]


@pytest.mark.parametrize(
    ("content", "about"),
    [
        ("My aunt's parrot can whistle the anthem", "my aunt"),
        ("Otis is my sister's baby", "my sister's baby"),
        ("Kuba is my apprentice", "my apprentice"),
        ("The superintendent is Ms. Lim", "the superintendent"),
        ("The greengrocer next door sold me a bruised melon", "my greengrocer next door"),
        ("The midwife from the clinic rang me twice", "my midwife from the clinic"),
        ("The chaplain asked me to sing", "my chaplain"),
        ("My apprentice hit his knee", "my apprentice"),
    ],
)
async def test_a_noun_for_a_person_tells_a_role_from_a_thing(
    at: House, content: str, about: str
) -> None:
    """An aunt's parrot says something of the aunt, a sister's baby is somebody."""
    await at.add(content)

    assert await at.listed(about=about) == [content]


@pytest.mark.parametrize(
    "content",
    [
        "The budget Mrs Holm drew up was forty pages long",
        "The old Brooks went through the wash",
        "The tortoise is called Brunel",
        "Siemens is my employer",
        "The sterilizer in the kitchen makes a noise",
        "The shredder downstairs broke my nerves",
        "My blender is called Brunel",
        "My chef knives are in the drawer",
    ],
)
async def test_a_noun_for_a_thing_makes_no_role(at: House, content: str) -> None:
    """Nobody becomes a budget or a tortoise."""
    assert [] == (await at.entry(content)).people


async def test_a_member_of_a_nation_is_not_called_so(at: House) -> None:
    """A word after "a" is no name, unless the sentence says that one is called it."""
    await at.add("My neighbour is a Virgo")
    await at.add("My boss is a man called Kofi")

    assert await _who(at, "Virgo") is None
    assert await _who(at, "my boss") == "Kofi"


async def test_two_of_one_name_in_a_sentence_stay_two(at: House) -> None:
    """The second is left unread, rather than being taken for the first."""
    await at.add("My cousin Eva and my friend Eva met")

    assert await _who(at, "my cousin") == "Eva"
    assert await _who(at, "my friend") is None


async def test_ones_own_fact_stays_ones_own(at: House) -> None:
    """A fact in the first person is about its speaker, whoever else it is about."""
    call = at.call()
    params = msgspec.convert({"content": "I have a brother called Sam"}, AddParams)
    await at.remember.add(call, params)

    assert await at.listed(about="Sam") == await at.listed(about="me")


async def test_people_read_from_words_do_not_part_facts(at: House) -> None:
    """A fact is compared with the speaker's others, whichever people their words name."""
    older = await at.add("My boss is Anna Holm")
    newer = await at.entry("My boss is Bo Lund", supersedes=older.id)

    assert newer.superseded == [older.id]


async def test_a_changed_fact_is_about_the_people_of_its_words(at: House) -> None:
    """People that were read are read again from new words."""
    memory = await at.add("My dentist is Nora Feld")
    await at.update(memory, content="My dentist is Ruth Pell")

    assert await at.listed(about="Ruth Pell") == ["My dentist is Ruth Pell"]
    assert await at.listed(about="Nora Feld") == []


async def test_being_named_opens_nothing_to_a_member(at: House) -> None:
    """Carol, who was not there, reads in private only what a caller says is about her (C3)."""

    def call(user: str, **more: Any) -> Any:
        return call_of(user, display_name=user.title(), **more)

    group = {"chat_id": "g", "chat_type": "group", "participants": ["alice", "carol"]}
    alone = group | {"participants": ["alice", "bob"]}
    await at.remember.add(call("carol", **group), AddParams(content="I like tea"))
    at.clock.pass_by(seconds=60)
    for content, subjects in (("Carol is my boss", None), ("Carol has a new job", ["Carol"])):
        params = msgspec.convert({"content": content, "subjects": subjects}, AddParams)
        await at.remember.add(call("alice", **alone), params)

    asked = SearchParams(query="Carol boss job", min_score=0)
    found = await at.recall.search(call("carol"), asked)

    assert "Carol is my boss" not in {one.memory.content for one in found.results}


async def test_a_secret_in_a_sentence_about_somebody_is_no_name(at: House) -> None:
    """The word after an at sign is learned as a name, so it is checked like a name."""
    sentence = "My boss is @ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    params = ResolveParams(reference="my boss", content_hint=sentence)

    with pytest.raises(errors.ContentRefused):
        await PeopleDirectory(at.db).resolve(at.call("person.resolve"), params)


async def test_a_person_who_becomes_known_is_no_change_for_strangers(at: House) -> None:
    """Cached answers for strangers stay; those for the speaker are made again."""
    speaker, stranger = call_of("u"), call_of("zoe")
    keys = []
    for one in (speaker, stranger):
        await at.db.write(one.enter, scoped=True)
        keys.append(await at.db.read(lambda tx, one=one: watched.keys_of(tx, one.look(tx))))
    before = at.db.generation

    await PeopleDirectory(at.db).resolve(speaker, ResolveParams(reference="my wife Vega"))

    assert at.db.since(keys[0], before) != "same"
    assert at.db.since(keys[1], before) == "same"
