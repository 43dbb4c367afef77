-- The names of joined accounts are read from the accounts, each where it was met: an alias without a
-- teller was made by a join, and shown to everybody.
delete from person_aliases where added_by is null and learned_in is null;
