-- The title that a host or an import gave to a private conversation.

alter table conversations add column title text;
