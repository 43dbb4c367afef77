-- Names are no part of what is indexed of a memory: each viewer searches by those that he may know.

update passage_fts set names = '' where names <> ''
    and rowid in (select id from passages where kind = 0);
