"""Ways in which a newer clause says by itself that an older one no longer holds.

By naming what was given up, by an act that ends it, by a state that excludes it, or by a verb
of change on the thing itself. Each is a pure question about two clauses; who they are about is
for the caller to settle first, unless a docstring says otherwise.
"""

from ashd.memory.conflict import kinds, values
from ashd.memory.conflict import lexicon as lex
from ashd.memory.conflict.attribute import attribute_of, shape
from ashd.memory.conflict.clause import (
    LEAD,
    OBJECT,
    Clause,
    Content,
    content,
    lemma,
    singular,
)
from ashd.memory.conflict.verdict import Nearness, exclude


def is_past(clause: Clause) -> bool:
    """It tells of what was, not of what came to be so and still is."""
    lasting = clause.changed or clause.passive or clause.verb in kinds.FOR_LIFE | kinds.BECOMING
    return clause.past and not lasting


def is_number(word: str) -> bool:
    """A number, a thing with a number, or a part of a date."""
    return word[0].isdigit() or word[-1].isdigit() or word in lex.DATE_WORDS


def without_numbers(found: Content) -> Content:
    """The words that are no numbers and no part of a date."""
    return frozenset(word for word in found if not is_number(word))


def heads(clause: Clause) -> Content:
    """The last word of each phrase, and of what stands before its "of"."""
    found = set()
    for phrase in clause.slots.values():
        texts = [word.text for word in phrase]
        parts = [texts, texts[: texts.index("of")] if "of" in texts else []]
        found |= {singular(part[-1]) for part in parts if part}
    return frozenset(found)


def frames_agree(old: Clause, new: Clause, apart: set[str]) -> bool:
    """Whether what stands in the slots but `apart` is the same, or says nothing against it."""
    for slot in (old.slots.keys() | new.slots.keys()) - apart:
        a, b = old.phrase(slot), new.phrase(slot)
        if slot in old.slots and slot in new.slots:
            if not (a <= b or b <= a or all(map(is_number, a ^ b))):
                return False
        elif slot in kinds.RESTRICTING | {LEAD} and not new.changed:
            return False
    return True


def replaces(old: Clause, new: Clause) -> bool:
    """The newer one names the older value as given up: from A to B, B instead of A.

    Both need not be about the same: "we moved the app from A to B" is about the app.
    """
    if new.verb == "replace":
        return bool(new.phrase()) and new.phrase() <= old.content
    about = new.subject.topic | new.content
    if old.subject.topic and not old.subject.topic & about:
        return False
    if old.subject.person and old.subject.person != new.subject.person:
        return False
    if new.phrase("instead") and new.phrase("instead") <= old.phrase():
        return True
    given_up = {"instead", "than"} if new.changed else set()
    if new.changed and new.verb in kinds.CHANGE_VERBS:
        given_up.add("from")
    return any(new.phrase(slot) and new.phrase(slot) <= old.content for slot in given_up)


def ends(old: Clause, new: Clause) -> bool:
    """The newer one says that what the older one says has ended: sold the car, quit smoking."""
    done = new.changed or new.perfect or new.past
    if not done or new.wish or new.negative or old.negative:
        return False
    if is_past(old) or (old.verb in kinds.ENDING and (old.changed or old.perfect)):
        return False
    if not old.subject.topic <= new.subject.topic | new.content or _other_names(old, new):
        return False
    if old.wish and old.verb == new.verb and old.phrase() and old.phrase() <= new.content:
        return True  # what was planned is done
    ended = kinds.ENDING.get(new.verb)
    what = attribute_of(old).name | {old.verb} | ({"want"} if old.wish else set())
    if ended is None or (ended and not what & ended) or (not ended and what & kinds.VIEWS):
        return False
    said = [word for slot, phrase in new.slots.items() if slot != LEAD for word in phrase]
    rest = [word for word in said if lemma(word.text) != old.verb]
    if content(rest) <= old.content and len(rest) < len(said):
        return True  # "stopped smoking"
    shared = without_numbers(old.content & (content(said) | new.subject.all)) - kinds.UNITS
    named = {singular(word.text) for word in (*said, *new.written) if word.is_capital}
    # "sold the car" ends having a car, not having an insurance for it.
    return bool(shared) and (not ended or bool(shared & (named | heads(old))))


def _other_names(old: Clause, new: Clause) -> bool:
    """Both name someone or something, and not the same."""
    first, second = (
        {word.text for phrase in side.slots.values() for word in phrase if word.is_capital}
        for side in (old, new)
    )
    return bool(first and second and not first & second)


def is_elsewhere(old: Clause, new: Clause) -> bool:
    """Who is back, or moved, is no longer where, or on what leave, the older one says."""
    if old.verb != "be" or old.phrase() or old.subject != new.subject or "back" in old.content:
        return False
    away = content(word for slot in ("in", "at", "on") for word in old.slots.get(slot, ()))
    place = shape(old.slots.get("in", ())) == "name" and not away & kinds.ATTRIBUTE_NOUNS
    if new.verb == "move":
        return place and new.changed and bool(new.phrase("to") - away) and not new.phrase()
    back = new.verb in {"be", "come", "get"} and "back" in new.content
    left = bool(away) and new.phrase("from") == away
    return back and (place or left or bool(away & kinds.ABSENCES))


def opposite_states(old: Clause, new: Clause) -> bool:
    """Two states of which only one holds: open, closed; single, married; on, off."""
    if old.negative or new.negative or old.subject.topic != new.subject.topic:
        return False
    types = values.KINDS if old.subject.topic and old.verb == "be" else values.STATES
    stated = {
        slot for slot in (OBJECT, "in", "on") if not _is_dated(old.phrase(slot) | new.phrase(slot))
    }
    return exclude(state(old), state(new), types) and frames_agree(old, new, stated)


def _is_dated(found: Content) -> bool:
    return any(map(is_number, found))


def state(clause: Clause) -> Content:
    """The words that say in what state the subject is; empty if the clause says another thing."""
    if clause.verb in {"eat", "follow", "get"}:
        return clause.content
    if attribute_of(clause).name <= {"employer", "job"}:
        return frozenset({"employed"})
    came_to_be = clause.perfect or (clause.past and clause.changed)
    came_to_be = came_to_be and (not clause.phrase() or clause.verb in {"marry", "divorce"})
    going_on = clause.verb == "date" or (clause.participle.endswith("ing") and not clause.content)
    if clause.verb == "be" or clause.passive or came_to_be or going_on:
        return clause.content | {clause.participle}
    return frozenset()


def opposite_verbs(old: Clause, new: Clause) -> bool:
    """Loving and hating the same."""
    if old.subject.topic != new.subject.topic or not old.content or old.content != new.content:
        return False
    if old.negative or new.negative:
        return False
    return exclude(frozenset({old.verb}), frozenset({new.verb}), values.OPPOSITES)


def changes(old: Clause, new: Clause, near: Nearness) -> bool:
    """A verb of change on the thing itself: the meeting was moved, we moved the meeting."""
    if not new.changed or new.verb not in kinds.CHANGE_VERBS or new.wish or new.negative:
        return False
    alike = new.subject.all == old.subject.all
    about = new.subject.topic or new.phrase()
    of_thing = bool(about) and about == old.subject.topic
    of_object = alike and bool(new.phrase()) and new.phrase() == old.phrase()
    of_self = not of_thing and alike and not new.phrase() and new.verb in kinds.SWITCHING
    if not (of_thing or of_object or of_self):
        return False
    if new.verb in kinds.AMOUNT_VERBS and old.content & (lex.DATE_WORDS | {"due"}):
        return False
    if new.verb == "rename" and old.verb != "be":
        return False
    to = next((slot for slot in ("to", "in", "with", OBJECT) if new.phrase(slot)), None)
    if to is None:
        return False
    value, sort = new.phrase(to), shape(new.slots[to])
    for slot, written in old.slots.items():
        former = old.phrase(slot)
        gone, come = former - value, value - former
        if not gone or not come or shape(written) != sort:
            continue
        if exclude(gone, come) or (former & value and not of_self):
            return True
        if _same_purpose(old, new, {slot, to}) or (of_object and sort == "name"):
            return True
        if old.verb in {lemma(word.text) for word in new.slots[to]}:
            return True  # "switched to studying …"
        if of_thing and sort == "name" and attribute_of(old).name & kinds.PLACES:
            return True
        timed = sort == "number" and old.verb in kinds.OPEN_VERBS | kinds.OPEN_VERBS_OF_THINGS
        being = of_thing and sort != "plain" and (old.verb == "be" or old.passive or timed)
        if being and (sort == "number" or near.one_type(gone, come)):
            return True
    return False


def _same_purpose(old: Clause, new: Clause, apart: set[str]) -> bool:
    others = (old.slots.keys() & new.slots.keys()) - apart
    return any(old.phrase(slot) and old.phrase(slot) == new.phrase(slot) for slot in others)
