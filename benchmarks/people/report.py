"""Score the people of short stories: `python -m benchmarks.people.report FILE...`.

A line of a FILE is a story, as JSON: `steps` of `op` "add" (`content`, `subjects`, may be left
out) or "resolve" (`reference`), each by a `user`, with `is`: whom it means. The same letter is one
person, different letters are different people; "?" must be answered `ambiguous`, "N" is nobody;
"A/?" accepts either. An add of several subjects has their letters with commas between.

With `--without-subjects` the adds leave theirs out, and only the references are scored: the people
must be read from the contents. A story is right if every step is; "offered" counts it right too
where the person meant is among `may_be`. A wrong join is one id for two letters.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.speed import daemons
from tests.daemons import CallFailed, Daemon

_NO_PERSON = {"ambiguous": "?", "not_found": "N"}


@dataclass
class Story:
    """The outcome of a story: the person of each letter, the mistakes, and the wrong joins."""

    people: dict[str, str] = field(default_factory=dict)
    mistakes: list[str] = field(default_factory=list)
    offered: int = 0
    joins: int = 0

    def note(self, words: str, wanted: str, answer: str, may_be: list[str]) -> None:
        """Compare an answer, an id or one of "?" and "N", with the letters that are right."""
        choices = wanted.split("/")
        if answer in choices:
            return
        letters = [one for one in choices if one not in {"?", "N"}]
        known = {one: self.people[one] for one in letters if one in self.people}
        is_id = answer not in {"?", "N"}
        if is_id and answer in known.values():
            return
        taken = {person: letter for letter, person in self.people.items()}
        if is_id and letters and len(known) < len(letters) and answer not in taken:
            self.people[next(one for one in letters if one not in known)] = answer
            return
        if "?" in choices and may_be:
            return
        if not set(known.values()).isdisjoint(may_be):
            self.offered += 1
            return
        self.joins += is_id and answer in taken
        said = taken.get(answer, "somebody new") if is_id else answer
        self.mistakes.append(f"{words}: {said} instead of {wanted}")


def run(daemon: Daemon, story: dict[str, Any], *, with_subjects: bool) -> Story:
    """Tell a story to a daemon."""
    outcome = Story()
    for step in story["steps"]:
        scope = daemons.owner(f"{story['id']}-{step['user']}")
        for words, wanted, answer, may_be in _answers(daemon, scope, step, with_subjects):
            if wanted:
                outcome.note(words, wanted, answer, may_be)
    return outcome


def _answers(
    daemon: Daemon, scope: dict[str, str], step: dict[str, Any], with_subjects: bool
) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield each reference of a step, whom it should mean, the answer, and who else it could be."""
    if step["op"] == "resolve":
        try:
            found = daemon.call(
                "person.resolve", scope=scope, reference=step["reference"], create=False
            )
        except CallFailed as error:
            yield step["reference"], step["is"], _NO_PERSON.get(error.kind, error.kind), []
            return
        others = [one["id"] for one in found.get("may_be", ())]
        yield step["reference"], step["is"], found["person_id"], others
        return
    subjects = step.get("subjects") or [] if with_subjects else []
    fact = {"content": step["content"], "subjects": subjects}
    entry = daemon.call("memory.add", scope=scope, facts=[fact])["memories"][0]
    wanted = str(step.get("is") or "").split(",")
    if "error" in entry:
        kind = _NO_PERSON.get(entry["error"]["data"]["kind"], "error")
        yield from ((words, one, kind, []) for words, one in zip(subjects, wanted, strict=False))
        return
    for words, one, person in zip(subjects, wanted, entry["people"], strict=False):
        yield words, one, person["id"], [other["id"] for other in person["may_be"]]


def main() -> None:
    """Print the figures of each file, and the mistakes if asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--without-subjects", action="store_true")
    parser.add_argument("--mistakes", action="store_true", help="print every mistake")
    arguments = parser.parse_args()
    for path in arguments.files:
        lines = [one for one in path.read_text("utf-8").splitlines() if one.startswith("{")]
        with daemons.daemon("none", None) as daemon:
            told = [
                (story, run(daemon, story, with_subjects=not arguments.without_subjects))
                for story in map(json.loads, lines)
            ]
        right = sum(not outcome.mistakes for _, outcome in told)
        offered = sum(bool(outcome.offered) and not outcome.mistakes for _, outcome in told)
        joins = sum(outcome.joins for _, outcome in told)
        print(f"{path.name}: {right} of {len(told)} stories right, {offered} of them by an offer;")
        print(f"  wrong joins: {joins}")
        for story, outcome in told if arguments.mistakes else ():
            for mistake in outcome.mistakes:
                print(f"  {story['id']} {story.get('title', '')}: {mistake}")


if __name__ == "__main__":
    main()
