-- Which people a call merged or split, and by which memory's sentence: ids, never names.

alter table audit add column people text not null default '[]';
alter table audit add column memory text;
