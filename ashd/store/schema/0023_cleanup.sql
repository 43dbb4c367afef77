-- What the clean-up looks for, without a look at what is archived already.
create index memories_to_end on memories (ends_at) where archived_at is null;
create index memories_hidden on memories (superseded_until)
    where archived_at is null and superseded_until > 0;
create index memories_in_place on memories (owner, chat) where archived_at is null;
create index memories_archived on memories (archived_at) where archived_at is not null;
