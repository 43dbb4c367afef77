-- Subjects whom the words of a memory name, while its caller named nobody.

alter table memory_subjects add column is_read integer not null default 0 check (is_read in (0, 1));
