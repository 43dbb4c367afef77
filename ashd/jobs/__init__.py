"""The durable job queue: work that is done beside the calls, never lost and never done twice.

A kind of job is a `Handler`, registered by `daemon` with `Queue.register(kind, handler)`:

    class Summaries:
        async def run(self, job: Job) -> Work:
            ...                                  # read, ask the model; nothing is written here
            return Work(write=store_summary)

`Work.write` runs in the transaction that ends the job: either both are on disk or neither, so a
daemon that is killed at any point repeats the job from its beginning. It returns the outcome that a
person reads ("stored 3", "nothing to store"). Whoever needs a job puts it with `store.jobs.put` (or
`amend`s one that waits) in the transaction of what it follows from, and calls `Queue.wake` after
it.

The tokens that a handler's questions to the language model take are counted for its job.

Jobs of one `key` run in order, several keys at once, owners in turns. What a handler raises decides
what becomes of its job (`policy`).
"""
