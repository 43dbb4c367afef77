-- Files that hold a copy of what is stored, to name those that still hold what was erased.
create table copies (
    path    text primary key,
    kind    text not null check (kind in ('backup', 'export')),
    made_at integer not null
) strict, without rowid;
