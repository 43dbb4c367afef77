-- Keys of the gateway's callers: the migration 0041 of SQLite.

create table gateway_keys (
    id text collate "C" primary key,
    record text collate "C",
    created_at bigint not null
);
