-- A grant that was seen to expire stays expired, whatever the clock says later.
alter table grants add column expired_at integer;

-- An answer without the content of the stored one, for when something was erased since; and what a
-- call in many transactions has done so far, until its answer is stored.
alter table replies add column bare text;
alter table replies add column progress text;
