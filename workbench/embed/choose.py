"""Which embedder an operator wants: by option, by environment, else the one nearest to the imported server's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.embed.local import E5, USE, SentenceEncoder, SmallE5, has_e5
from workbench.embed.protocol import KEY_VARIABLE, Embedder
from workbench.embed.vector_file import VectorFile
from workbench.errors import BadConfig

KINDS = ("openai", "use", "e5")
_LOCAL = {"use": USE, "e5": E5}
KIND_VARIABLE = "WORKBENCH_EMBEDDER"
URL_VARIABLE = "WORKBENCH_EMBEDDING_URL"
MODEL_VARIABLE = "WORKBENCH_EMBEDDING_MODEL"


@dataclass(frozen=True)
class Wanted:
    """What the operator said; None: nothing.

    `model` is what the server is asked for, `name` what the vectors are kept under where that differs; `file` holds
    finished vectors of `model`.
    """

    kind: str | None = None
    base_url: str | None = None
    model: str | None = None
    name: str | None = None
    file: Path | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Wanted:
        """What the environment says."""
        kind, base_url, model = (
            environment.get(name) or None for name in (KIND_VARIABLE, URL_VARIABLE, MODEL_VARIABLE)
        )
        return cls(kind, base_url, model)


def choose(wanted: Wanted, imported: str | None, environment: Mapping[str, str] = os.environ) -> Embedder:
    """The embedder that `wanted` names, with what it leaves open from the environment.

    Where neither names one: a server where one is named, else the model `imported` where it runs here, else the local
    model that is always there. BadConfig for what cannot be.
    """
    if wanted.file is not None:
        return _file(wanted)
    said = Wanted.from_environment(environment)
    kind = wanted.kind or _named(wanted) or said.kind or _default(said, imported)
    if kind not in KINDS:
        raise BadConfig(f"Unknown embedder {kind!r}; choose from {', '.join(KINDS)}.")
    if kind == "openai":
        return _server(wanted, said, imported, environment.get(KEY_VARIABLE))
    for option, value in (("--base-url", wanted.base_url), ("--model", wanted.model), ("--name", wanted.name)):
        if value and (option, value) != ("--model", _LOCAL[kind]):
            raise BadConfig(f"{option} goes with --embedder openai; {kind} is one model with one name.")
    return SmallE5() if kind == "e5" else SentenceEncoder()


def _named(wanted: Wanted) -> str | None:
    """The embedder that the other options speak of: a server, or the local model of that name."""
    local = next((kind for kind, model in _LOCAL.items() if model == wanted.model and not wanted.base_url), None)
    return local or ("openai" if wanted.base_url or wanted.model else None)


def _default(said: Wanted, imported: str | None) -> str:
    if said.base_url:
        return "openai"
    return "e5" if imported == E5 and has_e5() else "use"


def _file(wanted: Wanted) -> Embedder:
    if wanted.kind or wanted.base_url:
        raise BadConfig("--from takes finished vectors; leave --embedder and --base-url out.")
    if wanted.file is None or not wanted.model:
        raise BadConfig("--from needs --model NAME, the model that made the vectors.")
    return VectorFile(wanted.file, wanted.name or wanted.model)


def _server(wanted: Wanted, said: Wanted, imported: str | None, key: str | None) -> Embedder:
    from workbench.embed.http import HttpEmbedder

    base_url, model = wanted.base_url or said.base_url, wanted.model or said.model or imported
    if not base_url:
        raise BadConfig(f"--embedder openai needs the address of the server: --base-url or {URL_VARIABLE}.")
    if not model:
        raise BadConfig(f"--embedder openai needs the name of the model: --model or {MODEL_VARIABLE}.")
    return HttpEmbedder(base_url, model, name=wanted.name, key=(key or "").strip() or None)
