"""Pages that were read from their pictures, and would be read by a lesser way for want of what read them.

A configuration that was not found, or a host without OCR, must not make an index worse without a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..indexer.errors import ConfigurationError
from ..indexer.stores.ledger import Ledger
from .owed_files import owed_of

if TYPE_CHECKING:
    from .building import Build
    from .config import Config
    from .loading_models import Models
    from .survey import Survey

_REMEDIES = {
    "native": "a model that sees, and none is configured: name the configuration with --config, or give "
    "--vision MODEL@URL (vision=)",
    "ocr": "OCR, and it is not installed: pip install 'treegraph[ocr]'",
}


def lost_readings(
    ledger: Ledger, survey: Survey, config: Config, models: Models, state: int
) -> dict[str, int]:
    """How many pages of the files that are to be read again generation ``state`` holds, or owes, by each way
    that is not at hand any more. None where a way was asked for: then it is meant."""
    if config.load.pdf != "auto":
        return {}
    asked = {"native": models.vision_asked, "ocr": models.ocr_asked}
    gone = {way for way, reader in asked.items() if not reader}
    before = [change.previous for change in survey.changes if change.previous is not None]
    if not gone or not before:
        return {}
    lost: Counter[str] = Counter()
    for file in before:
        held = ledger.documents_of(file.source, file.root, state)
        read = (page.origin for row in held for page in ledger.pages(row.document.id, state))
        lost.update(way for way in read if way in gone)
        owed = owed_of(file.recipe)
        lost.update({way: owed[way] for way in gone & owed.keys()})
    return dict(sorted(lost.items()))


def told(lost: Mapping[str, int]) -> str:
    """What is to be said of pages that are lost so, with the ways out."""
    ways = "; ".join(
        f"{count:,} {'page' if count == 1 else 'pages'} that the index holds or owes would be read again "
        f"without what reads them: {_REMEDIES[way]}"
        for way, count in lost.items()
    )
    return f"{ways}. Or say with --yes that a lesser way is to read them"


def check_readers(build: Build, survey: Survey, yes: bool) -> None:
    """Count what ``survey`` has read again by a lesser way than before as degraded. Raises ConfigurationError
    without ``yes``."""
    lost = lost_readings(build.folder.ledger, survey, build.config, build.models, build.state)
    if lost and not yes:
        raise ConfigurationError(told(lost))
    build.report.add({f"page not read by {way} any more": count for way, count in lost.items()}, "degraded")
