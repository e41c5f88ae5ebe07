"""The environment: Python, the packages against what is supported, the extras, reading files in children."""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path
from typing import TYPE_CHECKING

from .finding import Finding, absent, doubtful, failing, fine
from .looking import Look

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from ..config import Config

DISTRIBUTION = "treegraph"
ENABLES: Mapping[str, str] = {
    "local": "the default embedder, ONNX models",
    "multilingual": "an embedder for a hundred languages",
    "qdrant": "vectors on a Qdrant server",
    "neo4j": "the graph on a Neo4j server",
    "mcp": "treegraph serve",
    "llama": "language models and models that see, LlamaIndex",
    "eval": "treegraph eval",
    "tree-paper": "the clustering of the RAPTOR paper",
    "ocr": "scans and images read from their pictures",
    "office": "docx, pptx, xlsx and epub",
    "flag": "BGE-M3 and BGE rerankers",
    "redact": "telephone numbers in national form replaced",
    "otel": "traces",
    "ray": "builds on a Ray cluster",
}
"""What each extra brings."""


def environment(config: Config) -> Iterator[Look]:
    """Looks at what is installed."""
    yield Look("python", _python)
    yield Look("packages", _packages)
    for extra, enables in ENABLES.items():
        yield Look(f"extra {extra}", partial(_extra, extra, enables))
    yield Look("reading files", partial(_reading, config))


def _python() -> Finding:
    from packaging.specifiers import SpecifierSet

    own = platform.python_version()
    supported = _supported()
    found = f"Python {own} at {sys.executable}, {DISTRIBUTION} {_version(DISTRIBUTION) or 'not installed'}"
    if not SpecifierSet(supported).contains(own, prereleases=True):
        return failing(f"{found}; {supported} is supported", "make an environment of a supported Python")
    if platform.system() != "Linux":
        return doubtful(f"{found}, on {platform.system()}", "Linux is what treegraph is tested on")
    return fine(found)


def _supported() -> str:
    try:
        return metadata(DISTRIBUTION)["Requires-Python"] or ""
    except PackageNotFoundError:
        return ""


def _packages() -> Finding:
    needed = list(_requirements(""))
    if not needed:
        return doubtful("what treegraph needs is not known, since it is not installed", "pip install it")
    missing, others = _wrong(needed)
    if missing:
        return failing(f"missing: {', '.join(missing)}", f"pip install --upgrade {DISTRIBUTION}")
    if others:
        wanted = " ".join(f"'{requirement}'" for requirement in others.values())
        return doubtful(f"not as supported: {', '.join(others)}", f"pip install {wanted}")
    return fine(f"all {len(needed)} that treegraph needs, in supported versions")


def _extra(extra: str, enables: str) -> Finding:
    needed = list(_requirements(extra))
    missing, others = _wrong(needed)
    install = f"pip install --upgrade '{DISTRIBUTION}[{extra}]'"
    if not needed:
        return doubtful(
            f"{enables}: what was installed knows no such extra, and is older than its code", install
        )
    if missing:
        return absent(f"not installed: {enables}", install)
    if others:
        wanted = " ".join(f"'{requirement}'" for requirement in others.values())
        return doubtful(f"{enables}; not as supported: {', '.join(others)}", f"pip install {wanted}")
    versions = ", ".join(f"{each.name} {_version(each.name)}" for each in needed)
    return fine(f"{enables} ({versions})")


def _requirements(extra: str) -> Iterator[Requirement]:
    """What the base (an empty ``extra``), or an extra alone, requires here."""
    from packaging.requirements import Requirement

    try:
        texts = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        texts = []
    for requirement in map(Requirement, texts):
        marker = requirement.marker
        in_base = marker is None or marker.evaluate({"extra": ""})
        asked = marker is None or marker.evaluate({"extra": extra})
        if asked and in_base == (not extra):
            requirement.marker = None
            yield requirement


def _wrong(needed: Iterable[Requirement]) -> tuple[list[str], dict[str, Requirement]]:
    """The names of what is missing; and what is there in a version that is not supported, with what is."""
    missing: list[str] = []
    others: dict[str, Requirement] = {}
    for requirement in needed:
        found = _version(requirement.name)
        if not found:
            missing.append(requirement.name)
        elif not requirement.specifier.contains(found, prereleases=True):
            others[f"{requirement.name} {found}"] = requirement
    return missing, others


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _reading(config: Config) -> Finding:
    """A small PDF read in a child process, as every file is."""
    from ...indexer.loaders.child import ParserPool
    from ...indexer.loaders.media import PDF
    from .specimen import NUMBER, pdf_page

    with tempfile.TemporaryDirectory() as folder, ParserPool(config.load) as pool:
        path = Path(folder) / "page.pdf"
        path.write_bytes(pdf_page())
        content = pool.parse(path, PDF)
    if NUMBER not in content.text:
        return failing("a small PDF was read as something else", "reinstall pymupdf")
    return fine("a small PDF was read in a process of its own")
