-- Memories that were judged when they were told, and wait to be compared with what the other accounts
-- of their owner were told before all were joined.

alter table memories_to_judge add column across_accounts integer not null default 0;
