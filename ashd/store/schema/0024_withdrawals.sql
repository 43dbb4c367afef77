-- What was withdrawn as one act, so that it can be restored as one.
create table withdrawals (
    id          integer primary key,
    uuid        text not null unique,
    created_at  integer not null,
    restored_at integer
) strict;

create table withdrawn_memories (
    withdrawal integer not null references withdrawals (id) on delete cascade,
    memory     integer not null references memories (id) on delete cascade,
    primary key (withdrawal, memory)
) strict, without rowid;
create index withdrawn_memories_by_memory on withdrawn_memories (memory);
