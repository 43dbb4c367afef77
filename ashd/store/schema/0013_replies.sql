-- The whole reply to a call with an idempotency key, for every method but memory.add, which keeps ids.
-- Empty once something was erased: that the call took effect stays known, its words do not.
alter table idempotency add column reply text;
