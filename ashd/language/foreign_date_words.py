"""Time words of languages other than English: a table for each (rows D6, D11).

Regular expressions on folded text (`folding.fold_for_tables`). Recall looks back, so words for the
future only tell that a text is of no time in the past. `foreign_dates` combines the words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Calendar:
    """A language's words for the past. Bars separate alternatives, spaces separate entries.

    A name in braces is a placeholder for the other fields; _ is a space inside an entry.
    """

    months: str
    weekdays: str
    """The weekdays, Monday first."""
    seasons: str
    """The seasons, spring first."""
    units: str
    """Day, week, weekend, month, year, in the forms that follow a number or a word for "last"."""
    numbers: str
    """One, two, …"""
    days: Mapping[str, int]
    """Words for a day, by its distance from today."""
    shifts: Mapping[str, int]
    """Words for last, this, the one before last, next to a unit, a season, a month or a weekday."""
    ago: str
    """The pattern of "ago", with {unit} and {n}."""
    lately: str
    """The pattern of "in the last …", with {unit} and {n}."""
    ahead: str
    """The pattern of what is to come, with {n} and {it}: a unit, weekday, month or season."""
    within: str
    """The preposition before a month or a year."""
    one: str = ""
    """The units that mean one if "ago" is said of them without a number."""
    tens: str = ""
    """Words after which a number is the end of a longer one."""
    on: str = ""
    """The preposition before a weekday; if it may be empty, a weekday alone is a time."""
    of: str = ""
    """The word between day and month, and between month and year."""
    asks: str = ""
    """The beginnings of a question about a time."""
    later: str = ""
    """Other words that speak of a time."""


CALENDARS: Final = {
    "de": Calendar(
        months="januar|janner februar marz april mai juni juli august september oktober november"
        " dezember",
        weekdays="montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
        seasons="fruhling|fruhjahr sommer herbst winter",
        units="tag(?:en|e|es)? wochen? wochenenden?|wochenendes monat(?:en|e|s)? jahr(?:en|es|e)?",
        numbers="ein(?:e[mnrs]?)? zwei|paar|ein_paar drei vier funf sechs sieben acht neun zehn elf"
        " zwolf",
        days={"vorgestern": -2, "gestern": -1, "heute": 0},
        shifts={
            "vorletzte[mnrs]?": -2,
            "letzte[mnrs]?|vorige[mnrs]?|vergangene[mnrs]?": -1,
            "diese[mnrs]?": 0,
        },
        ago="vor {n} {unit}",
        lately="(?:letzten|vergangenen) {n} {unit}|seit {n} {unit}",
        ahead="(?:nachste|kommende)[mnrs]? {it}|in {n} {it}",
        within="im|in|seit|vom|anfang|mitte|ende|jahr|jahre|fruhen|spaten",
        on="am|seit|vom",
        asks="(?:seit |bis |ab )?wann|wie lange|wie spat|wie viele? (?:tage|wochen|monate|jahre)"
        "|(?:an |in |seit |um )?welche[mnrs]? (?:tag|datum|woche|monat|jahr|uhrzeit)",
        later="neulich|kurzlich|jeden|jede woche|jedes jahr|uhr|geburtstag|hochzeitstag",
    ),
    "fr": Calendar(
        months="janvier fevrier mars avril mai juin juillet aout septembre octobre novembre"
        " decembre",
        weekdays="lundi mardi mercredi jeudi vendredi samedi dimanche",
        seasons="printemps ete automne hiver",
        units="jours? semaines? week-?end|fin_de_semaine mois ans?|annees?",
        numbers="une? deux trois quatre cinq six sept huit neuf dix onze douze",
        days={"avant-hier": -2, "hier": -1, "aujourd'hui": 0},
        shifts={"avant-dernier|avant-derniere": -2, "derniere?|passee?": -1, "cette|cet|ce": 0},
        ago="il y a {n} {unit}",
        lately="(?:ces|les) {n} dernier(?:e)?s {unit}|depuis {n} {unit}",
        ahead="{it} prochaine?|prochaine? {it}|{it} qui vient|dans {n} {it}",
        within="en|depuis|fin|debut|mi|au mois de|du mois de|de|des|dans l'annee|l'annee|annee",
        on="(?:ce )?",
        of="de ",
        asks="(?:depuis |jusqu'a |a partir de )?quand|combien de (?:temps|jours|semaines|mois|ans)"
        "|(?:a |en |depuis )?quel(?:le)? (?:jour|date|semaine|mois|annee|heure)",
        later="recemment|chaque|tous les|toutes les|anniversaire",
    ),
    "es": Calendar(
        months="enero febrero marzo abril mayo junio julio agosto se[p]?tiembre octubre noviembre"
        " diciembre",
        weekdays="lunes martes miercoles jueves viernes sabado domingo",
        seasons="primavera verano otono invierno",
        units="dias? semanas? fin_de_semana mes(?:es)? anos?",
        numbers="una?|uno dos|un_par_de tres cuatro cinco seis siete ocho nueve diez once doce",
        days={"anteayer|antes de ayer|antier": -2, "ayer|anoche": -1, "hoy": 0},
        shifts={"antepasad[oa]": -2, "pasad[oa]|ultim[oa]": -1, "est[ea]": 0},
        ago="hace {n} {unit}|{n} {unit} atras",
        lately="(?:ultim[oa]s|pasad[oa]s) {n} {unit}|{n} ultim[oa]s {unit}|desde hace {n} {unit}",
        ahead="{it} proxim[oa]|proxim[oa] {it}|{it} que viene|dentro de {n} {it}",
        tens="y",
        within="en|desde|del?|a principios de|a finales de|el ano",
        on="el|este|desde el",
        of="del? ",
        asks="(?:desde |hasta )?cuando|cuanto tiempo|cuant[oa]s (?:dias|semanas|meses|anos)"
        "|(?:en |a |desde )?que (?:dia|fecha|semana|mes|ano|hora)",
        later="recientemente|ultimamente|cada|todos los|todas las|cumpleanos|aniversario",
    ),
    "it": Calendar(
        months="gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre"
        " novembre dicembre",
        weekdays="lunedi martedi mercoledi giovedi venerdi sabato domenica",
        seasons="primavera estate autunno inverno",
        units="giorn[oi] settiman[ae] fine_settimana|weekend mes[ei] ann[oi]",
        numbers="un|una|uno due|un_paio_di tre quattro cinque sei sette otto nove dieci undici"
        " dodici",
        days={"l'altro ieri|l'altroieri|avantieri": -2, "ieri": -1, "oggi": 0},
        shifts={"scors[oa]|passat[oa]|ultim[oa]": -1, "quest[oa]|quest'": 0},
        ago="{n} {unit} fa",
        lately="(?:ultim[ie]|scors[ie]) {n} {unit}|da {n} {unit}",
        ahead="{it} prossim[oa]|prossim[oa] {it}|{it} che viene|[ft]ra {n} {it}",
        within="a|in|da|di|del|nel|dal|nel mese di|a inizio|a fine|nell'anno",
        on="(?:di )?",
        of="(?:di |del )",
        asks="(?:da |fino a )?quando|quanto tempo|quant[ie] (?:giorni|settimane|mesi|anni)"
        "|(?:in |a |da )?(?:che|quale) (?:giorno|data|settimana|mese|anno|ora)",
        later="recentemente|ultimamente|ogni|tutti i|tutte le|compleanno|anniversario",
    ),
    "pt": Calendar(
        months="janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro"
        " dezembro",
        weekdays="segunda(?:-feira)? terca(?:-feira)? quarta(?:-feira)? quinta(?:-feira)?"
        " sexta(?:-feira)? sabado domingo",
        seasons="primavera verao outono inverno",
        units="dias? semanas? fim_de_semana|final_de_semana mes(?:es)? anos?",
        numbers="uma? dois|duas tres quatro cinco seis sete oito nove dez onze doze",
        days={"anteontem": -2, "ontem": -1, "hoje": 0},
        shifts={"retrasad[oa]": -2, "passad[oa]|ultim[oa]": -1, "est[ea]|nest[ea]|ness[ea]": 0},
        ago="ha {n} {unit}(?: atras)?|{n} {unit} atras",
        lately="(?:ultim[oa]s|passad[oa]s) {n} {unit}|{n} ultim[oa]s {unit}",
        ahead="{it} proxim[oa]|proxim[oa] {it}|{it} que vem|daqui a {n} {it}",
        tens="e",
        within="em|desde|de|no inicio de|no final de|no ano de|ano",
        on="na|no|nesta|neste|desde",
        of="de ",
        asks="(?:desde |ate )?quando|(?:ha )?quanto tempo|quant[oa]s (?:dias|semanas|meses|anos)"
        "|(?:em |a |desde )?(?:que|qual) (?:dia|data|semana|mes|ano|hora)",
        later="recentemente|ultimamente|cada|todos os|todas as|aniversario",
    ),
    "nl": Calendar(
        months="januari februari maart april mei juni juli augustus september oktober november"
        " december",
        weekdays="maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        seasons="lente|voorjaar zomer herfst|najaar winter",
        units="dag(?:en)? weken|week weekend maand(?:en)? jaar|jaren",
        numbers="een twee|paar|een_paar drie vier vijf zes zeven acht negen tien elf twaalf",
        days={"eergisteren": -2, "gisteren": -1, "vandaag": 0},
        shifts={"voorlaatste": -2, "vorige?|afgelopen|laatste": -1, "deze|dit": 0},
        ago="{n} {unit} geleden",
        lately="(?:afgelopen|laatste) {n} {unit}|sinds {n} {unit}",
        ahead="(?:volgende?|komende?|aanstaande?) {it}|over {n} {it}",
        within="in|sinds|begin|eind|half|van|het jaar",
        on="op|sinds",
        asks="(?:sinds |tot )?wanneer|hoe lang|hoe laat|hoeveel (?:dagen|weken|maanden|jaar)"
        "|(?:op |in |sinds )?welke? (?:dag|datum|week|maand|jaar)",
        later="onlangs|laatst|elke?|iedere?|verjaardag",
    ),
    "pl": Calendar(
        months="stycz(?:en|nia|niu) luty|lutego|lutym marzec|marca|marcu kwie(?:cien|tnia|tniu)"
        " maj|maja|maju czerw(?:iec|ca|cu) lip(?:iec|ca|cu) sierp(?:ien|nia|niu)"
        " wrze(?:sien|snia|sniu) pazdziernika?|pazdzierniku listopada?|listopadzie"
        " grud(?:zien|nia|niu)",
        weekdays="poniedzial(?:ek|ku) wtor(?:ek|ku) srod[aey] czwart(?:ek|ku) piat(?:ek|ku)"
        " sobot[aey] niedziel[aei]",
        seasons="wiosn[aey] lat[oa]|lecie jesien|jesieni zim[aey]",
        units="dzien|dni|dnia tydzien|tygodni|tygodnie|tygodniu weekend miesiac(?:e|a|u)?|miesiecy"
        " rok|roku|lata|lat",
        numbers="jeden|jedna dwa|dwie trzy cztery piec szesc siedem osiem dziewiec dziesiec",
        days={"przedwczoraj": -2, "wczoraj": -1, "dzisiaj|dzis": 0},
        shifts={
            "zeszl(?:y|ym|a|ej|ego)|ubiegl(?:y|ym|a|ej|ego)|ostatni(?:m|ej|ego)?": -1,
            "tym": 0,
        },
        ago="{n} {unit} temu",
        lately="(?:ostatnich|ostatnie) {n} {unit}|od {n} {unit}",
        ahead="(?:przyszl|nastepn|najblizsz)\\w+ {it}|za (?:{n} )?{it}",
        one="dzien tydzien weekend miesiac rok",
        tens="dwadziescia trzydziesci czterdziesci piecdziesiat",
        within="we?|od|w roku|na poczatku|pod koniec",
        on="we?|od",
        asks="(?:od |do )?kiedy|jak dlugo|ile (?:dni|tygodni|miesiecy|lat|czasu)"
        "|(?:w )?ktor(?:y|ego|ym) (?:dzien|dnia|roku|miesiacu)|o ktorej",
        later="niedawno|ostatnio|kazdego|co tydzien|co roku|urodziny|rocznica",
    ),
    "tr": Calendar(
        months="ocak subat mart nisan mayıs haziran temmuz agustos eylul ekim kasım aralık",
        weekdays="pazartesi salı carsamba persembe cuma cumartesi pazar",
        seasons="ilkbahar|bahar yaz sonbahar|guz kıs",
        units="gun hafta(?!_sonu) hafta_sonu ay yıl|sene",
        numbers="bir iki|birkac uc dort bes altı yedi sekiz dokuz on on_bir on_iki",
        days={"evvelsi gun|onceki gun": -2, "dun": -1, "bugun": 0},
        shifts={"evvelki": -2, "gecen": -1, "bu": 0},
        ago="{n} {unit} once",
        lately="son {n} {unit}",
        ahead="(?:gelecek|onumuzdeki) {it}|{n} {it} sonra",
        tens="on yirmi otuz kırk elli",
        within="en son",
        on="en son",
        asks="[^?]*\\b(?:ne zaman|kacta|saat kac|kac (?:gun|hafta|ay|yıl)"
        "|hangi (?:gun|ay|yıl|tarih|saat)[a-zı]*)",
        later="her (?:gun|hafta|ay|yıl)|saat|dogum gunu|gecenlerde",
    ),
    "ru": Calendar(
        months=r"январ\w феврал\w март\w{0,2} апрел\w маи|мая|мае июн\w июл\w август\w{0,2}"
        r" сентябр\w октябр\w ноябр\w декабр\w",
        weekdays=r"понедельник\w{0,2} вторник\w{0,2} сред[ыу]|среда четверг\w{0,2} пятниц\w"
        r" суббот\w воскресень\w",
        seasons=r"весно\w|весну лето|лета|летом осень|осени|осенью зим[ыу]|зима|зимои",
        units=r"день|дня|дней недел[яиюь]|неделе выходные|выходных месяц\w{0,2} год\w?|лет",
        numbers="один|одну два|две|пару три четыре пять шесть семь восемь девять десять",
        days={"позавчера": -2, "вчера": -1, "сегодня": 0},
        shifts={r"позапрошл\w{2,3}": -2, r"прошл\w{2,3}": -1, r"это\w?|эту|эти": 0},
        ago="{n} {unit} назад",
        lately=r"последни\w {n} {unit}",
        ahead="(?:следующ|будущ|ближаиш)\\w+ {it}|через (?:{n} )?{it}",
        one="день неделю выходные месяц год",
        tens="двадцать тридцать сорок пятьдесят один одну",
        within="в|до|в начале|в конце",
        on="в|во",
        asks=r"(?:до каких пор|когда|как долго|как давно)"
        r"|сколько (?:дней|недель|месяцев|лет|времени)|(?:в |во )?како\w{1,2} (?:день|году?"
        r"|месяце?|числа)",
        later=r"недавно|кажд\w{2}|день рождения",
    ),
    "ar": Calendar(
        months="يناير|كانون_الثاني فبراير|شباط مارس|اذار ابريل|نيسان مايو|ايار يونيو|حزيران"
        " يوليو|تموز اغسطس|اب سبتمبر|ايلول اكتوبر|تشرين_الاول نوفمبر|تشرين_الثاني"
        " ديسمبر|كانون_الاول",
        weekdays="الاثنين|الإثنين الثلاثاء الاربعاء الخميس الجمعة السبت الاحد",
        seasons="الربيع الصيف الخريف الشتاء",
        units="(?:ال)?(?:يوم|ايام|يومين) (?:ال)?(?:اسبوع|اسابيع|اسبوعين)"
        " عطلة_نهاية_الاسبوع|نهاية_الاسبوع"
        " (?:ال)?(?:شهر|اشهر|شهور|شهرين) (?:ال)?(?:سنة|سنوات|سنتين|عام|اعوام|عامين)",
        numbers="واحد اثنين ثلاثة?|ثلاث اربعة?|اربع خمسة?|خمس ستة?|ست سبعة?|سبع ثمانية?|ثماني"
        " تسعة?|تسع عشرة?|عشر",
        days={"اول امس": -2, "ب?الامس|امس|البارحة|امبارح|مبارح": -1, "اليوم": 0},
        shifts={
            "قبل الماضي|قبل الماضية": -2,
            "الماضي|الماضية|المنصرم|الفائت|الفائتة": -1,
            "هذا|هذه": 0,
        },
        ago="(?:قبل|منذ) {n} {unit}",
        lately="(?:اخر|خلال) {n} {unit}",
        ahead="{it} (?:القادم|المقبل|القادمة|المقبلة)|بعد (?:{n} )?{it}",
        one="(?:ال)?(?:يوم|يومين|اسبوع|اسبوعين|شهر|شهرين|سنة|سنتين|عام|عامين)",
        within="في|منذ|شهر|في شهر|عام|سنة|في عام|في سنة|منذ عام",
        on="(?:يوم )?",
        asks="(?:منذ |حتى |الى )?متى|كم (?:يوما|اسبوعا|شهرا|سنة|عاما|من الوقت|مدة)"
        "|(?:في )?اي (?:يوم|شهر|سنة|عام|تاريخ|ساعة)",
        later="مؤخرا|كل (?:يوم|اسبوع|شهر|سنة)|عيد ميلاد",
    ),
}
