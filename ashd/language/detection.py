"""Detection of the languages a text may be in, by its function words.

Pure functions of text. English has priority: another language counts only if a text has more of its
function words than of English ones, so that "the mars hat was hier" stays English. Short texts may
be in several languages, or in no known one.
"""

from functools import cache
from typing import Final

from ashd.language.folding import fold_for_tables
from ashd.language.lazy_pattern import pattern_of
from ashd.language.word_patterns import TABLE_WORD

# Function words, folded, and words of time that no other language has. The English list also has
# words of the other lists that mean something else in English: "bin collection" and "door code"
# are not German or Dutch.
_FUNCTION_WORDS: Final = {
    "en": """
        a about al ale am an and any are art as at be been bin bis but by can com come comment
        con could dan das des did die do does door dos due el elle em era est for from get
        go had has hat have hay he her him his how hun i if in is it its ja jest kan la las le
        les like lo los ma main mal man many mas may me met mi more much my no nos not of on op
        or our over pas passe per pour sans se sem ser sera she should sin so some son sur tam
        te ten tes that the their them there they this to ton tot tu um up us van vi vis voor
        war was we were what when where which who why will with would you your za ze""",
    "de": """
        aber als am auf aus bei beim bin bis bist das dass dem den denn der des du ein eine
        einem einen einer er es euch euer fur gestern habe haben hast hatte hatten heute
        ich ihr ihre im in ist ja jede jeden kann konnen letzte letzten letzter letztes
        mal mein meine meinem meinen meiner meines mich mir mit musste nach nicht noch oder
        schon sein seine seinem seit sie sind soll uber um und uns unser unsere unseren vom von
        vor vorgestern vorige wann war waren warum was welche welchem welchen welcher welches
        wem wen wer werden wie wieviel wir wird wo woher wohin worauf wurde zu zum zur zwischen""",
    "fr": """
        a ai alors au aujourd aussi aux avais avait avec avez avons c' ce cela ces cet cette chez
        combien comment d' dans de depuis derniere des dois du elle en est et etaient etait ete
        eu fait il ils j' je l' la le les leur lors lui m' ma mais mes moi mon n' ne nos notre
        nous on ou pas passe passee pour pourquoi qu quand que quel quelle quelles quels qui
        quoi s' sa sans se ses son sont sous suis sur t' ta tes toi ton tu un une vous y""",
    "es": """
        a al anoche anteayer ayer con cual cuales cuando cuanta cuanto cuantos de del desde
        donde el ella en era eres es esta estaba estan este estoy estuve fue fui ha hace hacemos
        hago han hay he hemos hice hoy la las le les lo los me mi mis muy no nos nuestra nuestro
        o para pasada pasado pero por porque que quien quienes se ser sin sobre son soy su sus
        te tengo tiene tu un una y yo""",
    "it": """
        a abbiamo ai al alla anche c che chi ci come con cosa da dal dalla de dei del della
        delle di dove e era ero ha hai hanno ho i ieri il in io l la le lo ma mi mia mie mio
        miei ne nel nella noi non nostra nostro o oggi per perche qual quale quali quando quanti
        quanto quella questa questo scorsa scorso se si siamo sono su sua sul suo tra tu un una
        vi""",
    "pt": """
        a ao as com como da de dele dela do dos e ela ele em era essa esse esta estava este
        estou eu foi fui ha hoje isso ja la mais mas me meu meus minha minhas na nao nas no nos
        nossa nosso o onde ontem os ou para passada passado pela pelo por porque qual quais
        quando quanto quantos que quem se sem ser sou sua suas tem temos tenho um uma voce""",
    "nl": """
        aan al als bij dan dat de deze die dit door een en er eergisteren ga gisteren had haar
        heb hebben hebt heeft heet hem het hij hoe hoeveel hun ik in is je jij kan maar met mij
        mijn moet na naar niet nog om ons onze ook op over te tot uit van vandaag vorig vorige
        voor waar waarom wanneer wat welk welke we wie wij wil worden zijn zij""",
    "pl": """
        a ale albo bede byl byla bylem bylam bylo co czy dla do dzisiaj gdzie go i ich ile im ja
        jak jaka jaki jakie jest jestem jego jej kiedy kogo kto ktora ktory ktore ma mam mi
        moj moja moje moim mojej na nam nas nasz nasza nie o od ostatnio po przez sa sie
        ta tam te tego ten tej tym u w wczoraj we z za ze zeszlym zeszly""",
    "tr": """
        ama ben beni benim bir biri biz bize bizim bu bugun cok degil eden gecen gibi hangi hep
        icin ile ilk kac kacta kadar kim kime kimi kimin kiminle mi misin ne neden nerede
        nereden nereye neyi olan olarak once onun saat sen sonra var ve veya yok zaman""",
    "ru": """
        а без был была были было быть в во вы где да для до его ее есть если еще же за и из или их к
        как какая какие какое какой когда кого кому кто ли меня мне мной мои моя мое моего моей моем
        мою моих мы на над нас наш наша наше нашей нам не нет но о об он она они от по под при про с
        сколько со так там то тогда ты у уже что чем чего это этот эта я""",
    "ar": """
        التي الذي الى ام ان انا انت اي اين ب بي ثم حتى على عن عند عندي عندنا في فيه كان كانت كل كم
        كيف لا لدي لدينا لم لماذا لي ما ماذا متى مع من منذ نحن هذا هذه هل هم هو هي و""",
}
# Scripts and marks that identify a language; the first that a text has counts. Kana comes before
# Han, which Japanese has too.
_SCRIPTS: Final = (
    ("ja", pattern_of("[\u3040-\u30ff]")),
    ("ko", pattern_of("[\u1100-\u11ff\uac00-\ud7af]")),
    ("zh", pattern_of("[\u3400-\u9fff]")),
    ("ar", pattern_of("[\u0620-\u064a]")),
    ("ru", pattern_of("[\u0410-\u044f]")),
    ("es", pattern_of("[¿¡]")),
)
_OTHER_LETTERS: Final = pattern_of("[\u0370-\u1dff\u2c00-\ua6ff\ua800-\uabff\uac00-\ufaff]")
"""Letters of scripts other than Latin; English uses them at most as symbols."""
_ENGLISH: Final = "en"
_LETTERS_OF_A_SIGN: Final = {"ja": 2, "ko": 2, "zh": 2, "ar": 1, "ru": 1}
"""The letters of English that say about as much as one sign of a script."""


def spoken(text: str) -> tuple[str, ...]:
    """Return the most likely languages of a text, other than English: "de", "zh".

    ``text`` is unfolded. Empty for English, and if no word identifies a language.
    """
    if not text.isascii():
        script = next((name for name, letters in _SCRIPTS if letters.search(text)), None)
        if script is not None and not _is_in_english(text, script):
            # Han alone may be Japanese, too ("去年の" is only Japanese, "去年" may be both).
            return ("zh", "ja") if script == "zh" else (script,)
    hits: dict[str, int] = {}
    table = _by_word()
    for word in TABLE_WORD.findall(fold_for_tables(text)):
        # Turkish has few function words, and a letter of its own.
        for language in table.get(word) or (("tr",) if "ı" in word else ()):
            hits[language] = hits.get(language, 0) + 1
    most = max(hits.values(), default=0)
    if most <= hits.get(_ENGLISH, 0):
        return ()
    return tuple(language for language, count in hits.items() if count == most)


def _is_in_english(text: str, script: str) -> bool:
    """Return whether an English text only has some words in a script, such as a name."""
    english = (word for word in TABLE_WORD.findall(text.lower()) if len(word) > 1)
    if script not in _LETTERS_OF_A_SIGN or not any(
        _ENGLISH in _by_word().get(word, ()) for word in english
    ):
        return False
    signs = len(_OTHER_LETTERS.findall(text))
    return _LETTERS_OF_A_SIGN[script] * signs < sum(map(str.isalpha, text)) - signs


def may_be_english(text: str) -> bool:
    """Return whether nothing in a text points to another language or another script."""
    return not _OTHER_LETTERS.search(text) and not spoken(text)


def is_function_word(word: str, language: str) -> bool:
    """Return whether a folded word is a function word of a language."""
    table = _by_word()
    return language in table.get(word, ()) or language in table.get(f"{word}'", ())


@cache
def _by_word() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for language, words in _FUNCTION_WORDS.items():
        for word in dict.fromkeys(words.split()):
            table[word] = (*table.get(word, ()), language)
    return table
