-- Whom a statement means when nobody is merged: `person` is who that is now. Written from a merge on,
-- for what was known before it and for everything that is told while it is in effect.
-- unsure: 1 if the words fit several of the people that a caller merged, 2 if without the joined
-- accounts it would mean nobody, or nobody in particular. A split then leaves it with neither.

create table meant_subjects (
    memory   integer not null references memories (id) on delete cascade,
    position integer not null,
    person   integer references people (id) on delete set null,
    unsure   integer not null default 0,
    primary key (memory, position)
) strict, without rowid;
create index meant_subjects_by_person on meant_subjects (person) where person is not null;

alter table person_aliases add column meant integer references people (id) on delete set null;
alter table person_aliases add column unsure integer not null default 0;
create index person_aliases_by_meant on person_aliases (meant) where meant is not null;

-- ended_by: the joined account by whose words a claim ended that another account had stated.
alter table person_relationships add column meant integer references people (id) on delete set null;
alter table person_relationships add column to_meant integer references people (id) on delete set null;
alter table person_relationships add column unsure integer not null default 0;
alter table person_relationships add column ended_by integer references accounts (id) on delete set null;
create index person_relationships_by_meant on person_relationships (meant) where meant is not null;
create index person_relationships_by_to_meant on person_relationships (to_meant)
    where to_meant is not null;
create index person_relationships_by_ender on person_relationships (ended_by)
    where ended_by is not null;

-- by_join: the merge exists because accounts are joined, and ends with that. The loser of one is the
-- person that an account would know by itself.
alter table person_merges add column by_join integer not null default 0;
