-- What a host sets by hand for the prompt: overrides, profiles, and the graph of entities and relations.

-- Pinned facts: a user's own (owner set), or a group's (chat set). What is removed stays on record.
create table overrides (
    id          integer primary key,
    uuid        text not null unique,
    content     text not null,
    content_key text not null,                  -- folded, so that the same is not pinned twice
    owner       integer references accounts (id),
    chat        integer references chats (id),
    for_groups  integer not null,               -- whether an owner's is also shown in groups
    created_at  integer not null,
    removed_at  integer,
    check ((owner is null) <> (chat is null))
) strict;
create index overrides_by_owner on overrides (owner) where removed_at is null;
create index overrides_by_chat on overrides (chat) where removed_at is null;

-- Every version of a user's profile; the newest is in force.
create table profile_versions (
    id         integer primary key,
    owner      integer not null references accounts (id),
    version    integer not null,
    text       text not null,
    notes      text not null,                   -- the user's own, which no rebuilding touches
    source     text not null,
    created_at integer not null,
    unique (owner, version)
) strict;

-- The graph. An entity belongs to the chat that it was told of in; the same thing told of in two
-- chats is two rows. Who told it, where and as what decides who sees it, as with a memory.
create table entities (
    id           integer primary key,
    uuid         text not null unique,
    type         text not null,
    name         text not null,
    key          text not null,                 -- the name as people.names normalises it
    owner        integer references accounts (id),
    chat         integer references chats (id),
    learned_in   integer not null references chats (id),
    learned_type text not null,
    stated_by    integer references accounts (id),
    said_at      integer not null,
    sensitivity  text,
    portable     integer not null,
    created_at   integer not null,
    removed_at   integer
) strict;
create index entities_by_key on entities (key);
create index entities_by_chat on entities (learned_in, key);
create index entities_by_owner on entities (owner);
create index entities_by_stater on entities (stated_by);

create table entity_aliases (
    id           integer primary key,
    entity       integer not null references entities (id) on delete cascade,
    value        text not null,
    key          text not null,
    owner        integer references accounts (id),
    learned_in   integer not null references chats (id),
    learned_type text not null,
    stated_by    integer references accounts (id),
    said_at      integer not null,
    sensitivity  text,
    portable     integer not null
) strict;
create index entity_aliases_by_entity on entity_aliases (entity);
create index entity_aliases_by_chat on entity_aliases (learned_in);
create index entity_aliases_by_owner on entity_aliases (owner);
create index entity_aliases_by_stater on entity_aliases (stated_by);

-- What one entity is to another, from when to when. Asserted again after it ended it is a new row.
create table relations (
    id           integer primary key,
    uuid         text not null unique,
    source       integer not null references entities (id),
    source_name  text not null,                 -- as it was called then
    source_key   text not null,
    relation     text not null,
    target       integer not null references entities (id),
    target_name  text not null,
    target_key   text not null,
    confidence   real not null,
    valid_from   integer,
    valid_until  integer,
    owner        integer references accounts (id),
    chat         integer references chats (id),
    learned_in   integer not null references chats (id),
    learned_type text not null,
    stated_by    integer references accounts (id),
    said_at      integer not null,
    sensitivity  text,
    portable     integer not null,
    created_at   integer not null,
    asserted_at  integer not null,              -- when it was last said
    removed_at   integer
) strict;
create index relations_by_source on relations (source);
create index relations_by_target on relations (target);
create index relations_by_chat on relations (learned_in);
create index relations_by_owner on relations (owner);
create index relations_by_stater on relations (stated_by);
