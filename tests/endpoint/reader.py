"""Answer by simple rules, the same for the same request: enough to try everything without a key.

It understands nothing. It takes every statement of a speaker for a fact in the speaker's own words,
finds names by their capital letter, and answers a question with the lines of its prompt that share
most words with it.
"""

import re
from collections.abc import Callable
from typing import Any

_TURN = re.compile(r"^\[(\d+)\] (@[^\s:]+|assistant)[^\n]*?: ((?:.|\n(?=    ))*)", re.MULTILINE)
_KNOWN = re.compile(r"\ATurns of a conversation\. Turns 1 to (\d+) are known")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")
_REMEMBER = re.compile(r"(please )?remember (that )?", re.IGNORECASE)
_KIN = re.compile(r"\bmy (?:wife|husband|son|daughter|mother|father|sister|brother|boss|friend)\b")
_SOMEBODY = re.compile(r"\b[Ss]?[Hh]e\b")
_WORD = re.compile(r"[a-z]{3,}")
_OWN = re.compile(r"\b(I|I'm|we|my|our)\b", re.IGNORECASE)
_COMMON = {
    *("what", "who", "when", "where", "which", "does", "did"),
    *("the", "and", "you", "your", "are", "was", "about"),
}


def task_of(body: dict[str, Any]) -> str:
    """The task that the system message names; "chat" where it names none."""
    first = str(body["messages"][0].get("content") or "")
    return first.split("\n", 1)[0].removeprefix("Task: ") if first.startswith("Task: ") else "chat"


def answer(body: dict[str, Any]) -> Any:
    """The reader's answer to a request."""
    users = [message for message in body["messages"] if message["role"] == "user"]
    asked = str(users[0].get("content") or "") if users else ""
    task = task_of(body)
    return chat(body) if task == "chat" else READERS.get(task, lambda _: "I do not know.")(asked)


def turns(text: str) -> list[tuple[int, str, str]]:
    """Number, label and text of every turn of a conversation."""
    return [(int(number), label, said.strip()) for number, label, said in _TURN.findall(text)]


def statements(text: str) -> list[str]:
    """The sentences that tell something about the speaker."""
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(text)]
    return [one for one in sentences if _OWN.search(one) and not one.endswith("?")]


def extract_facts(asked: str) -> dict[str, Any]:
    """Return every statement of a person as one fact; those that begin with "I" are for the profile
    too.
    """
    facts = [
        {
            "content": _REMEMBER.sub("", sentence),
            "subjects": _NAME.findall(sentence),
            "type": "preference" if re.search(r"\b(like|love|prefer)", sentence) else "knowledge",
            "speaker": label,
            "turn": number,
            "quote": sentence,
            "shared": False,
            "confidence": 0.9,
            "sensitivity": "public",
            "portable": True,
            "tags": [],
            "expires_in_days": None,
            "valid_from": None,
            "valid_until": None,
        }
        for number, label, said in turns(asked)
        if label != "assistant"
        for sentence in statements(said)
    ]
    known = int(match.group(1)) if (match := _KNOWN.search(asked)) else 0
    profile = [
        {
            "statement": fact["content"],
            "turn": fact["turn"],
            "quote": fact["quote"],
            "confidence": fact["confidence"],
        }
        for fact in facts
        if fact["content"].startswith("I ") and fact["turn"] > known
    ]
    return {"facts": facts, "entities": [], "relations": [], "profile": profile}


def judge_conflicts(_asked: str) -> dict[str, Any]:
    """Keep everything."""
    return {"verdicts": []}


def summarise(asked: str) -> dict[str, Any]:
    """The first sentence of every turn of a person."""
    said = [text for _, label, text in turns(asked) if label != "assistant"]
    first = [match.group().strip() for text in said if (match := _SENTENCE.search(text))]
    names = list(dict.fromkeys(_NAME.findall(" ".join(said))))
    return {
        "overall": " ".join(first)[:600],
        "topics": names[:5],
        "decisions": [one for one in first if "decide" in one.lower()],
        "key_dates": [],
        "action_items": [],
    }


def update_profile(asked: str) -> dict[str, Any]:
    """Join the statements."""
    return {"profile": "\n".join(line.strip("- ") for line in asked.splitlines() if line.strip())}


def plan_search(asked: str) -> dict[str, Any]:
    """The last turn, with the names of the turns before it."""
    *before, last = [said for _, _, said in turns(asked)] or [""]
    names = list(dict.fromkeys(_NAME.findall("\n".join(before))))[-2:]
    return {"query": " ".join([last, *names]), "lookups": []}


READERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "extract_facts": extract_facts,
    "judge_conflicts": judge_conflicts,
    "summarise": summarise,
    "update_profile": update_profile,
    "plan_search": plan_search,
}


def chat(body: dict[str, Any]) -> Any:
    """Remembers a statement, looks a question up, and answers with what it finds."""
    messages = body["messages"]
    tools = {tool["function"]["name"] for tool in body.get("tools") or ()}
    last = messages[-1]
    if last["role"] == "tool":
        return str(last.get("content") or "Done.")
    said = str(last.get("content") or "")
    known = "\n".join(str(one.get("content") or "") for one in messages[:-1])
    if found := _best_line(said, known):
        return f"As I remember: {found}"
    told = [_REMEMBER.sub("", said)] if _REMEMBER.match(said) else statements(said)
    if told and "remember" in tools:
        before = [one["content"] for one in messages[:-1] if one["role"] == "user"]
        return [("remember", {"facts": [_fact(one, before) for one in told]})]
    if said.rstrip().endswith("?") and "recall" in tools:
        return [("recall", {"query": said})]
    return "I understand."


def _fact(text: str, before: list[str]) -> dict[str, Any]:
    """Return a statement as an argument of `remember`; "she" and "he" are the last person named."""
    named = [name for one in [*before, text] for name in _KIN.findall(one)]
    if named:
        text = _SOMEBODY.sub(named[-1], text, count=1)
    text = text[:1].upper() + text[1:]
    return {"content": text, "subjects": _KIN.findall(text[:1].lower() + text[1:])}


def _best_line(question: str, known: str) -> str | None:
    """The line that shares most words with a question, if any does."""
    if not question.rstrip().endswith("?"):
        return None
    asked = _words(question)
    lines = [line.strip("- ") for line in known.splitlines()]
    best = max(lines, key=lambda line: len(asked & _words(line)), default="")
    return best if asked & _words(best) else None


def _words(text: str) -> set[str]:
    return {word.removesuffix("s") for word in _WORD.findall(text.lower())} - _COMMON
