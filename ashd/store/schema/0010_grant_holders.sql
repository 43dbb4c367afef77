-- The process that a grant ends with, as JSON.
alter table grants add column holder text;
