"""What a new fact does to an older one of the same scope: stand beside it, repeat it, replace it.

The decision is pure and rests on structure (features A10, A11, A13, E7): who or what both speak
of, which attribute, which value. A cosine only opens a question, it never answers one by itself.
What must always hold: whatever cannot be told keeps both; people who differ never conflict;
hearsay never replaces a person's own word; what fades never replaces what lasts.

A language model may judge instead of `decide`: it is a `Judge`, and `guard` applies the rules
beyond the text to its verdict as to this module's own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, Protocol, TypeAlias

from ashd.memory import lexicon as lex
from ashd.memory.attribute import Arity, Attribute, attribute_of, shape
from ashd.memory.statement import (
    LEAD,
    OBJECT,
    Clause,
    Statement,
    content,
    read,
    singular,
    turned,
    verb_form,
)
from ashd.memory.wording import Word, fingerprint, words

ValueCosine: TypeAlias = Callable[[str, str], float]
Content: TypeAlias = frozenset[str]


class Outcome(Enum):
    """What becomes of the older fact, and whether the newer one is stored."""

    KEEP_BOTH = "keep_both"
    DUPLICATE = "duplicate"
    SUPERSEDE = "supersede"


class Verdict(NamedTuple):
    """An outcome and, for the history, the machine-readable reason for it."""

    outcome: Outcome
    reason: str


class Gates(Protocol):
    """An embedder's calibrated cosines; `providers.embedder.Thresholds` is one."""

    @property
    def conflict_gate(self) -> float:
        """Below it two texts do not speak of the same statement."""
        ...

    @property
    def duplicate(self) -> float:
        """At or above it, and without another value, two texts say the same."""
        ...

    @property
    def value_type(self) -> float | None:
        """At or above it two values are of one type; None: this embedder cannot tell."""
        ...


class Judge(Protocol):
    """The seam for a language model: its verdict on two statements, or None if it has none."""

    def __call__(self, older: Statement, newer: Statement) -> Verdict | None:
        """Judge what `newer` does to `older`."""
        ...


_DIFFERING_VALUE: Final = frozenset(
    {"many_valued", "other_value", "other_type", "event", "refines", "other_frame", "unrelated"}
)
"""Reasons why both stay that also say: these two are no paraphrases of each other."""


def _keep(reason: str) -> Verdict:
    return Verdict(Outcome.KEEP_BOTH, reason)


def _supersede(reason: str) -> Verdict:
    return Verdict(Outcome.SUPERSEDE, reason)


def _duplicate(reason: str) -> Verdict:
    return Verdict(Outcome.DUPLICATE, reason)


def decide(
    older: Statement,
    newer: Statement,
    *,
    cosine: float | None,
    value_cosine: ValueCosine | None,
    gates: Gates | None,
) -> Verdict:
    """What `newer` does to `older`, which stands in the same scope.

    `cosine` is that of the two texts, None without an embedder. `value_cosine` gives that of
    two phrases; it is asked only if the embedder can tell types apart (`gates.value_type`).
    """
    if older.subjects != newer.subjects:
        return _keep("different_subject")
    if fingerprint(older.text) == fingerprint(newer.text):
        return guard(older, newer, _duplicate("same_words"))
    near = _Nearness(cosine, value_cosine, gates)
    return guard(older, newer, _by_text(older, newer, near))


def guard(older: Statement, newer: Statement, verdict: Verdict) -> Verdict:
    """`verdict`, unless who said it, what fades or the order of events forbids it."""
    if verdict.outcome is Outcome.DUPLICATE:
        # The same again from the person's own mouth, or for good: better than what stands.
        if older.first_person != "fact" == newer.first_person and (
            older.first_person == "hearsay" and (older.fades or not newer.fades)
        ):
            return _supersede("own_word")
        return _supersede("lasts") if older.fades and not newer.fades else verdict
    if verdict.outcome is Outcome.SUPERSEDE:
        if newer.first_person == "hearsay" and older.first_person == "fact":
            return _keep("hearsay")
        if newer.fades and not older.fades:
            return _keep("fades")
        if None not in (older.observed_at, newer.observed_at) and (
            newer.observed_at < older.observed_at
        ):
            return _keep("observed_earlier")
    return verdict


@dataclass(frozen=True, slots=True)
class _Nearness:
    """What the embedder, if there is one, says of the two texts and of phrases of them."""

    cosine: float | None
    value_cosine: ValueCosine | None
    gates: Gates | None

    @property
    def on_one_statement(self) -> bool:
        """The gate is open: the texts may speak of the same statement."""
        return self.cosine is None or self.gates is None or self.cosine >= self.gates.conflict_gate

    @property
    def as_paraphrases(self) -> bool:
        """The texts are as near as two that say the same."""
        if self.cosine is None or self.gates is None:
            return False
        return self.cosine >= self.gates.duplicate

    def one_type(self, left: Content, right: Content) -> bool | None:
        """Whether two values are of one type; None if nobody can tell."""
        if _of_one_kind(left, right):
            return True
        if self.value_cosine is None or self.gates is None or self.gates.value_type is None:
            return None
        phrases = " ".join(sorted(left)), " ".join(sorted(right))
        return self.value_cosine(*phrases) >= self.gates.value_type


def _of_one_kind(left: Content, right: Content) -> bool:
    """Two different values of a type that the lexicon knows."""
    return _exclude(left, right, lex.KINDS) or _opposed(left, right)


def _exclude(left: Content, right: Content, kinds: Sequence[Sequence[Content]]) -> bool:
    for kind in kinds:
        ours = {at for at, side in enumerate(kind) if side & left}
        theirs = {at for at, side in enumerate(kind) if side & right}
        if ours and theirs and not ours & theirs:
            return True
    return False


def _opposed(left: Content, right: Content) -> bool:
    """One says the opposite by a prefix: happy, unhappy."""
    return any(
        prefix + word in other
        for one, other in ((left, right), (right, left))
        for word in one
        for prefix in ("un", "in", "dis", "non-", "non")
    )


_MOST_PAIRS: Final = 36
"""Of clauses that are compared: six against six. The writer lane is everybody's."""


def _by_text(older: Statement, newer: Statement, near: _Nearness) -> Verdict:
    """The verdict on all clauses of both texts together."""
    before, after = read(older.text), read(newer.text)
    if not before or not after or len(before) * len(after) > _MOST_PAIRS:
        return _keep("unread")
    one_person = bool(older.subjects)
    table = [
        [_either_way(old, new, near, one_person=one_person) for new in after] for old in before
    ]
    replaced = [next((v for v in row if v.outcome is Outcome.SUPERSEDE), None) for row in table]
    repeated = [any(v.outcome is Outcome.DUPLICATE for v in row) for row in table]
    if first := next(filter(None, replaced), None):
        # An older fact that says more than what is replaced stays whole.
        whole = all(r or d for r, d in zip(replaced, repeated, strict=True))
        return first if whole else _keep("says_more")
    columns = zip(*table, strict=True)
    if all(any(v.outcome is Outcome.DUPLICATE for v in column) for column in columns):
        return _duplicate("same_value")
    differs = any(v.reason in _DIFFERING_VALUE for row in table for v in row)
    if near.as_paraphrases and not differs and _paraphrase(older, newer):
        return _duplicate("paraphrase")
    return table[0][0] if len(before) == len(after) == 1 else _keep("no_conflict")


def _either_way(old: Clause, new: Clause, near: _Nearness, *, one_person: bool) -> Verdict:
    """The verdict on two clauses, as they stand or with subject and value turned round."""
    first = _compare(old, new, near, one_person=one_person)
    if first.reason not in {"different_subject", "other_attribute"}:
        return first
    for a, b in ((turned(old), turned(new)), (turned(old), new), (old, turned(new))):
        if a is not None and b is not None:
            verdict = _compare(a, b, near, one_person=one_person)
            if verdict.outcome is not Outcome.KEEP_BOTH:
                return verdict
    return first


def _compare(old: Clause, new: Clause, near: _Nearness, *, one_person: bool) -> Verdict:
    """The verdict on one clause of each text."""
    if new.also:
        return _keep("additive")
    if _replaces(old, new):
        return _supersede("replaced")
    if not _same_subject(old, new, one_person=one_person):
        parted = _both_named(old, new) and _ends(old, new)
        return _supersede("ended") if parted else _keep("different_subject")
    if old.former or new.former:
        return _keep("former")
    if _ends(old, new):
        return _supersede("ended")
    if old.wish != new.wish:
        return _keep("wish")
    if _is_back(old, new):
        return _supersede("ended")
    if old.perfect and old.negative > new.negative and old.verb == new.verb:
        return _supersede("negation") if old.content <= new.content else _keep("other_value")
    if _is_past(old) != _is_past(new):
        return _keep("former")
    if _opposite_states(old, new):
        return _supersede("state")
    left, right = attribute_of(old), attribute_of(new)
    if left.name == right.name:
        return _same_attribute(old, new, left, right, near)
    if _opposite_verbs(old, new):
        return _supersede("negation")
    if new.changed and new.verb in lex.CHANGE_VERBS and not new.wish and not new.negative:
        return _changed(old, new, near)
    return _keep("other_attribute")


def _same_subject(old: Clause, new: Clause, *, one_person: bool) -> bool:
    left, right = old.subject, new.subject
    if left.names and right.names and left.names != right.names:
        return False
    if left.person == right.person or left.all == right.all:
        return True
    if new.changed and not right.all and left.all and new.phrase() == left.all:
        return True  # "we rewrote the frontend" is about the frontend
    if not one_person:
        return False
    # Both are about one known person, whatever each calls them, unless by two names.
    first, second = (side.person - lex.KIN - lex.OTHERS for side in (left, right))
    if first and second:
        return first <= second or second <= first
    return max(len(left.person), len(right.person)) < 2


def _both_named(old: Clause, new: Clause) -> bool:
    """The newer one is about both whom the older one names: A dates B; A and B broke up."""
    both = new.subject.all
    return old.subject.all < both and both - old.subject.all <= old.content


def _is_past(clause: Clause) -> bool:
    """It tells of what was, not of what came to be so and still is."""
    lasting = clause.changed or clause.passive or clause.verb in lex.FOR_LIFE | lex.BECOMING
    return clause.past and not lasting


def _replaces(old: Clause, new: Clause) -> bool:
    """The newer one names the older value as given up: from A to B, B instead of A."""
    if new.verb == "replace":
        return bool(new.phrase()) and new.phrase() <= old.content
    by_verb = new.changed and new.verb in lex.CHANGE_VERBS
    about = new.subject.topic | new.content
    if old.subject.topic and not old.subject.topic & about:
        return False
    if old.subject.person and old.subject.person != new.subject.person:
        return False
    given_up = (["from"] if by_verb else []) + [s for s in ("instead", "than") if new.changed]
    return any(new.phrase(slot) and new.phrase(slot) <= old.content for slot in given_up)


def _ends(old: Clause, new: Clause) -> bool:
    """The newer one says that what the older one says has ended: sold the car, quit smoking."""
    done = new.changed or new.perfect or new.past
    if not done or new.wish or new.negative or old.negative or _is_ended(old):
        return False
    if _is_past(old):
        return False
    if not old.subject.topic <= new.subject.topic | new.content or _names(old, new):
        return False
    if old.wish and old.verb == new.verb and old.phrase() and old.phrase() <= new.content:
        return True
    ends = lex.ENDING.get(new.verb)
    kind = attribute_of(old).name | {old.verb} | ({"want"} if old.wish else set())
    if ends is None or (ends and not kind & set(ends.split())) or (not ends and kind & lex.VIEWS):
        return False
    said = [word for slot, phrase in new.slots.items() if slot != LEAD for word in phrase]
    verbs = {form[0] for word in said if (form := verb_form(word.text))}
    if not old.content:
        return old.verb in verbs
    shared = _unnumbered(old.content & (content(said) | new.subject.all)) - lex.UNITS
    named = {singular(word.text) for word in (*said, *new.written) if word.is_capital}
    # "sold the car" ends having a car, not having an insurance for it.
    return bool(shared) and (not ends or bool(shared & (named | _heads(old))))


def _is_back(old: Clause, new: Clause) -> bool:
    """Who is back is no longer where, or on what leave, the older one says."""
    if "back" not in new.content or "back" in old.content or old.phrase():
        return False
    if old.verb != "be" or new.verb not in {"be", "come", "get"} or old.subject != new.subject:
        return False
    away = [word for slot in ("in", "at", "on") for word in old.slots.get(slot, ())]
    place = shape(old.slots.get("in", ())) == "name" and not content(away) & lex.ATTRIBUTE_NOUNS
    return place or bool(content(away) & lex.ABSENCES)


def _is_ended(clause: Clause) -> bool:
    return clause.verb in lex.ENDING and clause.changed


def _heads(clause: Clause) -> Content:
    """The last word of each phrase, and of what stands before its "of"."""
    heads = set()
    for phrase in clause.slots.values():
        texts = [word.text for word in phrase]
        parts = [texts, texts[: texts.index("of")] if "of" in texts else []]
        heads |= {singular(part[-1]) for part in parts if part}
    return frozenset(heads)


def _names(old: Clause, new: Clause) -> bool:
    """Both name someone or something, and not the same."""
    first, second = (
        {word.text for phrase in side.slots.values() for word in phrase if word.is_capital}
        for side in (old, new)
    )
    return bool(first and second and not first & second)


def _opposite_states(old: Clause, new: Clause) -> bool:
    """Two states of which only one holds: open, closed; single, married; on, off."""
    if old.negative or new.negative or old.subject.topic != new.subject.topic:
        return False
    left, right = _state(old), _state(new)
    kinds = lex.KINDS if old.subject.topic and old.verb == "be" else lex.STATES
    opposed = _opposed(left, right) or _exclude(left, right, kinds)
    return opposed and _frames_agree(old, new, {OBJECT})


def _state(clause: Clause) -> Content:
    if clause.verb in {"eat", "become", "follow", "get"}:
        return clause.content
    came_to_be = clause.perfect or (clause.past and clause.changed)
    came_to_be = came_to_be and (not clause.phrase() or clause.verb in {"marry", "divorce"})
    if clause.verb == "be" or clause.passive or came_to_be:
        return clause.content | {clause.participle}
    return frozenset()


def _opposite_verbs(old: Clause, new: Clause) -> bool:
    """Loving and hating the same."""
    if not old.content or old.content != new.content or old.negative or new.negative:
        return False
    if old.subject.topic != new.subject.topic:
        return False
    return any(
        {old.verb, new.verb} <= one | other and (old.verb in one) != (new.verb in one)
        for one, other in lex.OPPOSITES
    )


def _same_attribute(
    old: Clause, new: Clause, left: Attribute, right: Attribute, near: _Nearness
) -> Verdict:
    """The verdict on two clauses that speak of one attribute of one subject."""
    if old.negative != new.negative:
        a, b = _unnumbered(old.content), _unnumbered(new.content)
        # Having no car says nothing of having a car insurance.
        one_thing = a == b or bool(_heads(old) & _heads(new))
        agree = one_thing and (a <= b or b <= a)
        return _supersede("negation") if agree else _keep("other_value")
    if "over" in old.slots and "over" in new.slots and left.value == new.phrase("over"):
        return _supersede("same_slot")
    if old.content == new.content and left.value == right.value:
        told = bool(old.content) or old.verb != "be"
        return _duplicate("same_value") if told else _keep("unread")
    if old.negative:
        return _keep("many_valued")
    if verdict := _numbers(old, new, left):
        return verdict
    if left.arity is Arity.ONE is right.arity:
        return _one_value(old, new, left, right, near)
    return _open_value(old, new, left, near)


def _numbers(old: Clause, new: Clause, left: Attribute) -> Verdict | None:
    """The same but for numbers, days or dates; None if that is not all that differs."""
    a, b = old.content, new.content
    if _unnumbered(a) != _unnumbered(b):
        return None
    before, after = a - _unnumbered(a), b - _unnumbered(b)
    if not before and not after:
        return None
    if before <= after or after <= before:
        return _keep("refines")
    dated = bool((before | after) & lex.MONTHS or (before ^ after) & lex.DAYS)
    if dated and _state(old) & lex.HOURS:
        return _keep("many_valued")
    once = bool(dated) or (shape(old.slots.get(OBJECT, ())) == "indefinite")
    if _is_past(old) or (left.arity is Arity.MANY and once and not new.changed):
        return _keep("event")
    if _numbered_slots(old) != _numbered_slots(new) and not new.changed:
        return _keep("other_frame")
    return _supersede("number")


def _numbered_slots(clause: Clause) -> set[str]:
    return {slot for slot in clause.slots if any(map(_is_number, clause.phrase(slot)))}


def _unnumbered(found: Content) -> Content:
    return frozenset(word for word in found if not _is_number(word))


def _is_number(word: str) -> bool:
    return word[0].isdigit() or word[-1].isdigit() or word in lex.DATE_WORDS


def _one_value(
    old: Clause, new: Clause, left: Attribute, right: Attribute, near: _Nearness
) -> Verdict:
    """One value at a time: another replaces it if it is a value of the same sort."""
    if left.value <= right.value or right.value <= left.value:
        return _keep("refines")
    if not _frames_agree(old, new, {left.slot, right.slot}):
        return _keep("other_frame")
    if "home" in left.name and (left.value | right.value) & lex.WORKPLACES:
        return _keep("other_type")
    if new.changed:
        return _supersede("change_cue")
    gone, come = left.value - right.value, right.value - left.value
    if "home" in left.name and bool(gone & lex.REGIONS) != bool(come & lex.REGIONS):
        return _keep("other_type")
    if "home" in left.name and left.slot != right.slot:
        return _keep("other_type")
    sorts = {shape(left.words), shape(right.words)}
    made_single = bool(left.name & (lex.SINGLE_MAKERS | lex.SINGLE))
    if (len(sorts) == 1 and sorts != {"plain"}) or (made_single and sorts <= {"plain", "name"}):
        return _supersede("same_slot")
    typed = near.one_type(gone, come)
    if typed or (typed is None and sorts == {"plain"}):
        return _supersede("same_slot")
    return _keep("other_type")


def _open_value(old: Clause, new: Clause, left: Attribute, near: _Nearness) -> Verdict:
    """One value or many: only values of one type exclude each other, and not of every verb."""
    if _served_otherwise(old, new):
        return _supersede("same_slot")
    slots = [s for s in old.slots.keys() & new.slots.keys() if old.phrase(s) != new.phrase(s)]
    slot = OBJECT if OBJECT in slots else slots[0] if len(slots) == 1 else None
    if slot is None:
        return _keep("other_frame")
    value, other = old.phrase(slot), new.phrase(slot)
    gone, come = value - other, other - value
    if not gone or not come:
        return _keep("refines")
    if not _frames_agree(old, new, {slot}):
        return _keep("other_frame")
    same_kind = _of_one_kind(gone, come)
    if left.arity is Arity.MANY and old.verb not in lex.EXCLUSIVE_VERBS:
        manner = slot in {"in", "as", "with", "by", "via"} and old.phrase() == new.phrase()
        way = old.verb == "use" and (value & other or new.changed)
        cued = new.cued and (old.wish or old.verb not in lex.MANY_VERBS | {"be"})
        plain = old.verb not in lex.MANY_VERBS and not old.able
        if not (same_kind and (manner or way or plain) or cued):
            return _keep("many_valued")
    if same_kind:
        return _supersede("change_cue" if new.changed else "same_slot")
    if not near.on_one_statement:
        return _keep("unrelated")
    sorts = shape(old.slots[slot]), shape(new.slots[slot])
    typed = near.one_type(gone, come)
    if new.changed and typed is not False:
        return _supersede("change_cue")
    described = old.verb == "be" and slot == OBJECT and sorts == ("plain", "plain")
    if old.verb in lex.EXCLUSIVE_VERBS and not old.content & new.content:
        return _keep("other_type")
    done_to_it = old.passive and bool(old.subject.all - lex.KIN) and slot != OBJECT
    if (typed or done_to_it) and sorts[0] == sorts[1] and not described:
        return _supersede("same_slot")
    return _keep("other_type")


def _served_otherwise(old: Clause, new: Clause) -> bool:
    """The same thing had in another way: coffee black, coffee with milk."""
    shared = old.phrase() & new.phrase()
    if not shared or old.phrase("with") == new.phrase("with"):
        return False
    gone, come = old.content - new.content, new.content - old.content
    return _of_one_kind(gone, come) and old.slots.keys() != new.slots.keys()


def _frames_agree(old: Clause, new: Clause, values: set[str]) -> bool:
    """Whether what stands around the value is the same, or says nothing against it."""
    for slot in (old.slots.keys() | new.slots.keys()) - values:
        a, b = old.phrase(slot), new.phrase(slot)
        if slot in old.slots and slot in new.slots:
            if not (a <= b or b <= a or all(map(_is_number, a ^ b))):
                return False
        elif slot in lex.RESTRICTING | {LEAD} and not new.changed:
            return False
    return True


def _changed(old: Clause, new: Clause, near: _Nearness) -> Verdict:
    """A verb of change on the thing itself: the meeting was moved to Friday, we moved it to …"""
    alike = new.subject.all == old.subject.all
    about = new.subject.topic or new.phrase()
    of_thing = bool(about) and about == old.subject.topic
    of_object = alike and bool(new.phrase()) and new.phrase() == old.phrase()
    of_self = not of_thing and alike and not new.phrase() and new.verb in lex.SWITCHING
    if not (of_thing or of_object or of_self):
        return _keep("other_attribute")
    if new.verb in lex.AMOUNT_VERBS and old.content & (lex.DATE_WORDS | {"due"}):
        return _keep("other_attribute")
    if new.verb == "rename" and old.verb != "be":
        return _keep("other_attribute")
    to = next((slot for slot in ("to", "in", "with", OBJECT) if new.phrase(slot)), OBJECT)
    value, sort = new.phrase(to), shape(new.slots.get(to, ()))
    for slot, written in old.slots.items():
        former = old.phrase(slot)
        gone, come = former - value, value - former
        if not gone or not come or shape(written) != sort:
            continue
        purpose = any(
            old.phrase(other) and old.phrase(other) == new.phrase(other)
            for other in old.slots.keys() - {slot, to}
        )
        being = of_thing and sort != "plain" and (old.verb == "be" or old.passive)
        typed = sort == "number" or near.one_type(gone, come)
        if _of_one_kind(gone, come) or (former & value and not of_self) or purpose:
            return _supersede("change_cue")
        again = any(
            (form := verb_form(word.text)) and form[0] == old.verb for word in new.slots[to]
        )
        if again or (being and typed) or (of_object and sort == "name"):
            return _supersede("change_cue")
    return _keep("other_type")


def _paraphrase(older: Statement, newer: Statement) -> bool:
    """Whether two near texts say the same: no name, number, person or polarity differs."""
    before, after = read(older.text), read(newer.text)
    if any(c.also for c in after) or _moods(before) != _moods(after):
        return False
    left, right = words(older.text), words(newer.text)
    a, b = content(left), content(right)
    if _fixed(left) != _fixed(right) or _of_one_kind(a - b, b - a):
        return False
    gone, come = _things(a - b, b), _things(b - a, a)
    if len(gone) != len(come) or len(come) > 1:
        return False  # one of them says more, or something else
    verbs = {clause.verb for clause in (*before, *after)}
    if len(verbs) > 1 and verbs <= lex.MANY_VERBS:
        return False  # visiting a place is not liking it
    about, again = (frozenset().union(*(c.subject.all for c in side)) for side in (before, after))
    if {c.verb for c in before} == {c.verb for c in after} and about != again:
        return False
    return not (about - b and again - a)


def _things(found: Content, others: Content) -> set[str]:
    """What of `found` is no verb, no small word and no form of a word of `others`."""
    small = lex.PREPOSITIONS | lex.AUXILIARIES | {"there"}
    stems = {word[:4] for word in others}
    return {
        word
        for word in found - small
        if not (verb_form(word) or word.endswith(("ed", "ing")) or word[:4] in stems)
    }


def _moods(clauses: Sequence[Clause]) -> set[tuple[bool, ...]]:
    return {(c.negative, c.wish, c.former, _is_past(c), c.changed) for c in clauses}


def _fixed(found: Sequence[Word]) -> Content:
    """The words that no paraphrase changes: numbers, names, relations, dates."""
    return frozenset(
        singular(word.text)
        for at, word in enumerate(found)
        if word.is_number
        or (word.is_capital and at and word.text not in lex.SELF)
        or singular(word.text) in lex.KIN
        or word.text in lex.DATE_WORDS
    )
