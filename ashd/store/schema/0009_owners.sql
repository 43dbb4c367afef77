-- What an add looks at is its owner's, however much others have stored.

drop index memories_by_content;
create index memories_by_content on memories (content_key, owner, chat);

-- The passages that have their vector in a set, in the order in which it came: `scope` is their kind
-- and chat in one number, and whoever has read a scope up to an `id` goes on from there. It takes
-- the place of a vec0 table a set, which are dropped after this file.
create table passage_vectors (
    id            integer primary key autoincrement,
    embedding_set integer not null references embedding_sets (id),
    scope         integer not null,
    passage       integer not null references passages (id) on delete cascade,
    unique (passage, embedding_set)
) strict;
create index passage_vectors_by_scope on passage_vectors (embedding_set, scope, id);

insert into passage_vectors (embedding_set, scope, passage)
    select e.embedding_set, p.chat * 2 + p.kind, p.id from passages p
    join embeddings e on e.hash = p.hash
    where p.kind <> 0 or p.item in (select id from memories where archived_at is null)
    order by p.id;
