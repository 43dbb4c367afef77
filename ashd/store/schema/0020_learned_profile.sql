-- The part of a profile that is written from what its user said, beside what the user wrote; and up to
-- which of the user's statements it was written from.
alter table profile_versions add column learned text not null default '';
alter table profile_versions add column learned_until integer not null default 0;
