-- What is lasting about a user, as they said it: what their profile is made of.
create table profile_statements (
    id         integer primary key,
    account    integer not null references accounts (id),
    statement  text not null,
    confidence real not null,
    message    integer references messages (id) on delete set null,   -- the turn that it was said in
    created_at integer not null,
    unique (account, statement)
) strict;

-- Lines that were put into a prompt of a chat, by digest: they are not taken for something said there.
create table given_lines (
    chat     integer not null references chats (id) on delete cascade,
    digest   blob not null,
    given_at integer not null,
    primary key (chat, digest)
) strict, without rowid;
create index given_lines_by_time on given_lines (given_at);
