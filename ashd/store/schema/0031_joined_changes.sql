-- Changes of an account's memories that another account made, or caused, while both were joined: what
-- they were and what they became, to be undone when the accounts are parted.

create table joined_changes (
    id      integer primary key,
    memory  integer not null references memories (id) on delete cascade,
    account integer not null references accounts (id) on delete cascade,
    was     text not null,      -- the columns that changed, as JSON
    became  text not null
) strict;
create index joined_changes_by_memory on joined_changes (memory);
create index joined_changes_by_account on joined_changes (account);
