-- Functions of SQLite that the shared statements call, in the schema `ashd`, which is searched first.
-- They are made anew at each start.

-- Such a function becomes a part of the statement that calls it, which spares the server a call, if
-- it is not `strict`, where it returns rows, and if its expression is what it says, otherwise.

-- The elements of a list of numbers; of a parameter, the list is an array.
create or replace function json_each(list bigint[]) returns table (value bigint)
    language sql immutable parallel safe rows 20
    as $$ select pg_catalog.unnest(list) $$;
create or replace function json_each(list text) returns table (value bigint)
    language sql immutable parallel safe rows 20
    as $$ select cast(e as bigint) from pg_catalog.json_array_elements_text(cast(list as json)) e $$;

create or replace function json_extract(document text, path text) returns text
    language sql immutable strict parallel safe
    as $$
        select cast(document as json) operator(pg_catalog.#>>) pg_catalog.string_to_array(
            pg_catalog.ltrim(pg_catalog.translate(path, '[]', '.'), '$.'), '.')
    $$;

-- The elements of a list at a place, as texts: '$' is the whole document.
create or replace function json_each(document text, path text) returns table (value text)
    language sql immutable parallel safe rows 20
    as $$
        select e from pg_catalog.json_array_elements_text(cast(
            case path when '$' then document else json_extract(document, path) end as json)) e
    $$;

create or replace function "json"(document text) returns json
    language sql immutable strict parallel safe
    as $$ select cast(document as pg_catalog.json) $$;

create or replace function json_quote(given text) returns json
    language sql immutable strict parallel safe
    as $$ select pg_catalog.to_json(given) $$;

create or replace aggregate json_group_array(bigint) (
    sfunc = pg_catalog.array_append, stype = bigint[], finalfunc = pg_catalog.array_to_json, initcond = '{}');
create or replace aggregate json_group_array(text) (
    sfunc = pg_catalog.array_append, stype = text[], finalfunc = pg_catalog.array_to_json, initcond = '{}');
create or replace aggregate json_group_array(pg_catalog.json) (
    sfunc = pg_catalog.array_append, stype = pg_catalog.json[], finalfunc = pg_catalog.array_to_json, initcond = '{}');

create or replace function instr(whole text, part text) returns bigint
    language sql immutable strict parallel safe
    as $$ select cast(pg_catalog.strpos(whole, part) as bigint) $$;

-- Of ASCII letters only, as in SQLite.
create or replace function lower(given text) returns text
    language sql immutable strict parallel safe
    as $$ select pg_catalog.lower(given collate "C") $$;

create or replace function hex(given bytea) returns text
    language sql immutable strict parallel safe
    as $$ select pg_catalog.upper(pg_catalog.encode(given, 'hex')) $$;

create or replace function unhex(given text) returns bytea
    language sql immutable strict parallel safe
    as $$ select pg_catalog.decode(given, 'hex') $$;

-- Of null and any number, null, as in SQLite.
create or replace function max(a bigint, b bigint) returns bigint
    language sql immutable parallel safe
    as $$ select case when a >= b then a when a < b then b end $$;

create or replace function max(a bigint, b bigint, c bigint) returns bigint
    language sql immutable parallel safe
    as $$ select case when a >= b and a >= c then a when b >= c and b > a then b
        when c > a and c > b then c end $$;

create or replace function min(a bigint, b bigint) returns bigint
    language sql immutable parallel safe
    as $$ select case when a <= b then a when a > b then b end $$;

create or replace function json_array_length(list text) returns bigint
    language sql immutable strict parallel safe
    as $$ select cast(pg_catalog.json_array_length(cast(list as pg_catalog.json)) as bigint) $$;

-- A search reads every row that is not yet merged into this index, once for each of its words.
do $$
begin
    if not exists (select from pg_catalog.pg_class where oid = 'ashd.passage_fts_by_terms'::regclass
        and 'fastupdate=off' = any (reloptions)) then
        alter index ashd.passage_fts_by_terms set (fastupdate = off);
        perform pg_catalog.gin_clean_pending_list('ashd.passage_fts_by_terms');
    end if;
end
$$;
