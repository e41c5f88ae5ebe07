"""What is owed of a file, in the recipe that it was read under: ``RECIPE!context=12,native=3``.

So it is kept with the file's state in each generation: a rollback owes again what was owed then.
"""

from __future__ import annotations

from collections.abc import Mapping

_OWED = "!"


def with_owed(recipe: str, owed: Mapping[str, int]) -> str:
    """A recipe that says how many items of a file each stage owes."""
    counts = ",".join(f"{stage}={count}" for stage, count in sorted(owed.items()) if count)
    return f"{recipe}{_OWED}{counts}" if counts else recipe


def standing(recipe: str) -> str:
    """A recipe without what is owed."""
    return recipe.partition(_OWED)[0]


def owed_of(recipe: str) -> dict[str, int]:
    """How many items of a file each stage owes. An older index says only that a page is."""
    _, mark, counts = recipe.partition(_OWED)
    if mark and not counts:
        return {"native": 1}
    pairs = (pair.partition("=") for pair in counts.split(",") if pair)
    return {stage: int(count) for stage, _, count in pairs}
