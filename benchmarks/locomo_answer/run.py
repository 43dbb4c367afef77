"""Answer LoCoMo's questions from `context.get` through a configured endpoint.

    OPENAI_API_KEY=… python -m benchmarks.locomo_answer.run locomo10.json --model M --out run.jsonl

Each conversation is a user of its own. A question is asked as it stands, with one budget and one
prompt for all categories; nothing tells the model which category it is or when the talk was. What
was done is kept, so the same command goes on after a break.
"""

import argparse
import hashlib
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import openai

import ashd
from ashd_client.sync import Client
from benchmarks.locomo_answer import report
from benchmarks.locomo_answer.data import Question, questions
from benchmarks.locomo_answer.endpoint import PROMPTS, Endpoint, Reply
from benchmarks.locomo_answer.results import Results, Row
from benchmarks.locomo_answer.token_f1 import score
from benchmarks.recall import locomo
from benchmarks.speed import daemons
from tests.daemons import Daemon

BATCH = 200


def run(given: argparse.Namespace) -> Results:
    """Answer and judge what is not done yet."""
    settings = {
        "ashd": ashd.__version__,
        "data": hashlib.sha256(given.data.read_bytes()).hexdigest()[:16],
        "model": given.model,
        "judge": given.judge or given.model,
        "embedder": given.embedder,
        "max_tokens": given.max_tokens,
        "learned": given.learn,
        "without_context": given.without_context,
        "prompts": PROMPTS,
    }
    results = Results(given.out, settings)
    waiting = [one for one in questions(given.data) if one.key not in results.done][: given.limit]
    if not waiting:
        return results
    endpoint = Endpoint(settings["model"], settings["judge"])
    names = {one.conversation for one in waiting}
    told = [one for one in locomo.load(given.data) if one.name in names]
    daemon = _daemon(given)
    try:
        daemon.start()
        for number, conversation in enumerate(told, start=1):
            _tell(daemon, conversation, learn=given.learn)
            print(f"{number} of {len(told)} conversations stored", flush=True)
        if given.learn:
            _learn(daemon)
        _answer_all(daemon, endpoint, waiting, results, given)
    finally:
        daemon.remove()
    return results


def _daemon(given: argparse.Namespace) -> Daemon:
    names = ("ASH_MODELS", "OPENAI_API_KEY", "OPENAI_BASE_URL")
    environment = {name: os.environ[name] for name in names if name in os.environ}
    models = daemons.models_folder(given.models)
    if models is not None:
        environment["ASH_MODELS"] = str(models)
    made = Daemon(environment=environment)
    learning = f'[llm]\nmodel = "{given.model}"\n' if given.learn else ""
    made.config(f'[embedding]\nprovider = "{given.embedder}"\n{learning}')
    return made


def _tell(daemon: Daemon, conversation: locomo.Conversation, *, learn: bool) -> None:
    """Store a conversation, session by session, as a host would."""
    messages = locomo.messages(conversation)
    for start in range(0, len(messages), BATCH):
        taken = daemon.call(
            "conversation.ingest",
            scope=daemons.owner(conversation.name),
            conversation_id=conversation.name,
            messages=messages[start : start + BATCH],
            skip_extraction=not learn,
        )
        if taken["refused"]:
            raise SystemExit(f"Turns of {conversation.name} were refused: {taken['refused']}")


def _learn(daemon: Daemon) -> None:
    """Let the daemon's own language model take facts and summaries out of what was stored."""
    while (through := daemon.call("jobs.flush"))["waiting"]:
        print(f"\r{through['waiting']} jobs wait", end="", flush=True)
    print()


def _answer_all(
    daemon: Daemon,
    endpoint: Endpoint,
    waiting: Sequence[Question],
    results: Results,
    given: argparse.Namespace,
) -> None:
    """Answer several questions at a time; each is written down as soon as it is judged."""

    def work(question: Question) -> None:
        results.add(_row(daemon, endpoint, question, given))

    pool = ThreadPoolExecutor(given.parallel)
    try:
        running = [pool.submit(work, question) for question in waiting]
        for done, future in enumerate(as_completed(running), start=1):
            future.result()
            print(f"\r{done} of {len(waiting)} questions", end="", flush=True)
    except openai.OpenAIError as error:
        raise SystemExit(
            f"\nThe endpoint failed ({type(error).__name__}): {len(results.rows)} questions are"
            " done. Run the same command again to go on."
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)
    print()


def _row(daemon: Daemon, endpoint: Endpoint, question: Question, given: argparse.Namespace) -> Row:
    begun = time.perf_counter()
    block = {"text": "", "token_count": 0}
    if not given.without_context:
        with Client(daemon.socket) as client:
            block = client.call(
                "context.get",
                scope=daemons.owner(question.conversation),
                message=question.text,
                max_tokens=given.max_tokens,
                max_messages=50,
            )
    context = {"seconds": time.perf_counter() - begun, "tokens": block["token_count"]}
    answer = endpoint.answer(block["text"], question)
    verdict, judged = endpoint.judge(question, answer.text)
    return {
        "key": question.key,
        "category": question.category,
        "answer_text": answer.text,
        "f1": score(question.category, answer.text, question.answer),
        "verdict": verdict,
        "context": context,
        "answer": _used(answer),
        "judge": _used(judged),
    }


def _used(reply: Reply) -> dict[str, Any]:
    return {"seconds": reply.seconds, "sent": reply.sent, "received": reply.received}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="locomo_answer", description=__doc__)
    parser.add_argument("data", type=Path, help="LoCoMo's file, or one of its form")
    parser.add_argument("--model", required=True, help="the endpoint's model that answers")
    parser.add_argument("--judge", help="its model that judges; the same unless given")
    parser.add_argument("--out", type=Path, required=True, help="where the answers go (JSON lines)")
    parser.add_argument("--embedder", default="minilm", choices=["minilm", "wordllama", "none"])
    parser.add_argument("--models", type=Path, help="the folder of installed models")
    parser.add_argument("--max-tokens", type=int, default=2_000, help="of the block [2000]")
    parser.add_argument("--parallel", type=int, default=4, help="questions at a time [4]")
    parser.add_argument("--limit", type=int, help="at most so many questions now")
    parser.add_argument("--learn", action="store_true", help="with facts and summaries as well")
    parser.add_argument(
        "--without-context", action="store_true", help="with no memory, to compare with"
    )
    results = run(parser.parse_args(arguments))
    print(report.report(results.rows), end="")


if __name__ == "__main__":
    main()
