"""The peers behind one small face: `add` a namespace's texts, `search` it for ids, best first.

Everything at its defaults; the libraries are imported where they are used, for each runs alone.
Hybrid search where a peer has it. Extraction by a language model is off everywhere: this measures
stores.
"""

# ruff: noqa: PLC0415  each runs alone, and no environment need have all of them

import asyncio
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from benchmarks.recall.peers import Vectors


class System:
    """A peer on a folder of its own; `vectors` for those that take them."""

    packages: ClassVar[tuple[str, ...]] = ()

    def __init__(self, folder: Path, vectors: "Vectors") -> None:
        self.folder = folder
        self.vectors = vectors
        self.spaces: dict[str, Any] = {}

    def add(self, space: str, ids: list[str], texts: list[str]) -> None:
        raise NotImplementedError

    def search(self, space: str, query: str, k: int) -> list[str]:
        raise NotImplementedError


class Bm25(System):
    """BM25 over turns, English stop words, Snowball."""

    packages = ("bm25s", "PyStemmer")

    def _tokens(self, texts: list[str]) -> Any:
        import bm25s
        import Stemmer

        return bm25s.tokenize(
            texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False
        )

    def add(self, space: str, ids: list[str], texts: list[str]) -> None:
        import bm25s

        index = bm25s.BM25()
        index.index(self._tokens(texts), show_progress=False)
        self.spaces[space] = index, ids

    def search(self, space: str, query: str, k: int) -> list[str]:
        index, ids = self.spaces[space]
        found, _ = index.retrieve(self._tokens([query]), k=min(k, len(ids)), show_progress=False)
        return [ids[place] for place in found[0]]


class Fts5(System):
    """SQLite's own full text: porter, any of the question's words."""

    def add(self, space: str, ids: list[str], texts: list[str]) -> None:
        import sqlite3

        db = sqlite3.connect(self.folder / f"{space}.db")
        db.execute("create virtual table t using fts5(id unindexed, body, tokenize='porter')")
        db.executemany("insert into t values (?, ?)", zip(ids, texts, strict=True))
        db.commit()
        self.spaces[space] = db

    def search(self, space: str, query: str, k: int) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        if not words:
            return []  # signs alone match nothing
        rows = self.spaces[space].execute(
            "select id from t where t match ? order by rank limit ?", (words, k)
        )
        return [row[0] for row in rows]


class Cosine(System):
    """Exact cosine of the whole text: what a store of vectors alone can reach."""

    packages = ("numpy",)

    def add(self, space: str, ids: list[str], texts: list[str]) -> None:
        self.spaces[space] = self.vectors.of(texts), ids

    def search(self, space: str, query: str, k: int) -> list[str]:
        matrix, ids = self.spaces[space]
        near = np.argsort(-(matrix @ self.vectors.of([query])[0]), kind="stable")
        return [ids[place] for place in near[:k]]


class Chroma(System):
    packages = ("chromadb",)

    def add(self, space: str, ids: list[str], texts: list[str]) -> None:
        import chromadb

        if not self.spaces:
            self.client = chromadb.PersistentClient(str(self.folder))
        made = self.client.create_collection(
            space, metadata={"hnsw:space": "cosine"}, embedding_function=None
        )
        made.add(ids=ids, documents=texts, embeddings=self.vectors.of(texts))
        self.spaces[space] = made

    def search(self, space: str, query: str, k: int) -> list[str]:
        found = self.spaces[space].query(query_embeddings=self.vectors.of([query]), n_results=k)
        return list(found["ids"][0])


class LanceDb(System):
    """Hybrid: its own full text and vectors, reciprocal rank fusion."""

    packages = ("lancedb",)

    def add(self, space: str, ids: list[str], texts: list[str]) -> None:
        import lancedb
        from lancedb.rerankers import RRFReranker

        rows = [
            {"id": number, "text": text, "vector": vector}
            for number, text, vector in zip(ids, texts, self.vectors.of(texts), strict=True)
        ]
        table = lancedb.connect(self.folder).create_table(space, rows)
        table.create_fts_index("text")
        self.spaces[space] = table
        self.reranker = RRFReranker()

    def search(self, space: str, query: str, k: int) -> list[str]:
        found = (
            self.spaces[space]
            .search(query_type="hybrid")
            .vector(self.vectors.of([query])[0])
            .text(query)
            .rerank(self.reranker)
            .limit(k)
            .to_list()
        )
        return [row["id"] for row in found]


class LangGraph(System):
    packages = ("langgraph-checkpoint-sqlite",)

    def add(self, space: str, ids: list[str], texts: list[str]) -> None:
        import sqlite3

        from langgraph.store.base import PutOp
        from langgraph.store.sqlite import SqliteStore

        if not self.spaces:
            db = sqlite3.connect(
                self.folder / "store.db", check_same_thread=False, isolation_level=None
            )
            dimension = self.vectors.of(texts[:1]).shape[1]
            self.store = SqliteStore(
                db,
                index={
                    "dims": dimension,
                    "embed": lambda wanted: self.vectors.of(list(wanted)).tolist(),
                    "text_fields": ["text"],
                },
            )
            self.store.setup()
        self.spaces[space] = True
        for start in range(0, len(ids), 100):
            self.store.batch(
                [
                    PutOp((space,), number, {"text": text})
                    for number, text in zip(
                        ids[start : start + 100], texts[start : start + 100], strict=True
                    )
                ]
            )

    def search(self, space: str, query: str, k: int) -> list[str]:
        return [item.key for item in self.store.search((space,), query=query, limit=k)]


class Mem0(System):
    """`infer=False`; its qdrant on a folder. Keyword signals would need downloads."""

    packages = ("mem0ai", "qdrant-client")

    def add(self, space: str, ids: list[str], texts: list[str]) -> None:
        if not self.spaces:
            os.environ["MEM0_DIR"] = str(self.folder / "mem0")
            from mem0 import Memory

            dimension = self.vectors.of(texts[:1]).shape[1]
            self.memory = Memory.from_config(
                {
                    "embedder": {
                        "provider": "openai",
                        "config": {
                            "model": "same",
                            "api_key": "unused",
                            "openai_base_url": self.vectors.url,
                        },
                    },
                    "llm": {"provider": "openai", "config": {"api_key": "unused"}},
                    "vector_store": {
                        "provider": "qdrant",
                        "config": {
                            "path": str(self.folder / "qdrant"),
                            "embedding_model_dims": dimension,
                            "on_disk": True,
                        },
                    },
                    "history_db_path": str(self.folder / "history.db"),
                }
            )
            # The vectors are known, so the peer's times exclude requests to the endpoint.
            self.memory.embedding_model.embed = lambda text, *_: self.vectors.of([text])[0].tolist()
        self.spaces[space] = True
        for number, text in zip(ids, texts, strict=True):
            self.memory.add(text, user_id=space, metadata={"turn": number}, infer=False)

    def search(self, space: str, query: str, k: int) -> list[str]:
        found = self.memory.search(query, filters={"user_id": space}, top_k=k, threshold=0)
        return [entry["metadata"]["turn"] for entry in found["results"]]


class McpMemory(System):
    """The McpMemory storage class with hybrid retrieval, one database per namespace."""

    packages = ("mcp-memory-service", "sqlite-vec")

    def _run(self, work: Any) -> Any:
        if not hasattr(self, "loop"):
            self.loop = asyncio.new_event_loop()
        return self.loop.run_until_complete(work)

    def add(self, space: str, ids: list[str], texts: list[str]) -> None:
        os.environ |= {
            "MCP_MEMORY_BASE_DIR": str(self.folder),
            "MCP_EXTERNAL_EMBEDDING_URL": f"{self.vectors.url}/embeddings",
            "MCP_EXTERNAL_EMBEDDING_MODEL": "same",
            "MCP_SEMANTIC_DEDUP_ENABLED": "false",
        }
        from mcp_memory_service.models.memory import Memory
        from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage
        from mcp_memory_service.utils.hashing import generate_content_hash

        store = SqliteVecMemoryStorage(str(self.folder / f"{space}.db"))
        self._run(store.initialize())
        # The vectors are known, so the peer's times exclude requests to the endpoint.
        store.embedding_model.encode = lambda asked, **_: self.vectors.of(
            [asked] if isinstance(asked, str) else list(asked)
        )
        self.spaces[space] = store
        memories = [
            Memory(
                content=text, content_hash=generate_content_hash(text), metadata={"turn": number}
            )
            for number, text in zip(ids, texts, strict=True)
        ]
        stored = self._run(store.store_batch(memories))
        refused = [why for done, why in stored if not done]
        if len(refused) > len(ids) // 50:
            raise RuntimeError(f"{len(refused)} of {len(ids)} turns refused: {refused[0]}")

    def search(self, space: str, query: str, k: int) -> list[str]:
        found = self._run(self.spaces[space].retrieve_hybrid(query, n_results=k))
        return [entry.memory.metadata["turn"] for entry in found]


class Txtai(System):
    """txtai as a hybrid index (words and vectors) that stores its content."""

    packages = ("txtai", "faiss-cpu", "torch")

    def add(self, space: str, ids: list[str], texts: list[str]) -> None:
        from txtai import Embeddings

        made = Embeddings(
            method="external",
            transform=lambda wanted: self.vectors.of(list(wanted)),
            hybrid=True,
            content=True,
        )
        made.index(list(zip(ids, texts, strict=True)))
        self.spaces[space] = made

    def search(self, space: str, query: str, k: int) -> list[str]:
        return [row["id"] for row in self.spaces[space].search(query, k)]


SYSTEMS: dict[str, type[System]] = {
    "BM25 (bm25s)": Bm25,
    "SQLite FTS5": Fts5,
    "exact cosine (numpy)": Cosine,
    "Chroma": Chroma,
    "LanceDB hybrid": LanceDb,
    "LangGraph SqliteStore": LangGraph,
    "mem0 (infer=False)": Mem0,
    "mcp-memory-service hybrid": McpMemory,
    "txtai hybrid": Txtai,
}
