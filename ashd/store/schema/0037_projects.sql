-- The project that something was told in, by the host's id of it: it is read with that project
-- alone. Without one it is read with every project.

alter table memories add column project text;
alter table memories add column project_name text;
alter table messages add column project text;
alter table messages add column project_name text;
alter table entities add column project text;
alter table entity_aliases add column project text;
alter table relations add column project text;
alter table overrides add column project text;

-- Several memories share a judgement: a waiting job of one memory becomes one of a list.
update jobs set payload = json_object('memories', json_array(json_extract(payload, '$.memory')))
    where kind = 'judge_conflicts' and json_extract(payload, '$.memory') is not null;
