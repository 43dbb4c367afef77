"""Questions in scripts without spaces: function words that say nothing of the subject.

Such a question is looked for as pairs of characters (`ngrams`), so words that only make it a
question have to be cut out first. Pure functions of text. Row D11.
"""

from collections.abc import Sequence
from typing import Final

from ashd.language.lazy_pattern import pattern_of

_FUNCTION_WORDS: Final = {
    "zh": pattern_of(
        "什么时候|甚麼時候|什么|甚麼|哪里|哪儿|哪个|哪些|哪|怎么样|怎么|为什么|多少|几个|是谁|谁"
        "|我们|你们|他们|我的|你的|我|你|您|吗|呢|吧|是|的|了|都|请问"
    ),
    "ja": pattern_of(
        "ですか|ますか|でしょうか|ました|ます|です|ください|私たち|私|僕|俺|あなた|何|どこ|いつ|誰|どんな"
        "|どの|どう|なぜ|いますか|ありますか|もの|こと"
        "|(?<![ぁ-ん])[のはがをにでへとも](?![ぁ-ん])"
    ),
    "ko": pattern_of(
        r"(?<!\S)(?:나는|나의|내가|내|저는|제가|제|우리|저의|너는|당신은|뭐야|뭐예요|무엇\S*|뭐|어디\S*|언제\S*"
        r"|누구\S*|무슨|어떤|왜|어떻게|있어\S*|있나요|입니까|몇)(?!\w)"
    ),
}


def without_function_words(text: str, spoken: Sequence[str]) -> str:
    """Return the question with spaces for the function words of the first language it may be in."""
    language = next((name for name in spoken if name in _FUNCTION_WORDS), None)
    return text if language is None else _FUNCTION_WORDS[language].sub(" ", text)
