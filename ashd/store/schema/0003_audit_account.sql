-- On whose behalf a call was made; by number, so that an erased account leaves no name in the audit.

alter table audit add column account integer references accounts (id) on delete set null;
