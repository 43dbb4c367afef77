-- The whole reply to a call with an idempotency key, for every method but memory.add, which keeps
-- ids. The text is null once something was erased: that the call took effect stays known.
create table replies (
    id         integer primary key autoincrement,
    caller     text not null,
    key        text not null,
    digest     blob not null,
    reply      text,
    created_at integer not null,
    unique (caller, key)
) strict;
create index replies_by_time on replies (created_at);

-- An index keeps copies of its keys between its rows after those are gone, so its keys hold no words:
-- the digest of the folded content in place of the folded content, and the words by which a person
-- was named in a table with row numbers.
update memories set content_key = text_digest(content_key);
update overrides set content_key = text_digest(content_key);
reindex memories_by_content;

create table memory_subjects_new (
    id        integer primary key,
    memory    integer not null references memories (id) on delete cascade,
    person    integer not null references people (id),
    position  integer not null,
    reference text,                           -- the words by which the memory was said to be about her
    unique (memory, person)
) strict;
insert into memory_subjects_new (memory, person, position, reference)
    select memory, person, position, reference from memory_subjects order by memory, position;
drop table memory_subjects;
alter table memory_subjects_new rename to memory_subjects;
create index memory_subjects_by_person on memory_subjects (person, memory);
