"""The sources of a build as they were found, before anything is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..indexer.errors import ConfigurationError, SourceUnreadable
from ..indexer.loaders import media
from ..indexer.sources import Root, Walk, walk
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ledger_runs import RunLog
from .asked import AskedBuild
from .events import Event
from .loading_models import Models
from .page_readers import PageReaders
from .recipe import limits_digest, recipes
from .survey import Survey, Surveyor


@dataclass(frozen=True, slots=True)
class FoundSources:
    """What a walk ``found`` below ``roots``; ``surveyor`` tells apart what an index holds of it."""

    roots: Sequence[Root]
    found: Walk
    surveyor: Surveyor

    @classmethod
    def of(cls, asked: AskedBuild, models: Models) -> FoundSources:
        """Walk the sources of a build. Raises SourceUnreadable, and ConfigurationError where pages are to be
        read in a way in which nothing reads."""
        asked.listen(Event("survey", 0, None, "files"))
        found = walk(asked.roots, asked.config.ignore)
        readers = PageReaders(asked.config, models)
        readers.check()
        recipe = recipes(asked.config, asked.edit.name if asked.edit else None, models.llm_asked)
        limits = limits_digest(asked.config, readers.asked)
        surveyor = Surveyor(recipe, limits, asked.listen, asked.cancel, readers.stands)
        return cls(asked.roots, found, surveyor)

    def survey(self, folder: IndexFolder, state: int, log: RunLog) -> Survey:
        """What is new, changed and gone beside generation ``state``."""
        return self.surveyor.survey(self.roots, self.found, folder.ledger.files(state), log.failures())

    def require_any(self) -> None:
        """A first build that would index nothing is a mistake; what fails is named as such later."""
        if self.found.files or self.found.problems:
            return
        named = ", ".join(root.spec for root in self.roots)
        left_out = ", ".join(f"{count:,} {reason}" for reason, count in self.found.ignored.items())
        raise SourceUnreadable(
            f"there is nothing to index in {named}{f' (left out: {left_out})' if left_out else ''}; nothing "
            f"was published. What is read: {media.READ}"
        )

    def require_known(self, folder: IndexFolder, published: int | None) -> None:
        """A source that had documents and shows none is a mistake, or a disk that is not mounted."""
        if published is None:
            self.require_any()
        known = {row["name"]: row for row in folder.ledger.rows("SELECT * FROM roots")}
        files = Counter(file.root for file in self.found.files)
        held = Counter(row.root for row in folder.ledger.files(published or 0).values())
        for root in self.roots:
            if held[root.name] and not files[root.name]:
                raise SourceUnreadable(
                    f"{root.spec} shows no documents, but the index holds {held[root.name]} from it; nothing "
                    f"was changed. If they are to go: treegraph remove {root.name}"
                )
            if not held[root.name] and not files[root.name] and root.pattern is not None:
                raise SourceUnreadable(f"nothing matches {root.spec}")
            before = known.get(root.name)
            if before and before["spec"] != root.spec and Path(before["path"]).exists() and held[root.name]:
                raise ConfigurationError(
                    f"the index already has a source named {root.name}, from {before['spec']}; give this one "
                    f"a name of its own: NAME={root.spec}"
                )
