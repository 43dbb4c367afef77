"""The verdict on one clause of the older fact and one of the newer. Pure.

First whether both are about the same, then whether the newer one says by itself that the older
one is over (`change`), then, if both speak of one attribute, whether their values agree.
"""

from enum import Enum

from ashd.memory.conflict import kinds, values
from ashd.memory.conflict import lexicon as lex
from ashd.memory.conflict.attribute import Arity, Attribute, attribute_of, shape
from ashd.memory.conflict.change import (
    changes,
    ends,
    frames_agree,
    heads,
    is_elsewhere,
    is_number,
    is_past,
    opposite_states,
    opposite_verbs,
    replaces,
    state,
    without_numbers,
)
from ashd.memory.conflict.clause import OBJECT, Clause
from ashd.memory.conflict.reading import turned
from ashd.memory.conflict.verdict import (
    Nearness,
    Outcome,
    Verdict,
    duplicate,
    exclude,
    keep,
    supersede,
)


class About(Enum):
    """What is known of whom both facts are about, beside their words."""

    UNKNOWN = "unknown"
    """Nothing: only the same words are the same person."""
    ONE_PERSON = "one person"
    """One person whom neither is told by: "Sarah", "she" and "my wife" are the same."""
    OWN_WORD = "own word"
    """One person who tells the newer one: its "I" is the older one's "Sarah"."""


def compare(old: Clause, new: Clause, near: Nearness, about: About) -> Verdict:
    """The verdict on two clauses, as they stand or with subject and value turned round."""
    first = _compare(old, new, near, about)
    if first.reason not in {"different_subject", "other_attribute"}:
        return first
    for a, b in ((turned(old), turned(new)), (turned(old), new), (old, turned(new))):
        if a is not None and b is not None:
            verdict = _compare(a, b, near, about)
            if verdict.outcome is not Outcome.KEEP_BOTH:
                return verdict
    return first


def _compare(old: Clause, new: Clause, near: Nearness, about: About) -> Verdict:
    if new.also:
        return keep("additive")
    if replaces(old, new):
        return supersede("replaced")
    if not _same_subject(old, new, about):
        parted = _names_both(old, new) and ends(old, new)
        return supersede("ended") if parted else keep("different_subject")
    if old.former or new.former:
        return keep("former")
    if ends(old, new) or (old.wish == new.wish and is_elsewhere(old, new)):
        return supersede("ended")
    if old.wish != new.wish:
        return keep("wish")
    same_topic = old.subject.topic == new.subject.topic
    never = old.perfect and old.negative and not new.negative
    if never and same_topic and old.verb == new.verb:
        return supersede("negation") if old.content <= new.content else keep("other_value")
    if same_topic and _gets(old, new):
        return supersede("negation")
    if is_past(old) != is_past(new):
        return keep("former")
    if opposite_states(old, new):
        return supersede("state")
    left, right = attribute_of(old), attribute_of(new)
    if left.name == right.name:
        return _same_attribute(old, new, left, right, near)
    # "Opens at 9" and "closes at 9" are both so; "is open on Mondays" and "closed" are not.
    timed = any(map(is_number, old.content | new.content)) and old.verb in kinds.AT_TIMES
    if opposite_verbs(old, new) and not timed:
        return supersede("negation")
    return supersede("change_cue") if changes(old, new, near) else keep("other_attribute")


def _same_subject(old: Clause, new: Clause, about: About) -> bool:
    left, right = old.subject, new.subject
    if left.names and right.names and left.names != right.names:
        return False
    if left.person == right.person or left.all == right.all:
        return True
    if new.changed and not right.all and left.all and new.phrase() == left.all:
        return True  # "we rewrote the frontend" is about the frontend
    if about is About.UNKNOWN or max(len(left.person), len(right.person)) > 1:
        return False
    if about is About.OWN_WORD:
        return not right.person
    first, second = (side.person - lex.KIN - lex.OTHERS for side in (left, right))
    return not (first and second)


def _names_both(old: Clause, new: Clause) -> bool:
    """The newer one is about both whom the older one names: A dates B; A and B broke up."""
    both = new.subject.all
    return old.subject.all < both and both - old.subject.all <= old.content


def _gets(old: Clause, new: Clause) -> bool:
    """Who had none has got one."""
    if old.verb != "have" or not old.negative or new.negative or new.wish:
        return False
    done = new.past or new.perfect
    return (
        done and new.verb in kinds.GETTING and bool(old.phrase()) and old.phrase() <= new.phrase()
    )


def _same_attribute(
    old: Clause, new: Clause, left: Attribute, right: Attribute, near: Nearness
) -> Verdict:
    """The verdict on two clauses that speak of one attribute of one subject."""
    if old.negative != new.negative:
        a, b = without_numbers(old.content), without_numbers(new.content)
        # Having no car says nothing of having a car insurance, no raw fish nothing of fish.
        narrower = a < b if new.negative else b < a
        alike = a == b or ((a < b or b < a) and not narrower and bool(heads(old) & heads(new)))
        return supersede("negation") if alike else keep("other_value")
    if "over" in old.slots and "over" in new.slots and left.value == new.phrase("over"):
        return supersede("same_slot")
    if old.content == new.content and left.value == right.value:
        says_something = bool(old.content) or old.verb != "be"
        return duplicate("same_value") if says_something else keep("unread")
    if old.negative:
        return keep("many_valued")
    if is_past(old):
        return keep("event")
    if verdict := _by_numbers(old, new, left):
        return verdict
    if left.arity is Arity.ONE is right.arity:
        return _one_value(old, new, left, right, near)
    return _open_value(old, new, left, near)


def _by_numbers(old: Clause, new: Clause, left: Attribute) -> Verdict | None:
    """The same but for numbers, days or dates; None if that is not all that differs."""
    a, b = old.content, new.content
    before, after = a - without_numbers(a), b - without_numbers(b)
    if without_numbers(a) != without_numbers(b) or not (before or after):
        return None
    if before <= after or after <= before:
        return keep("refines")
    dated = bool((before | after) & lex.MONTHS or (before ^ after) & lex.DAYS)
    if dated and (state(old) | {old.verb}) & kinds.HOURS:
        return keep("many_valued")
    # A person may do something on several days; what a thing does recurs on one.
    once = (dated and not old.subject.topic) or shape(old.slots.get(OBJECT, ())) == "indefinite"
    if left.arity is Arity.MANY and once and not new.changed:
        return keep("event")
    if _numbered_slots(old) != _numbered_slots(new) and not new.changed:
        return keep("other_frame")
    return supersede("number")


def _numbered_slots(clause: Clause) -> set[str]:
    return {slot for slot in clause.slots if any(map(is_number, clause.phrase(slot)))}


def _one_value(
    old: Clause, new: Clause, left: Attribute, right: Attribute, near: Nearness
) -> Verdict:
    """One value at a time: another replaces it if it is a value of the same sort."""
    if left.value == right.value and new.content - right.value <= old.content | {"due"}:
        return duplicate("same_value")
    promoted = new.cued and "job" in left.name
    if not promoted and (left.value <= right.value or right.value <= left.value):
        return keep("refines")
    if not frames_agree(old, new, {left.slot, right.slot}):
        return keep("other_frame")
    home = "home" in left.name
    if home and (left.value | right.value) & kinds.WORKPLACES:
        return keep("other_type")
    if new.changed:
        return supersede("change_cue")
    gone, come = left.value - right.value, right.value - left.value
    wider = bool(gone & values.REGIONS) != bool(come & values.REGIONS)
    if wider or (home and left.slot != right.slot):
        return keep("other_type")
    sorts = {shape(left.words), shape(right.words)}
    surely_one = bool(left.name & (kinds.SINGLE_MAKERS | kinds.SINGLE))
    if (len(sorts) == 1 and sorts != {"plain"}) or (surely_one and sorts <= {"plain", "name"}):
        return supersede("same_slot")
    typed = near.one_type(gone, come)
    if typed or (typed is None and sorts == {"plain"}):
        return supersede("same_slot")
    return keep("other_type")


def _open_value(old: Clause, new: Clause, left: Attribute, near: Nearness) -> Verdict:
    """One value or many: only values of one type exclude each other, and not of every verb."""
    if _served_otherwise(old, new):
        return supersede("same_slot")
    slots = [s for s in old.slots.keys() & new.slots.keys() if old.phrase(s) != new.phrase(s)]
    if OBJECT not in slots and len(slots) != 1:
        return keep("other_frame")
    slot = OBJECT if OBJECT in slots else slots[0]
    gone, come = (
        old.phrase(slot) - new.phrase(slot),
        new.phrase(slot) - old.phrase(slot),
    )
    if not gone or not come:
        return keep("refines")
    if not frames_agree(old, new, {slot}):
        return keep("other_frame")
    known = exclude(gone, come)
    if left.arity is Arity.MANY and not _excludes(old, new, slot, near, known=known):
        return keep("many_valued")
    if known:
        return supersede("change_cue" if new.changed else "same_slot")
    done_to_it = old.passive and bool(old.subject.all - lex.KIN) and slot != OBJECT
    if done_to_it and shape(old.slots[slot]) == shape(new.slots[slot]):
        return supersede("change_cue" if new.changed else "same_slot")
    if not (near.on_one_statement or new.cued):
        return keep("unrelated")
    return _by_type(old, new, slot, near.one_type(gone, come))


def _excludes(old: Clause, new: Clause, slot: str, near: Nearness, *, known: bool) -> bool:
    """Whether another value of a verb with many values can yet replace the former."""
    listed = old.verb in kinds.MANY_VERBS or old.verb not in lex.VERBS | {"be"}
    being = old.verb == "be" and not heads(old) & heads(new)
    # "now" replaces how or where something is done; what is liked, known, read stays beside it.
    if new.cued and (old.wish or not (listed or being) or (slot != OBJECT and not being)):
        return True
    manner = slot in {"in", "as", "by", "via"} and bool(old.phrase()) and not old.able
    manner = manner and old.phrase() == new.phrase()
    if not known:
        # All but the same text, of a verb that is not known to have many values.
        wanted = manner and old.verb == "want"
        alike = bool(old.content & new.content) and not (listed or old.able or old.verb == "be")
        return near.as_paraphrases and (wanted or alike)
    if not (listed or old.able) or (slot == "with" and old.phrase() == new.phrase()):
        return True
    return manner or (old.verb == "use" and bool(old.phrase(slot) & new.phrase(slot)))


def _by_type(old: Clause, new: Clause, slot: str, typed: bool | None) -> Verdict:
    """The verdict where only the embedder can tell whether two values are of one type."""
    if new.changed and typed is not False:
        return supersede("change_cue")
    if old.verb in kinds.EXCLUSIVE_VERBS and not old.content & new.content:
        return keep("other_type")
    sorts = shape(old.slots[slot]), shape(new.slots[slot])
    described = old.verb == "be" and slot == OBJECT and sorts == ("plain", "plain")
    described = described and (
        old.subject.head in kinds.ENTITY_NOUNS
        or any(kinds.is_adjective(w) for w in old.phrase() ^ new.phrase())
    )
    if typed and sorts[0] == sorts[1] and not described:
        return supersede("same_slot")
    return keep("other_type")


def _served_otherwise(old: Clause, new: Clause) -> bool:
    """The same thing had in another way: coffee black, coffee with milk."""
    if not old.phrase() & new.phrase() or old.phrase("with") == new.phrase("with"):
        return False
    gone, come = old.content - new.content, new.content - old.content
    return exclude(gone, come) and old.slots.keys() != new.slots.keys()
