"""A statement, and how its text is read: who or what it is about, which attribute, which value.

Owns the reading of English statements as an assistant writes them down. `read` is pure. It
reads one clause at a time by the place of its words, without a grammar: a text that it cannot
read gives no clause, and nothing is then decided about it but by its exact words.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from ashd.memory import lexicon as lex
from ashd.memory.wording import COLON, COMMA, MARKS, POSSESSIVE, STOP, Word, words

Trust: TypeAlias = Literal["fact", "hearsay", "unknown"]
Slots: TypeAlias = Mapping[str, tuple[Word, ...]]

OBJECT: Final = ""
"""The slot of what follows the verb without a preposition."""
TAIL: Final = "tail"
"""The slot of what follows "because", "which" and the like."""
LEAD: Final = "lead"
"""The slot of what stands before the subject: "after the move, …"."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One stored fact as the conflict rule sees it.

    `subjects` are the ids of the people it is about; `first_person` says whether they said it
    themselves; `fades` that it has an end (TTL or expiry); `observed_at` is in microseconds.
    """

    text: str
    subjects: frozenset[str] = frozenset()
    first_person: Trust = "unknown"
    fades: bool = False
    observed_at: int | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a clause is about: "my sister Lena's car" is {sister}, {lena}, {car}.

    The speaker is nobody (empty), so that "I", "the user" and a fact without a subject agree.
    """

    person: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    topic: frozenset[str] = frozenset()
    head: str = ""
    owned: bool = False

    @property
    def all(self) -> frozenset[str]:
        """Every word of it but the name that follows a relation."""
        return self.person | self.topic


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its subject, its verb and what stands in which slot (a preposition, or OBJECT)."""

    subject: Subject
    verb: str
    slots: Slots = field(default_factory=dict)
    negative: bool = False
    past: bool = False
    former: bool = False
    wish: bool = False
    able: bool = False
    cued: bool = False
    changed: bool = False
    also: bool = False
    passive: bool = False
    perfect: bool = False
    participle: str = ""
    written: tuple[Word, ...] = ()

    def phrase(self, slot: str = OBJECT) -> frozenset[str]:
        """The words that carry meaning in a slot; empty if there is no such slot."""
        return content(self.slots.get(slot, ()))

    @property
    def content(self) -> frozenset[str]:
        """The words that carry meaning in all slots together."""
        return content([word for slot in self.slots.values() for word in slot])


def singular(word: str) -> str:
    """A noun's one form, one word for those with several: "bosses" is "manager"."""
    if len(word) > 3 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "as")):
        word = word[:-1]
    word = {"children": "child", "people": "person", "days": "day"}.get(word, word)
    return lex.KIN_SAME.get(word, word)


def content(found: Sequence[Word]) -> frozenset[str]:
    """The words that carry meaning, each in one form."""
    return frozenset(
        word.text if word.raw.isupper() else singular(word.text)
        for word in found
        if word.text not in lex.EMPTY and word.text not in MARKS
    )


def verb_form(word: str) -> tuple[str, str] | None:
    """A verb's lemma and form ("base", "s", "past", "ing"), or None if it is no known verb."""
    if word in lex.IRREGULAR:
        lemma = lex.IRREGULAR[word]
        form = "ing" if word.endswith("ing") else "past"
        return lemma, "s" if word.endswith("s") and word not in {"was"} else form
    if word in lex.VERBS:
        return word, "base"
    for ending, form in (
        ("ies", "s"),
        ("es", "s"),
        ("s", "s"),
        ("ied", "past"),
        ("ed", "past"),
        ("ing", "ing"),
    ):
        stem = word.removesuffix(ending)
        if stem == word:
            continue
        for lemma in (stem + "y",) if ending[0] == "i" and ending != "ing" else (stem, stem + "e"):
            if lemma in lex.VERBS:
                return lemma, form
        if (
            form in {"past", "ing"}
            and len(stem) > 3
            and stem[-1] == stem[-2]
            and stem[:-1] in lex.VERBS
        ):
            return stem[:-1], form
    return None


_STATEMENT_CHARS: Final = 1_000
"""A longer text is no statement but a document; reading it would keep the writer lane for long."""


@lru_cache(maxsize=4096)
def read(text: str) -> tuple[Clause, ...]:
    """The clauses of a text, in order; empty if it cannot be read as English, or is no statement."""
    if len(text) > _STATEMENT_CHARS:
        return ()
    found = words(text)
    clauses: list[Clause] = []
    before: Subject | None = None
    changed = bool(found) and found[0].text in {"correction", "update", "actually", "updated"}
    for part in _parts(found):
        clause = _clause(part, before)
        if clause is None:
            return ()
        before = clause.subject
        clauses.append(replace(clause, changed=clause.changed or changed))
    return tuple(clauses)


def _parts(found: list[Word]) -> Iterator[list[Word]]:
    """The clauses' words: a sentence is cut at its end and before "and" with a verb of its own."""
    part: list[Word] = []
    for at, word in enumerate(found):
        starts = word.text in {"and", "but"} and _starts_clause(found[at + 1 : at + 4])
        if word.text == STOP or (starts and part):
            if any(w.text not in MARKS for w in part):
                yield part
            part = []
        else:
            part.append(word)
    if any(w.text not in MARKS for w in part):
        yield part


def _starts_clause(following: Sequence[Word]) -> bool:
    if not following:
        return False
    texts = [word.text for word in following]
    if texts[0] in lex.SELF | lex.OTHERS:
        return len(texts) > 1 and (texts[0] not in lex.OWNERS or len(texts) > 2)
    if texts[0] in {"now", "also", "currently", "then", "no"} and len(texts) > 1:
        texts = texts[2:] if texts[1] == "longer" else texts[1:]
    if not texts:
        return False
    form = verb_form(texts[0])
    return texts[0] in lex.BE | lex.AUXILIARIES or (form is not None and form[1] in {"s", "past"})


def _clause(part: list[Word], before: Subject | None) -> Clause | None:
    part = _without_lead_in(part)
    texts = [word.text for word in part]
    if COLON in texts[1:5]:
        at = texts.index(COLON)
        if not lex.BE & set(texts[:at]):
            key = _noun_phrase(part[:at], owned=True)
            return _finish(Clause(key, "be"), part[at + 1 :])
    lead, part = _lead(part)
    if not part:
        return None
    found = _subject(part, before)
    if found is None:
        return None
    subject, at = found
    clause = _predicate(subject, part[at:], _cues([*lead, *part]))
    if clause is None:
        return None
    slots = {**clause.slots, LEAD: tuple(lead)} if lead else clause.slots
    return replace(clause, slots=slots, written=tuple(part[:at]))


def _without_lead_in(part: list[Word]) -> list[Word]:
    while part and part[0].text in {
        "correction",
        "update",
        "updated",
        "actually",
        "note",
        "please",
        "no",
        "ok",
        "yes",
        "so",
        "but",
        "and",
        COMMA,
        COLON,
        "always",
        "fyi",
        "also",
    }:
        if part[0].text == "also":
            return part
        if part[0].text == "no" and len(part) > 1 and part[1].text not in MARKS:
            return part
        part = part[1:]
    texts = [word.text for word in part]
    for at in range(1, min(4, len(part))):
        form = verb_form(texts[at])
        if form and form[0] in {"say", "mention", "report", "state", "note", "tell", "confirm"}:
            if "that" in texts[at : at + 3]:
                return part[texts.index("that", at) + 1 :]
    return part


def _lead(part: list[Word]) -> tuple[list[Word], list[Word]]:
    texts = [word.text for word in part]
    if COMMA in texts[:8] and (texts[0] in lex.PREPOSITIONS | lex.TAIL or texts[0] == "as"):
        at = texts.index(COMMA)
        return part[:at], part[at + 1 :]
    return [], part


def _subject(part: list[Word], before: Subject | None) -> tuple[Subject, int] | None:
    """The subject and where the verb group starts; None if neither can be told."""
    texts = [word.text for word in part]
    start = 0
    while start < len(texts) and texts[start] in lex.ADVERBS | {COMMA} | {"no", "longer"}:
        start += 1
    if start >= len(texts):
        return None
    if texts[start] == "the" and texts[start + 1 : start + 2] == ["user"]:
        start += 1
    owner_follows = texts[start + 1 : start + 2] == [POSSESSIVE]
    if (
        texts[start] in lex.SELF | lex.OTHERS
        and texts[start] not in lex.OWNERS
        and not owner_follows
    ):
        person = frozenset() if texts[start] in lex.SELF else frozenset({texts[start]})
        return Subject(person=person), start + 1
    if texts[start] in {"there"}:
        return Subject(person=frozenset({"there"})), start + 1
    at = _verb_at(part, start)
    if at is None:
        if len(texts) > start + 1 and texts[start + 1] in lex.PREPOSITIONS:
            return before or Subject(), start
        return None
    if at == start:
        if before is not None:
            return before, 0
        form = verb_form(texts[at])
        told = form is not None and form[1] == "base" and texts[at] not in lex.BE
        told = told or texts[at] == "do"
        return Subject(topic=frozenset({"!"}) if told else frozenset()), 0
    return _noun_phrase(part[start:at], owned=False), at


def _verb_at(part: list[Word], start: int) -> int | None:
    """Where the first finite verb of a clause stands."""
    texts = [word.text for word in part]
    at = start
    if texts[at] in lex.ARTICLES | lex.OWNERS:
        at += 1
    noun_first = at > start
    candidate: int | None = None
    while at < len(texts):
        text = texts[at]
        after_owner = at > 0 and texts[at - 1] in {POSSESSIVE, *lex.OWNERS, *lex.ARTICLES}
        if at > start and (
            text in lex.BE
            or (text in lex.AUXILIARIES and not (text == "may" and part[at].is_capital))
        ):
            return at
        form = verb_form(text)
        if candidate is None and form and not (after_owner or (noun_first and at == start + 1)):
            if at == start:
                orders = form[1] == "base" and text in lex.ORDERS
                tells = form[1] in {"s", "past"}
                if (orders or tells) and not _is_verb(texts[at + 1 : at + 2]):
                    candidate = at
            elif form[1] in {"s", "past"} and texts[at + 1 : at + 2] != [POSSESSIVE]:
                candidate = at
            elif form[1] == "base" and _is_plural(texts[start:at]):
                candidate = at
        if candidate is not None and (
            at > candidate + 2 or text in lex.PREPOSITIONS or text in lex.ARTICLES | lex.OWNERS
        ):
            return candidate
        at += 1
    return candidate


def _is_verb(following: list[str]) -> bool:
    return bool(following) and (
        following[0] in lex.BE | lex.AUXILIARIES or verb_form(following[0]) is not None
    )


def _is_plural(subject: list[str]) -> bool:
    nouns = [text for text in subject if text not in lex.ADVERBS]
    last = nouns[-1] if nouns else ""
    return (
        "and" in nouns
        or last in {"parents", "people", "children", "we"}
        or (last.endswith("s") and not last.endswith("ss") and last != POSSESSIVE)
    )


def _noun_phrase(found: Sequence[Word], *, owned: bool) -> Subject:
    """A subject from its words: owners, a person or a relation, a thing, "of" and the like."""
    person: list[str] = []
    names: set[str] = set()
    topic: list[str] = []
    head = ""
    after_of = False
    chunk: list[Word] = []
    for word in [*found, Word("", STOP)]:
        if word.text not in {POSSESSIVE, STOP} and word.text not in lex.OWNERS:
            chunk.append(word)
            continue
        if word.text in lex.OWNERS:
            owned = True
            if word.text not in lex.SELF_OWNERS:
                person.append(word.text)
            continue
        owner = word.text == POSSESSIVE
        owned = owned or owner
        texts = [w.text for w in chunk if w.text not in lex.SELF | lex.ARTICLES | lex.ADVERBS]
        kin_at = next(
            (i for i, t in enumerate(texts) if singular(t) in lex.KIN or t in lex.KIN), None
        )
        capital = [w for w in chunk if w.text in texts and w.is_capital]
        if kin_at is not None and (
            kin_at == len(texts) - 1 or len(capital) == len(texts) - kin_at - 1
        ):
            person += [singular(t) for t in texts[: kin_at + 1]]
            names |= {w.text for w in capital if w.text in texts[kin_at + 1 :]}
            head = singular(texts[kin_at])
        elif owner or (_is_name(chunk, capital, texts) and not owned):
            person += map(singular, texts)
        else:
            for text in texts:
                after_of = after_of or text in lex.PREPOSITIONS | {"of"}
                if text in {"that", "which"} or (
                    topic and verb_form(text) == (text, "base") and text == "use"
                ):
                    break
                if text in lex.PREPOSITIONS | lex.NEUTRAL | {"of", "and"}:
                    continue
                topic.append(singular(text))
                head = head if after_of else singular(text)
        chunk = []
    return Subject(frozenset(person), frozenset(names), frozenset(topic), head, owned)


def _is_name(chunk: Sequence[Word], capital: Sequence[Word], texts: Sequence[str]) -> bool:
    """Whether a phrase at the start of a clause is a bare name, not a thing written large."""
    if not capital or len(capital) != len(texts) or chunk[0].text in lex.ARTICLES:
        return False
    return singular(texts[-1]) not in lex.ATTRIBUTE_NOUNS | lex.MANY_NOUNS


def turned(clause: Clause) -> Clause | None:
    """ "Linda is my manager" the other way round: "my manager is Linda"; None if it has none."""
    value = clause.slots.get(OBJECT, ())
    subject = clause.subject
    if clause.verb != "be" or clause.negative or subject.owned or subject.topic or not value:
        return None
    texts = [word.text for word in value]
    head = _noun_phrase(value, owned=True).head
    owned = texts[0] in lex.OWNERS or POSSESSIVE in texts
    role = head in lex.ATTRIBUTE_NOUNS or (owned and head not in lex.MANY_NOUNS)
    if not (owned or texts[0] == "the") or not clause.written or not (role or head in lex.KIN):
        return None
    slots = {**clause.slots, OBJECT: clause.written}
    return replace(clause, subject=_noun_phrase(value, owned=True), slots=slots)


def _cues(part: Sequence[Word]) -> Clause:
    """What single words of a clause say of it: that it is new, that it stands beside others."""
    texts = [word.text for word in part]
    said = f" {' '.join(texts)} "
    cued = any(f" {phrase} " in said for phrase in lex.CHANGE_PHRASES)
    cued = cued or bool(lex.CHANGE_WORDS & set(texts))
    also = bool(lex.ADDITIVE & {*texts[:3], *texts[-1:]}) or " another " in said
    return Clause(Subject(), "", cued=cued, changed=cued, also=also)


def _predicate(subject: Subject, rest: list[Word], cues: Clause) -> Clause | None:
    """Read the verb group and hand on what follows it."""
    texts = [word.text for word in rest]
    flags = replace(cues, subject=subject)
    at = 0
    while at < len(texts):
        text = texts[at]
        form = verb_form(text)
        following = texts[at + 1 :]
        if text in lex.NEGATIONS or (text == "no" and following[:1] in (["longer"], ["more"])):
            flags = replace(flags, negative=True)
            at += 2 if text == "no" else 1
        elif text in lex.BE:
            flags = replace(flags, verb="be", past=flags.past or text in {"was", "were"})
            at += 1
        elif text == "used" and following[:1] == ["to"]:
            flags = replace(flags, former=True)
            at += 2
        elif text in {"has", "have"} and following[:1] == ["got"] and not flags.verb:
            flags = replace(flags, verb="have")
            at += 2
            break
        elif _is_auxiliary(rest, at):
            flags = replace(
                flags,
                perfect=flags.perfect or text in {"has", "have", "had"},
                wish=flags.wish or text in {"would", "could", "might", "may", "should"},
                past=flags.past or text in {"did", "had"},
                able=flags.able or text in {"can", "could"},
            )
            at += 1
        elif text in lex.ADVERBS:
            flags = replace(flags, former=flags.former or text in lex.FORMER)
            at += 1
        elif form and _is_wish(form, following, flags):
            flags = replace(flags, wish=True, past=False, verb="")
            at += 1 + following.index("to") + 1
        elif flags.verb == "be" and text.endswith("ing") and form is None and following:
            flags = replace(flags, verb=text)
            at += 1
            break
        elif form is None and not flags.verb and flags.wish and following:
            flags = replace(flags, verb=text)
            at += 1
            break
        elif form is None and not flags.verb and _is_unknown_verb(text, following, subject):
            flags = replace(flags, verb=_stem(text), past=flags.past or text.endswith("ed"))
            at += 1
            break
        elif form and _is_main(form, text, flags):
            flags = replace(
                flags,
                passive=flags.verb == "be" and form[1] != "ing",
                past=flags.past or (form[1] == "past" and not flags.verb and not flags.perfect),
                verb=form[0],
                participle=text,
            )
            at += 1
            if texts[at : at + 1] and texts[at] in lex.PARTICLES:
                if form[0] == "go" and texts[at] in {"up", "down"}:
                    flags = replace(flags, verb="rise")
                at += 1
            if form[0] == "take" and texts[at : at + 1] == ["place"]:
                flags = replace(flags, verb="happen")
                at += 1
            break
        else:
            break
    if not flags.verb:
        if subject.topic or (texts[1:2] and texts[1] not in lex.PREPOSITIONS):
            return None
        flags = replace(flags, verb="be")
    return _finish(flags, rest[at:])


def _is_unknown_verb(text: str, following: Sequence[str], subject: Subject) -> bool:
    """A word that stands and ends as a verb does: "User juggles knives"."""
    if subject.topic or not following or following[0] in lex.BE:
        return False
    return text.isalpha() and len(text) > 3 and text.endswith(("s", "ed")) and text[-2] != "s"


def _stem(text: str) -> str:
    return text.removesuffix("ed") if text.endswith("ed") else text.removesuffix("s")


def _is_auxiliary(rest: Sequence[Word], at: int) -> bool:
    text = rest[at].text
    if text not in lex.AUXILIARIES or (text == "may" and rest[at].is_capital):
        return False
    if text in {"do", "does", "did"}:
        return at + 1 < len(rest) and _is_verb(
            [w.text for w in rest[at + 1 :] if w.text not in lex.ADVERBS | lex.NEGATIONS]
        )
    return text not in {"has", "have", "had"} or _perfect([word.text for word in rest[at + 1 :]])


def _is_wish(form: tuple[str, str], following: list[str], flags: Clause) -> bool:
    if not ("to" in following[:2] and (following.index("to") == 0 or following[0] in lex.ADVERBS)):
        return False
    return form[0] in lex.WISH or (form[0] == "like" and flags.wish) or form == ("go", "ing")


def _is_main(form: tuple[str, str], text: str, flags: Clause) -> bool:
    if flags.verb == "be":
        return form[1] in {"past", "ing"} or text in lex.PARTICIPLES
    return not flags.verb


def _perfect(following: list[str]) -> bool:
    """Whether "has" is an auxiliary here: a participle follows, adverbs aside."""
    for text in following:
        if text in lex.ADVERBS | lex.NEGATIONS:
            continue
        form = verb_form(text)
        return text in lex.BE | lex.PARTICIPLES or (form is not None and form[1] == "past")
    return False


def _finish(flags: Clause, rest: Sequence[Word]) -> Clause:
    """Sort what follows the verb into its slots."""
    slots: dict[str, list[Word]] = {}
    slot = OBJECT
    negative = flags.negative
    changed = flags.changed
    for phrase in lex.CHANGE_PHRASES:
        rest = _without(rest, phrase.split())
    for at, word in enumerate(rest):
        last = at == len(rest) - 1 or rest[at + 1].text in MARKS
        if word.text in lex.TAIL and not (word.text == "so" and not slots):
            changed = changed or word.text == "since"
            slots[TAIL] = list(rest[at + 1 :])
            break
        if word.text in {"no", "not", "never", "without"}:
            negative = True
            slot = "with" if word.text == "without" else slot
        elif word.text in lex.PARTICLES | {"on", "in"} and (
            last or (at == 0 and flags.verb == "be" and word.text in {"up", "down", "off"})
        ):
            slots.setdefault(OBJECT, []).append(word)
        elif word.text == "instead" and not last:
            slot = "instead"
        elif word.text in lex.OFTEN:
            slots.setdefault("every", []).append(word)
        elif word.text in lex.PREPOSITIONS:
            slot = word.text
            slots.setdefault(slot, [])
        elif word.text == POSSESSIVE or word.text not in MARKS | {"so"}:
            slots.setdefault(slot, []).append(word)
    known = flags.verb in lex.CHANGE_VERBS or flags.verb in lex.ENDING
    changed = changed or (known and (flags.past or flags.perfect))
    return replace(
        flags,
        verb=lex.SAME_VERBS.get(flags.verb, flags.verb),
        slots={key: tuple(value) for key, value in slots.items()},
        negative=negative,
        changed=changed,
    )


def _without(rest: Sequence[Word], phrase: list[str]) -> Sequence[Word]:
    texts = [word.text for word in rest]
    for at in range(len(texts) - len(phrase) + 1):
        if texts[at : at + len(phrase)] == phrase and phrase != ["since"]:
            return [*rest[:at], *rest[at + len(phrase) :]]
    return rest
