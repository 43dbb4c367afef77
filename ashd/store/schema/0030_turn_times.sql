-- When names and claims of people were said: presence is judged at that time. The other times say when
-- the row was stored.
alter table people add column said_at integer not null default 0;
alter table person_aliases add column said_at integer not null default 0;
alter table person_relationships add column said_at integer not null default 0;
update people set said_at = named_at;
update person_aliases set said_at = created_at;
update person_relationships set said_at = created_at;
