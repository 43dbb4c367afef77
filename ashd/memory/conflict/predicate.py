"""The second half of reading a clause: its verb group, then what stands in which slot. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from ashd.memory.conflict import kinds
from ashd.memory.conflict import lexicon as lex
from ashd.memory.conflict.clause import OBJECT, TAIL, Clause, verb_form
from ashd.memory.conflict.wording import MARKS, POSSESSIVE, Word


def predicate(clause: Clause, rest: Sequence[Word]) -> Clause | None:
    """Read the verb group, then what follows it; None if there is no verb to be seen."""
    at = 0
    while at < len(rest) and (step := _helping(clause, rest[at:])) is not None:
        clause, width = step
        at += width
    clause, width = _main_verb(clause, rest[at:])
    at += width
    if not clause.verb:
        following = [word.text for word in rest[1:2]]
        if clause.subject.topic or not lex.PREPOSITIONS.issuperset(following):
            return None
        clause = replace(clause, verb="be")
    return with_slots(clause, rest[at:])


def _helping(clause: Clause, rest: Sequence[Word]) -> tuple[Clause, int] | None:
    """Read one helping word of the verb group; the clause and how many words were read."""
    text = rest[0].text
    following = [word.text for word in rest[1:]]
    if text == "no" and following[:1] in (["longer"], ["more"]):
        return replace(clause, negative=True), 2
    if text in lex.NEGATIONS:
        return replace(clause, negative=True), 1
    if text in lex.BE:
        return replace(clause, verb="be", past=clause.past or text in {"was", "were"}), 1
    if text == "used" and following[:1] == ["to"]:
        return replace(clause, former=True), 2
    if _is_auxiliary(rest):
        return (
            replace(
                clause,
                perfect=clause.perfect or text in {"has", "have", "had"},
                wish=clause.wish or text in {"would", "could", "might", "may", "should"},
                past=clause.past or text in {"did", "had"},
                able=clause.able or text in {"can", "could"},
            ),
            1,
        )
    if text in lex.ADVERBS:
        return replace(clause, former=clause.former or text in lex.FORMER), 1
    if _is_wish(clause, text, following):
        return replace(clause, wish=True, past=False, verb=""), following.index("to") + 2
    return None


def _is_auxiliary(rest: Sequence[Word]) -> bool:
    text = rest[0].text
    if text not in lex.AUXILIARIES or not is_finite(rest[0]):
        return False
    skipped = lex.ADVERBS | lex.NEGATIONS
    following = [word.text for word in rest[1:] if word.text not in skipped]
    if text in {"do", "does", "did"}:
        return is_verb(following)
    if text not in {"has", "have", "had"}:
        return True
    form = verb_form(following[0]) if following and following[0] != "got" else None
    return form is not None and (form[1] == "past" or following[0] in lex.BE | lex.PARTICIPLES)


def _is_wish(clause: Clause, text: str, following: Sequence[str]) -> bool:
    """Whether this is the verb of "wants to", "would like to", "is going to"."""
    if "to" not in following[:2] or (following[0] != "to" and following[0] not in lex.ADVERBS):
        return False
    form = verb_form(text)
    if form is None:
        return False
    return form[0] in lex.WISH or (form[0] == "like" and clause.wish) or form == ("go", "ing")


def _main_verb(clause: Clause, rest: Sequence[Word]) -> tuple[Clause, int]:
    """Read the main verb and its particle; the clause and how many words were read."""
    texts = [word.text for word in rest]
    if not texts:
        return clause, 0
    if texts[0] in {"has", "have"} and texts[1:2] == ["got"]:
        return replace(clause, verb="have"), 2
    form = verb_form(texts[0])
    if form is None:
        return _unknown_verb(clause, texts)
    being = clause.verb == "be"
    if being and form[1] not in {"past", "ing"} and texts[0] not in lex.PARTICIPLES:
        return clause, 0
    past = clause.past or (form[1] == "past" and not being and not clause.perfect)
    verb = form[0]
    width = 1
    if texts[1:2] and texts[1] in lex.PARTICLES:
        verb = "rise" if verb == "go" and texts[1] in {"up", "down"} else verb
        width = 2
    if verb == "take" and texts[1:2] == ["place"]:
        verb, width = "happen", 2
    if verb in {"stand", "bear"} and clause.able and clause.negative:
        clause, verb = replace(clause, negative=False, able=False), "hate"
    passive = being and form[1] != "ing"
    return replace(clause, verb=verb, participle=texts[0], passive=passive, past=past), width


def _unknown_verb(clause: Clause, texts: Sequence[str]) -> tuple[Clause, int]:
    """A word that stands and ends as a verb does: "User juggles knives"."""
    text, following = texts[0], texts[1:]
    if not following:
        return clause, 0
    if clause.verb == "be":
        return (replace(clause, verb=text), 1) if text.endswith("ing") else (clause, 0)
    if clause.wish:
        return replace(clause, verb=text), 1
    told = text.isalpha() and len(text) > 3 and text.endswith(("s", "ed")) and text[-2] != "s"
    if not told or following[0] in lex.BE:
        return clause, 0
    past = clause.past or text.endswith("ed")
    stem = text.removesuffix("ed" if text.endswith("ed") else "s")
    return replace(clause, verb=stem, past=past), 1


def with_slots(clause: Clause, rest: Sequence[Word]) -> Clause:
    """Sort what follows the verb into its slots."""
    slots: dict[str, list[Word]] = {}
    slot = OBJECT
    negative, changed = clause.negative, clause.changed
    rest = _without_phrases(rest)
    for at, word in enumerate(rest):
        text = word.text
        last = at == len(rest) - 1 or rest[at + 1].text in MARKS
        if text in lex.TAIL or (text == "so" and slots):
            slots[TAIL] = list(rest[at + 1 :])
            break
        if text == "not" and slots.get(OBJECT):
            slot = "instead"  # "tabs, not spaces"
        elif text in {"no", "not", "never", "without"}:
            negative = True
            slot = "with" if text == "without" else slot
        elif _is_particle(clause, text, first=at == 0, last=last):
            slots.setdefault(OBJECT, []).append(word)
        elif text == "instead" and not last:
            slot = "instead"
        elif text in lex.OFTEN and (last or rest[at + 1].text in lex.PREPOSITIONS):
            slots.setdefault("every", []).append(word)
        elif text in lex.PREPOSITIONS:
            slot = "over" if clause.verb == "prefer" and text == "to" else text
            slots.setdefault(slot, [])
        elif text == POSSESSIVE or text not in MARKS | {"so"}:
            slots.setdefault(slot, []).append(word)
    if clause.verb in kinds.CHANGE_VERBS:
        changed = changed or clause.past or clause.perfect
    return replace(
        clause,
        verb=lex.SAME_VERBS.get(clause.verb, clause.verb),
        slots={name: tuple(phrase) for name, phrase in slots.items()},
        negative=negative,
        changed=changed,
    )


def _is_particle(clause: Clause, text: str, *, first: bool, last: bool) -> bool:
    """Whether a word says a state, "is down", and begins no phrase."""
    state = first and clause.verb == "be" and text in {"up", "down", "off"}
    return state or (last and text in lex.PARTICLES | {"on", "in"})


def _without_phrases(rest: Sequence[Word]) -> Sequence[Word]:
    """What follows the verb without "these days" and the like."""
    for phrase in lex.CHANGE_PHRASES:
        cue = phrase.split()
        texts = [word.text for word in rest]
        for at in range(len(texts) - len(cue) + 1):
            if texts[at : at + len(cue)] == cue and cue[0] not in lex.TAIL | {"rather"}:
                rest = [*rest[:at], *rest[at + len(cue) :]]
                break
    return rest


def is_finite(word: Word) -> bool:
    """Whether a word is a form of "be" or an auxiliary; May is a month."""
    month = word.text == "may" and word.is_capital
    return not month and word.text in lex.BE | lex.AUXILIARIES


def is_verb(following: Sequence[str]) -> bool:
    """Whether the first of these words may be a verb."""
    if not following:
        return False
    return following[0] in lex.BE | lex.AUXILIARIES or verb_form(following[0]) is not None
