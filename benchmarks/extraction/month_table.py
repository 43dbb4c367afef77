"""The figures of a month of conversations that a slow model reads."""

from typing import Any

from benchmarks import markdown


def page(result: dict[str, Any]) -> str:
    """The section."""
    answer, window, scale = (result[name] for name in ("answer_s", "window_tokens", "scale"))
    intro = (
        "`python -m benchmarks.extraction.import_month`: an export of ChatGPT is imported, and\n"
        f"the scripted model reads it, with {answer:g} s an answer and a window of {window:,}\n"
        f"tokens. It ran {scale:g} times as fast; hours and the seconds of live turns are scaled\n"
        "up, so they have the daemon's own work that many times.\n"
    )
    rows = (
        ("messages imported", f"{result['messages']:,}"),
        ("seconds of the import", result["import_s"]),
        ("parts that were read, one after another", result["parts"]),
        ("calls of the model", result["calls"]),
        ("facts stored of those that were told", f"{result['stored']}/{result['facts']}"),
        ("tokens of the largest question", f"{result['largest_question_tokens']:,}"),
        ("hours until all was read", result["hours"]),
        ("seconds until ten live turns were read, in the middle of it", result["live_turn_s"]),
    )
    return "\n".join(
        [markdown.machine(result["machine"]), intro, markdown.table(("figure", "value"), rows)]
    )
