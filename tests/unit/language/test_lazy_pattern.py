"""Expressions are compiled once: at their first use, or all before it."""

import re

import pytest

from ashd.language import lazy_pattern


def test_nothing_is_compiled_at_a_use_after_all_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon compiles them in a thread, so that no call does so on its event loop."""
    pattern = lazy_pattern.pattern_of("(b)a(?#never seen before)", re.IGNORECASE)
    lazy_pattern.compile_all(lambda: None)
    monkeypatch.setattr(re, "compile", pytest.fail)

    assert (pattern.pattern, pattern.flags & re.IGNORECASE) == (
        "(b)a(?#never seen before)",
        re.IGNORECASE,
    )
    assert [match[1] for match in pattern.finditer("Ba ba")] == ["B", "b"]


def test_an_expression_is_compiled_at_its_first_use() -> None:
    """Programs that end soon use few of them."""
    assert lazy_pattern.pattern_of("a+").sub("b", "caat") == "cbt"


def test_a_stop_waits_for_no_more_than_one_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon that is stopped soon after its start does not compile the rest first."""
    waiting = [lazy_pattern.pattern_of(text) for text in ("a(?#left)", "b(?#done)")]
    monkeypatch.setattr(lazy_pattern, "_waiting", waiting.copy())
    cancelled = iter([False, True])

    def check_cancelled() -> None:
        if next(cancelled):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lazy_pattern.compile_all(check_cancelled)

    assert lazy_pattern._waiting == waiting[:1]
