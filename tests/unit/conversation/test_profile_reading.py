"""Answers to `update_profile` as models write them."""

import json
from typing import Any

import pytest

from ashd.conversation import profile_rebuild
from ashd.providers.structured import Fault, Written


def read(answer: Any) -> str:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return profile_rebuild.read(Written(text))


@pytest.mark.parametrize(
    "profile",
    [
        "Bakes bread.\nHas two cats.",
        ["Bakes bread.", "Has two cats."],
        {"work": "Bakes bread.", "home": ["Has two cats."], "plans": None},
        [{"work": "Bakes bread."}, "", {"home": "Has two cats."}],
        {"work": "Bakes bread.", "home": "Has two cats.", "tastes": "string"},
    ],
)
def test_subjects_of_a_profile_are_its_lines(profile: Any) -> None:
    """The prompt asks for a line for each subject, and some models name the subjects."""
    assert "Bakes bread.\nHas two cats." == read({"Profile": profile})


@pytest.mark.parametrize("answer", ["", "Bakes.", {"profile": "string"}, {"profile": 7}, {}])
def test_an_answer_without_a_profile_is_a_fault(answer: Any) -> None:
    """A small model may copy the form that it is shown, which would stand in every prompt."""
    with pytest.raises(Fault):
        read(answer)


@pytest.mark.parametrize("empty", ["", " ", [], None, [""], {"work": "", "home": None}])
def test_an_empty_profile_says_that_there_is_nothing(empty: Any) -> None:
    assert "" == read({"profile": empty})
