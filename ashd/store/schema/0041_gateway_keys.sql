-- Keys of the gateway's callers, where several daemons share the database; else they are in a file of the home.
create table gateway_keys (
    id         text primary key,
    record     text,                            -- JSON as in that file, with the key's hash; null once it is revoked
    created_at integer not null
) strict;
