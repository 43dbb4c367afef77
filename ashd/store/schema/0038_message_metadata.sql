-- What a host says of a message beside its words, as JSON: given back with it.

alter table messages add column metadata text;
