-- The same text is looked for among an owner's memories, or a chat's own, not among everybody's.

drop index memories_by_content;
create index memories_by_content on memories (content_key, owner, chat);
