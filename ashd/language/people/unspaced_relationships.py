"""Relationship words of Japanese, Chinese and Korean, in which each sign is a word. Pure.

Japanese has words for one's own relatives and others for those of somebody else, so "姉" alone is
the speaker's older sister. Chinese and Korean say whose, except of parents and grandparents. A word
counts only whole: a particle, a space or the end must follow, for "母校" is no mother.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ashd.language.words import Word


class _Language(NamedTuple):
    owners: tuple[str, ...]
    """The ways to say "my" and "our", without spaces."""
    own: str
    """Words that need none of these: "word=relationship"."""
    other: str
    particles: str
    """The signs that may follow a word; empty if all but those of `compounds` may."""
    compounds: str = ""


_LANGUAGES: Final = (
    _Language(
        ("私の", "僕の", "俺の", "うちの", "私たちの"),
        "母=mother 父=father 姉=older_sister 兄=older_brother 妹=younger_sister 弟=younger_brother"
        " 夫=husband 妻=wife 娘=daughter 息子=son 祖母=grandmother 祖父=grandfather 叔母=aunt"
        " 伯母=aunt 叔父=uncle 伯父=uncle 姪=niece 甥=nephew 孫=grandchild 義母=mother-in-law"
        " 義父=father-in-law",
        "彼氏=boyfriend 彼女=girlfriend 友達=friend 友人=friend 親友=best_friend 同僚=colleague"
        " 上司=boss 先生=teacher 隣人=neighbour 大家=landlord いとこ=cousin お母さん=mother"
        " お父さん=father お姉さん=older_sister お兄さん=older_brother おばあちゃん=grandmother"
        " おじいちゃん=grandfather",
        "はがをにともへ",
    ),
    _Language(
        ("我", "我的", "我们", "我们的", "我們", "我們的"),
        "妈妈=mother 媽媽=mother 爸爸=father 奶奶=grandmother 外婆=grandmother 爷爷=grandfather"
        " 爺爺=grandfather 外公=grandfather",
        "妈=mother 爸=father 母亲=mother 母親=mother 父亲=father 父親=father 姐姐=older_sister"
        " 姐=older_sister 妹妹=younger_sister 哥哥=older_brother 哥=older_brother"
        " 弟弟=younger_brother 丈夫=husband 老公=husband 妻子=wife 老婆=wife 太太=wife"
        " 女儿=daughter 女兒=daughter 儿子=son 兒子=son 叔叔=uncle 舅舅=uncle 阿姨=aunt 姑姑=aunt"
        " 侄子=nephew 侄女=niece 男朋友=boyfriend 女朋友=girlfriend 朋友=friend 同事=colleague"
        " 老板=boss 老闆=boss 老师=teacher 老師=teacher 邻居=neighbour 鄰居=neighbour 室友=roommate"
        " 房东=landlord 房東=landlord",
        "",
        "们們圈",
    ),
    _Language(
        ("내", "제", "나의", "저의", "우리", "저희"),
        "엄마=mother 어머니=mother 아빠=father 아버지=father 할머니=grandmother"
        " 할아버지=grandfather",
        "누나=older_sister 언니=older_sister 오빠=older_brother 형=older_brother"
        " 여동생=younger_sister 남동생=younger_brother 남편=husband 아내=wife 딸=daughter 아들=son"
        " 이모=aunt 고모=aunt 삼촌=uncle 사촌=cousin 조카=nephew 동료=colleague 상사=boss"
        " 친구=friend 남자친구=boyfriend 여자친구=girlfriend 이웃=neighbour 선생님=teacher",
        "은는이가을를의에도와과랑",
    ),
)


class _Entry(NamedTuple):
    relationship: str
    particles: str
    compounds: str
    with_owner: bool


def _table() -> dict[tuple[str, ...], _Entry]:
    table: dict[tuple[str, ...], _Entry] = {}
    for language in _LANGUAGES:
        for pairs, needs_owner in ((language.own, False), (language.other, True)):
            for word, relationship in (pair.split("=") for pair in pairs.split()):
                for owner in language.owners if needs_owner else ("", *language.owners):
                    table[tuple(owner + word)] = _Entry(
                        relationship.replace("_", " "),
                        language.particles,
                        language.compounds,
                        bool(owner),
                    )
    return table


_TABLE: Final = _table()
_STARTS: Final = frozenset(signs[0] for signs in _TABLE)
_LONGEST: Final = max(map(len, _TABLE))
_OF: Final = "の"


def unspaced_relationship_at(
    words: Sequence[Word], at: int, *, of_name: bool = False
) -> tuple[str, int] | None:
    """Return the relationship that begins at ``words[at]``, and how many signs it takes.

    With `of_name` a name may follow at once, as in a reference: "姉の美咲", "我姐姐李梅".
    """
    if words[at].key not in _STARTS or (at and not words[at].gap):
        return None
    for width in range(min(_LONGEST, len(words) - at), 0, -1):
        signs = tuple(word.key for word in words[at : at + width])
        found = _TABLE.get(signs)
        if found is None:
            continue
        after = at + width
        following = words[after] if after < len(words) else None
        if following is None or following.gap:
            return found.relationship, width
        if following.key == _OF and (of_name or found.with_owner):
            return found.relationship, width + (of_name and after + 1 < len(words))
        allowed = found.particles or following.key
        if following.key in allowed and following.key not in found.compounds:
            return found.relationship, width
    return None
