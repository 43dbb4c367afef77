"""The page of the benchmarks has no figure that a run did not write."""

from benchmarks import readme


def test_the_page_is_written_from_the_results() -> None:
    """`python -m benchmarks.readme` would change nothing."""
    assert readme.page() == readme.PAGE.read_text(encoding="utf-8")
