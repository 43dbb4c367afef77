-- Entities, relations, people, names and claims that were learned from a turn have the time at which a
-- model read it. They get the time of their turn, and a label as strict as what else was learned from it.
-- Where the turn is gone, or several with different hearers may be it, what is not public and was said in
-- a group is for its teller alone. A caller's own statement, which the audit knows, was said when it was
-- stored.

create temp table stated as select distinct at from audit where actor <> 'daemon' and outcome = 'ok';
create index temp.stated_at on stated (at);

-- What a sandbox handed over to be read was said then.
create temp table handed as select finished_at as at, min(created_at) as handed_at from jobs
    where kind = 'extract_facts' and key like 'memory.extract/%' and state = 'done'
    group by finished_at;
update memories set said_at = min(said_at, coalesce(
        (select handed_at from handed where at = memories.created_at), observed_at, said_at))
    where source = 'extraction' and said_at = created_at and grant_id is not null;

-- What users said where something is in the graph, with those who heard it.
create temp table spoken as
    select t.id, c.chat, coalesce(t.account, c.owner) as account, t.created_at,
        min(t.said_at, t.created_at) as heard_at, folded(t.content) as words,
        folded(coalesce(t.speaker, '')) as speaker, folded(coalesce(a.display_name, '')) as display_name,
        folded(coalesce(a.username, '')) as username, folded(coalesce(a.user_id, '')) as user_id,
        (select coalesce(group_concat(account), '') from (
            select distinct p.account from participations p
            where p.chat = c.chat and p.joined_at <= min(t.said_at, t.created_at)
            and (p.left_at is null or p.left_at > min(t.said_at, t.created_at))
            order by p.account)) as hearers
    from messages t join conversations c on c.id = t.conversation
    left join accounts a on a.id = coalesce(t.account, c.owner)
    where t.role = 'user' and c.chat in (select learned_in from entities);
create index temp.spoken_by on spoken (chat, account);
create unique index temp.spoken_by_id on spoken (id);

-- Which of them name what: in their words, or as their speaker.
create temp table named as
    select learned_in as chat, stated_by as account, source_key as key from relations
    union select learned_in, stated_by, target_key from relations
    union select learned_in, stated_by, key from entities;
create temp table naming as
    select n.chat, n.account, n.key, s.id as turn, true as in_words
    from named n join spoken s on s.chat = n.chat and s.account is n.account
    where instr(s.words, n.key) > 0;
create temp table called as
    select chat, account, speaker as key, id from spoken
    union select chat, account, display_name, id from spoken
    union select chat, account, username, id from spoken
    union select chat, account, user_id, id from spoken;
create index temp.named_by on named (key, chat, account);
insert into naming
    select n.chat, n.account, n.key, c.id, false from called c
    cross join named n on n.key = c.key and n.chat = c.chat and n.account is c.account;
create index temp.naming_by on naming (chat, account, key, turn);
create index temp.naming_in_words on naming (chat, account, key) where in_words;

-- The turns that name both ends of a relation, or one besides their speaker: the last one, and by how
-- many different groups of people they were heard.
create temp table turn_of_relation as
    select r.id as row, s.heard_at, max(s.id) as turn, count(distinct s.hearers) as audiences
    from relations r
    cross join naming t on t.chat = r.learned_in and t.account is r.stated_by and t.key = r.target_key
    cross join naming o on o.chat = t.chat and o.account is t.account and o.key = r.source_key
        and o.turn = t.turn and (o.in_words or t.in_words)
    cross join spoken s on s.id = t.turn and s.created_at <= r.created_at
    where r.created_at not in (select at from stated)
    group by r.id;

create temp table turn_of_entity as
    select e.id as row, s.heard_at, max(s.id) as turn, count(distinct s.hearers) as audiences
    from entities e
    cross join naming n on n.chat = e.learned_in and n.account is e.stated_by and n.key = e.key
        and n.in_words
    cross join spoken s on s.id = n.turn and s.created_at <= e.created_at
    where e.created_at not in (select at from stated)
    group by e.id;
-- An entity that a relation introduced was said with it.
insert into turn_of_entity
    select e.id, w.heard_at, w.turn, w.audiences from entities e join relations r
        on r.created_at = e.created_at and (r.source = e.id or r.target = e.id)
    join turn_of_relation w on w.row = r.id where e.id not in (select row from turn_of_entity)
    group by e.id;

-- Messages that were handed over are not stored, but when they were.
insert into turn_of_relation
    select r.id, coalesce((select min(m.said_at) from memories m where m.created_at = r.created_at
            and m.stated_by is r.stated_by and m.learned_in = r.learned_in), h.handed_at), 0, 1
    from relations r join handed h on h.at = r.created_at
    where r.id not in (select row from turn_of_relation);
insert into turn_of_entity
    select e.id, coalesce((select min(m.said_at) from memories m where m.created_at = e.created_at
            and m.stated_by is e.stated_by and m.learned_in = e.learned_in), h.handed_at), 0, 1
    from entities e join handed h on h.at = e.created_at
    where e.id not in (select row from turn_of_entity);

-- Labels, in the order of their strictness.
create temp table label_of_turn as
    select learned_in, stated_by, said_at,
        max(case sensitivity when 'sensitive' then 2 when 'personal' then 1 else 0 end) as strictness
    from memories where source = 'background_extraction' group by learned_in, stated_by, said_at;

update relations set asserted_at = (select heard_at from turn_of_relation where row = relations.id)
    where asserted_at = created_at and id in (select row from turn_of_relation);
update relations set said_at = (select heard_at from turn_of_relation where row = relations.id)
    where id in (select row from turn_of_relation);
update entities set said_at = (select heard_at from turn_of_entity where row = entities.id)
    where id in (select row from turn_of_entity);

update relations set sensitivity = case l.strictness when 2 then 'sensitive' else 'personal' end
    from label_of_turn l where l.learned_in = relations.learned_in
    and l.stated_by is relations.stated_by and l.said_at = relations.said_at
    and relations.id in (select row from turn_of_relation) and l.strictness
        > case sensitivity when 'sensitive' then 2 when 'personal' then 1 else 0 end;
update entities set sensitivity = case l.strictness when 2 then 'sensitive' else 'personal' end
    from label_of_turn l where l.learned_in = entities.learned_in
    and l.stated_by is entities.stated_by and l.said_at = entities.said_at
    and entities.id in (select row from turn_of_entity) and l.strictness
        > case sensitivity when 'sensitive' then 2 when 'personal' then 1 else 0 end;

update relations set sensitivity = 'sensitive'
    where sensitivity = 'personal' and learned_type = 'group'
    and created_at not in (select at from stated)
    and id not in (select row from turn_of_relation where audiences = 1);
update entities set sensitivity = 'sensitive'
    where sensitivity = 'personal' and learned_type = 'group'
    and created_at not in (select at from stated)
    and id not in (select row from turn_of_entity where audiences = 1);

-- A relation that was ended, when it was read, by one that had been said before it: it holds, and ends
-- the other.
create temp table ended_by_older as
    select newer.id as newer, older.id as older, newer.said_at from relations newer join relations older
        on newer.valid_until = older.created_at and newer.relation = older.relation
        and newer.learned_in = older.learned_in and newer.owner is older.owner
        and newer.chat is older.chat
        and (newer.source = older.source or newer.source_key = older.source_key)
    where newer.id <> older.id and older.valid_from is null and older.asserted_at < newer.said_at
    and newer.removed_at is null and older.removed_at is null;
update relations set valid_until = null where id in (select newer from ended_by_older);
update relations set valid_until = min(
        coalesce(valid_until, 9223372036854775807),
        (select min(said_at) from ended_by_older where older = relations.id))
    where id in (select older from ended_by_older);

-- People, names and claims have the time of the memory that they were learned with.
create temp table learned as
    select s.person, m.learned_in, m.stated_by, m.created_at, min(m.said_at) as said_at,
        count(distinct m.said_at) as times
    from memories m join memory_subjects s on s.memory = m.id
    group by s.person, m.learned_in, m.stated_by, m.created_at;
create index temp.learned_by on learned (person, created_at);

update people set said_at = l.said_at from learned l
    where l.person = people.id and l.learned_in = people.learned_in
    and l.stated_by is people.created_by and l.created_at = people.named_at;
update person_aliases set said_at = l.said_at from learned l
    where l.person = person_aliases.person and l.learned_in = person_aliases.learned_in
    and l.stated_by is person_aliases.added_by and l.created_at = person_aliases.created_at;
update person_relationships set said_at = l.said_at from learned l
    where l.person = person_relationships.person and l.learned_in = person_relationships.learned_in
    and l.stated_by is person_relationships.stated_by
    and l.created_at = person_relationships.created_at;

-- As with relations: a claim that was ended by one of an exclusive role that had been said before.
create temp table claim_ended_by_older as
    select newer.id as newer, older.id as older, newer.said_at from person_relationships newer
    join person_relationships older on newer.ended_at = older.created_at
        and newer.to_person = older.to_person and newer.stated_by is older.stated_by
        and (newer.relationship = older.relationship or older.relationship = 'new ' || newer.relationship)
    where newer.id <> older.id and older.said_at < newer.said_at;
update person_relationships set ended_at = null
    where id in (select newer from claim_ended_by_older);
update person_relationships set ended_at = min(
        coalesce(ended_at, 9223372036854775807),
        (select min(said_at) from claim_ended_by_older where older = person_relationships.id))
    where id in (select older from claim_ended_by_older);

create temp table groups as select id from chats where chat_type = 'group';
update people set sensitivity = 'sensitive'
    where sensitivity = 'personal' and learned_in in (select id from groups)
    and named_at not in (select at from stated) and not exists (select 1 from learned l
        where l.person = people.id and l.learned_in = people.learned_in
        and l.stated_by is people.created_by and l.created_at = people.named_at and l.times = 1);
update person_aliases set sensitivity = 'sensitive'
    where sensitivity = 'personal' and learned_in in (select id from groups)
    and created_at not in (select at from stated) and not exists (select 1 from learned l
        where l.person = person_aliases.person and l.learned_in = person_aliases.learned_in
        and l.stated_by is person_aliases.added_by
        and l.created_at = person_aliases.created_at and l.times = 1);
update person_relationships set sensitivity = 'sensitive'
    where sensitivity = 'personal' and learned_in in (select id from groups)
    and created_at not in (select at from stated) and not exists (select 1 from learned l
        where l.person = person_relationships.person
        and l.learned_in = person_relationships.learned_in
        and l.stated_by is person_relationships.stated_by
        and l.created_at = person_relationships.created_at and l.times = 1);

drop table stated;
drop table spoken;
drop table named;
drop table called;
drop table naming;
drop table turn_of_relation;
drop table turn_of_entity;
drop table label_of_turn;
drop table ended_by_older;
drop table learned;
drop table groups;
drop table handed;
drop table claim_ended_by_older;
