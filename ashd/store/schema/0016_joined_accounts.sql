-- The names of joined accounts are read from the accounts, each where it was met: an alias without a
-- teller was made by a join, and shown to everybody.
delete from person_aliases where added_by is null and learned_in is null;

-- When each account last spoke of a person: the order in which people are listed to it.
create table person_activity (
    account integer not null references accounts (id) on delete cascade,
    person  integer not null references people (id) on delete cascade,
    at      integer not null,
    primary key (account, person)
) strict, without rowid;
create index person_activity_by_person on person_activity (person);
insert into person_activity select created_by, id, created_at from people
    where created_by is not null;
