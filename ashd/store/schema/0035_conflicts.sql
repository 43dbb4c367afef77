-- Conflicts: a link says how likely the newer memory replaces the older one, and that it is settled
-- that both hold. A check constraint cannot be altered, so the table is made again.

create table memory_links_new (
    newer      integer not null references memories (id) on delete cascade,
    older      integer not null references memories (id) on delete cascade,
    kind       text not null check (kind in ('repeats', 'may_replace', 'both')),
    likelihood real check (likelihood between 0 and 1),   -- of may_replace; null: to be judged again
    primary key (newer, older)
) strict, without rowid;

insert into memory_links_new (newer, older, kind)
    select newer, older, kind from memory_links;
drop table memory_links;
alter table memory_links_new rename to memory_links;
create index memory_links_by_older on memory_links (older);

-- What a guess had replaced becomes active again, linked to what holds in its place now.
create table released as
    with recursive
        guessed (older, winner) as (
            select m.id, m.superseded_by from memories m
            where m.superseded_by is not null and (m.archived_at is null or m.archive_reason = 'superseded')
            and (select e.reason from memory_events e where e.memory = m.id and e.event = 'superseded'
                 order by e.id desc limit 1) in ('meaning', 'own_word', 'lasts')
            and m.content_key <> (select w.content_key from memories w where w.id = m.superseded_by)
        ),
        chain (older, winner) as (
            select older, winner from guessed
            union
            select c.older, m.superseded_by from chain c join memories m on m.id = c.winner
            where m.superseded_by is not null
        )
    select older, winner from chain;
update memories set superseded_at = null, superseded_by = null, superseded_until = 0, revision = revision + 1
    where id in (select older from released);
update memories set superseded_until = (select w.ends_at from memories w where w.id = memories.superseded_by)
    where superseded_by in (select older from released);
update memories set archived_at = null, archive_reason = null
    where id in (select older from released) and archive_reason = 'superseded';
insert or ignore into embedding_queue (embedding_set, passage)
    select s.id, p.id from released r join passages p on p.kind = 0 and p.item = r.older
    join embedding_sets s on s.state <> 'retired'
    where not exists (select 1 from passage_vectors v where v.passage = p.id and v.embedding_set = s.id);
insert or ignore into memory_links (newer, older, kind)
    select winner, older, 'may_replace' from released;
insert into memory_events (memory, at, event, reason, newer)
    select older, cast(unixepoch('subsec') * 1000000 as integer), 'may_be_replaced', 'upgrade', winner
    from released;
insert or ignore into memories_to_judge (memory) select older from released;
drop table released;

-- Every conflict is judged again, for its likelihood, unless somebody has settled it since.
insert into memory_links (newer, older, kind)
    select distinct l.newer, e.memory, 'both' from memory_links l join memory_events e
    on e.event = 'kept' and e.reason in ('rejected', 'language_model') and e.memory < l.newer
    and e.at >= (select m.created_at from memories m where m.id = l.newer)
    where l.kind = 'may_replace'
    on conflict (newer, older) do nothing;
insert or ignore into memories_to_judge (memory)
    select distinct newer from memory_links where kind = 'may_replace';
