-- The memory that an event comes from, which decides who may know of the event; or, for a repetition
-- that was not stored, the chat in which it was said.

alter table memory_events add column newer integer references memories (id) on delete cascade;
alter table memory_events add column said_in integer references chats (id) on delete set null;
create index memory_events_by_newer on memory_events (newer) where newer is not null;

update memory_events set newer = (
    select m.superseded_by from memories m
    where m.id = memory_events.memory and m.superseded_at = memory_events.at
) where event = 'superseded';
update memory_events set newer = (
    select l.newer from memory_links l join memories w on w.id = l.newer
    where l.older = memory_events.memory and w.created_at = memory_events.at
) where newer is null;
