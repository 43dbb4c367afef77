-- A private chat is one account's, whatever it is called: two users whose chats have the same name
-- have two chats. Where they shared one, messages go to whoever said them, and what was answered
-- goes with the message before it.

alter table chats add column account integer references accounts (id);
drop index chats_by_chat_id;
create unique index chats_by_group on chats (provider, chat_id) where chat_type = 'group';
create unique index chats_by_account on chats (account, chat_id) where chat_id is not null;

update chats set account = (select id from accounts a
        where a.provider = chats.provider and a.user_id = chats.user_id)
    where user_id is not null;
update chats set account = coalesce(
        (select owner from conversations c where c.chat = chats.id order by c.id limit 1),
        (select owner from memories m where m.learned_in = chats.id order by m.id limit 1),
        (select created_by from people p where p.learned_in = chats.id order by p.id limit 1))
    where chat_type = 'private' and chat_id is not null;

-- Of each message in such a conversation, whose chat it belongs into.
create temp table moved as
    select t.id as message, c.id as conversation, c.external_id, h.provider, h.chat_id, (
        select b.account from messages b where b.conversation = c.id and b.position <= t.position
        and b.account is not null order by b.position desc limit 1) as account
    from chats h join conversations c on c.chat = h.id join messages t on t.conversation = c.id
    where h.chat_type = 'private' and h.chat_id is not null;
delete from moved where account is null or account = (
    select h.account from conversations c join chats h on h.id = c.chat
    where c.id = moved.conversation);

insert into chats (provider, chat_id, chat_type, account, created_at)
    select distinct provider, chat_id, 'private', account, 0 from moved;
insert into conversations (uuid, external_id, chat, learned_type, owner, created_at, updated_at)
    select lower(format('%s-%s-4%s-a%s-%s', hex(randomblob(4)), hex(randomblob(2)),
            substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2), hex(randomblob(6)))),
        g.external_id, h.id, 'private', g.account, c.created_at, c.updated_at
    from (select distinct conversation, external_id, chat_id, account from moved) g
    join conversations c on c.id = g.conversation
    join chats h on h.account = g.account and h.chat_id = g.chat_id;
update messages set conversation = (
        select c.id from moved g join chats h on h.account = g.account and h.chat_id = g.chat_id
        join conversations c on c.chat = h.id and c.external_id = g.external_id
        where g.message = messages.id)
    where id in (select message from moved);

-- Positions count from 0 without a gap again, in two steps: they are unique at every moment.
create temp table places as
    select id, row_number() over (partition by conversation order by position) - 1 as place
    from messages where conversation in (select conversation from moved
        union select conversation from messages where id in (select message from moved));
update messages set position = -1 - (select place from places where places.id = messages.id)
    where id in (select id from places);
update messages set position = -1 - position where position < 0;
drop table places;

update passages set chat = (select c.chat from messages t join conversations c
        on c.id = t.conversation where t.id = passages.item)
    where kind = 1 and item in (select message from moved);
update passage_fts set scope = (select 'p' || (p.chat * 2 + 1) from passages p
        where p.id = passage_fts.rowid)
    where rowid in (select id from passages where kind = 1
        and item in (select message from moved));
update passage_vectors set scope = (select p.chat * 2 + 1 from passages p
        where p.id = passage_vectors.passage)
    where passage in (select id from passages where kind = 1
        and item in (select message from moved));
drop table moved;
