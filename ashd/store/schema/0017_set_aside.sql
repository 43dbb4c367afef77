-- When the embedder refused a passage's text, though it took others: it holds up no others then.
alter table embedding_queue add column set_aside_at integer;
