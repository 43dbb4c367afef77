-- Work that is done beside the calls, in order within a key, and never lost.
create table jobs (
    id            integer primary key autoincrement,
    uuid          text not null unique,
    kind          text not null,
    key           text not null,              -- jobs of one key run one after the other
    owner         text not null,              -- whose turn it is (access.quota.owner_of)
    grant_id      text,                       -- of the sandbox that asked for it
    -- queued: behind another of its key; delayed: until not_before
    state         text not null
        check (state in ('queued', 'delayed', 'due', 'running', 'done', 'set_aside')),
    payload       text,                       -- the handler's own, as JSON; gone once the job is done
    not_before    integer not null,
    lease         text,                       -- of the run that may finish it
    attempts      integer not null,
    failures      integer not null,           -- attempts that count against it
    interruptions integer not null,           -- runs that ended with the daemon
    outcome       text,
    error         text,
    tokens        integer not null,
    created_at    integer not null,
    finished_at   integer
) strict;
create index jobs_by_key on jobs (key, id)
    where state in ('queued', 'delayed', 'due', 'running');
create index jobs_by_time on jobs (not_before) where state = 'delayed';
create index jobs_due on jobs (owner, id) where state = 'due';
create index jobs_by_state on jobs (state, id);
create index jobs_by_grant on jobs (grant_id, id) where grant_id is not null;
create index jobs_by_end on jobs (finished_at) where state = 'done';
