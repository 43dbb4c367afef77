-- How a memory relates to an earlier active one of its scope: it says the same in other words, or
-- may replace it and waits for somebody to confirm that.
create table memory_links (
    newer integer not null references memories (id) on delete cascade,
    older integer not null references memories (id) on delete cascade,
    kind  text not null check (kind in ('repeats', 'may_replace')),
    primary key (newer, older)
) strict, without rowid;
create index memory_links_by_older on memory_links (older);

-- Memories stored while no embedder answered; they are judged once they have vectors.
create table memories_to_judge (
    memory integer primary key references memories (id) on delete cascade
) strict;

-- Events of two more kinds: a check constraint cannot be altered, so the table is made again.
create table memory_events_new (
    id     integer primary key,
    memory integer not null references memories (id) on delete cascade,
    at     integer not null,
    event  text not null
        check (event in ('duplicate', 'superseded', 'repeated', 'may_be_replaced', 'kept')),
    reason text not null
) strict;
insert into memory_events_new select id, memory, at, event, reason from memory_events;
drop table memory_events;
alter table memory_events_new rename to memory_events;
create index memory_events_by_memory on memory_events (memory);

drop table memory_attributes;
