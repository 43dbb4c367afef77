"""Time words of questions and texts."""

import datetime as dt
import re
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ashd import clock
from ashd.language import date_spans, english_date_phrases, english_dates
from ashd.language.english_date_rules import TERM

NOW = dt.datetime(2025, 6, 18, 15, tzinfo=dt.UTC)  # a Wednesday


def days(text: str, now: dt.datetime = NOW, zone: dt.tzinfo = dt.UTC) -> tuple[str, str] | None:
    """The first day of the span and the first after it."""
    found = english_dates.range_of(text, now=now, zone=zone)
    if found is None:
        return None
    first, after = (clock.from_micros(at).astimezone(zone) for at in (found.start, found.end))
    return first.date().isoformat(), after.date().isoformat()


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("what happened on 2025-03-09?", "2025-03-09", "2025-03-10"),
        ("on 8 May, 2023", "2023-05-08", "2023-05-09"),
        ("on May 8th 2023", "2023-05-08", "2023-05-09"),
        ("on 20 June", "2024-06-20", "2024-06-21"),
        ("on June 3", "2025-06-03", "2025-06-04"),
        ("in May 2023", "2023-05-01", "2023-06-01"),
        ("last May", "2025-05-01", "2025-06-01"),
        ("last June", "2024-06-01", "2024-07-01"),
        ("next March", "2026-03-01", "2026-04-01"),
        ("in December", "2024-12-01", "2025-01-01"),
        ("in 2023", "2023-01-01", "2024-01-01"),
        ("yesterday", "2025-06-17", "2025-06-18"),
        ("the day before yesterday", "2025-06-16", "2025-06-17"),
        ("two weeks ago", "2025-06-02", "2025-06-09"),
        ("3 days ago", "2025-06-15", "2025-06-16"),
        ("a month ago", "2025-05-01", "2025-06-01"),
        ("in the last two weeks", "2025-06-04", "2025-06-19"),
        ("last week", "2025-06-09", "2025-06-16"),
        ("this month", "2025-06-01", "2025-07-01"),
        ("last year", "2024-01-01", "2025-01-01"),
        ("last weekend", "2025-06-13", "2025-06-16"),
        ("last summer", "2024-06-01", "2024-09-01"),
        ("in the winter of 2023", "2023-12-01", "2024-03-01"),
        ("last Friday", "2025-06-13", "2025-06-14"),
        ("on 31 June 2024", "2024-06-01", "2024-07-01"),
        ("next Monday", "2025-06-23", "2025-06-24"),
        ("on 21/11/2024", "2024-11-21", "2024-11-22"),
        ("on 11/21/2024", "2024-11-21", "2024-11-22"),
        ("in 2024-06", "2024-06-01", "2024-07-01"),
        ("in the last 24 hours", "2025-06-17", "2025-06-19"),
        ("a fortnight ago", "2025-06-02", "2025-06-09"),
        ("exactly two weeks ago", "2025-06-04", "2025-06-05"),
        ("two Fridays ago", "2025-06-06", "2025-06-07"),
        ("on Dec. 6", "2024-12-06", "2024-12-07"),
        ("on Sunday the 8th", "2025-06-08", "2025-06-09"),
        ("on Friday, 31st", "2025-01-31", "2025-02-01"),
        ("in Q1", "2025-01-01", "2025-04-01"),
        ("in Q3", "2024-07-01", "2024-10-01"),
        ("in Q2 of 2023", "2023-04-01", "2023-07-01"),
        ("last quarter", "2025-01-01", "2025-04-01"),
        ("this year so far", "2025-01-01", "2025-06-19"),
        ("on Tuesday last week", "2025-06-10", "2025-06-11"),
        ("last week on Tuesday", "2025-06-10", "2025-06-11"),
        ("Sunday of the week before last", "2025-06-08", "2025-06-09"),
        ("the day before the 14th", "2025-06-13", "2025-06-14"),
        ("the two weeks before Halloween", "2024-10-17", "2024-10-31"),
        ("the day after Halloween", "2024-11-01", "2024-11-02"),
        ("in the week up to 10 June", "2025-06-04", "2025-06-11"),
        ("the days after 3 June", "2025-06-04", "2025-06-09"),
    ],
)
def test_time_words_give_a_span(text: str, first: str, after: str) -> None:
    """A question's time words name whole days, weeks, months, seasons or years (row D6)."""
    assert (first, after) == days(f"What did we do {text}?")


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("between 3 and 9 May", "2025-05-03", "2025-05-10"),
        ("from May 3 to 9, 2024", "2024-05-03", "2024-05-10"),
        ("3\N{EN DASH}9 May 2024", "2024-05-03", "2024-05-10"),
        ("from the 1st to the 5th", "2025-06-01", "2025-06-06"),
        ("from 28 December to 3 January", "2024-12-28", "2025-01-04"),
        ("between Friday and Monday", "2025-06-13", "2025-06-17"),
        ("since Tuesday", "2025-06-17", "2025-06-19"),
        ("since early May", "2025-05-01", "2025-06-19"),
        ("from Monday on", "2025-06-16", "2025-06-19"),
        ("from May", "2025-05-01", "2025-06-01"),
        ("after 10 June", "2025-06-11", "2026-06-01"),
        ("on the day after tomorrow", "2025-06-20", "2025-06-21"),
        ("What will she start in May?", "2025-05-01", "2025-06-01"),
        ("before May", "0001-01-02", "2025-05-01"),
        ("around 14 June", "2025-06-11", "2025-06-18"),
        ("about two weeks ago", "2025-05-30", "2025-06-12"),
        ("on the 14th", "2025-06-14", "2025-06-15"),
        ("on the 20th", "2025-05-20", "2025-05-21"),
        ("on the 3rd of last month", "2025-05-03", "2025-05-04"),
        ("early in May", "2025-05-01", "2025-05-14"),
        ("in the middle of May", "2025-05-10", "2025-05-23"),
        ("at the end of last month", "2025-05-19", "2025-06-01"),
        ("in the first week of May", "2025-05-01", "2025-05-08"),
        ("on the last Monday of May", "2025-05-26", "2025-05-27"),
        ("on the last day of May", "2025-05-31", "2025-06-01"),
        ("two weeks ago today", "2025-06-04", "2025-06-05"),
        ("on the first weekend in May", "2025-05-02", "2025-05-05"),
        ("in the second half of May", "2025-05-16", "2025-06-01"),
        ("the weekend before last", "2025-06-06", "2025-06-09"),
        ("the Tuesday before last", "2025-06-10", "2025-06-11"),
        ("the summer before last", "2023-06-01", "2023-09-01"),
        ("three weekends ago", "2025-05-30", "2025-06-02"),
        ("over the weekend", "2025-06-13", "2025-06-16"),
        ("over the past fortnight", "2025-06-04", "2025-06-19"),
        ("in the past week", "2025-06-11", "2025-06-19"),
        ("earlier this month", "2025-06-01", "2025-06-19"),
        ("a few days ago", "2025-06-13", "2025-06-17"),
        ("a year ago", "2024-04-01", "2024-09-01"),
        ("in spring", "2025-03-01", "2025-06-01"),
        ("over the winter", "2024-12-01", "2025-03-01"),
        ("at Easter", "2025-04-18", "2025-04-22"),
        ("over Christmas", "2024-12-24", "2024-12-27"),
        ("Tuesday night", "2025-06-17", "2025-06-18"),
        ("the night before last", "2025-06-16", "2025-06-17"),
        ("in August last year", "2024-08-01", "2024-09-01"),
        ("on 3 May last year", "2024-05-03", "2024-05-04"),
        ("over Christmas last year", "2024-12-24", "2024-12-27"),
        ("in the spring of last year", "2024-03-01", "2024-06-01"),
        ("a year ago today", "2024-06-18", "2024-06-19"),
        ("two months ago today", "2025-04-18", "2025-04-19"),
        ("this day last year", "2024-06-18", "2024-06-19"),
        ("on the twelfth of May", "2025-05-12", "2025-05-13"),
        ("on the twenty-first of May 2024", "2024-05-21", "2024-05-22"),
        ("on St Patrick's Day", "2025-03-17", "2025-03-18"),
    ],
)
def test_phrases_give_the_span_that_they_mean(text: str, first: str, after: str) -> None:
    """Ranges, open ends, parts of months, and what comes before last."""
    assert (first, after) == days(f"What did we do {text}?")


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("5 to 10 days ago", "2025-06-08", "2025-06-14"),
        ("between 2 and 3 weeks ago", "2025-05-26", "2025-06-09"),
        ("between 2 and 3 years ago", "2022-01-01", "2024-01-01"),
        ("between the 3rd and the 21st", "2025-05-03", "2025-05-22"),
        ("between the 28th and the 3rd", "2025-05-28", "2025-06-04"),
        ("from the 16th to the 12th", "2025-05-16", "2025-06-13"),
        ("from Friday 13 June to Monday 16 June", "2025-06-13", "2025-06-17"),
        ("between 16 and 20 June", "2024-06-16", "2024-06-21"),
        ("between 16 and 3 June", "2025-06-03", "2025-06-04"),
    ],
)
def test_a_range_is_no_longer_than_what_is_said(text: str, first: str, after: str) -> None:
    """Its ends are of one year, one month, or in the order of time."""
    assert (first, after) == days(f"What did we do {text}?")


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("Monday to Wednesday", "2025-06-09", "2025-06-12"),
        ("the Wednesday before last to last Friday", "2025-06-04", "2025-06-14"),
        ("3 May 2025 - 9 May 2025", "2025-05-03", "2025-05-10"),
        ("May 3 - 9", "2025-05-03", "2025-05-10"),
    ],
)
@pytest.mark.parametrize(
    "between", ["", "and we talked to him about her, and so on, and on and on. "]
)
def test_a_range_is_found_after_words_that_end_as_one_does(
    text: str, first: str, after: str, between: str
) -> None:
    """Ranges are looked for by their ends, such as "and Monday" or "to 5", near and far apart."""
    much = f"He and Monday guests walked to 5 houses. {between}"

    assert (first, after) == days(f"{much * 8}So, {text}, what did we do?")


@pytest.mark.parametrize(
    "text",
    [
        "Tell Ben and Sunday guests he wrote of many things and so on that April and Mayor Jones.",
        "The bus goes to 5 stops he wrote of many things and so on and  and May 3 - 1999 is it.",
    ],
)
def test_no_range_ends_within_a_word(text: str) -> None:
    """However far it is from the last end that was found."""
    assert english_date_phrases.find(text, dt.date(2025, 6, 18)) is None


def test_no_term_is_longer_than_is_looked_at_before_an_end() -> None:
    """A longer one would be cut."""
    _shortest, longest = re._parser.parse(TERM).getwidth()

    assert longest <= english_date_phrases._LONGEST_TERM


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("this Friday", "2025-06-20", "2025-06-21"),
        ("this Monday", "2025-06-16", "2025-06-17"),
        ("this summer", "2025-06-01", "2025-09-01"),
        ("this autumn", "2025-09-01", "2025-12-01"),
        ("this October", "2025-10-01", "2025-11-01"),
        ("this March", "2025-03-01", "2025-04-01"),
        ("this Christmas", "2025-12-24", "2025-12-27"),
        ("this Easter", "2025-04-18", "2025-04-22"),
    ],
)
def test_this_is_of_the_week_or_year_that_it_is(text: str, first: str, after: str) -> None:
    """It may be ahead: nobody asks in June for the plans of the last October by "this"."""
    assert (first, after) == days(f"What are we doing {text}?")


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("last winter", "2023-12-01", "2024-03-01"),
        ("this winter", "2024-12-01", "2025-03-01"),
        ("in winter", "2024-12-01", "2025-03-01"),
        ("the winter before last", "2022-12-01", "2023-03-01"),
        ("next winter", "2025-12-01", "2026-03-01"),
        ("this New Year", "2025-12-31", "2026-01-02"),
    ],
)
def test_a_winter_goes_on_in_the_new_year(text: str, first: str, after: str) -> None:
    """In January the last winter is not the one that it is."""
    january = dt.datetime(2025, 1, 20, tzinfo=dt.UTC)
    assert (first, after) == days(f"What did we do {text}?", january)


@pytest.mark.parametrize("month", [1, 5, 12])
def test_the_31st_is_of_a_month_that_has_it(month: int) -> None:
    """Early in a month that follows a short one it is that of the month before."""
    now = dt.datetime(2025, month, 5, tzinfo=dt.UTC)
    asked = days("What did we do on the 31st?", now)
    assert asked is not None
    assert asked[0] == {1: "2024-12-31", 5: "2025-03-31", 12: "2025-10-31"}[month]


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("in the week of 11 June", "2025-06-09", "2025-06-16"),
        ("on the weekend of 7 June", "2025-06-06", "2025-06-09"),
        ("in the week beginning the 9th", "2025-06-09", "2025-06-16"),
        ("in May '24", "2024-05-01", "2024-06-01"),
        ("in the summer of \u201998", "1998-06-01", "1998-09-01"),
        ("on 4 May '24", "2024-05-04", "2024-05-05"),
        ("before the end of May", "0001-01-02", "2025-06-01"),
        ("before the end of 2024", "0001-01-02", "2025-01-01"),
        ("after the start of May", "2025-05-01", "2026-05-01"),
    ],
)
def test_more_words_around_a_day_count(text: str, first: str, after: str) -> None:
    """A week by a day in it, a year in two figures, the whole of what ends."""
    assert (first, after) == days(f"What did we do {text}?")


def test_a_time_is_looked_for_where_a_question_begins() -> None:
    """The rest of a long text is not read: it could take long."""
    assert days("word " * 400 + "yesterday") is None


@pytest.mark.parametrize(("year", "day"), [(1961, 92), (2024, 91), (2025, 110), (2038, 115)])
def test_easter_is_on_its_sunday(year: int, day: int) -> None:
    """In early and in late years."""
    assert date_spans.easter(year).timetuple().tm_yday == day


@pytest.mark.parametrize(
    "text",
    [
        "What do I like?",
        "What is on the 14th floor?",
        "What must I do before Friday?",
        "What do I do on Tuesday evenings?",
        "What does Ida want for Christmas?",
        "Am I free between 2 and 4 o'clock?",
        "Tell me about June",
        "May I ask something?",
        "I may go",
        "room 2023",
        "march on",
        "on 7/10/2024",
        "ticket ERR-2024-06-03-1",
        "What did we do half a year ago?",
        "What did we do 2.5 years ago?",
        "What did we do twenty-two years ago?",
        "What did we do thirty two days ago?",
        "What did we do a hundred and two days ago?",
        "Who said this may take a while?",
        "What is in June's bag?",
        "What is the birthday of Jan?",
        "What did we do on 4 May 24?",
        "Who pays a rent of 2000 euros?",
        "What must I pay before the 25th?",
        "What must I mend before summer?",
        "Who wrote Middlemarch?",
    ],
)
def test_what_is_not_understood_gives_no_span(text: str) -> None:
    """A wrong span would push the answer down, so none is guessed."""
    assert days(text) is None


def test_up_to_something_names_no_end() -> None:
    """ "Up to yesterday" ends; "What was I up to yesterday?" asks for a day."""
    assert ("2025-06-17", "2025-06-18") == days("What was I up to yesterday?")
    assert ("0001-01-02", "2025-06-17") == days("all I did up to yesterday")
    assert ("2025-01-01", "2026-01-01") == days("I may this year")


def test_days_are_those_of_the_zone() -> None:
    """Late in the evening in Los Angeles "yesterday" is not what it is in UTC."""
    late = dt.datetime(2025, 6, 18, 3, tzinfo=dt.UTC)  # 17 June, 20:00 in Los Angeles

    assert days("yesterday", late, ZoneInfo("America/Los_Angeles")) == ("2025-06-16", "2025-06-17")


def test_distance_from_a_span_is_in_days() -> None:
    """The distance counts from the nearest edge of the span."""
    span = english_dates.TimeRange(0, clock.DAY, "today")

    assert span.distance_days(3 * clock.DAY) == pytest.approx(2.0)
    assert span.distance_days(clock.DAY - 1) == pytest.approx(0.0, abs=1e-20)
    assert span.distance_days(clock.DAY) > 0, "midnight is of the next day"


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("When did I move?", True),
        ("How long have I lived here?", True),
        ("In which year was that?", True),
        ("what date is the wedding", True),
        ("What do I do when it rains?", False),
        ("Who came?", False),
    ],
)
def test_questions_for_a_time_are_told_from_others(text: str, asks: bool) -> None:
    """Only the opening of a question counts."""
    assert asks is english_dates.asks_when(text)


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("I went there last week", True),
        ("It was two years ago", True),
        ("since 2016", True),
        ("on Friday", True),
        ("We may go, the march is on", False),
        ("I like tea", False),
    ],
)
def test_texts_with_a_time_are_told_from_others(text: str, speaks: bool) -> None:
    """ "May" and "march" alone are no times."""
    assert speaks is english_dates.has_time_expression(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Where did we swim two days ago?", "Where did we swim?"),
        ("Yesterday, who called?", "who called?"),
        ("what did I lose last week on the train", "what did I lose on the train"),
        ("what is planned for this month", "what is planned for"),
        ("what did we do on Monday", "what did we do on Monday"),
        ("what did we do last May", "what did we do last May"),
        ("who called on 2026-05-04, not yesterday", "who called, not yesterday"),
        ("who called on Monday, May 4th, 2026?", "who called?"),
        ("who called me in 2026-05", "who called me"),
        ("who called in May 2026", "who called in May 2026"),
        ("who called on 4 May?", "who called?"),
        ("what is planned for May 4th in Bonn", "what is planned for in Bonn"),
        ("who called on 29 February?", "who called?"),
        ("apartment 12 may need what repair?", "apartment 12 may need what repair?"),
        ("who called on 12 may?", "who called?"),
        ("who called on the 12th of march", "who called"),
        ("anything from 3 to 8 May?", "anything?"),
        ("who called from 8 May to 9 May", "who called"),
        ("who called between Monday and Wednesday about the roof", "who called about the roof"),
        ("what did I lose over the past fortnight", "what did I lose"),
        ("who called on 4 May 26", "who called on 4 May 26"),
        ("when did I log in yesterday", "when did I log in"),
        ("what is report-2026-05-04.pdf", "what is report-2026-05-04.pdf"),
        ("what do I have to do tomorrow", "what do I have to do tomorrow"),
        ("where are we going next week", "where are we going next week"),
        ("who lives in Bonn", "who lives in Bonn"),
    ],
)
def test_words_of_a_time_can_be_left_out(text: str, left: str) -> None:
    """Names of days and months, and words of what is ahead stay: texts have them too."""
    assert english_dates.without_time_words(text) == left


@pytest.mark.parametrize(
    ("text", "may_be"),
    [
        ("Lunch on 4 May", True),
        ("Lunch on May 4th, 2026", True),
        ("Lunch on 4 May \u201926", True),
        ("Lunch on 4 May 2024 and on 2026-05-04", True),
        ("Lunch on May 4th, 2024", False),
        ("Lunch on 4 May of 2024", False),
        ("We paid 1200 on 4 May, $1850 in all", True),
        ("On 4 May 1,950 people came, and 2000 \u20ac were given", True),
        ("In 1998, on 4 May, we met", False),
        ("Concert on 4 May '19", False),
        ("Napoleon was ill on 4 May 1821", False),
    ],
)
def test_a_text_may_name_the_day_of_the_asked_year(text: str, may_be: bool) -> None:
    """Not if it names other years alone."""
    asked = english_dates.range_of("4 May 2026", now=NOW)
    assert asked is not None
    assert asked.spellings.may_be_of_year(text) is may_be


@pytest.mark.parametrize(
    ("year", "named"), [(2024, (2024, 2028)), (2026, (2024, 2028)), (2097, (2096, 2104))]
)
def test_the_29th_of_february_is_in_leap_years(year: int, named: tuple[int, int]) -> None:
    """Without a year it is the latest one, or the next."""
    asked = english_dates.range_of("on 29 February", now=dt.datetime(year, 3, 1, tzinfo=dt.UTC))
    assert asked is not None
    assert {*(f"{one} 02 29" for one in named), "29 february"} <= set(asked.spellings.exact)


def test_date_words_are_those_a_question_has() -> None:
    """Year, month, day and weekday, in the zone."""
    assert english_dates.date_words(clock.to_micros(NOW)) == "2025 june 18 wednesday"


@given(st.text(max_size=80), st.datetimes(timezones=st.just(dt.UTC)))
def test_no_text_fails(text: str, now: dt.datetime) -> None:
    """Any text at any time gives a span or none."""
    found = english_dates.range_of(text, now=now)

    assert found is None or found.start < found.end
