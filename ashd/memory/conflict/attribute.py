"""Which attribute a clause speaks of, which value it gives, and how many values it may have.

"I live in Berlin" and "my home is Berlin" name the same attribute of the same subject. An
attribute has one value at a time, or many (whoever likes cats may like dogs), or it is open:
then only values of one type exclude each other. Pure.
"""

from dataclasses import dataclass
from enum import Enum

from ashd.memory.conflict import kinds, values
from ashd.memory.conflict import lexicon as lex
from ashd.memory.conflict.clause import OBJECT, Clause, Content, Phrase, content, singular
from ashd.memory.conflict.reading import read
from ashd.memory.conflict.wording import Word


class Arity(Enum):
    """How many values an attribute has at a time."""

    ONE = "one"
    OPEN = "open"
    MANY = "many"


@dataclass(frozen=True, slots=True)
class Attribute:
    """The attribute's name, its value as written and the slot that the value stands in."""

    name: Content
    arity: Arity
    slot: str
    words: Phrase

    @property
    def value(self) -> Content:
        """The words of the value that carry meaning."""
        return content(self.words)


def attribute_keys(text: str) -> frozenset[str]:
    """Keys that two texts share if they may give one attribute of one subject a value.

    For an index of candidates beside the nearest vectors: "I live in …" and "I moved to …"
    share a key, however little their vectors do. Empty for a text that cannot be read.
    """
    keys = set()
    for clause in read(text):
        attribute = attribute_of(clause)
        if attribute.arity is not Arity.MANY:
            keys.add(" ".join(sorted(clause.subject.person | attribute.name)))
    return frozenset(keys)


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


def shape(words: Phrase) -> str:
    """What sort of phrase a value is: a number or time, a name, "a …", any other, or none."""
    found = [word for word in words if word.text not in lex.ADVERBS]
    if not found:
        return "none"
    named = any(word.is_capital and word.text not in lex.TIME_WORDS for word in found)
    if not named and any(word.text[0].isdigit() or word.text in lex.TIME_WORDS for word in found):
        return "number"
    if named:
        return "name"
    return "indefinite" if found[0].text in {"a", "an"} else "plain"


def _one(clause: Clause, name: Content, slot: str) -> Attribute:
    return Attribute(name, Arity.ONE, slot, clause.slots.get(slot, ()))


def _commute(clause: Clause, topic: Content) -> Attribute | None:
    """How someone gets to work: the vehicle, or the verb itself."""
    to = clause.phrase("to")
    if clause.verb not in kinds.COMMUTE_VERBS or not to or not to <= kinds.COMMUTE_TO:
        return None
    by_verb = kinds.COMMUTE_BY.get(clause.verb, clause.verb)
    how = clause.slots.get(OBJECT) or clause.slots.get("by") or (Word(by_verb, by_verb),)
    return Attribute(topic | {"commute"}, Arity.ONE, OBJECT, how)


def _named(clause: Clause, slot: str) -> str | None:
    """The noun for what the verb says with this slot, if there is one."""
    key = clause.verb, slot
    value = clause.phrase(slot)
    if not value or value <= lex.TIME_WORDS:
        return None
    if clause.passive and key in kinds.ATTRIBUTES_DONE:
        return kinds.ATTRIBUTES_DONE[key]
    if key == ("call", OBJECT) and "!" in clause.subject.topic:
        return "nickname"
    if key == ("turn", OBJECT) and shape(clause.slots[slot]) == "number":
        return "age"
    if key in kinds.ATTRIBUTES_OF:
        name, said_of = kinds.ATTRIBUTES_OF[key]
        by_name = key in kinds.NAMED and shape(clause.slots[slot]) == "name"
        return name if by_name or value & said_of else None
    if clause.verb in kinds.CHANGE_VERBS and slot and clause.phrase():
        return None  # "moved the files to …" says nothing of a home
    found = kinds.ATTRIBUTES.get(key)
    return None if found == "employer" and value <= kinds.NOT_EMPLOYERS else found


def _of_being(clause: Clause, topic: Content) -> Attribute:
    slot = OBJECT if clause.slots.get(OBJECT) else next(iter(clause.slots), OBJECT)
    words = clause.slots.get(slot, ())
    if "due" in clause.phrase():
        return _one(clause, topic | {"deadline"}, "on" if "on" in clause.slots else slot)
    if not topic:
        return _of_person(clause, slot)
    head = clause.subject.head
    described = head in kinds.ENTITY_NOUNS | lex.OTHERS and shape(words) == "plain"
    named = shape(words) == "name"  # "our scrum master is Ingrid", "the talk is in Lyon"
    arity = Arity.OPEN
    if not topic & kinds.SINGLE_MAKERS and head in kinds.MANY_NOUNS:
        arity = Arity.MANY
    elif topic & kinds.SINGLE_MAKERS:
        arity = Arity.ONE
    elif described:
        arity = Arity.OPEN  # a thing is many things at once: "the car is blue", "… electric"
    elif named or (head in kinds.ATTRIBUTE_NOUNS and slot == OBJECT):
        arity = Arity.ONE
    return Attribute(topic, arity, slot, words)


def _of_person(clause: Clause, slot: str) -> Attribute:
    """What "is" says of a person: who they are, how old, what they do, anything else."""
    words = clause.slots.get(slot, ())
    said = content(words)
    if slot == OBJECT and (_is_job(words) or (clause.wish and shape(words) == "indefinite")):
        return _one(clause, frozenset({"job"}), OBJECT)
    numbers = {word for word in said if word.isdigit()}
    if numbers and said <= numbers | {"old", "year"} and clause.slots.keys() == {OBJECT}:
        return _one(clause, frozenset({"age"}), OBJECT)
    named = shape(words) == "name" and not said <= values.NATIONALITIES
    if clause.subject.person & lex.KIN and named and slot == OBJECT:
        many = clause.subject.head in kinds.MANY_NOUNS
        return Attribute(frozenset({"who"}), Arity.MANY if many else Arity.ONE, OBJECT, words)
    return Attribute(frozenset({"~be"}), Arity.MANY, slot, words)


def _is_job(words: Phrase) -> bool:
    said = [singular(word.text) for word in words if word.text not in lex.ADVERBS]
    said = said[: said.index("of")] if "of" in said else said
    if not said or said[-1] in kinds.NO_JOBS:
        return False
    return kinds.is_job(said[-1]) if said[0] in lex.ARTICLES else said[-1] in kinds.JOBS


def _of_verb(clause: Clause, topic: Content) -> Attribute:
    slot = OBJECT if clause.slots.get(OBJECT) else next(iter(clause.slots), OBJECT)
    # What is done to a thing, or what a thing does at a place, is one more often than not.
    one = clause.verb in kinds.OPEN_VERBS
    one = one or bool(topic and clause.verb in kinds.OPEN_VERBS_OF_THINGS)
    thing = bool(topic) or not clause.subject.person <= lex.KIN
    one = one or (thing and clause.passive and clause.verb not in kinds.LIKING)
    arity = Arity.OPEN if one else Arity.MANY
    return Attribute(topic | {f"~{clause.verb}"}, arity, slot, clause.slots.get(slot, ()))
