"""Which attribute a clause speaks of, which value it gives, and how many values it may have.

"I live in Berlin" and "my home is Berlin" name the same attribute of the same subject. An
attribute has one value at a time, or many (whoever likes cats may like dogs), or it is open:
then only values of one type exclude each other. Pure; English only, by `lexicon`.
"""

from dataclasses import dataclass
from enum import Enum

from ashd.memory import lexicon as lex
from ashd.memory.statement import OBJECT, Clause, content, read, singular
from ashd.memory.wording import Word


class Arity(Enum):
    """How many values an attribute has at a time."""

    ONE = "one"
    OPEN = "open"
    MANY = "many"


@dataclass(frozen=True, slots=True)
class Attribute:
    """The attribute's name, its value as written and the slot that the value stands in."""

    name: frozenset[str]
    arity: Arity
    slot: str
    words: tuple[Word, ...]

    @property
    def value(self) -> frozenset[str]:
        """The words of the value that carry meaning."""
        return content(self.words)


def attribute_keys(text: str) -> frozenset[str]:
    """Keys that two texts share if they may give a one-valued attribute of one subject a value.

    For an index of candidates beside the nearest vectors: "I live in …" and "I moved to …"
    share a key, however little their vectors do. Empty for a text that cannot be read.
    """
    return frozenset(
        " ".join(sorted(clause.subject.person | attribute.name))
        for clause in read(text)
        if (attribute := attribute_of(clause)).arity is not Arity.MANY
    )


def attribute_of(clause: Clause) -> Attribute:
    """The attribute that `clause` speaks of; one named by its verb if nothing better is known."""
    topic = clause.subject.topic - {"!"}
    if found := _commute(clause, topic):
        return found
    for slot in clause.slots:
        if name := _named(clause, slot):
            return _one(clause, topic | {name}, slot)
    if "port" in clause.content:
        return _one(clause, topic | {"port"}, "on" if "on" in clause.slots else OBJECT)
    if clause.verb == "be":
        return _of_being(clause, topic)
    if clause.verb == "use":
        for slot in ("as", "for"):
            if purpose := clause.phrase(slot) - lex.NEUTRAL:
                return _one(clause, topic | purpose, OBJECT)
    return _of_verb(clause, topic)


def shape(words: tuple[Word, ...]) -> str:
    """What sort of phrase a value is: a number or time, a name, "a …", any other, or none."""
    found = [word for word in words if word.text not in lex.ADVERBS]
    if not found:
        return "none"
    if any(word.text[0].isdigit() or word.text in lex.TIME_WORDS for word in found):
        return "number"
    if any(word.is_capital for word in found):
        return "name"
    return "indefinite" if found[0].text in {"a", "an"} else "plain"


def _one(clause: Clause, name: frozenset[str], slot: str) -> Attribute:
    return Attribute(name, Arity.ONE, slot, clause.slots.get(slot, ()))


def _named(clause: Clause, slot: str) -> str | None:
    """The noun for what the verb says with this slot, if there is one."""
    key = clause.verb, slot
    value = clause.phrase(slot)
    if not value or value <= lex.TIME_WORDS:
        return None
    if clause.passive and key in lex.ATTRIBUTES_DONE:
        return lex.ATTRIBUTES_DONE[key]
    if key == ("call", OBJECT) and "!" in clause.subject.topic:
        return "nickname"
    if key in lex.ATTRIBUTES_OF:
        name, words = lex.ATTRIBUTES_OF[key]
        named = name in lex.NAMED and shape(clause.slots[slot]) == "name"
        return name if value & words or named else None
    if key == ("turn", OBJECT) and shape(clause.slots[slot]) == "number":
        return "age"
    if clause.verb in lex.CHANGE_VERBS and slot and clause.phrase():
        return None  # "moved the files to …" says nothing of a home
    name = lex.ATTRIBUTES.get(key)
    return None if name == "employer" and value <= lex.NOT_EMPLOYERS else name


def _commute(clause: Clause, topic: frozenset[str]) -> Attribute | None:
    """How someone gets to work: the vehicle, or the verb itself."""
    to = clause.phrase("to")
    if clause.verb not in lex.COMMUTE_VERBS or not to or not to <= lex.COMMUTE_TO:
        return None
    how = clause.slots.get(OBJECT) or clause.slots.get("by") or (Word(clause.verb, clause.verb),)
    return Attribute(topic | {"commute"}, Arity.ONE, OBJECT, how)


def _of_being(clause: Clause, topic: frozenset[str]) -> Attribute:
    slot = OBJECT if clause.slots.get(OBJECT) else next(iter(clause.slots), OBJECT)
    words = clause.slots.get(slot, ())
    if "due" in clause.phrase():
        return _one(clause, topic | {"deadline"}, "on" if "on" in clause.slots else slot)
    if not topic:
        return _of_person(clause, slot)
    head = clause.subject.head
    if topic & lex.SINGLE_MAKERS:
        arity = Arity.ONE
    elif head in lex.MANY_NOUNS:
        arity = Arity.MANY
    else:
        arity = Arity.ONE if head in lex.ATTRIBUTE_NOUNS and slot == OBJECT else Arity.OPEN
    if arity is Arity.OPEN and slot == OBJECT and shape(words) == "name":
        arity = Arity.ONE  # "our scrum master is Ingrid"
    # A thing that is itself the subject is many things at once: "the car is blue", "… electric".
    if head in lex.ENTITY_NOUNS | lex.NO_NOUNS and shape(words) == "plain":
        arity = Arity.OPEN
    return Attribute(topic, arity, slot, words)


def _of_person(clause: Clause, slot: str) -> Attribute:
    """What "is" says of a person: who they are, how old, what they do, anything else."""
    words = clause.slots.get(slot, ())
    said = content(words)
    if slot == OBJECT and _is_job(words):
        return _one(clause, frozenset({"job"}), OBJECT)
    numbers = {word for word in said if word.isdigit()}
    if numbers and said <= numbers | {"old", "year"} and clause.slots.keys() == {OBJECT}:
        return _one(clause, frozenset({"age"}), OBJECT)
    named = shape(words) == "name" and not said <= lex.NATIONALITIES
    if clause.subject.person & lex.KIN and named and slot == OBJECT:
        many = clause.subject.head in lex.MANY_NOUNS
        arity = Arity.MANY if many else Arity.ONE
        return Attribute(frozenset({"who"}), arity, OBJECT, words)
    return Attribute(frozenset({"~be"}), Arity.MANY, slot, words)


def _is_job(words: tuple[Word, ...]) -> bool:
    said = [singular(word.text) for word in words if word.text not in lex.ADVERBS]
    said = said[: said.index("of")] if "of" in said else said
    if len(said) < 2 or said[0] not in {"a", "an", "the"} or said[-1] in lex.NO_JOBS:
        return False
    return said[-1] in lex.JOBS or (len(said[-1]) > 4 and said[-1].endswith(lex.JOB_ENDINGS))


def _of_verb(clause: Clause, topic: frozenset[str]) -> Attribute:
    slot = OBJECT if clause.slots.get(OBJECT) else next(iter(clause.slots), OBJECT)
    # What is done to a thing, or what a thing does at a place, is one more often than not.
    thing = bool(topic) or not clause.subject.person <= lex.KIN
    open_ = clause.verb in lex.OPEN_VERBS or (topic and clause.verb in lex.OPEN_VERBS_OF_THINGS)
    open_ = open_ or (thing and clause.passive and clause.verb not in lex.LIKING)
    arity = Arity.OPEN if open_ else Arity.MANY
    return Attribute(topic | {f"~{clause.verb}"}, arity, slot, clause.slots.get(slot, ()))
