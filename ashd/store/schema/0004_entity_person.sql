-- Which of the known people an entity is, where that was known when it was told.

alter table entities add column person integer references people (id) on delete set null;
create index entities_by_person on entities (person) where person is not null;
