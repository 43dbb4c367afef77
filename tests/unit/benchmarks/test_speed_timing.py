"""Times and ratios of `benchmarks/speed`, which hold on a busy machine."""

from benchmarks.speed.timing import Times, interleaved, ratio


def test_a_ratio_is_taken_within_rounds() -> None:
    """A round in which the machine did something else slows both sides and changes nothing."""
    reference = Times([[1, 1, 1], [10, 10, 10], [1, 1, 1]])
    twice = Times([[2, 2, 2], [20, 20, 20], [2, 2, 2]])
    assert 2 == ratio(twice, reference)


def test_one_bad_round_is_outvoted() -> None:
    """The median over rounds, of medians within."""
    assert 2 == ratio(Times([[2], [2], [90]]), Times([[1], [1], [1]]))
    assert 2 == ratio(Times([[2, 2, 90]]), Times([[1, 1, 1]]))


def test_the_row_is_of_all_calls() -> None:
    """Median and 95 % point over every round."""
    hundred = Times([[float(n) for n in range(50)], [float(n) for n in range(50, 100)]])
    assert {"p50_ms": 49.5, "p95_ms": 95.0, "calls": 100} == hundred.row()


def test_every_case_comes_once_a_round_and_the_order_turns() -> None:
    """The rounds follow one uncounted call of each case."""
    called: list[str] = []
    cases = {name: lambda name=name: called.append(name) for name in "ab"}
    times = interleaved(cases, rounds=2, calls=2)
    assert "ab" + "aabb" + "bbaa" == "".join(called)
    assert {"a": [2, 2], "b": [2, 2]} == {
        name: [len(one) for one in case.rounds] for name, case in times.items()
    }
