"""Text that does not split on spaces, and text that is no prose, is found (D11). Budget: 12 s."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from asking import found
from daemons import Daemon
from test_conversation_ingest import search

Scope = Callable[..., dict[str, Any]]

# (question, the one text that answers it); every group is stored together.
_CHINESE = [
    ("咖啡", "我喜欢喝咖啡、不加糖。"),
    ("我喜欢喝什么咖啡", "我喜欢喝咖啡、不加糖。"),
    ("北京", "我妹妹住在北京。"),
    ("医生的预约", "下周三下午三点去看医生、已经预约好了。"),
]
_JAPANESE = [
    ("東京", "私は東京に住んでいます。"),
    ("アレルギー", "妹はピーナッツアレルギーがあります。"),
    ("会議はいつですか", "会議は金曜日の午後です。"),
]
_KOREAN = [
    ("서울", "저는 서울에서 살고 있습니다."),
    ("고양이", "고양이를 두 마리 키워요."),
    ("회의 시간", "회의는 금요일 오후에 있습니다."),
]
_ARABIC = [
    ("القاهرة", "أعيش في القاهرة مع عائلتي."),
    ("القهوة", "أحب القهوة بدون سكر."),
    ("اجتماع", "الاجتماع يوم الخميس."),
]
_THAI = [
    ("กรุงเทพ", "ฉันอาศัยอยู่ในกรุงเทพมหานคร"),
    ("แมว", "ฉันเลี้ยงแมวสองตัว"),
    ("กาแฟ", "เขาชอบดื่มกาแฟดำทุกเช้า"),
]
_GERMAN = [
    ("Versicherung", "Meine Krankenversicherung ist bei der AOK."),
    ("Steuer", "Die Einkommensteuererklärung ist fällig."),
    ("Wohnungstür", "Der Schlüssel zur Wohnungstür liegt im Keller."),
    ("Bahnhof", "Wir treffen uns am Hauptbahnhof."),
]
_ACCENTS = [
    ("Munchen", "Die Tagung ist in München."),
    ("café crème", "Elle prend toujours un Café Crème."),
    ("cafe creme", "Elle prend toujours un Café Crème."),
    ("São Paulo", "O escritório fica em Sao Paulo."),
    ("Łódź", "Wyjazd jest w maju, hotel Łódź Grand."),
]
_LETTERS = [
    ("Giessener", "Die Ablesung ist in der Gießener Allee."),
    ("Weißbier", "Im Keller steht Weissbier."),
    ("Kaethe", "Tante Käthe strickt Socken."),
    ("Jürgen", "Onkel Juergen angelt gern."),
    ("Bialymstoku", "Ciocia mieszka w Białymstoku."),
    ("SAĞLIK", "Sağl\u0131k sigortam Allianz'da."),
    ("\u0131rmak", "Irmak kursa başlad\u0131."),
    ("Moeller", "Møllers hund hedder Bella, og Møller er dyrlæge."),
    ("soeur", "Ma belle-sœur tient une boulangerie, l'autre sœur chante."),
    ("たまねぎ", "タマネギは食べられない。"),
    ("メガネ", "めがねを新調した。"),
    ("ひまわりは", "ヒマワリを育てている。"),
]
_EMOJI = [
    ("🦊", "The mascot of the team is a 🦊"),
    ("🎻", "Saturday means 🎻 practice"),
]
_CODE = [
    ("ERR_4012", "The sync fails with ERR_4012 on Mondays"),
    ("What does ERR_4012 mean?", "The sync fails with ERR_4012 on Mondays"),
    ("ERR_4013", "Retry helps against ERR_4013 only"),
    ("foo_bar", "The hook foo_bar runs before the build"),
    ("lena.park@example.org", "Invoices go to lena.park@example.org"),
    ("3.12.1", "The images run Python 3.12.1"),
    ("/etc/nginx/nginx.conf", "The proxy is set up in /etc/nginx/nginx.conf"),
    ("nginx.conf", "The proxy is set up in /etc/nginx/nginx.conf"),
    ("kubectl --dry-run", "Always try kubectl apply with --dry-run first"),
    ("#2217", "The leak is tracked as #2217"),
    ("getUserName()", "The getter is getUserName() in that class"),
]
_LANGUAGES = {
    "chinese": _CHINESE,
    "japanese": _JAPANESE,
    "korean": _KOREAN,
    "arabic": _ARABIC,
    "thai": _THAI,
    "german": _GERMAN,
    "accents": _ACCENTS,
    "letters": _LETTERS,
    "emoji": _EMOJI,
    "code": _CODE,
}
_MODES = ("lexical", "hybrid")
_BESIDE = [
    "The neighbours have a new hedge",
    "El perro duerme en la cocina",
    "The old laptop has Python 3.11.4",
    "The hook foo_baz runs after the build",
]


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
@pytest.mark.parametrize("language", _LANGUAGES)
def test_a_memory_is_found_in_its_language(
    with_embedder: Callable[[str], Daemon], scope: Scope, language: str, embedder: str
) -> None:
    """A memory comes first by words alone and with vectors, among facts in other languages."""
    daemon, mine = with_embedder(embedder), scope()
    pairs = _LANGUAGES[language]
    texts = [*dict.fromkeys(text for _, text in pairs), *_BESIDE]
    daemon.call("memory.add", scope=mine, facts=[{"content": text} for text in texts])

    for mode in _MODES:
        for question, answer in pairs:
            assert found(daemon, question, scope=mine, mode=mode)[:1] == [answer], (mode, question)


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
@pytest.mark.parametrize("language", _LANGUAGES)
def test_a_turn_is_found_in_its_language(
    with_embedder: Callable[[str], Daemon], scope: Scope, language: str, embedder: str
) -> None:
    """The same for messages."""
    daemon, mine = with_embedder(embedder), scope()
    pairs = _LANGUAGES[language]
    texts = [*dict.fromkeys(text for _, text in pairs), *_BESIDE]
    for number, text in enumerate(texts):  # apart, so that no neighbour helps
        daemon.call(
            *("conversation.ingest",),
            scope=mine,
            conversation_id=f"c{number}",
            messages=[{"content": text}],
        )

    for mode in _MODES:
        for question, answer in pairs:
            assert search(daemon, question, scope=mine, mode=mode)[:1] == [answer], (mode, question)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("火星", "我喜欢喝咖啡、不加糖。"),
        ("ERR_4012", "ERR_4011 is harmless"),
        ("🦊", "A 🐻 danced"),
    ],
)
def test_what_is_not_there_is_not_found(
    any_daemon: Daemon, scope: Scope, question: str, text: str
) -> None:
    """Word search rejects another word of the same script, another number, another emoji."""
    mine = scope()
    any_daemon.call("memory.add", scope=mine, content=text)

    assert found(any_daemon, question, scope=mine, mode="lexical") == []


_LIKE = [
    ("ERR_4012", "ERR_4011 is harmless"),
    ("What does ERR_4012 mean?", "ERR_4011 means that the disk is full"),
    ("foo_bar", "The hook foo_baz runs before the build"),
    ("lena.park@example.org", "Invoices go to lars.park@example.org"),
    ("3.12.1", "The images run Python 3.11.4"),
    ("what is #2217 about", "The leak is tracked as #2216"),
]


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
@pytest.mark.parametrize(("question", "text"), _LIKE)
def test_another_identifier_is_no_answer(
    with_embedder: Callable[[str], Daemon], scope: Scope, question: str, text: str, embedder: str
) -> None:
    """A different identifier never matches, however similar to an embedder."""
    daemon, mine = with_embedder(embedder), scope()
    daemon.call("memory.add", scope=mine, content=text)

    assert found(daemon, question, scope=mine) == []


@pytest.mark.parametrize("embedder", ["wordllama", "minilm"])
def test_prose_around_an_unknown_identifier_answers(
    with_embedder: Callable[[str], Daemon], scope: Scope, embedder: str
) -> None:
    """The rest of the question was told without the identifier."""
    daemon, mine = with_embedder(embedder), scope()
    text = "The build server fails when the cache volume is full"
    daemon.call("memory.add", scope=mine, facts=[{"content": text}, {"content": _BESIDE[0]}])

    assert text == found(daemon, "Why does the build server fail with ERR_4012?", scope=mine)[0]


_DAYS_AGO = 21
_TIMES = [
    ("Was habe ich vor drei Wochen gekocht?", "Ich habe einen Kuchen gekocht"),
    ("Qu'est-ce que j'ai cuisiné il y a trois semaines ?", "J'ai cuisiné un gâteau"),
    ("¿Qué cociné hace tres semanas?", "Cociné una tarta"),
    ("我三个星期前做了什么菜", "我做了一道菜"),
    ("三週間前に何を料理しましたか", "ケーキを料理しました"),
    ("3주 전에 무엇을 요리했어요?", "케이크를 요리했어요"),
    ("ماذا طبخت قبل ثلاثة أسابيع؟", "طبخت كعكة"),
]


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
@pytest.mark.parametrize(("question", "text"), _TIMES)
def test_time_words_prefer_the_time_they_name(
    with_embedder: Callable[[str], Daemon],
    scope: Scope,
    question: str,
    text: str,
    embedder: str,
) -> None:
    """Among similar facts from three times, the one of the named time comes first (D6)."""
    daemon, mine = with_embedder(embedder), scope()
    now = dt.datetime.now(dt.UTC)
    for ago in (8 * _DAYS_AGO, _DAYS_AGO, 0):
        at = (now - dt.timedelta(days=ago)).isoformat()
        told = {"content": text, "at": at}
        daemon.call(
            *("conversation.ingest",), scope=mine, conversation_id=f"c{ago}", messages=[told]
        )

    found = daemon.call("conversation.search", scope=mine, query=question)["results"]

    first = dt.datetime.fromisoformat(found[0]["message"]["at"])
    assert (now - first).days == _DAYS_AGO
