"""After a start, queue the jobs that the last run left undone."""

from ashd.conversation import summary_jobs
from ashd.conversation.profile_jobs import ProfileJobs
from ashd.jobs.queue import Queue
from ashd.store.database import Database, Tx


class LeftOver:
    """Queues the jobs of summaries and profiles that became due while nothing ran."""

    def __init__(self, db: Database, queue: Queue, profiles: ProfileJobs) -> None:
        self._db = db
        self._queue = queue
        self._profiles = profiles

    async def run(self) -> None:
        """Queue the jobs."""
        await self._db.write(self._put, quiet=True)
        self._queue.wake()

    def _put(self, tx: Tx) -> None:
        summary_jobs.put_left_over(tx)
        self._profiles.put_left_over(tx)
