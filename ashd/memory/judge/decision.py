"""The verdict on two statements: from their words, a model's opinion, and their speakers."""

from ashd.language import tagged_words
from ashd.language.fingerprint import fingerprint
from ashd.memory.judge import guard, plain_correction
from ashd.memory.judge.statement import Statement
from ashd.memory.judge.verdict import LINKED_FROM, Opinion, Outcome, Verdict


def decide(older: Statement, newer: Statement, opinion: Opinion | None) -> Verdict:
    """Return what `newer` does to `older`, which is active in the same scope.

    `opinion` is a model's on the two texts; without one only equal words are recognised, in
    capitals or not.
    """
    if not newer.shares_subjects(older):
        return Verdict(Outcome.KEEP, "different_subject")
    before, after = fingerprint(older.text), fingerprint(newer.text)
    if before.lower() == after.lower():
        if guard.happened_again(older, newer):
            return Verdict(Outcome.KEEP, "other_time")
        if before != after:
            emphasised = Verdict(Outcome.REPEATS, "other_capitals")
            return guard.by_source(older, newer, emphasised)
        verdict = guard.by_source(older, newer, Verdict(Outcome.SAME, "same_words"))
        if verdict.outcome is Outcome.SAME and guard.is_of_another_day(older, newer):
            return Verdict(Outcome.REPEATS, "other_day")  # both days are kept (A10)
        return verdict
    if opinion is None:
        return Verdict(Outcome.KEEP, "no_opinion")
    verdict = believed(opinion)
    if verdict.outcome is Outcome.KEEP:
        return verdict
    words = tagged_words.read(older.text), tagged_words.read(newer.text)
    verdict = guard.by_source(older, newer, guard.by_words(*words, verdict))
    if verdict.outcome is Outcome.MAY_REPLACE and plain_correction.is_plain(*words):
        return Verdict(Outcome.REPLACES, "plain_correction")
    return verdict


def believed(opinion: Opinion) -> Verdict:
    """Return the verdict for an opinion: a model's belief links at most."""
    if opinion.repeats >= opinion.repeats_from:
        return Verdict(Outcome.REPEATS, "paraphrase")
    if opinion.replaces >= LINKED_FROM:
        return Verdict(Outcome.MAY_REPLACE, "meaning")
    return Verdict(Outcome.KEEP, "unrelated")
