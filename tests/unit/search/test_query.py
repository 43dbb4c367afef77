"""Questions taken apart: terms, names, lookups, what is embedded."""

import datetime as dt
from collections.abc import Sequence

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ashd.language import ngrams
from ashd.search import query
from ashd.store.full_text_terms import Term, expression

NOW = dt.datetime(2025, 6, 15, 12, tzinfo=dt.UTC)


def analyse(text: str, **known: object) -> query.Query:
    return query.analyse(text, now=NOW, **known)


class Index:
    """A real full-text table with the daemon's tokenizer."""

    def __init__(self, *texts: str) -> None:
        self.db = apsw.Connection(":memory:")
        self.db.execute(
            "create virtual table t using fts5(scope, body, names, dates, grams,"
            " tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        for rowid, text in enumerate(texts):
            self.add(rowid, "s1", text)

    def add(self, rowid: int, scope: str, text: str) -> None:
        self.db.execute(
            "insert into t (rowid, scope, body, names, dates, grams) values (?, ?, ?, '', '', ?)",
            (rowid, scope, text, ngrams.index_grams(text)),
        )

    def find(self, text: str, scopes: tuple[str, ...] = ("s1",)) -> set[int]:
        found = set()
        for lookup in analyse(text).lookups:
            rows = self.rows(lookup.terms, scopes)
            if len(rows) < query.FEW and lookup.wider:
                rows |= self.rows(lookup.wider, scopes)
            found |= rows
        return found

    def rows(self, terms: Sequence[Term], scopes: tuple[str, ...]) -> set[int]:
        cursor = self.db.execute(
            "select rowid from t where t match ?", (expression(terms, scopes),)
        )
        return {row[0] for row in cursor}


def test_function_words_are_left_out() -> None:
    """Only content words are searched for."""
    assert analyse("What is the peanut allergy that I have?").terms == ("peanut", "allergy")


def test_words_of_place_and_time_are_sought() -> None:
    """ "Before" and "under" tell one thing from another, more often than not."""
    assert analyse("What was it before the fire?").terms == ("before", "fire")


def test_words_of_a_relative_time_are_sought_in_talk_only() -> None:
    """A memory has its time, not the words for it; a question for nothing else keeps them."""
    asked = analyse("Where did we swim two days ago?", facts=True)

    assert (asked.text, asked.terms) == ("Where did we swim?", ("swim",))
    assert asked.time == analyse("two days ago").time is not None
    assert "ago" in analyse("Where did we swim two days ago?").terms
    assert analyse("What did I do yesterday?", facts=True).terms == ("yesterday",)


@pytest.mark.parametrize(
    ("question", "alone", "back"),
    [
        ("What did I do yesterday?", True, True),
        ("anything on 4 May?", True, False),
        ("what happened this week", True, True),
        ("what have I done today", True, True),
        ("what is on today", True, False),
        ("what do I have to do tomorrow", True, False),
        ("who called yesterday", False, True),
        ("what is the plan for next week", False, False),
        ("what did I do", False, False),
        ("remind me what I did yesterday", True, True),
        ("show me everything from yesterday", True, True),
        ("what do I have on 22 January", True, False),
        ("what did I do on 22 January", True, True),
        ("22 January", True, True),
        ("what do I have on 2025-01-22", True, True),
    ],
)
def test_a_question_for_a_time_alone_is_known(question: str, alone: bool, back: bool) -> None:
    """A memory told today answers "what did I do today", and not "what is on today"."""
    asked = analyse(question, facts=True)
    assert (asked.time_alone, asked.looks_back) == (alone, back)


@pytest.mark.parametrize(
    ("question", "of_asker"),
    [
        ("Where do I live?", True),
        ("what did I promise Ben", True),
        ("what\u2019s my sister called", True),
        ("Who is my wife?", True),
        ("what is wrong with my shoulder", True),
        ("my address", True),
        ("am I allergic to anything", True),
        ("Tell me where Ben lives", False),
        ("Which of my friends live in Bonn?", False),
        ("who in my group works at a library?", False),
        ("who is in my group", False),
        ("who else plays the cello like I do", False),
        ("Can I bring a peanut cake?", False),
        ("What should I keep in mind when I cook for the group?", False),
        ("does anyone play an instrument? I need a cellist", False),
        ("What caused World War I?", False),
        ("When do we meet?", False),
        ("It is " + "a very " * 12 + "long way to my question", False),
    ],
)
def test_a_question_is_about_its_asker(question: str, of_asker: bool) -> None:
    """Not where it has "I" or "my" only beside what it asks for."""
    assert analyse(question, facts=True).of_asker is of_asker


def test_a_question_of_function_words_alone_keeps_them() -> None:
    """A question like "who am I" still searches for its words."""
    assert analyse("who am I").terms == ("who", "am", "i")


def test_possessives_and_curly_apostrophes_do_not_matter() -> None:
    """ "Emma's" is found by Emma, whichever apostrophe was typed."""
    assert analyse("Emma's cello").terms == analyse("Emma\u2019s cello").terms == ("emma", "cello")


def test_speakers_leave_the_terms_and_become_the_first_person() -> None:
    """Speakers say "I" and "my" of themselves, not their names."""
    asked = analyse("Did Caroline like Caroline's dog?", speaker_names=["Caroline", "Melanie"])

    assert asked.speakers == ("Caroline",)
    assert asked.terms == ("dog",)
    assert asked.embed_text == "Did I like my dog?"


def test_known_people_stay_among_the_terms() -> None:
    """A memory about Sarah holds her name."""
    asked = analyse("what does sarah eat", names=["Sarah Jane", "Noah"])

    assert asked.names == ("Sarah Jane",)
    assert asked.terms == ("sarah", "eat")
    assert asked.embed_text == "what does sarah eat"


def test_a_short_name_means_the_speaker_whose_name_begins_so() -> None:
    """ "Mel" is Melanie while no other speaker's name begins so; "Will you" is not William."""
    speakers = ["Melanie", "Maria", "Mark", "William"]

    assert analyse("Does Mel sing?", speaker_names=speakers).speakers == ("Melanie",)
    assert analyse("Does Mel sing?", speaker_names=speakers).embed_text == "Does I sing?"
    assert analyse("Does Mar sing?", speaker_names=speakers).speakers == ()
    assert analyse("Will it rain?", speaker_names=speakers).speakers == ()
    assert analyse("Mel sings?", speaker_names=speakers).speakers == ()


def test_a_name_inside_a_word_is_not_found() -> None:
    """The word "party" does not name somebody called Art."""
    assert analyse("the party", speaker_names=["Art"]).speakers == ()


def test_i_and_you_mean_the_speakers_of_an_assistant_conversation() -> None:
    """ "I" is the user, "you" the assistant; both in one question say nothing."""
    who = {"speaker_names": ["user", "assistant"], "asker": "user", "assistant": "assistant"}

    assert analyse("what is my budget", **who).speakers == ("user",)
    assert analyse("which laptop did you suggest", **who).speakers == ("assistant",)
    assert analyse("what did you tell me about insurance", **who).speakers == ()


@pytest.mark.parametrize("name", ["ERR_4012", "foo_bar", "ann.lee@example.org", "v3.11", "db-07"])
def test_identifiers_are_found(name: str) -> None:
    """Codes, names with underscores, addresses and versions are found as they are written."""
    index = Index(f"It says {name} again.", "ERR 77, foo and a bar", "nothing")

    assert {0} == index.find(f"what about {name}?")


@pytest.mark.parametrize(
    ("question", "like"),
    [
        ("ERR_4012", {0}),
        ("foo_bar", {1}),
        ("ann@example.org", {2}),
        ("v3.11.2", {3}),
        ("well-known prose", set()),
    ],
)
def test_identifiers_like_one_are_known(question: str, like: set[int]) -> None:
    """Similar identifiers share a part; a word of prose has none."""
    index = Index("ERR_4011 is harmless", "foo_baz", "bob@example.com", "v3.9", "well known")
    rivals = [lookup.rivals for lookup in analyse(question).lookups if lookup.rivals]

    assert like == {row for rival in rivals for row in index.rows(rival, ("s1",))}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("401k", "I pay into my 401(k)"),
        ("ERR4012", "It fails with ERR_4012"),
        ("ERR_4012", "It fails with ERR4012"),
        ("what is at 3pm", "The call is at 3 pm"),
    ],
)
def test_letters_and_digits_are_found_joined_and_apart(question: str, told: str) -> None:
    """People write the same code in several ways."""
    assert {0} == Index(told, "Nothing of the kind, ERR 77 or 402").find(question)


@pytest.mark.parametrize("text", ["my 1st car", "the 2 of us", "at 3pm", "the 1980s"])
def test_a_small_number_is_no_identifier(text: str) -> None:
    """The "first" car does not compete with another number."""
    assert [lookup.rivals for lookup in analyse(text).lookups if lookup.rivals] == []


def test_a_number_beside_a_month_is_no_identifier() -> None:
    """A year that nothing was said in takes nothing from what was said of the rest."""
    assert [lookup.rivals for lookup in analyse("what about May 2023").lookups] == [()] * 2


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("我的妻子喜欢吃川菜。", "妻子喜欢吃什么"),
        ("我家有一只猫", "猫"),
        ("会議は毎週金曜日に始まります", "会議はいつですか"),
        ("コーヒーが好き", "コーヒー"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
        ("제 여동생은 커피를 좋아해요", "커피"),
        ("أختي تقرأ الكتاب", "كتاب"),
        ("Meine Krankenversicherung ist teuer", "Versicherung"),
        ("Моя бабушка читает книгу", "книга"),
        ("La café está cerrado", "cafe"),
        ("pizza night 🍕", "🍕"),
        ("Mein iPhone用ケース ist rot", "iphone"),
    ],
)
def test_other_languages_are_found(text: str, question: str) -> None:
    """No language needs spaces, accents or the very same ending to be found (row D11)."""
    assert {0} == Index(text, "an unrelated English sentence", "完全无关的句子").find(question)


def test_a_kind_finds_the_things_of_that_kind() -> None:
    """ "Which sports" finds tennis, for less than a word of the question is worth."""
    index = Index("We play tennis on Mondays", "The invoice is late")
    lookups = analyse("which sports do I do").lookups

    assert {0} == index.find("which sports do I do")
    assert {0} == {lookup.concept for lookup in lookups}
    assert sorted({lookup.worth for lookup in lookups}) == [0.5, 1.0]
    assert {1.0} == {lookup.worth for lookup in analyse("which sports do I do", facts=True).lookups}


def test_small_words_of_the_language_are_left_out() -> None:
    """Small words of another language are words like others in English: "die", "war"."""
    assert analyse("Wie heißt meine Frau?").terms == ("heißt", "frau")
    assert analyse("Où est-ce que j'habite ?").terms == ("habite",)
    assert analyse("When did the war die down?").terms == ("war", "die", "down")
    assert analyse("wo ist das").terms == ("wo", "ist", "das")


def test_a_number_is_a_day_where_a_time_is_named_only() -> None:
    """ "Locker 20" is not sought among dates, nor are weekdays that nobody asked for."""

    def dated(question: str) -> list[bool]:
        return ["dates" in lookup.terms[0].where for lookup in analyse(question).lookups]

    assert dated("who rents locker 20")[1:] == [True, False]
    assert dated("what happened on 20 May")[1:] == [True, True]


def test_other_scopes_are_not_searched() -> None:
    """A row of another scope never matches, whatever the question says."""
    index = Index("tennis")
    index.add(9, "s2", "tennis")

    assert {0} == index.find("tennis")
    assert {0, 9} == index.find("tennis", ("s1", "s2"))


@pytest.mark.parametrize("scope", ["", 's1" OR "s2', "s-1", "*"])
def test_a_scope_token_that_is_not_plain_is_refused(scope: str) -> None:
    """The scope cannot be widened by what stands in a token."""
    with pytest.raises(ValueError, match="scope"):
        expression([Term("x")], [scope])


def test_no_scope_is_refused() -> None:
    """Searching nowhere is a mistake of the caller, not a search everywhere."""
    with pytest.raises(ValueError, match="scope"):
        expression([Term("x")], [])


@settings(max_examples=300)
@given(st.text(max_size=60) | st.text(alphabet='"*():{}^-+ANDORNEAT scope:猫ก', max_size=40))
def test_no_question_is_syntax(text: str) -> None:
    """The engine takes any question, and rows of other scopes stay out."""
    index = Index()
    index.add(1, "s2", text + " scope s2 tennis")

    assert set() == index.find(text)


def test_long_questions_are_cut() -> None:
    """The number of lookups is bounded."""
    asked = analyse(" ".join(f"word{number}" for number in range(500)) + "猫犬" * 300)

    assert len(asked.terms) == query.MAX_TERMS
    assert len(asked.lookups) <= 3 * query.MAX_TERMS


@pytest.mark.parametrize(
    ("text", "latin"),
    [("wo ist die Straße", True), ("где ты", False), ("猫はAI", False), ("🍕", False)],
)
def test_latin_text_is_told_from_other(text: str, latin: bool) -> None:
    """The embedded embedders know Latin letters only, so it matters."""
    assert latin is analyse(text).latin
