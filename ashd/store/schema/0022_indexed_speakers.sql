-- Whether the speaker of a message was named by whoever stored it: such a name is indexed with its text.
alter table messages add column names_speaker integer not null default 0;
update messages set names_speaker = 1 where speaker is not null and id in (
    select p.item from passages p join passage_fts f on f.rowid = p.id
    where p.kind = 1 and f.names <> '');
