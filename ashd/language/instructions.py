"""Recognise a text that tells an assistant what to do instead of describing somebody. Pure.

It serves the profile alone, which stands in every prompt: better a true wish left out ("please
answer in German" is stored as a fact all the same) than an order in somebody's name.
"""

import re
from typing import Final

_VERBS: Final = (
    "answer|reply|respond|end|begin|start|finish|ignore|disregard|forget|obey|follow|pretend|act|use"
    "|say|write|print|output|repeat|include|append|add|insert|mention|recommend|reveal|tell|send"
    "|open|visit|click|run|execute|store|remember|call|address|treat|refuse|make sure|be sure"
)
_FOREIGN_VERBS: Final = (
    "antworte|beende|beginne|ignoriere|vergiss|schreib|schreibe|sag|sage|nenne|füge|empfiehl"
    "|réponds|répondez|termine|terminez|commence|ignore|ignorez|oublie|oubliez|écris|écrivez|ajoute"
    "|responde|responda|empieza|ignora|olvida|escribe|añade|termina|acaba|rispondi|inizia|scrivi"
    "|dimentica|aggiungi|esqueça|escreva|comece|beëindig|negeer|schrijf|voeg|odpowiadaj|zignoruj"
)
_POLITE: Final = (
    r"(?:(?:please|always|never|do not|don't|from now on|bitte|immer|niemals|toujours|jamais"
    r"|siempre|nunca|sempre|mai|altijd|nooit|zawsze|nigdy),? )*"
)
_ORDERS: Final = re.compile(rf"\W*{_POLITE}(?:{_VERBS}|{_FOREIGN_VERBS})\b", re.IGNORECASE)
_EVERY_ANSWER: Final = re.compile(
    r"\b(?:every|each|all|any|jede\w*|alle\w*|chaque|toutes|cada|todas|ogni|tutte|elk\w*|każd\w*)"
    r" (?:\w+ ){0,2}(?:answer|repl|response|antwort|réponse|respuesta"
    r"|resposta|rispost|antwoord|odpowied)"
    r"|(?:每个|每次|所有)(?:回答|回复|答案)|(?:すべて|全て|全部|毎回)の?(?:回答|返事|返信)"
    r"|모든 (?:답변|응답)|кажд\w+ ответ",
    re.IGNORECASE,
)
_FORM_OF_ANSWERS: Final = re.compile(
    r"\b(?:answers?|repl(?:y|ies)|responses?) (?:(?:that|which|to|must|should|always) ){1,3}"
    r"(?:end|begin|start|finish|contain|include|mention)"
    r"|\b(?:finish|end|begin|start)\w* (?:\w+ ){0,2}(?:answers?|repl(?:y|ies)|responses?)\b",
    re.IGNORECASE,
)
_ASSISTANT: Final = re.compile(
    r"\b(?:assistants?|ai|llm|(?:language )?models?|(?:chat)?bots?|agents?)"
    r" (?:should|must|shall|may|can|has to|have to|needs? to|is to|are to|will)\b"
    r"|\b(?:assistant|ai|llm|chatbot) (?:to|not to)\b"
    r"|\b(?:previous|prior|above|earlier|system) (?:instructions?|prompts?)\b"
    r"|\byou(?:r| must| should)\b",
    re.IGNORECASE,
)


def instructs(text: str) -> bool:
    """Return whether a text gives an order, or says how answers or an assistant must be."""
    return bool(
        _ORDERS.match(text)
        or _EVERY_ANSWER.search(text)
        or _FORM_OF_ANSWERS.search(text)
        or _ASSISTANT.search(text)
    )
