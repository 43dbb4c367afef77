"""Words that alone make a text personal, in languages that the classifier was not fitted on.

Each is a regular expression in lower case that matches whole words. Words with another common
meaning are left out, because the classifier cannot outvote this list.
"""

from typing import Final

from ashd.language.lazy_pattern import pattern_of

_SPACED: Final = r"""
    krebs krebskrank\w* brustkrebs \w{4,}krebs schwanger\w* depressionen antidepressiva schwul
    lesbisch schulden gehalt scheidung vorbestraft insolvenz fehlgeburt abtreibung gefängnis
    suchtkrank\w* alkoholiker(?:in)?
    séropositi\w+ enceinte dépressi(?:f|ve) antidépresseurs? diabétique salaire dettes avortement
    lesbienne surendett\w+
    embarazada cáncer depresión antidepresivos? diabétic[oa]s? sueldo deudas? divorciad[oa] cárcel
    aborto lesbiana
    tumore incinta depresso depressa antidepressivi debiti stipendio carcere psicolog[oa]
    sieropositiv[oa]
    grávida cancro câncer depressão dívidas salário divórcio
    kanker zwanger depressief antidepressiva schulden echtscheiding
    ciąż[yaęąi] depresj\w+ nowotw\w+ długi rozwód
    рак беремен\w+ депресси\w+ антидепрессант\w* зарплат\w+ долги развод\w* онколог\w*
    سرطان حامل اكتئاب السكري راتبي ديون بالسرطان कैंसर गर्भवती मधुमेह वेतन तलाक अवसाद
"""

_UNSPACED: Final = (
    "癌|怀孕|懷孕|妊娠|抑郁|憂鬱|うつ病|糖尿病|艾滋|精神科|心理医生|工资|薪水|月薪|年収|給料|借金|欠债|破产"
    "|离婚|離婚|同性恋|坐牢|임신|우울증|당뇨|월급|연봉|빚|이혼|동성애"
)
"""Scripts without spaces, where a character is a word: these match anywhere."""

PATTERN: Final = pattern_of(rf"(?<!\w)(?:{'|'.join(_SPACED.split())})(?!\w)|{_UNSPACED}")
