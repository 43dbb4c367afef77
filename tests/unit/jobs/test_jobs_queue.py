"""The job queue on a real database, with handlers of the test's own."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from services import FixedClock, call_of

from ashd import errors
from ashd.jobs import policy
from ashd.jobs.queue import SLOTS, SLOTS_PER_OWNER, Queue
from ashd.jobs.work import Unfinished, Work, nothing
from ashd.providers import metering
from ashd.store import conversations, jobs
from ashd.store.database import Database, Tx
from ashd.store.erasure import texts
from ashd.store.erasure.texts import Told
from ashd.store.jobs import Job

SCOPE = {"provider": "test", "user_id": "o"}


class Does:
    """A handler that does what it is given."""

    def __init__(self, do: Callable[[Job], Awaitable[Work]]) -> None:
        self._do = do

    async def run(self, job: Job) -> Work:
        return await self._do(job)


class Yard:
    """A queue and its database."""

    def __init__(self, db: Database, clock: FixedClock) -> None:
        self.db = db
        self.clock = clock
        self.queue = Queue(db, clock)

    async def put(self, key: str, *, owner: str = "o", delay_s: float = 0) -> Job:
        def put(tx: Tx) -> Job:
            at = tx.now + int(delay_s * 1_000_000)
            payload = {"messages": [{"content": key}], "scope": SCOPE}
            return jobs.put(tx, kind="k", key=key, owner=owner, payload=payload, not_before=at)

        job = await self.db.write(put)
        self.queue.wake()
        return job

    async def get(self, job: Job) -> Job:
        return await self.db.read(lambda tx: jobs.get(tx, job.id))

    async def until(self, job: Job, state: str) -> Job:
        """The job once it is in a state."""
        with anyio.fail_after(30):
            while (now := await self.get(job)).state != state:  # noqa: ASYNC110  no event
                await anyio.sleep(0.005)
        return now

    async def until_set_aside(self, job: Job) -> None:
        """Let hours pass until a job that fails has been tried often enough."""
        with anyio.fail_after(30):
            while (await self.get(job)).state != "set_aside":
                self.clock.pass_by(seconds=7200)
                self.queue.wake()
                await anyio.sleep(0.005)

    async def count(self) -> int:
        """Count the jobs on record."""
        return len(await self.db.read(lambda tx: jobs.newest(tx, jobs.Filter(), 100)))

    @asynccontextmanager
    async def runs(self, do: Callable[[Job], Awaitable[Work]]) -> AsyncIterator[None]:
        """The queue runs, with a handler for the jobs of the test."""
        self.queue.register("k", Does(do))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.queue.run)
            yield
            tasks.cancel_scope.cancel()


def _newest(tx: Tx) -> list[Job]:
    return jobs.newest(tx, jobs.Filter(), 100)


@pytest.fixture
async def yard(tmp_path: Path) -> AsyncIterator[Yard]:
    clock = FixedClock()
    db = Database.open(tmp_path / "a.db", clock)
    yield Yard(db, clock)
    db.close()


async def test_effects_and_end_of_a_job_are_one_transaction(yard: Yard) -> None:
    """A job whose effects cannot be written is not done, and stores none of them."""
    job = await yard.put("a")
    tried = []

    async def do(_job: Job) -> Work:
        def write(tx: Tx) -> str:
            jobs.put(tx, kind="other", key="effect", owner="o", payload=None)
            tried.append(1)
            if len(tried) == 1:
                raise errors.Conflict("Not this time.")
            return "stored 1"

        return Work(write)

    async with yard.runs(do):
        await yard.until(job, "delayed")
        assert [] == await yard.db.read(lambda tx: jobs.newest(tx, jobs.Filter(kind="other"), 9))
        yard.clock.pass_by(seconds=3600)
        yard.queue.wake()
        done = await yard.until(job, "done")

    effects = await yard.db.read(lambda tx: jobs.newest(tx, jobs.Filter(kind="other"), 9))
    assert 1 == len(effects)
    assert ("stored 1", 2, None) == (done.outcome, done.attempts, done.payload)


async def test_jobs_of_a_key_run_in_order_and_keys_side_by_side(yard: Yard) -> None:
    """A failed job does not stop the next of its key, and other keys do not wait for it."""
    first, second, other = [await yard.put(key) for key in ("a", "a", "b")]
    ran: list[int] = []

    async def do(job: Job) -> Work:
        ran.append(job.id)
        if job.id == first.id and job.attempts == 1:
            raise errors.InternalError("A fault.")
        return nothing("nothing to store")

    async with yard.runs(do):
        await yard.until(other, "done")
        await yard.until(first, "delayed")
        assert "queued" == (await yard.get(second)).state
        yard.clock.pass_by(seconds=3600)
        yard.queue.wake()
        await yard.until(second, "done")

    assert [first.id, first.id, second.id] == [number for number in ran if number != other.id]


async def test_a_job_that_keeps_failing_is_set_aside_and_can_be_retried(yard: Yard) -> None:
    """The others of its key go on meanwhile; why it failed can be read."""
    bad, behind = await yard.put("a"), await yard.put("a")
    mended = False

    async def do(job: Job) -> Work:
        if job.id == bad.id and not mended:
            raise errors.InternalError("The answer was malformed.")
        return nothing("stored 1")

    async with yard.runs(do):
        await yard.until_set_aside(bad)
        aside = await yard.get(bad)
        await yard.until(behind, "done")
        assert "set aside: The answer was malformed" == aside.outcome
        assert policy.MOST_FAILURES == aside.attempts
        assert [{"content": "a"}] == aside.payload["messages"]

        mended = True
        await yard.db.write(lambda tx: jobs.retry(tx, aside))
        yard.queue.wake()
        done = await yard.until(bad, "done")

    assert ("stored 1", None) == (done.outcome, done.error)


async def test_an_endpoint_that_is_away_sets_nothing_aside(yard: Yard) -> None:
    """A job is never set aside, however often the endpoint is tried."""
    job = await yard.put("a")
    asked = []

    async def do(_job: Job) -> Work:
        asked.append(1)
        if len(asked) <= 3 * policy.MOST_FAILURES:
            raise errors.LlmUnavailable("The endpoint does not answer.", reason="unreachable")
        return nothing("nothing to store")

    async with yard.runs(do):
        with anyio.fail_after(30):
            while (await yard.get(job)).state != "done":
                yard.clock.pass_by(seconds=7200)
                yard.queue.wake()
                await anyio.sleep(0.005)

    assert 3 * policy.MOST_FAILURES + 1 == len(asked)


@pytest.mark.parametrize("asks", [True, False])
async def test_a_job_that_fails_while_others_get_through_is_set_aside(
    yard: Yard, *, asks: bool
) -> None:
    """An endpoint that breaks down at this job alone is not away; others may need no endpoint."""
    job = await yard.put("a")

    async def do(one: Job) -> Work:
        if one.id == job.id:
            raise errors.LlmUnavailable("The endpoint failed (500).", reason="unreachable")
        metering.note(10 if asks else 0)
        return nothing("nothing to store")

    async with yard.runs(do):
        with anyio.fail_after(30):
            while (tried := await yard.get(job)).attempts <= 2 * policy.MOST_FAILURES:
                if tried.state == "set_aside":
                    break
                await yard.until(await yard.put("b"), "done")
                yard.clock.pass_by(seconds=7200)
                yard.queue.wake()

    assert asks == (tried.state == "set_aside")
    assert policy.MOST_FAILURES < tried.attempts


async def test_a_refused_key_stops_the_queue_and_sets_nothing_aside(yard: Yard) -> None:
    """No other job is tried with the refused key; a valid one finishes everything."""
    waiting = [await yard.put(str(n), owner=str(n)) for n in range(3 * SLOTS)]
    mended = False
    asked = []

    async def do(_job: Job) -> Work:
        asked.append(1)
        if not mended:
            raise errors.LlmUnavailable(
                "The endpoint refuses the key (401).", reason="unauthorised"
            )
        return nothing("nothing to store")

    async with yard.runs(do):
        with anyio.fail_after(30):
            while yard.queue.stopped is None or yard.queue._running.total():  # noqa: ASYNC110  no event
                await anyio.sleep(0.005)
        assert len(asked) <= SLOTS
        assert "The endpoint refuses the key (401)" == yard.queue.stopped
        assert {"set_aside", "done"}.isdisjoint({(await yard.get(one)).state for one in waiting})

        mended = True
        flushed = await yard.queue.flush(30)

    assert (len(waiting), 0, 0) == flushed
    assert yard.queue.stopped is None


async def test_jobs_turned_away_while_the_endpoint_is_left_alone_were_not_tried(
    yard: Yard,
) -> None:
    """The next attempt comes as soon as another job gets through, not after a longer pause."""
    probe = await yard.put("a", owner="a")
    others = [await yard.put(str(n), owner=f"b{n}") for n in range(3)]
    answers = anyio.Event()
    turned_away = []

    async def do(job: Job) -> Work:
        if job.id == probe.id:
            await answers.wait()
        elif not answers.is_set():
            turned_away.append(job.id)
            metering.note(3)  # for an earlier question
            raise errors.LlmUnavailable("It is left alone.", reason="unreachable", asked=False)
        metering.note(10)
        return nothing("nothing to store")

    async with yard.runs(do):
        with anyio.fail_after(30):
            while yard.queue.stopped is None:  # noqa: ASYNC110  no event
                await anyio.sleep(0.005)
        # A claim that was under way when the queue stopped is given back, too.
        waiting = [await yard.until(one, "due") for one in others]
        assert turned_away
        assert {(0, 0, None)} == {(one.attempts, one.failures, one.error) for one in waiting}
        answers.set()
        ended = [await yard.until(one, "done") for one in (probe, *others)]

    assert {1} == {one.attempts for one in ended}
    assert [10 + 3 * turned_away.count(one.id) for one in ended] == [one.tokens for one in ended]
    assert yard.queue.stopped is None


async def test_a_stopped_queue_tells_at_once_who_waits_for_a_job(yard: Yard) -> None:
    """The job itself is not tried."""
    refused = await yard.put("a", owner="a")

    async def do(_job: Job) -> Work:
        raise errors.LlmUnavailable("The key is refused.", reason="unauthorised")

    async with yard.runs(do):
        await yard.queue.attempted(refused, 30)
        later = await yard.put("b", owner="b")
        with anyio.fail_after(30):
            found = await yard.queue.attempted(later, 3600)

    assert ("The key is refused", 0) == (yard.queue.stopped, found.attempts)


async def test_owners_take_turns(yard: Yard) -> None:
    """An owner with many jobs delays another by at most the running jobs."""
    for n in range(50):
        await yard.put(f"a{n}", owner="a")
    later = await yard.put("b", owner="b")
    ran: list[str] = []
    most = 0

    async def do(job: Job) -> Work:
        nonlocal most
        most = max(most, yard.queue._running["a"])
        ran.append(job.owner)
        await anyio.sleep(0.001)
        return nothing("nothing to store")

    async with yard.runs(do):
        await yard.until(later, "done")

    assert ran.index("b") <= SLOTS
    assert most <= SLOTS_PER_OWNER


async def test_a_killed_run_is_repeated_at_the_next_start(yard: Yard) -> None:
    """A run's lease ends with the daemon; a run with an old lease writes nothing."""
    job = await yard.put("a")
    claim = {"kinds": ["k"], "after": "", "full": [], "lease": "of the killed daemon"}
    killed = await yard.db.write(lambda tx: jobs.claim(tx, **claim))
    assert killed is not None

    async def do(_job: Job) -> Work:
        return nothing("nothing to store")

    async with yard.runs(do):
        done = await yard.until(job, "done")

    assert 2 == done.attempts
    assert not await yard.db.read(lambda tx: jobs.holds_lease(tx, killed))


async def test_a_job_that_kills_the_daemon_waits_longer_each_time(yard: Yard) -> None:
    """A job that kills the daemon is neither retried at once nor lost."""
    job = await yard.put("a")
    claim = {"kinds": ["k"], "after": "", "full": [], "lease": "x"}
    waits = []
    for _ in range(8):
        yard.clock.pass_by(seconds=3600)
        assert await yard.db.write(lambda tx: jobs.claim(tx, **claim))
        await yard.db.write(lambda tx: jobs.recover(tx, pause_after=policy.pause_after))
        waits.append((await yard.get(job)).not_before - yard.clock.now())

    assert [0, 0, 0] == waits[:3]
    assert waits[3:] == sorted(set(waits[3:]))
    assert (await yard.get(job)).is_waiting


async def test_a_stop_gives_the_job_back(yard: Yard) -> None:
    """A stopped job counts as no attempt."""
    job = await yard.put("a")
    started = anyio.Event()

    async def do(_job: Job) -> Work:
        started.set()
        await anyio.sleep_forever()
        raise AssertionError

    async with yard.runs(do):
        with anyio.fail_after(30):
            await started.wait()

    given_back = await yard.get(job)
    assert ("due", 0, 0) == (given_back.state, given_back.attempts, given_back.interruptions)


async def test_a_delayed_job_waits_for_its_time_and_a_flush_does_not(yard: Yard) -> None:
    """A flush waits for neither a pause in the conversation nor a retry; new jobs are run too."""
    job = await yard.put("a", delay_s=60)

    async def do(job: Job) -> Work:
        if job.attempts == 1:
            raise errors.InternalError("A fault.")
        return Work(
            lambda tx: str(
                job.key == "a"
                and jobs.put(
                    tx, kind="k", key="b", owner="o", payload=0, not_before=tx.now + 10**9
                ).id
            )
        )

    async with yard.runs(do):
        await anyio.sleep(0.05)
        assert "delayed" == (await yard.get(job)).state
        assert (2, 0, 0) == await yard.queue.flush(30)


async def test_a_flush_runs_what_waits_behind_another_for_its_time(yard: Yard) -> None:
    """A job that is behind one of its key, and would have to wait for a pause after it."""
    for _ in range(3):
        await yard.put("a", delay_s=60)

    async def do(_job: Job) -> Work:
        return nothing("nothing to store")

    async with yard.runs(do):
        assert (3, 0, 0) == await yard.queue.flush(30)


async def test_a_retried_job_runs_after_the_one_before_it(yard: Yard) -> None:
    """Behind another of its key it waits for that one only, and no longer for its time."""
    await yard.put("a")
    later = await yard.put("a", delay_s=3600)
    assert "queued" == later.state

    async def do(_job: Job) -> Work:
        return nothing("done")

    await yard.db.write(lambda tx: jobs.retry(tx, later))
    async with yard.runs(do):
        await yard.until(later, "done")


async def test_a_flush_ends_while_the_endpoint_is_away(yard: Yard) -> None:
    """The flush reports how many jobs still wait."""
    for _ in range(3):
        await yard.put("a")

    async def do(_job: Job) -> Work:
        raise errors.LlmUnavailable("The endpoint does not answer.", reason="unreachable")

    async with yard.runs(do):
        with anyio.fail_after(30):
            assert (0, 0, 3) == await yard.queue.flush(20)


async def test_a_flush_ends_after_the_failures_of_its_jobs_are_written(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job is not shown as running, though another one stopped the queue meanwhile."""
    first, second = [await yard.put(key, owner=key, delay_s=3600) for key in "ab"]
    write = yard.db.write

    async def slow(work: Any, **options: Any) -> Any:
        if getattr(work, "keywords", {}).get("job", first).id == second.id:
            await anyio.sleep(0.2)
        return await write(work, **options)

    monkeypatch.setattr(yard.db, "write", slow)
    both_run = anyio.Event()
    running = []

    async def do(job: Job) -> Work:
        running.append(job)
        if len(running) == 2:
            both_run.set()
        await both_run.wait()
        raise errors.LlmUnavailable("The day's tokens are used.", reason="ceiling", asked=False)

    async with yard.runs(do):
        with anyio.fail_after(30):
            assert (0, 0, 2) == await yard.queue.flush(20)
        assert "running" not in {(await yard.get(one)).state for one in (first, second)}


async def test_a_waiting_job_takes_more_until_it_is_tried(yard: Yard) -> None:
    """A waiting job takes the new payload and time; after an attempt a new job is put."""

    def put(tx: Tx, payload: int) -> Job:
        later = tx.now + 60_000_000
        waiting = jobs.unstarted(tx, "k", "a")
        if waiting is None:
            return jobs.put(tx, kind="k", key="a", owner="o", payload=payload, not_before=later)
        jobs.amend(tx, waiting, payload=payload, not_before=later)
        return jobs.get(tx, waiting.id)

    first = await yard.db.write(lambda tx: put(tx, 1))
    yard.clock.pass_by(seconds=30)
    again = await yard.db.write(lambda tx: put(tx, 2))
    assert (first.id, 2, first.not_before + 30_000_000) == (
        again.id,
        again.payload,
        again.not_before,
    )

    yard.clock.pass_by(seconds=60)
    claim = {"kinds": ["k"], "after": "", "full": [], "lease": "x"}
    assert await yard.db.write(lambda tx: jobs.claim(tx, **claim))
    assert first.id != (await yard.db.write(lambda tx: put(tx, 3))).id


async def _erase(yard: Yard, word: str) -> None:
    told = [Told(word, "test", None, "o")]
    await yard.db.write(lambda tx: texts.take_jobs(tx, told, erase=True))


@pytest.mark.parametrize(
    ("told", "is_erased"),
    [
        (Told("tea", "test", None, "o"), True),
        (Told("tea", "test", None, "another"), False),
        (Told("tea", "test", "o", None), False),
        (Told("tea", "else", None, "o"), False),
        (Told("content", "test", None, "o"), False),
    ],
)
async def test_an_erasure_takes_jobs_with_messages_of_the_same_place(
    yard: Yard, told: Told, *, is_erased: bool
) -> None:
    """Not those of others who said the same, nor for a word of the payload's own."""
    job = await yard.put("I like tea")

    await yard.db.write(lambda tx: texts.take_jobs(tx, [told], erase=True))

    assert is_erased == (await yard.db.read(lambda tx: jobs.find(tx, job.id)) is None)


async def test_a_job_behind_an_erased_one_runs(yard: Yard) -> None:
    """Nothing waits for ever behind a job that was erased with the text it held."""
    await yard.put("a", delay_s=60)
    later = await yard.db.write(
        lambda tx: jobs.put(tx, kind="k", key="a", owner="o", payload={"n": "a"})
    )

    async def do(_job: Job) -> Work:
        return nothing("done")

    await _erase(yard, "a")
    async with yard.runs(do):
        assert "done" == (await yard.until(later, "done")).outcome


async def test_a_job_that_waits_behind_another_stays_there_when_jobs_are_erased(
    yard: Yard,
) -> None:
    """Only the first of a key may be claimed, whatever is erased of others."""
    await yard.put("first", delay_s=60)
    await yard.put("gone")
    behind = await yard.put("first")

    await _erase(yard, "gone")

    assert "queued" == (await yard.get(behind)).state


async def test_nobody_waits_for_an_erased_job(yard: Yard) -> None:
    """A flush ends, and who waits for the job hears that it is gone."""
    job = await yard.put("a")
    begun, erased = anyio.Event(), anyio.Event()
    waited: list[Job | None] = []

    async def do(_job: Job) -> Work:
        begun.set()
        await erased.wait()
        return nothing("done")

    async def wait() -> None:
        waited.append(await yard.queue.attempted(job, 3600))

    with anyio.fail_after(30):
        async with yard.runs(do), anyio.create_task_group() as tasks:
            await begun.wait()
            tasks.start_soon(wait)
            tasks.start_soon(yard.queue.flush, 3600)
            await anyio.wait_all_tasks_blocked()
            await _erase(yard, "a")
            erased.set()

    assert [None] == waited


async def test_a_job_that_found_only_what_is_refused_is_counted_for_a_week(yard: Yard) -> None:
    """Nobody need act on it, and it is gone after a month; one that failed stays."""
    bad, refused = await yard.put("bad"), await yard.put("refused")

    async def do(job: Job) -> Work:
        if job.id == bad.id:
            raise errors.InternalError("The answer was malformed.")
        refusal = Unfinished("refused: secret", job.payload, did_some=False, ask_again=False)
        return Work(lambda _: refusal)

    async with yard.runs(do):
        await yard.until(refused, "set_aside")
        await yard.until_set_aside(bad)
    counts = [await yard.db.read(jobs.set_aside_count)]
    yard.clock.pass_by(days=7)
    counts.append(await yard.db.read(jobs.set_aside_count))
    await yard.db.write(lambda tx: jobs.drop_old(tx, tx.now, 100))

    assert [2, 1] == counts
    assert [bad.id] == [one.id for one in await yard.db.read(_newest)]


async def test_records_of_done_jobs_are_removed_after_a_month(yard: Yard) -> None:
    """Jobs that were set aside stay, however old they are."""
    old, bad = await yard.put("a"), await yard.put("bad")

    async def do(job: Job) -> Work:
        if job.id == bad.id:
            raise errors.InternalError("The answer was malformed.")
        return nothing("nothing to store")

    async with yard.runs(do):
        await yard.until(old, "done")
        await yard.until_set_aside(bad)
        yard.clock.pass_by(days=31)
        new = await yard.put("b")
        await yard.until(new, "done")
        with anyio.fail_after(30):
            while await yard.count() > 2:
                yard.queue.wake()
                await anyio.sleep(0.005)
        left = await yard.db.read(lambda tx: jobs.newest(tx, jobs.Filter(), 100))

    assert {(job.id, job.state) for job in left} == {(bad.id, "set_aside"), (new.id, "done")}


async def test_a_job_is_shown_with_the_conversation_that_its_key_names(yard: Yard) -> None:
    """By row or by id, as its kind does; other keys and conversations that are gone name none."""
    call = call_of("u")

    def work(tx: Tx) -> list[str | None]:
        viewer = call.enter(tx)
        assert viewer.chat is not None
        number = conversations.ensure(
            *(tx,),
            external_id="talk",
            chat=viewer.chat,
            learned_type="private",
            owner=viewer.account,
        )
        uuid = tx.value("select uuid from conversations where id = ?", number)
        return [
            jobs.conversation_of(
                tx, jobs.put(tx, kind=kind, key=key, owner="o", payload={}, not_before=0)
            )
            for kind, key in (
                ("extract_facts", f"extract_facts/{number}"),
                ("summarise", f"summarise/{uuid}"),
                ("extract_facts", f"other/{number}"),
                ("extract_facts", f"extract_facts/{number + 1}"),
                ("judge", f"judge/{number}"),
            )
        ]

    assert await yard.db.write(work) == ["talk", "talk", None, None, None]
