"""Read an answer to `summarise` field by field: a wrong part costs itself, not the others. Pure."""

from typing import Any, Final

import msgspec

from ashd.conversation import summary_text
from ashd.conversation.summary_text import KeyDate, SummaryText
from ashd.providers import structured
from ashd.providers.structured import Fault

_FORM: Final = structured.TEXT_FORM


def read(text: str) -> SummaryText:
    """Return the summary that a model wrote; a field that it left out is empty.

    Raises:
        Fault: there is none. An empty `overall` is one: nothing mattered.
    """
    for value in structured.objects(text):
        for one in (value, *value.values()):
            if isinstance(one, dict) and (made := _summary(structured.folded(one))) is not None:
                return made
    raise Fault("it holds no complete JSON object with `overall`")


def _summary(given: dict[str, Any]) -> SummaryText | None:
    overall = given.get("overall")
    if not isinstance(overall, str) or overall == _FORM:
        overall = None
    made = SummaryText(
        overall=overall or "",
        topics=_texts(given.get("topics")),
        decisions=_texts(given.get("decisions")),
        key_dates=_dates(given.get("key_dates")),
        action_items=_texts(given.get("action_items")),
    )
    return made if overall is not None or summary_text.says_something(made) else None


def _texts(given: Any) -> list[str]:
    """Return the texts in a list's place; an object in it is one text."""
    texts = map(_text, _items(given))
    return [text for text in texts if text and text != _FORM]


def _items(given: Any) -> list[Any]:
    if isinstance(given, dict):
        return [*given.values()]
    return given if isinstance(given, list) else [given]


def _text(item: Any) -> str:
    if isinstance(item, dict):
        return ": ".join(one for one in item.values() if isinstance(one, str))
    return item if isinstance(item, str) else ""


def _dates(given: Any) -> list[KeyDate]:
    found = []
    for one in given if isinstance(given, list) else [given]:
        try:
            found.append(msgspec.convert(structured.folded(one), KeyDate))
        except (AttributeError, msgspec.ValidationError):
            continue  # no object, or without a date
    return found
