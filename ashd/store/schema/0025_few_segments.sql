-- Every word is looked up in each segment of the full-text index: two of a size are merged already.
insert into passage_fts (passage_fts, rank) values ('usermerge', 2);
