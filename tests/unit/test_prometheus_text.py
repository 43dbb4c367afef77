"""Metrics as text: what another program's parser reads, and the outcomes of questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from ashd import errors
from ashd.prometheus_text import LONG_BOUNDS, ModelCalls, Requests, family, single

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(label=TEXTS, value=st.floats(allow_nan=False) | st.integers(0, 2**53))
def test_any_label_and_value_are_read_back(label: str, value: float) -> None:
    """Quotes, backslashes and line ends in a label, and numbers of any size."""
    text = family("ashd_thing", "gauge", "A thing.", [({"name": label}, value)])
    text += single("ashd_other", "gauge", "Another.", 1)
    thing, other = text_string_to_metric_families(text)
    (sample,) = thing.samples

    assert (sample.name, sample.labels, sample.value) == ("ashd_thing", {"name": label}, value)
    assert (thing.documentation, thing.type, other.samples[0].value) == ("A thing.", "gauge", 1)


def _asked(calls: ModelCalls, error: BaseException | None) -> None:
    with calls.timed("plan_search"):
        if error is not None:
            raise error


def _samples(calls: ModelCalls) -> dict[str, dict[tuple[str, ...], float]]:
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for one in text_string_to_metric_families(calls.text()):
        for sample in one.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


def test_questions_are_counted_by_their_outcome() -> None:
    """An answer, each reason of a failure, and a caller who gave up; a pause takes no time."""
    calls = ModelCalls()
    _asked(calls, None)
    for error in (
        errors.LlmUnavailable("down", reason="unreachable"),
        errors.LlmUnavailable("paused", reason="ceiling", asked=False),
        errors.MalformedAnswer("no JSON"),
        KeyboardInterrupt(),
    ):
        with pytest.raises(type(error)):
            _asked(calls, error)
    calls.count("chat", "ok")
    found = _samples(calls)

    outcomes = ("ok", "unreachable", "ceiling", "malformed", "cancelled")
    assert found["ashd_llm_calls_total"] == {
        **{("plan_search", outcome): 1 for outcome in outcomes},
        ("chat", "ok"): 1,
    }
    assert found["ashd_llm_call_seconds_count"] == {("plan_search",): 4}
    assert len(found["ashd_llm_call_seconds_bucket"]) == len(LONG_BOUNDS) + 1


def test_buckets_add_up_and_hold_their_bound() -> None:
    """A duration that equals a bound is in that bucket; the last one has all."""
    requests = Requests()
    for seconds in (0.001, 0.0011, 5.0, 99.0):
        requests.observe("memory.add", "ok", seconds)
    requests.count("memory.add", "parse_error")
    counted, timed = text_string_to_metric_families(requests.text())
    buckets = {one.labels["le"]: one.value for one in timed.samples if "le" in one.labels}

    assert {one.labels["kind"]: one.value for one in counted.samples} == {
        "ok": 4,
        "parse_error": 1,
    }
    assert [buckets[le] for le in ("0.001", "0.0025", "2.5", "5.0", "30.0", "+Inf")] == [
        *(1, 2, 2, 3, 3, 4)
    ]
