"""English words for seasons, holidays, days and numbers, and what each means (row D6)."""

from typing import Final

SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
VAGUE: Final = {"few": (2, 5), "couple": (2, 3), "several": (3, 8)}
"""The least and the greatest number that a vague one means."""
HOLIDAYS: Final = {
    "christmas eve": (12, 24, 1),
    "christmas day": (12, 25, 1),
    "christmas": (12, 24, 3),
    "boxing day": (12, 26, 1),
    "new year's eve": (12, 31, 1),
    "new year's day": (1, 1, 1),
    "new year": (12, 31, 2),
    "valentine's day": (2, 14, 1),
    "halloween": (10, 31, 1),
    "bonfire night": (11, 5, 1),
    "st patrick's day": (3, 17, 1),
}
"""Month and day of the first day, and the number of days; Easter moves."""
NUMBERS: Final = {
    word: value
    for value, words in {
        1: ("a", "an", "one"),
        2: ("two", "couple of", "a couple of"),
        3: ("three", "few", "a few"),
        4: ("four", "several"),
        **dict(enumerate(zip(("five", "six", "seven", "eight"), strict=True), start=5)),
        **dict(enumerate(zip(("nine", "ten", "eleven", "twelve"), strict=True), start=9)),
    }.items()
    for word in words
}
DAY_WORDS: Final = {
    word: day
    for day, word in enumerate(
        (
            *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"),
            *("ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth"),
            *("sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"),
            *("twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth"),
            *("twenty-sixth", "twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth"),
            "thirty-first",
        ),
        start=1,
    )
}
NAMED_DAYS: Final = {
    "the day before yesterday": -2,
    "the night before last": -2,
    "yesterday": -1,
    "last night": -1,
    "the day after tomorrow": 2,
    "tomorrow": 1,
}
