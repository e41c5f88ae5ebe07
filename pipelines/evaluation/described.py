"""How a row says what it was measured with."""

from __future__ import annotations

from .grid import Variant
from .questions import Part


def described(variant: Variant) -> dict[str, str]:
    """What a row was measured with: the axes that most tables are over, and every other that was varied."""
    config, search = variant.config, variant.config.search
    weight = "adaptive" if search.weight is None else f"{search.weight:g}"
    return {
        "context": config.context.by,
        "chunk": config.chunk.by,
        "embed": config.embed.model,
        "fusion": weight if search.fusion == "maximum" else search.fusion,
        "route": variant.route or search.route,
        "rerank": "on" if variant.rerank else "off",
        **({"ask": variant.ask} if variant.ask else {}),
        **variant.values,
    }


def label(part: Part, variant: Variant) -> str:
    """A part under a variant, named by what sets that apart."""
    return " ".join([part.name, *(f"{axis}={value}" for axis, value in variant.values.items())])
