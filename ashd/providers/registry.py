"""Choose the embedder for a configuration.

Owns the names of the providers. A name is bound to its vectors: "auto" means the embedder that made
the stored vectors, as long as it is installed here.
"""

from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from ashd.errors import InvalidParams, StartError
from ashd.providers import minilm_install, multilingual_install
from ashd.providers.embedder import Embedder
from ashd.providers.model_install import Package
from ashd.providers.openai_embedder import DEFAULT_MODEL, OpenAiEmbedder, stored_api_model
from ashd.providers.wordllama import WordLlamaEmbedder

Provider: TypeAlias = Literal["auto", "wordllama", "minilm", "multilingual", "openai", "none"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)
CHOICE: Final = "Name wordllama, minilm, multilingual or openai."
PACKAGES: Final = (minilm_install.PACKAGE, multilingual_install.PACKAGE)
"""The models that can be installed; of several, "auto" takes the first."""


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

    "auto" is the embedder of `stored_model`'s vectors, else the first installed one of MiniLM and
    the multilingual model, else wordllama. Raises EmbeddingUnavailable if it cannot be loaded.
    """
    match resolve(provider, models_dir, stored_model):
        case "wordllama":
            return WordLlamaEmbedder()
        case "minilm":
            # onnxruntime takes a tenth of a second and 30 MB, and only this embedder needs it.
            from ashd.providers.minilm import MiniLmEmbedder  # noqa: PLC0415

            return MiniLmEmbedder(models_dir / minilm_install.FOLDER)
        case "multilingual":
            # The same holds for its tokenizer.
            from ashd.providers.multilingual import MultilingualEmbedder  # noqa: PLC0415

            return MultilingualEmbedder(models_dir / multilingual_install.FOLDER)
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
    raise InvalidParams(f"{name[:40]!r} is no embedder.", CHOICE)


def of_model(model: str | None) -> Provider | None:
    """Return the provider of a model whose vectors are stored; None if there is none."""
    if model == WordLlamaEmbedder.model:
        return "wordllama"
    if stored_api_model(model):
        return "openai"
    return next((checked(one.name) for one in PACKAGES if one.is_some_version(model)), None)


def resolve(provider: Provider, models_dir: Path, stored_model: str | None) -> Provider:
    """Return the provider that "auto" means here; any other name is returned unchanged."""
    if provider not in PROVIDERS:
        raise StartError(f"embedding.provider is one of {', '.join(PROVIDERS)}, not {provider!r}")
    if provider != "auto":
        return provider
    known, packages = of_model(stored_model), {one.name: one for one in PACKAGES}
    if known is not None and known not in packages:
        return known
    if known is not None and (
        packages[known].installed(models_dir / known)
        # Asks for the new version rather than make all vectors anew by a lesser embedder.
        or packages[known].is_outdated(models_dir / known)
    ):
        return known
    usable = (one.name for one in PACKAGES if one.installed(models_dir / one.name))
    return checked(next(usable, "wordllama"))


def package(name: str) -> Package:
    """Return the model of that name that can be installed; raises KeyError."""
    return {one.name: one for one in PACKAGES}[name]
