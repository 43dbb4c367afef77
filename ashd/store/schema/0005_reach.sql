-- What a viewer may reach, without a look at what all others have stored.

create index participations_by_account on participations (account, chat);
create index conversations_by_owner on conversations (owner);
create index messages_by_account on messages (account) where account is not null;
create index memories_by_place on memories (owner, learned_type, learned_in);
