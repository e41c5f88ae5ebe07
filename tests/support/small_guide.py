"""A small guide of several files with sections, over which a tree has several levels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from small_index import CONFIG
from treegraph.indexer.chunking import ChunkSettings

GUIDE = replace(CONFIG, chunk=ChunkSettings(tokenizer="words", size=48))
INDEX_ID = "6f1e6c52-6f2a-4f0e-9d3c-0c8d6a3f7b11"

TOPICS = {
    "pump": ("pressure", "membrane", "impeller"),
    "valve": ("spindle", "gasket", "actuator"),
    "boiler": ("burner", "flue", "thermostat"),
    "filter": ("mesh", "cartridge", "backwash"),
}


def write_guide(folder: Path, *topics: str, edited: str = "") -> Path:
    """A Markdown file a topic (all of them where none is named): a section for each of its parts, with
    several paragraphs. ``edited`` names one part whose text is another one."""
    folder.mkdir(exist_ok=True)
    for topic in topics or TOPICS:
        sections = [_section(topic, part, part == edited) for part in TOPICS[topic]]
        (folder / f"{topic}.md").write_text(f"# The {topic}\n\n" + "\n".join(sections), "utf-8")
    return folder


def write_pages(path: Path, *parts: str) -> Path:
    """A PDF of one page a part, each an entry of its outline."""
    import pymupdf

    path.parent.mkdir(exist_ok=True)
    with pymupdf.open() as pdf:
        for part in parts:
            pdf.new_page().insert_textbox((50, 50, 500, 700), _section("PDF", part, False), fontsize=11)
        pdf.set_toc([[1, part.capitalize(), page] for page, part in enumerate(parts, 1)])
        pdf.save(path)
    return path


def _section(topic: str, part: str, edited: bool) -> str:
    word = "replaced" if edited else "inspected"
    paragraphs = (
        f"The {part} of the {topic} is {word} in step {step}. Turn the {part} by {step * 7} degrees, then "
        f"wait until gauge {part[0].upper()}-{step} of the {topic} shows {step * 3} bar, and write it down.\n"
        for step in range(1, 6)
    )
    return f"## {part.capitalize()}\n\n" + "\n".join(paragraphs)
