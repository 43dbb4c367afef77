-- The first schema. Times are microseconds since 1970, UTC. Ids named `id` are row numbers that never
-- leave the daemon; `uuid` is what the wire calls `id`.

create table meta (
    key   text primary key,
    value any not null
) strict, without rowid;

-- Who and where ---------------------------------------------------------------------------------

-- An account is (provider, user_id), the only identity; names are hints that may change.
create table accounts (
    id           integer primary key,
    provider     text not null,
    user_id      text not null,
    username     text,
    display_name text,
    person       integer not null references people (id),   -- ACCOUNT_OF: the person whose account it is
    own_person   integer not null references people (id),   -- the person it had before it was joined to another
    created_at   integer not null,
    updated_at   integer not null,
    unique (provider, user_id)
) strict;
create index accounts_by_person on accounts (person);

-- A chat of a provider, or (chat_id null) the private chat of a user whom no chat was named for.
create table chats (
    id         integer primary key,
    provider   text not null,
    chat_id    text,
    user_id    text,
    chat_type  text not null check (chat_type in ('private', 'group')),
    created_at integer not null,
    check ((chat_id is null) <> (user_id is null))
) strict;
-- A chat whose type changes is another chat: what was said in private never becomes a group's.
create unique index chats_by_chat_id on chats (provider, chat_id, chat_type) where chat_id is not null;
create unique index chats_by_user_id on chats (provider, user_id) where user_id is not null;

-- PARTICIPATES_IN: intervals, so that a late joiner was not present and a leaver no longer is.
create table participations (
    id        integer primary key,
    chat      integer not null references chats (id),
    account   integer not null references accounts (id),
    joined_at integer not null,
    left_at   integer
) strict;
create index participations_by_chat on participations (chat, account, joined_at);
create unique index participations_open on participations (chat, account) where left_at is null;

-- People ----------------------------------------------------------------------------------------

create table people (
    id          integer primary key,
    uuid        text not null unique,
    name        text not null,
    named       integer not null,               -- 0 while a relationship word stands in for the name
    created_by  integer references accounts (id),
    learned_in  integer references chats (id),  -- where the name was told
    named_at    integer not null,               -- when
    sensitivity text,                           -- and held as what, as a memory is
    merged_into integer references people (id), -- MERGED_INTO
    metadata    text,
    created_at  integer not null,
    updated_at  integer not null,
    active_at   integer not null                -- when it was last spoken of
) strict;
create index people_by_creator on people (created_by, active_at);
create index people_by_chat on people (learned_in);

create table person_aliases (
    id         integer primary key,
    person     integer not null references people (id),
    value      text not null,
    key        text not null,                   -- the alias as names.normalise gives it
    added_by   integer references accounts (id),
    learned_in integer references chats (id),
    sensitivity text,
    created_at integer not null
) strict;
create index person_aliases_by_person on person_aliases (person);
create index person_aliases_by_adder on person_aliases (added_by);

-- HAS_RELATIONSHIP: what the person is to another, and who states it.
create table person_relationships (
    id           integer primary key,
    person       integer not null references people (id),
    relationship text not null,
    to_person    integer not null references people (id),
    stated_by    integer references accounts (id),
    learned_in   integer references chats (id),
    sensitivity  text,
    created_at   integer not null,
    ended_at     integer
) strict;
create index person_relationships_by_person on person_relationships (person);
create index person_relationships_by_stater on person_relationships (stated_by);
create index person_relationships_by_other on person_relationships (to_person);

-- What a merge moved, so that a split puts it back.
create table person_merges (
    id         integer primary key,
    loser      integer not null references people (id),
    winner     integer not null references people (id),
    moved      text not null,
    merged_at  integer not null,
    split_at   integer
) strict;

-- Memories --------------------------------------------------------------------------------------

create table memories (
    id                    integer primary key,
    uuid                  text not null unique,
    version               integer not null,
    revision              integer not null,
    content               text not null,
    content_key           text not null,        -- the content folded, for "the same fact again" (A10)
    memory_type           text not null,
    created_at            integer not null,
    observed_at           integer,
    said_at               integer not null,     -- when presence is judged (disclosure)
    owner                 integer references accounts (id),  -- OWNED_BY
    chat                  integer references chats (id),     -- IN_CHAT, set when it is the group's
    learned_in            integer references chats (id),     -- LEARNED_IN
    learned_type          text,                 -- that chat's type when it was learned
    stated_by             integer references accounts (id),  -- STATED_BY
    source                text not null,
    source_username       text,
    source_display_name   text,
    source_session_id     text,
    source_message_id     text,
    grant_id              text,
    extraction_confidence real,
    sensitivity           text,
    portable              integer not null,
    expires_at            integer,
    ends_at               integer not null,     -- expires_at, else the end of the type's time
    valid_from            integer,
    valid_until           integer,
    tags                  text not null,
    metadata              text,
    superseded_at         integer,
    superseded_by         integer references memories (id),  -- SUPERSEDES
    superseded_until      integer not null,     -- until when a later memory stands in its place; 0 when none does
    archived_at           integer,
    archive_reason        text,
    last_accessed_at      integer,
    access_count          integer not null
) strict;
create index memories_by_learned_in on memories (learned_in, id);
create index memories_by_owner on memories (owner, id);
create index memories_by_stater on memories (stated_by, id);
create index memories_by_content on memories (content_key);
create index memories_by_winner on memories (superseded_by) where superseded_by is not null;
create index memories_by_grant on memories (grant_id) where grant_id is not null;

-- ABOUT.
create table memory_subjects (
    memory   integer not null references memories (id) on delete cascade,
    person   integer not null references people (id),
    position integer not null,
    primary key (memory, person)
) strict, without rowid;
create index memory_subjects_by_person on memory_subjects (person, memory);

-- Conversations ---------------------------------------------------------------------------------

-- The seeds' sessions. `external_id` is the host's name for it, within its chat.
create table conversations (
    id           integer primary key,
    uuid         text not null unique,
    external_id  text not null,
    chat         integer not null references chats (id),
    learned_type text not null,                 -- the chat's type when it was begun
    owner        integer references accounts (id),
    created_at   integer not null,
    updated_at   integer not null,
    unique (chat, external_id)
) strict;

create table messages (
    id           integer primary key,
    uuid         text not null unique,
    conversation integer not null references conversations (id) on delete cascade,
    position     integer not null,
    role         text not null,
    speaker      text,
    account      integer references accounts (id),
    content      text not null,
    said_at      integer not null,
    external_id  text,
    import_key   blob,                          -- of a dated message without external id, to know it again
    token_count  integer not null,
    created_at   integer not null,
    unique (conversation, position)
) strict;
create unique index messages_by_external_id on messages (conversation, external_id)
    where external_id is not null;
create unique index messages_by_import_key on messages (conversation, import_key)
    where import_key is not null;

-- Which attribute a fact gives a value ("lives in"), to find those that may give it another.
create table memory_attributes (
    memory integer not null references memories (id) on delete cascade,
    key    text not null,
    primary key (key, memory)
) strict, without rowid;
create index memory_attributes_by_memory on memory_attributes (memory);

-- What became of a fact when it met others, and why (E7): content stays in the memories.
create table memory_events (
    id     integer primary key,
    memory integer not null references memories (id) on delete cascade,
    at     integer not null,
    event  text not null check (event in ('duplicate', 'superseded')),
    reason text not null
) strict;
create index memory_events_by_memory on memory_events (memory);

-- Finding ---------------------------------------------------------------------------------------

-- What is indexed: a memory (kind 0) or a message (kind 1), or the pieces of a long one.
create table passages (
    id      integer primary key autoincrement,  -- never used again: caches go by it
    kind    integer not null,
    item    integer not null,
    ordinal integer not null,
    chat    integer not null references chats (id),
    hash    blob not null,                      -- of the text, the key into embeddings
    -- The form of the text, read once for ranking (search.cues):
    dated       integer not null,
    asking      real not null,
    ends_asking integer not null,
    words       integer not null,
    unique (kind, item, ordinal)
) strict;
create index passages_by_hash on passages (hash);

-- `scope` holds one token of kind and chat, so that a query reads only its own part of the index.
create virtual table passage_fts using fts5 (
    scope, body, names, dates, grams,
    tokenize = "porter unicode61 remove_diacritics 2"
);
insert into passage_fts (passage_fts, rank) values ('secure-delete', 1);

-- One set of vectors an embedder; its vec0 index is passage_vec_<id>, made with it. Searches use the
-- active one; another is built beside it when the embedder changes; a retired one waits to be dropped.
create table embedding_sets (
    id         integer primary key,
    model      text not null,
    dimension  integer not null,
    state      text not null check (state in ('active', 'building', 'retired')),
    created_at integer not null
) strict;
create unique index embedding_sets_in_use on embedding_sets (state) where state <> 'retired';

create table embeddings (
    embedding_set integer not null references embedding_sets (id),
    hash          blob not null,
    pooled        blob not null,
    tokens        blob,
    primary key (embedding_set, hash)
) strict;

-- Passages that wait for their vector.
create table embedding_queue (
    embedding_set integer not null references embedding_sets (id),
    passage       integer not null references passages (id) on delete cascade,
    primary key (embedding_set, passage)
) strict, without rowid;

-- Access ----------------------------------------------------------------------------------------

create table grants (
    id         text primary key,
    scope      text not null,                   -- the wire's scope, as JSON
    owner      text not null,                   -- whose quota it uses, as access.quota names it
    rights     text not null,
    quota      text not null,
    created_at integer not null,
    expires_at integer,
    revoked_at integer,
    token_hash blob,                            -- SHA-256 of the token, where the grant has one
    turn       text
) strict;
create index grants_by_owner on grants (owner);
create unique index grants_by_token on grants (token_hash) where token_hash is not null;

-- What a grant, or all grants of an owner, used on a day (since 1970, UTC): no restart forgives it.
create table usage (
    holder         text primary key,            -- a grant's id, or an owner
    day            integer not null,
    writes         integer not null,
    reply_bytes    integer not null,
    embedder_calls integer not null
) strict, without rowid;

create table audit (
    id       integer primary key,
    at       integer not null,
    actor    text not null,
    grant_id text,
    method   text not null,
    outcome  text not null,
    digest   blob not null,                     -- keyed, of the parameters; never their content
    peer_pid integer,
    peer_uid integer
) strict;
create index audit_by_time on audit (at);
create index audit_by_grant on audit (grant_id, id) where grant_id is not null;

-- Answers to calls with an idempotency key, as ids and outcomes, without content.
create table idempotency (
    caller     text not null,
    key        text not null,
    digest     blob not null,
    outcome    text not null,
    created_at integer not null,
    primary key (caller, key)
) strict, without rowid;
create index idempotency_by_time on idempotency (created_at);
