"""Choose the embedder for a configuration.

Owns the names of the providers. A name is bound to its vectors: "auto" means the embedder that made
the stored vectors, as long as it is installed here.
"""

from pathlib import Path
from typing import Literal, TypeAlias, get_args

from ashd.errors import InvalidParams, StartError
from ashd.providers import minilm_install
from ashd.providers.embedder import Embedder
from ashd.providers.openai_embedder import DEFAULT_MODEL, OpenAiEmbedder, stored_api_model
from ashd.providers.wordllama import WordLlamaEmbedder

Provider: TypeAlias = Literal["auto", "wordllama", "minilm", "openai", "none"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)


def load(
    provider: Provider,
    *,
    models_dir: Path,
    stored_model: str | None = None,
    base_url: str | None = None,
    model: str | None = None,
    api_key_file: Path | None = None,
) -> Embedder | None:
    """Return the embedder that `provider` names; None for "none".

    "auto" is the embedder of `stored_model`'s vectors, else MiniLM if it is installed, else
    wordllama. Raises EmbeddingUnavailable if the embedder cannot be loaded.
    """
    match resolve(provider, models_dir, stored_model):
        case "wordllama":
            return WordLlamaEmbedder()
        case "minilm":
            # onnxruntime takes a tenth of a second and 30 MB, and only this embedder needs it.
            from ashd.providers.minilm import MiniLmEmbedder  # noqa: PLC0415

            return MiniLmEmbedder(models_dir / minilm_install.FOLDER)
        case "openai":
            return OpenAiEmbedder(
                model=model or stored_api_model(stored_model) or DEFAULT_MODEL,
                base_url=base_url,
                api_key_file=api_key_file,
            )
        case _:
            return None


def checked(name: str) -> Provider:
    """Return the provider of that name; raises InvalidParams if there is none."""
    for provider in PROVIDERS:
        if provider == name:
            return provider
    raise InvalidParams(f"{name[:40]!r} is no embedder.", "Name wordllama, minilm or openai.")


def resolve(
    provider: Provider, models_dir: Path, stored_model: str | None
) -> Literal["wordllama", "minilm", "openai", "none"]:
    """Return the provider that "auto" means here; any other name is returned unchanged."""
    if provider not in PROVIDERS:
        raise StartError(f"embedding.provider is one of {', '.join(PROVIDERS)}, not {provider!r}")
    if provider != "auto":
        return provider
    folder = models_dir / minilm_install.FOLDER
    if stored_model == WordLlamaEmbedder.model:
        return "wordllama"
    if minilm_install.is_some_version(stored_model) and minilm_install.is_outdated(folder):
        # Asks for the new version rather than make all vectors anew by a lesser embedder.
        return "minilm"
    if stored_api_model(stored_model):
        return "openai"
    return "minilm" if minilm_install.installed(folder) else "wordllama"
