"""Flags that overrule keys of the configuration for one run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...indexer.errors import ConfigurationError

if TYPE_CHECKING:
    from ..config import Effective
    from ..config_layers import Given, Key
    from .common import Common

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--pdf",
        type=click.Choice(["text", "ocr", "native", "auto"]),
        help="How PDF pages are read ([load] pdf).",
    ),
    click.option("--qdrant", metavar="URL", help="Keep the vectors on this Qdrant server ([stores] qdrant)."),
    click.option("--neo4j", metavar="URL", help="Keep the graph on this Neo4j server ([stores] neo4j)."),
    click.option("--llm", metavar="MODEL@URL", help="Let this model write each chunk's context ([llm])."),
    click.option("--vision", metavar="MODEL@URL", help="Let this model read pages from pictures ([vision])."),
)
batch_option = click.option(
    "--batch", is_flag=True, help="Hand the model's calls over as batches, and collect those ([llm] batch)."
)
engine_option = click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    help="Where to compute: in this process, or on a Ray cluster ([run] engine).",
)

_CAPS = (
    click.option(
        "--max-cost",
        type=float,
        metavar="AMOUNT",
        help="The most that model calls may cost in this run; those that time out count as estimated.",
    ),
    click.option(
        "--max-calls",
        type=int,
        metavar="N",
        help="The most requests to models in this run, those that are tried again included.",
    ),
    click.option(
        "--max-seconds",
        type=float,
        metavar="S",
        help="Seconds from the run's begin after which no model call begins; the rest is finished.",
    ),
)


def caps_options(function: AnyFunction) -> AnyFunction:
    """Add the flags that cap paid work: --max-cost, --max-calls, --max-seconds."""
    for option in reversed(_CAPS):
        function = option(function)
    return function


def build_flags(function: AnyFunction) -> AnyFunction:
    """Add the flags that choose how an index is made: --pdf, --qdrant, --neo4j, --llm, --vision."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def effective_with(
    common: Common,
    pdf: str | None,
    qdrant: str | None,
    neo4j: str | None,
    llm: str | None,
    vision: str | None = None,
    keep_images: bool = False,
    batch: bool = False,
    engine: str | None = None,
) -> Effective:
    """The configuration under the flags of :func:`build_flags`, ``--keep-images``, ``--batch`` and
    ``--engine``.

    Raises ConfigurationError.

    ``--llm`` asks for context written by the model, unless the configuration says how context is made.
    """
    flags: dict[Key, tuple[str, str | bool | None]] = {
        ("load", "pdf"): ("--pdf", pdf),
        ("stores", "qdrant"): ("--qdrant", qdrant),
        ("stores", "neo4j"): ("--neo4j", neo4j),
        ("load", "keep_images"): ("--keep-images", keep_images or None),
        ("llm", "batch"): ("--batch", batch or None),
        ("run", "engine"): ("--engine", engine),
    }
    given = {key: _given(value, flag) for key, (flag, value) in flags.items() if value is not None}
    given |= llm_given(llm) | vision_given(vision)
    effective = common.effective(given)
    if llm and effective.layer("context", "by") == "default":
        effective = common.effective({**given, ("context", "by"): _given("model", "--llm")})
    return effective


def _given(value: str | bool, flag: str) -> Given:
    from ..config_layers import Given

    return Given(value, "flag", flag)


def llm_given(llm: str | None) -> dict[Key, Given]:
    """What ``--llm MODEL@URL`` says of the configuration; nothing where it is not there. Raises
    ConfigurationError."""
    return _model_given("llm", llm)


def vision_given(vision: str | None) -> dict[Key, Given]:
    """What ``--vision MODEL@URL`` says of the configuration, as :func:`llm_given`."""
    return _model_given("vision", vision)


def _model_given(table: str, named: str | None) -> dict[Key, Given]:
    if not named:
        return {}
    flag = f"--{table}"
    model, url = split_model(named, flag)
    return {(table, "model"): _given(model, flag), (table, "base_url"): _given(url, flag)}


def split_model(text: str, flag: str = "--llm") -> tuple[str, str]:
    """The model and the URL of ``MODEL@URL``; the model's name may hold an @ itself.

    Raises ConfigurationError, which does not repeat the text: a URL may carry a key.
    """
    model, at, rest = text.rpartition("@http")
    if not at or not model or not rest.startswith(("://", "s://")):
        raise ConfigurationError(f"{flag}: expected MODEL@URL, as in qwen3@http://localhost:8000/v1")
    return model, f"http{rest}"
