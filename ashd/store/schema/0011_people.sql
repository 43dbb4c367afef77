-- References that an account said do not mean a person; they are not identified so again.
create table not_identified (
    person     integer not null references people (id) on delete cascade,
    key        text not null,
    stated_by  integer not null references accounts (id),
    created_at integer not null,
    primary key (person, key, stated_by)
) strict, without rowid;
create index not_identified_by_stater on not_identified (stated_by, key);

-- The words by which a memory was said to be about a person; null where nobody wrote them down.
alter table memory_subjects add column reference text;
