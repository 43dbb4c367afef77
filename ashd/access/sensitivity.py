"""What a text without a label is held as: health, money, faith, sexuality and law are personal.

A word list errs on the careful side: a text that only mentions such a thing is held `personal`
too, which costs a reader in another chat one fact and costs nobody a secret.
"""

import re
from typing import Final, Literal

_STEMS: Final = (
    # health
    r"diabet\w*|cancer|tumou?rs?|chemo\w*|depress\w*|anxiety|bipolar|schizo\w*|therap(?:y|ist|ies)"
    r"|psychiatr\w*|psycholog\w*|hiv|aids|pregnan\w*|miscarriage|abortion|ivf|allerg\w*|asthma\w*"
    r"|epilep\w*|dementia|alzheimer\w*|parkinson\w*|stroke|surger(?:y|ies)|diagnos\w*|disease|illness"
    r"|ill|sick|meds|medications?|medicine|prescri\w*|antidepress\w*|insulin|rehab|addict\w*|alcoholi\w*"
    r"|overdose|suicid\w*|self-harm|disorder|adhd|autis\w*|blood pressure|hospital\w*|clinic"
    r"|disabled|disabilit\w*|infertil\w*|menopaus\w*|std|sti|herpes|hepatitis|covid\w*|symptoms?"
    # money
    r"|salar(?:y|ies)|wages?|income|debts?|mortgage|loans?|bankrupt\w*|net worth|savings|overdraft"
    r"|credit score|inherit\w*|alimony|child support|bonus|pension|iban|tax(?:es)?|gambl\w*|broke"
    # faith and opinion
    r"|religio\w*|christian\w*|muslim\w*|islam\w*|jewish|judaism|hindu\w*|buddhis\w*|atheis\w*"
    r"|catholic\w*|protestant\w*|mormon\w*|church|mosque|synagogue|convert(?:ed|ing)? to|pray\w*"
    r"|votes? for|voted|republican|democrat|trade union"
    # sexuality
    r"|gay|lesbian|bisexual|homosexual\w*|queer|transgender|trans (?:man|woman)|nonbinary|asexual"
    r"|sexual\w*|sex life|affair|dating app|came out|coming out|closeted"
    # law
    r"|arrest\w*|convict\w*|prison|jail|parole|probation|lawsuits?|sued|suing|court|custody|divorc\w*"
    r"|restraining order|criminal|felony|indict\w*|charged with|visa status|asylum|undocumented"
    r"|lawyer|attorney|settlement|subpoena|nda"
    # other languages' commonest
    r"|krank\w*|krebs|schwanger\w*|gehalt|schulden|scheidung|salaire|dettes|enceinte|maladie"
    r"|embarazad\w*|enferm\w*|deudas|sueldo|divorcio|incinta|malattia|stipendio"
)
_SPEAKS_OF: Final = re.compile(rf"(?<!\w)(?:{_STEMS})(?!\w)", re.IGNORECASE)


def classify(text: str) -> Literal["personal"] | None:
    """`personal` for a text that speaks of what people keep to themselves, else no label."""
    return "personal" if _SPEAKS_OF.search(text) else None
