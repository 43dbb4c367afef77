-- What a call looks for is found by an index, whatever others have stored.

create index person_aliases_by_chat on person_aliases (learned_in);
create index person_relationships_by_chat on person_relationships (learned_in);
create index accounts_by_own_person on accounts (own_person);
create index people_by_winner on people (merged_into) where merged_into is not null;
create index person_merges_by_loser on person_merges (loser);
create index person_merges_by_winner on person_merges (winner);
create index profile_statements_by_message on profile_statements (message) where message is not null;
create index memories_superseded on memories (superseded_until) where superseded_until > 0;
