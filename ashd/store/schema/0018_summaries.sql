-- Summaries: one of a stretch of a conversation. It shows no more than its turns do, so it is hidden
-- where one of them is hidden or gone: `messages` counts them. Row numbers are never used again, as
-- caches go by them. A conversation is deleted after its summaries, which are indexed by themselves.
create table summaries (
    id             integer primary key autoincrement,
    uuid           text not null unique,
    conversation   integer not null references conversations (id),
    first_position integer not null,
    last_position  integer not null,
    messages       integer not null,
    said_from      integer not null,
    said_until     integer not null,
    overall        text not null,
    topics         text not null,                 -- this and the next three as JSON
    decisions      text not null,
    key_dates      text not null,
    action_items   text not null,
    created_at     integer not null,
    ends_at        integer not null
) strict;
create index summaries_by_conversation on summaries (conversation, last_position);
create index summaries_by_end on summaries (ends_at);

-- Up to which position the turns are summarised, or were stored without being summarised.
alter table conversations add column summarised_until integer not null default -1;
