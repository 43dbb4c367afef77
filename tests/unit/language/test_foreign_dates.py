"""Time words of other languages than English (rows D6, D11)."""

import datetime as dt

import pytest

from ashd import clock
from ashd.language import detection, english_dates, foreign_dates
from ashd.language.foreign_date_words import CALENDARS

NOW = dt.datetime(2025, 6, 18, 15, tzinfo=dt.UTC)  # a Wednesday

_YESTERDAY = ("2025-06-17", "2025-06-18")
_BEFORE_YESTERDAY = ("2025-06-16", "2025-06-17")
_LAST_WEEK = ("2025-06-09", "2025-06-16")
_TWO_WEEKS_AGO = ("2025-06-02", "2025-06-09")
_LAST_MONDAY = ("2025-06-16", "2025-06-17")
_LAST_WEEKS_FRIDAY = ("2025-06-13", "2025-06-14")
_LAST_MONTH = ("2025-05-01", "2025-06-01")
_LAST_YEAR = ("2024-01-01", "2025-01-01")
_LAST_SUMMER = ("2024-06-01", "2024-09-01")
_MARCH = ("2025-03-01", "2025-04-01")
_MARCH_2024 = ("2024-03-01", "2024-04-01")
_THIRD_OF_MAY = ("2025-05-03", "2025-05-04")

_ASKED = {
    "de": {
        "Was habe ich gestern gegessen?": _YESTERDAY,
        "Wo war ich vorgestern?": _BEFORE_YESTERDAY,
        "Was war letzte Woche bei mir los?": _LAST_WEEK,
        "Was haben wir vor zwei Wochen gemacht?": _TWO_WEEKS_AGO,
        "Wo waren wir letzten Montag?": _LAST_MONDAY,
        "Was war im vergangenen Monat?": _LAST_MONTH,
        "Was war vor einem Jahr?": _LAST_YEAR,
        "Wo waren wir im letzten Sommer?": _LAST_SUMMER,
        "Was haben wir im März gemacht?": _MARCH,
        "Was geschah im März 2024?": _MARCH_2024,
        "Was haben wir am 3. Mai gekauft?": _THIRD_OF_MAY,
        "Was haben wir am 3.5.2025 gekauft?": _THIRD_OF_MAY,
        "Was haben wir in den letzten zwei Wochen gemacht?": ("2025-06-04", "2025-06-19"),
    },
    "fr": {
        "Qu'est-ce que j'ai mangé hier ?": _YESTERDAY,
        "Où étais-je avant-hier ?": _BEFORE_YESTERDAY,
        "Où étions-nous la semaine dernière ?": _LAST_WEEK,
        "Qu'est-ce qu'on a fait il y a deux semaines ?": _TWO_WEEKS_AGO,
        "Qu'avons-nous fait lundi dernier ?": _LAST_MONDAY,
        "Et le mois dernier, où étais-je ?": _LAST_MONTH,
        "L'année dernière, où ai-je travaillé ?": _LAST_YEAR,
        "Où étions-nous l\u2019été dernier ?": _LAST_SUMMER,
        "Qu'avons-nous fait en mars ?": _MARCH,
        "Qu'avons-nous fait en mars 2024 ?": _MARCH_2024,
        "Qu'avons-nous fait le 3 mai ?": _THIRD_OF_MAY,
    },
    "es": {
        "¿Qué comí ayer?": _YESTERDAY,
        "¿Dónde estuve anteayer?": _BEFORE_YESTERDAY,
        "¿Dónde estuve la semana pasada?": _LAST_WEEK,
        "¿Qué hicimos hace dos semanas?": _TWO_WEEKS_AGO,
        "¿Qué hice el lunes pasado?": _LAST_MONDAY,
        "¿Qué hice el mes pasado?": _LAST_MONTH,
        "¿Dónde trabajé el año pasado?": _LAST_YEAR,
        "¿Dónde fuimos el verano pasado?": _LAST_SUMMER,
        "¿Qué hicimos en marzo?": _MARCH,
        "¿Qué pasó en marzo de 2024?": _MARCH_2024,
        "¿Qué hicimos el 3 de mayo?": _THIRD_OF_MAY,
    },
    "it": {
        "Che cosa ho mangiato ieri?": _YESTERDAY,
        "Dove ero la settimana scorsa?": _LAST_WEEK,
        "Che cosa abbiamo fatto due settimane fa?": _TWO_WEEKS_AGO,
        "Che è successo lunedì scorso?": _LAST_MONDAY,
        "Dove siamo andati l'estate scorsa?": _LAST_SUMMER,
        "Che cosa abbiamo fatto a marzo?": _MARCH,
    },
    "pt": {
        "O que eu comi ontem?": _YESTERDAY,
        "Onde estive na semana passada?": _LAST_WEEK,
        "O que fizemos há duas semanas?": _TWO_WEEKS_AGO,
        "O que aconteceu na segunda-feira passada?": _LAST_MONDAY,
        "O que fizemos em março?": _MARCH,
    },
    "nl": {
        "Wat heb ik gisteren gegeten?": _YESTERDAY,
        "Waar was ik vorige week?": _LAST_WEEK,
        "Wat deden we twee weken geleden?": _TWO_WEEKS_AGO,
        "Waar waren we afgelopen maandag?": _LAST_MONDAY,
        "Wat deden we in maart?": _MARCH,
    },
    "pl": {
        "Co jadłem wczoraj?": _YESTERDAY,
        "Gdzie byłem w zeszłym tygodniu?": _LAST_WEEK,
        "Co robiliśmy dwa tygodnie temu?": _TWO_WEEKS_AGO,
        "Co było w zeszły poniedziałek?": _LAST_MONDAY,
        "Co robiliśmy w marcu?": _MARCH,
    },
    "tr": {
        "Dün ne yedim?": _YESTERDAY,
        "Geçen hafta ne yaptım?": _LAST_WEEK,
        "İki hafta önce neredeydik?": _TWO_WEEKS_AGO,
        "Geçen pazartesi kiminle buluştum?": _LAST_MONDAY,
        "Geçen ay ne oldu?": _LAST_MONTH,
        "Geçen yıl nereye gittik?": _LAST_YEAR,
        "Geçen yaz nereye gittik?": _LAST_SUMMER,
        "Mart 2024'te nerede çalışıyordum?": _MARCH_2024,
        "3 Mayıs 2025'te ne vardı?": _THIRD_OF_MAY,
    },
    "ru": {
        "Что я ел вчера?": _YESTERDAY,
        "Где я был на прошлой неделе?": _LAST_WEEK,
        "Что мы делали две недели назад?": _TWO_WEEKS_AGO,
        "Что было в прошлый понедельник?": _LAST_MONDAY,
        "Что мы делали в марте?": _MARCH,
    },
    "ar": {
        "ماذا أكلت أمس؟": _YESTERDAY,
        "أين كنت الأسبوع الماضي؟": _LAST_WEEK,
        "ماذا فعلنا قبل أسبوعين؟": _TWO_WEEKS_AGO,
        "ماذا حدث يوم الاثنين الماضي؟": _LAST_MONDAY,
        "ماذا فعلنا في مارس؟": _MARCH,
    },
    "zh": {
        "我昨天吃了什么": _YESTERDAY,
        "前天": _BEFORE_YESTERDAY,
        "上周我做了什么": _LAST_WEEK,
        "两周前我们做了什么": _TWO_WEEKS_AGO,
        "上周五的会议": _LAST_WEEKS_FRIDAY,
        "上个月": _LAST_MONTH,
        "我去年去了哪里": _LAST_YEAR,
        "去年三月我在哪里": _MARCH_2024,
        "2024年3月": _MARCH_2024,
        "5月3日": _THIRD_OF_MAY,
    },
    "ja": {
        "昨日は何を食べましたか": _YESTERDAY,
        "先週の会議は": _LAST_WEEK,
        "先週の金曜日の会議は": _LAST_WEEKS_FRIDAY,
        "二週間前に何をしましたか": _TWO_WEEKS_AGO,
        "去年の夏どこへ行きましたか": _LAST_SUMMER,
        "先月の請求": _LAST_MONTH,
    },
    "ko": {
        "어제 뭐 먹었어?": _YESTERDAY,
        "지난주에 뭐 했어?": _LAST_WEEK,
        "지난주 금요일 회의": _LAST_WEEKS_FRIDAY,
        "2주 전에 뭐 했어?": _TWO_WEEKS_AGO,
        "작년 여름에 어디 갔어?": _LAST_SUMMER,
        "지난달에 뭐 했어?": _LAST_MONTH,
    },
}


def days(text: str) -> tuple[str, str] | None:
    """The first day of the span and the first after it."""
    found = english_dates.range_of(text, now=NOW)
    if found is None:
        return None
    start, end = (clock.from_micros(at).date().isoformat() for at in (found.start, found.end))
    return start, end


@pytest.mark.parametrize("language", _ASKED)
def test_time_words_of_a_language_give_a_span(language: str) -> None:
    """Days, weeks, weekdays, months, seasons and years, named or so long ago."""
    assert _ASKED[language] == {question: days(question) for question in _ASKED[language]}


@pytest.mark.parametrize(
    "text",
    [
        "The mars rover and the sun hat",
        "Was mai there, dom?",
        "Is hier a word of the mar?",
        "Do I like mars bars and mai tai in style?",
        "Which lunes did I ask for?",
        "hier",
        "mai",
        "Was haben wir hier gekauft?",
        "Wo stehen die Gäste an jedem Tag?",
        "Que faisons-nous le lundi ?",
        "Qu'est-ce que je fais chaque dimanche ?",
        "毎週金曜日",
        "我每周五游泳",
        "3个苹果",
        "Was geschah am 31. Juni?",
    ],
)
def test_what_is_no_time_gives_no_span(text: str) -> None:
    """Other words, recurring days and impossible dates give no span."""
    assert days(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Was machen wir am Montag nächster Woche?",
        "Was ist nächstes Jahr im Mai geplant?",
        "Was haben wir am Freitag in zwei Wochen vor?",
        "Qu'est-ce que nous faisons lundi prochain ?",
        "Qu'avons-nous prévu en mai prochain ?",
        "¿Qué hacemos el lunes que viene?",
        "¿Qué haremos en mayo del próximo año?",
        "Che cosa facciamo lunedì prossimo?",
        "O que temos na segunda-feira que vem?",
        "Wat doen we volgende week op maandag?",
        "Co robimy w poniedziałek za tydzień?",
        "Gelecek ay, 3 Mayıs'ta ne var?",
        "Что мы делаем в понедельник на следующей неделе?",
        "ماذا سنفعل يوم الاثنين القادم؟",
        "下周一我们做什么",
        "下個星期三我們做什麼",
        "明年5月我们去哪里",
        "来週の月曜日は何がありますか",
        "来年の5月はどこへ行きますか",
        "다음 주 월요일에 뭐 해?",
        "내년 5월에 어디 가?",
    ],
)
def test_a_time_to_come_is_not_the_last_one_of_its_name(text: str) -> None:
    """Recall looks back; the next Monday is no reason to show what was on the last one."""
    assert days(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Was haben wir vor Jahren in Rom gekauft?",
        "¿Qué pasó hace años en Lima?",
        "Che cosa abbiamo fatto quindici giorni fa?",
        "Che cosa abbiamo fatto ventidue giorni fa?",
        "Che cosa abbiamo fatto 2,5 anni fa?",
        "¿Qué hicimos treinta y dos días atrás?",
        "O que fizemos trinta e dois dias atrás?",
        "Wat deden we vijftien dagen geleden?",
        "Wat deden we jaren geleden in Gent?",
        "Co robiliśmy piętnaście lat temu?",
        "Co robiliśmy dwadzieścia dwa dni temu?",
        "Yirmi iki gün önce ne yaptım?",
        "Yirmi gün önce ne yaptım?",
        "Что мы делали двадцать дней назад?",
        "Что мы делали двадцать два дня назад?",
        "ماذا فعلنا قبل سنوات؟",
        "两三天前我们做了什么",
        "一百二十天前我们做了什么",
        "2.5年前我在哪里",
        "2、3日前に何をしましたか",
        "열두 달 전에 뭐 했어?",
    ],
)
def test_a_number_that_is_not_known_is_not_one(text: str) -> None:
    """ "Fifteen days ago" is not yesterday, nor is "twenty-two" two, nor "years ago" last year."""
    assert days(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Che cosa faccio il lunedì?",
        "我一周一次去游泳",
        "我以前天天跑步",
        "毎週の月曜日は何をしますか",
        "월요일마다 뭐 해?",
    ],
)
def test_a_day_of_each_week_is_no_day_of_the_past(text: str) -> None:
    """Nor is a part of a longer word."""
    assert days(text) is None


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("Was haben wir diesen Freitag vor?", ("2025-06-20", "2025-06-21")),
        ("Was haben wir vorletzten Montag gemacht?", ("2025-06-09", "2025-06-10")),
        ("Wo waren wir vorletzten Sommer?", ("2023-06-01", "2023-09-01")),
        ("Wo sind wir diesen Herbst mit euch?", ("2025-09-01", "2025-12-01")),
        ("Wo waren wir vorletzten Mai?", ("2024-05-01", "2024-06-01")),
        ("Wo sind wir diesen Oktober mit euch?", ("2025-10-01", "2025-11-01")),
        ("¿Qué hicimos el 1º de mayo?", ("2025-05-01", "2025-05-02")),
        ("Co robiliśmy rok temu?", _LAST_YEAR),
        ("Что мы делали неделю назад?", _LAST_WEEK),
        ("上個星期五我們做了什麼", _LAST_WEEKS_FRIDAY),
        ("上個月我們做了什麼", _LAST_MONTH),
        ("三個月前我們做了什麼", _MARCH),
    ],
)
def test_other_forms_of_a_language_are_read(text: str, span: tuple[str, str]) -> None:
    """This one and the one before last, ordinals, one without a number, traditional Chinese."""
    assert days(text) == span


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("どのくらいの期間ここに住んでいますか", True),
        ("Wann bin ich umgezogen?", True),
        ("Seit wann wohne ich hier?", True),
        ("In welchem Jahr haben wir geheiratet?", True),
        ("Quand est-ce que j'ai déménagé ?", True),
        ("Depuis quand est-ce que j'habite ici ?", True),
        ("¿Cuándo me mudé?", True),
        ("¿Cuánto tiempo llevo aquí?", True),
        ("Quando ci siamo trasferiti?", True),
        ("Quando me mudei?", True),
        ("Wanneer ben ik verhuisd?", True),
        ("Kiedy się przeprowadziłem?", True),
        ("Когда я переехал?", True),
        ("متى انتقلت؟", True),
        ("我什么时候搬家的", True),
        ("いつ引っ越しましたか", True),
        ("언제 이사했어?", True),
        ("Wo wohne ich, wann immer ich reise?", False),
        ("¿Dónde vivo?", False),
        ("我住在哪里", False),
    ],
)
def test_questions_for_a_time_are_told_in_every_language(text: str, asks: bool) -> None:
    """The opening or a word that only asks for a time identifies the question."""
    assert asks is english_dates.asks_when(text)


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("Ich bin letzte Woche umgezogen", True),
        ("Wir haben uns neulich getroffen", True),
        ("Nous avons déménagé en mai", True),
        ("Me mudé la semana pasada", True),
        ("我上个月搬家了", True),
        ("先週引っ越しました", True),
        ("지난주에 이사했어요", True),
        ("Ich trinke gern Tee", False),
        ("J'aime le thé", False),
        ("我喜欢茶", False),
    ],
)
def test_texts_with_a_time_are_told_in_every_language(text: str, speaks: bool) -> None:
    """A text with a time is recognised when it is stored, so that it can answer "when"."""
    assert speaks is english_dates.has_time_expression(text)


@pytest.mark.parametrize("language", CALENDARS)
def test_every_month_and_weekday_has_its_own_place(language: str) -> None:
    """No table is short of one, and no word means two."""
    calendar = CALENDARS[language]

    assert (12, 7, 4, 5) == tuple(
        len(entries.split())
        for entries in (calendar.months, calendar.weekdays, calendar.seasons, calendar.units)
    )


@pytest.mark.parametrize(
    ("language", "word", "stored"),
    [
        ("de", "marz", "march"),
        ("fr", "lundi", "monday"),
        ("ru", "маи", "may"),
        ("de", "hund", None),
        ("zh", "三月", None),
    ],
)
def test_a_month_is_found_under_its_stored_name(
    language: str, word: str, stored: str | None
) -> None:
    """The index has dates in English words."""
    assert stored == foreign_dates.date_word(language, word)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Where do I live?", ()),
        ("Wo wohne ich?", ("de",)),
        ("Where is the mars bar, ich?", ()),
        ("Wat is mijn adres?", ("nl",)),
        ("L'hiver à Nantes", ("fr",)),
        ("Let's boogie!", ()),
        ("¿Tenemos hijos?", ("es",)),
        ("bin collection", ()),
        ("door code", ()),
        ("war movies", ()),
        ("Los Angeles trip", ()),
        ("jest tests", ()),
        ("son birthday", ()),
        ("Wo war der Bus?", ("de",)),
        ("我住在哪里", ("zh", "ja")),
        ("どこ", ("ja",)),
        ("어디", ("ko",)),
        ("أين", ("ar",)),
        ("где", ("ru",)),
        ("Kedimin adı ne?", ("tr",)),
        ("My friend Işıl has a cat", ()),
        ("🍕 42", ()),
        ("Did I meet 李明 at the party?", ()),
        ("Is Наташа coming to dinner?", ()),
        ("I have a 辞書", ()),
        ("「I have a dream」は有名です", ("ja",)),
        ("Pythonの勉強をした", ("ja",)),
        ("где мой best friend", ("ru",)),
    ],
)
def test_a_language_is_told_by_its_small_words_or_its_script(
    text: str, spoken: tuple[str, ...]
) -> None:
    """English wins where it has as many."""
    assert spoken == detection.spoken(text)
