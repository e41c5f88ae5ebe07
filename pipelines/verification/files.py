"""What lies in an index's folder besides its rows: the manifest, generations, pictures, leases, leftovers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from pathlib import Path

from ...indexer.stores.folder import INDEX_ID, KEPT, IndexFolder
from ...indexer.stores.images import IMAGES
from ...indexer.stores.ledger_runs import RunLog
from ...indexer.stores.locks import LEASES
from ...indexer.stores.manifest import Manifest
from .damage import Damage
from .holdings import Holdings

_LEASE = re.compile(r"\d+-\d+-[0-9a-f]{8}")
_PICTURE = re.compile(r"[0-9a-f]{64}\.png")
_READ = ("g", "pure-")
"""Folders that readers open a generation in."""
_GENERATION = re.compile(r"(g|pure-|work-|copy-|gone-)(\d+)")


def check_manifest(folder: IndexFolder, manifest: Manifest, damage: Damage) -> None:
    """The manifest against itself and against what the ledger knows of builds."""
    published = manifest.published
    if published is not None and published not in manifest.generations:
        what = f"generation {published} is published, and the manifest does not say what it holds"
        damage.add("published", "manifest", str(published), what, "correct")
    highest = max([*manifest.generations, published or 0])
    if manifest.newest < highest:
        what = f"generation {highest} is there, and {manifest.newest} is said to be the newest"
        damage.add("newest", "manifest", "newest", what, "correct")
    for number, entry in manifest.generations.items():
        for name, whole_in in entry.structures.items():
            if not 1 <= whole_in <= number:
                what = f"{name} is said to have been whole in generation {whole_in}"
                damage.add("structure", "manifest", f"{number} {name}", what, "correct")
        if "hybrid" not in entry.structures:
            what = "the generation does not say that it holds its chunks"
            damage.add("structure", "manifest", f"{number} hybrid", what, "correct")
        build = RunLog(folder.ledger).build(number)
        if build is None or not (build.report or {}).get("chunks"):
            continue  # older builds did not say what they published
        behind = {name: g for name, g in entry.structures.items() if g != number}
        told = dict((build.report or {}).get("behind") or {})
        if told != behind:
            what = f"the build said that {told or 'nothing'} is behind, not {behind or 'nothing'}"
            damage.add("structure", "manifest", f"{number} behind", what, "correct")


def check_index_id(folder: IndexFolder, manifest: Manifest, damage: Damage) -> None:
    """The ledger says which index it is of; an older one does not."""
    noted = folder.ledger.note(INDEX_ID)
    if noted is not None and noted != manifest.index_id:
        what = f"the ledger is of the index {noted}"
        damage.add("index id", "manifest", "index_id", what, "none")


def check_folder(folder: IndexFolder, manifest: Manifest, idle: bool, damage: Damage) -> None:
    """Leftovers in the folder. ``idle``: nobody writes, so that nothing there is work under way."""
    for path in sorted((folder.path / LEASES).glob("*")):
        if not _LEASE.fullmatch(path.name):
            damage.add("lease", "folder", path.name, "something that is no lease lies among them", "sweep")
    vectors = folder.path / "vectors"
    if manifest.stores.get("vectors", "edge") == "edge":
        _generations(vectors, manifest, idle, damage)
    if idle:
        for pattern in (".index.toml.*", ".leaves.npz.part", f"{IMAGES}/.new-*"):
            for path in sorted(folder.path.glob(pattern)):
                damage.add("left over", "folder", _name(folder, path), "what a stopped process left", "sweep")


def _generations(vectors: Path, manifest: Manifest, idle: bool, damage: Damage) -> None:
    for path in sorted(vectors.glob("*")):
        match = _GENERATION.fullmatch(path.name)
        if match is None:
            damage.add("left over", "folder", f"vectors/{path.name}", "no generation's folder", "none")
        elif match[1] in _READ and int(match[2]) in {*manifest.generations, manifest.published}:
            continue  # a purge that was cut short leaves either, or both
        elif idle:
            what = "a folder of vectors that no generation needs"
            damage.add("left over", "folder", f"vectors/{path.name}", what, "sweep")
    for number in manifest.generations:
        if not any((vectors / f"{kind}{number}").is_dir() for kind in _READ):
            what = f"the vectors of generation {number} are gone"
            damage.add("vectors unreadable", "vectors", str(number), what, "read")


def check_images(folder: IndexFolder, kept: Collection[Holdings], damage: Damage) -> int:
    """Kept pictures are there, and are what their names say; returns how many were looked at."""
    wanted: dict[str, tuple[str, str]] = {}
    for held in kept:
        for document, pages in held.pages.items():
            row = held.documents[document]
            for page in pages:
                for figure in page.figures:
                    if figure.digest:
                        wanted.setdefault(figure.digest, (document, row.file))
    images = folder.images
    there = {path.name.removesuffix(".png") for path in images.path.glob("*.png")} if images else set()
    for digest in sorted(wanted):
        document, file = wanted[digest]
        path = images.file(digest)
        if digest in there and hashlib.sha256(path.read_bytes()).hexdigest() == digest:
            continue
        what = "a picture is not what its name says" if digest in there else "a picture is gone"
        damage.add("picture", "images", digest, what, "read", file)
        damage.documents.add(document)
        damage.sources.add(file)
    for digest in sorted(there - folder.ledger.pictures() - wanted.keys()):
        damage.add("stray picture", "images", digest, "a picture of no document", "sweep")
    for path in images.path.iterdir() if images else ():
        if not _PICTURE.fullmatch(path.name) and not path.name.startswith(".new-"):
            damage.add("stray picture", "images", path.name, "no picture that a build kept", "sweep")
    return len(wanted)


def _name(folder: IndexFolder, path: Path) -> str:
    return str(path.relative_to(folder.path))


def kept_generations(manifest: Manifest) -> list[int]:
    """The published generation and the one before, newest first: what readers see and what a rollback would
    publish."""
    line: list[int] = []
    number = manifest.published
    while number is not None and number in manifest.generations and number not in line:
        line.append(number)
        number = manifest.generations[number].base
    return line[:KEPT]
