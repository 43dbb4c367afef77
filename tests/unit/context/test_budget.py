"""Sections under a budget: what is in, what is out, in which order."""

from hypothesis import given
from hypothesis import strategies as st

from ashd.config import Memory
from ashd.context.budget import Item, Section, budgets_of, fill, heading_tokens
from ashd.token_estimate import estimate

HEADING_TOKENS = heading_tokens("a")


def _section(name: str, sizes: list[int]) -> Section:
    items = [Item(f"{name}{n}", f"{name}{n}", size, at=-n) for n, size in enumerate(sizes)]
    return Section(name, name.title(), items)


def test_filled_by_rank_and_shown_by_time() -> None:
    """The best ranked come in; what is in stands in the order it was said."""
    filled = fill([_section("a", [10, 10, 10])], HEADING_TOKENS + 20)

    assert ["a1", "a0"] == [item.key for item in filled[0].items]


def test_the_lowest_priority_gives_way_first() -> None:
    """A later section gets what the earlier ones leave."""
    filled = fill([_section("a", [30]), _section("b", [30])], 2 * HEADING_TOKENS + 40)

    assert ["a"] == [section.name for section in filled if section.items]


def test_a_section_keeps_to_its_own_budget() -> None:
    """A section's budget binds where the total would not."""
    filled = fill([_section("a", [30, 30])], 1_000, {"a": 40})

    assert [(["a0"], ["in", "over_section"])] == [
        ([item.key for item in section.items], [why for _, why in section.decisions])
        for section in filled
    ]


def test_people_leave_room_for_memories() -> None:
    """The list of people takes a quarter of a small block, and 500 tokens of a large one."""
    assert [25, 500, 500] == [budgets_of(Memory(), size)["people"] for size in (100, 2_000, 9_000)]


def test_a_section_s_budget_is_for_its_items() -> None:
    """The heading counts to the total alone."""
    (exact,) = fill([_section("a", [20, 20])], 1_000, {"a": 40})
    (short,) = fill([_section("a", [20, 20])], 1_000, {"a": 39})

    assert ["a1", "a0"] == [item.key for item in exact.items]
    assert ["a0"] == [item.key for item in short.items]


def test_the_total_is_for_headings_and_items() -> None:
    """The total is exact to a token; a section that shows nothing uses none."""
    (exact, _) = fill([_section("a", [20]), _section("b", [1])], HEADING_TOKENS + 20)
    (short,) = fill([_section("a", [20])], HEADING_TOKENS + 19)
    (_, third) = fill([_section("a", [99]), _section("b", [20])], HEADING_TOKENS + 20)

    assert (["a0"], HEADING_TOKENS + 20) == ([item.key for item in exact.items], exact.tokens)
    assert ([], 0) == (short.items, short.tokens)
    assert ["b0"] == [item.key for item in third.items]
    assert [] == fill([_section("a", [])], 100)


def test_items_without_a_time_keep_their_rank() -> None:
    """The rank decides in every section that is not in time order."""
    items = [Item(key, key, 1, at) for key, at in (("c", 3), ("a", None), ("b", None), ("d", 2))]

    shown = [
        [item.key for item in fill([Section("s", "S", items, in_time_order=order)], 99)[0].items]
        for order in (True, False)
    ]
    assert [["a", "b", "d", "c"], ["c", "a", "b", "d"]] == shown


def test_a_shorter_item_may_still_come_in() -> None:
    """An item that does not fit is left out, and the ones behind it are still tried."""
    filled = fill([_section("a", [50, 5])], HEADING_TOKENS + 10)

    assert ["a1"] == [item.key for item in filled[0].items]


def test_nothing_stands_twice() -> None:
    """An item shown in an earlier section is omitted later, with the reason."""
    item = Item("same", "same", 5)
    filled = fill([Section("a", "A", [item, item]), Section("b", "B", [item])], 100)

    assert [["in", "twice"], ["twice"]] == [[w for _, w in s.decisions] for s in filled]


@given(
    st.lists(st.lists(st.integers(1, 60), max_size=8), max_size=5),
    st.integers(0, 400),
)
def test_the_total_is_held(sizes: list[list[int]], total: int) -> None:
    """The sections together never take more than the total."""
    sections = [_section(f"s{n}_", one) for n, one in enumerate(sizes)]

    assert total >= sum(section.tokens for section in fill(sections, total))


def test_the_estimate_counts_other_scripts_by_character() -> None:
    """Four ASCII characters are a token; a character of another script is one."""
    assert (2, 2, 0) == (estimate("abcdefg"), estimate("日本"), estimate(""))


def test_an_item_that_does_not_fit_is_shortened_if_it_can_be() -> None:
    """The longest text that fits is taken; what fits whole is not shortened."""
    texts = ["x" * 80, "x" * 40, "x" * 20]
    item = Item("a", "x" * 400, 101, shorter=lambda: texts)

    def shown(total: int) -> list[str]:
        filled = fill([Section("s", "S", [item])], HEADING_TOKENS + total)
        return [one.text for section in filled for one in section.items]

    assert shown(101) == [item.text]
    assert shown(100) == [texts[0]]
    assert shown(11) == [texts[1]]
    assert shown(5) == []
