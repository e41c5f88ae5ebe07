"""Manuals of a small plant: names with their abbreviations, identifiers, and what they have to do with each
other. Files share names, so that what one says changes what is known of another's."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from small_index import CONFIG
from treegraph.indexer.chunking import ChunkSettings

PLANT = replace(CONFIG, chunk=ChunkSettings(tokenizer="words", size=40))
INDEX_ID = "2b1de0b5-3f3c-4a0e-8f43-4c0c6a6f52d1"

UNITS = (
    ("Primary Feed Controller", "PFC"),
    ("Ring Pressure Monitor", "RPM"),
    ("Steam Outlet Gate", "SOG"),
    ("Vacuum Line Sensor", "VLS"),
    ("Auxiliary Drain Pump", "ADP"),
    ("Thermal Limit Switch", "TLS"),
)
_VERBS = ("requires", "uses", "sets", "enables")


def write_plant(folder: Path, *numbers: int, edition: int = 0) -> Path:
    """A Markdown file for each of these numbers (1 to 4 where none is given). Another ``edition`` of a file
    says other things of some of its names."""
    folder.mkdir(exist_ok=True)
    for number in numbers or range(1, 5):
        (folder / f"unit{number}.md").write_text(plant_text(number, edition), "utf-8")
    return folder


def plant_text(number: int, edition: int = 0) -> str:
    """The text of one manual."""
    rng = random.Random(100 * number + edition)
    own = f"U{number}"
    sections = [_section(own, title, rng) for title in ("Start", "Operation", "Care")]
    return f"# Unit {own}\n\n" + "\n".join(sections)


def _section(own: str, title: str, rng: random.Random) -> str:
    (long, short), (_, other) = rng.sample(UNITS, 2)
    register, bit = f"CR{rng.randrange(4)}.{rng.choice(('RUN', 'HOLD', 'TRIP'))}", f"{own}_{short}_BIT"
    condition = rng.choice(("", f" only if {register} = 1", f" unless {bit} is set"))
    return (
        f"## {title}\n\n"
        f"The {long} ({short}) {rng.choice(_VERBS)} {register}{condition}. "
        f"{short} {rng.choice(_VERBS)} {other} during step {rng.randrange(9)} of the procedure.\n\n"
        f"{other} requires {bit}. See section {rng.choice(('Start', 'Operation', 'Care'))} for what is done "
        f"when {register} was lost at {rng.randrange(100)} bar.\n"
    )
