-- Calls and tokens of the language model by day (days since 1970, UTC) and task.
create table llm_usage (
    day             integer not null,
    task            text not null,
    calls           integer not null,
    sent_tokens     integer not null,
    received_tokens integer not null,
    primary key (day, task)
) strict, without rowid;
