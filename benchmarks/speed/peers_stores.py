"""The peers as stores of one namespace: filled at once, then single adds and searches.

Everything at its defaults; the libraries are imported where they are used, for each runs alone.
Hybrid search where a peer has it. Extraction by a language model is off everywhere.
"""

# ruff: noqa: PLC0415  each runs alone, and no environment need have all of them

import asyncio
import os
import threading
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

_SPACE = "owner"
_K = 10

VectorOf = Callable[[str], NDArray[np.float32]]


class Store:
    """A peer on a folder of its own."""

    packages: ClassVar[tuple[str, ...]] = ()

    def __init__(self, folder: Path, vector_of: VectorOf, dimension: int) -> None:
        self.folder = folder
        self.vector_of = vector_of
        self.dimension = dimension

    def fill(self, texts: Sequence[str]) -> None:
        """Store many texts, the way that is fastest."""
        raise NotImplementedError

    def add(self, text: str) -> None:
        """Store one text; it returns when the peer says that it is stored."""
        raise NotImplementedError

    def search(self, query: str) -> object:
        """The ten best texts."""
        raise NotImplementedError

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.vector_of(text) for text in texts])


class Chroma(Store):
    """Dense alone: HNSW."""

    packages = ("chromadb",)

    def fill(self, texts: Sequence[str]) -> None:
        import chromadb

        client = chromadb.PersistentClient(str(self.folder))
        self.made = client.create_collection(
            _SPACE, metadata={"hnsw:space": "cosine"}, embedding_function=None
        )
        for start in range(0, len(texts), 2_000):
            part = list(texts[start : start + 2_000])
            ids = [str(uuid.uuid4()) for _ in part]
            self.made.add(ids=ids, documents=part, embeddings=self._vectors(part))

    def add(self, text: str) -> None:
        self.made.add(ids=[str(uuid.uuid4())], documents=[text], embeddings=[self.vector_of(text)])

    def search(self, query: str) -> object:
        return self.made.query(query_embeddings=[self.vector_of(query)], n_results=_K)


class LanceDb(Store):
    """Hybrid: its own full text and vectors; not optimised between adds, as by default."""

    packages = ("lancedb",)

    def fill(self, texts: Sequence[str]) -> None:
        import lancedb
        from lancedb.rerankers import RRFReranker

        self.table = lancedb.connect(self.folder).create_table(_SPACE, self._rows(texts))
        self.table.create_fts_index("text")
        self.reranker = RRFReranker()

    def add(self, text: str) -> None:
        self.table.add(self._rows([text]))

    def search(self, query: str) -> object:
        asked = self.table.search(query_type="hybrid").vector(self.vector_of(query)).text(query)
        return asked.rerank(self.reranker).limit(_K).to_list()

    def _rows(self, texts: Sequence[str]) -> list[dict[str, Any]]:
        return [
            {"id": str(uuid.uuid4()), "text": text, "vector": self.vector_of(text)}
            for text in texts
        ]


class LangGraph(Store):
    """Dense alone: a scan of all vectors in SQLite."""

    packages = ("langgraph-checkpoint-sqlite",)

    def fill(self, texts: Sequence[str]) -> None:
        import sqlite3

        from langgraph.store.base import PutOp
        from langgraph.store.sqlite import SqliteStore

        db = sqlite3.connect(
            self.folder / "store.db", check_same_thread=False, isolation_level=None
        )
        self.store = SqliteStore(
            db,
            index={
                "dims": self.dimension,
                "embed": lambda wanted: self._vectors(wanted).tolist(),
                "text_fields": ["text"],
            },
        )
        self.store.setup()
        for start in range(0, len(texts), 500):
            part = texts[start : start + 500]
            self.store.batch([PutOp((_SPACE,), str(uuid.uuid4()), {"text": text}) for text in part])

    def add(self, text: str) -> None:
        self.store.put((_SPACE,), str(uuid.uuid4()), {"text": text})

    def search(self, query: str) -> object:
        return self.store.search((_SPACE,), query=query, limit=_K)


class Mem0(Store):
    """`infer=False`, its qdrant on a folder, which takes one call at a time."""

    packages = ("mem0ai", "qdrant-client")

    def fill(self, texts: Sequence[str]) -> None:
        os.environ["MEM0_DIR"] = str(self.folder / "mem0")
        from mem0 import Memory

        provider = {"provider": "openai", "config": {"api_key": "unused"}}
        self.memory = Memory.from_config(
            {
                "embedder": provider,
                "llm": provider,
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "path": str(self.folder / "qdrant"),
                        "embedding_model_dims": self.dimension,
                        "on_disk": True,
                    },
                },
                "history_db_path": str(self.folder / "history.db"),
            }
        )
        self.memory.embedding_model.embed = lambda text, *_: self.vector_of(text).tolist()
        self.lock = threading.Lock()
        for start in range(0, len(texts), 500):
            part = texts[start : start + 500]
            self.memory.vector_store.insert(
                vectors=self._vectors(part).tolist(),
                payloads=[{"data": text, "user_id": _SPACE} for text in part],
                ids=[str(uuid.uuid4()) for _ in part],
            )

    def add(self, text: str) -> None:
        with self.lock:
            self.memory.add(text, user_id=_SPACE, infer=False)

    def search(self, query: str) -> object:
        with self.lock:
            return self.memory.search(query, filters={"user_id": _SPACE}, top_k=_K, threshold=0)


class McpMemory(Store):
    """The McpMemory storage class with hybrid retrieval, on its own event loop."""

    packages = ("mcp-memory-service", "sqlite-vec")

    def fill(self, texts: Sequence[str]) -> None:
        os.environ |= {
            "MCP_MEMORY_BASE_DIR": str(self.folder),
            # Nothing is asked there: what makes the vectors is replaced below.
            "MCP_EXTERNAL_EMBEDDING_URL": os.environ["ASH_BENCH_EMBEDDINGS"],
            "MCP_EXTERNAL_EMBEDDING_MODEL": "same",
            "MCP_SEMANTIC_DEDUP_ENABLED": "false",
        }
        from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.store = SqliteVecMemoryStorage(str(self.folder / "store.db"))
        self._run(self.store.initialize())
        self.store.embedding_model.encode = lambda asked, **_: self._vectors(
            [asked] if isinstance(asked, str) else list(asked)
        )
        for start in range(0, len(texts), 500):
            self._run(self.store.store_batch([self._memory(t) for t in texts[start : start + 500]]))

    def add(self, text: str) -> None:
        done, why = self._run(self.store.store(self._memory(text)))
        if not done:
            raise RuntimeError(why)

    def search(self, query: str) -> object:
        return self._run(self.store.retrieve_hybrid(query, n_results=_K))

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    @staticmethod
    def _memory(text: str) -> Any:
        from mcp_memory_service.models.memory import Memory
        from mcp_memory_service.utils.hashing import generate_content_hash

        return Memory(content=text, content_hash=generate_content_hash(text))


STORES: dict[str, type[Store]] = {
    "Chroma": Chroma,
    "LanceDB": LanceDb,
    "LangGraph": LangGraph,
    "mem0": Mem0,
    "mcp-memory-service": McpMemory,
}
