-- Whether a memory speaks of whoever says it. What is stored from now on is read as sentences are; of
-- what was stored before, the pronouns tell.
alter table memories add column first_person integer;
update memories set first_person =
    ' ' || lower(content) glob '*[^a-z]i[ '']*'
    or ' ' || lower(content) glob '*[^a-z]m[ey][^a-z]*'
    or ' ' || lower(content) glob '*[^a-z]we [a-z]*'
    or ' ' || lower(content) glob '*[^a-z]our [a-z]*'
    where stated_by is not null;
