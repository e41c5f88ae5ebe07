"""The last plan of an index, kept until the build that it was made for is published."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...indexer.digests import digest
from ...indexer.models.json_reply import read_json
from ..engines.settings import RunSettings
from .plan import Plan, plan_from_json

if TYPE_CHECKING:
    from ...indexer.sources import Root
    from ...indexer.stores.folder import IndexFolder
    from ..config import Config
    from ..editing import Edit
    from ..loading_models import Models

_NOTE = "plan"


def keep_plan(plan: Plan, folder: IndexFolder | None, path: Path) -> bool:
    """Keep a plan: in the ledger of its index; where there is none yet, in a file beside its place, as
    ``manuals.index.plan.json``. Returns whether it could be kept: a plan is worth showing all the same."""
    text = json.dumps(plan.to_json(), ensure_ascii=False)
    if folder is not None:
        folder.ledger.set_note(_NOTE, text)
        return True
    try:
        _beside(path).write_text(text, encoding="utf-8")
    except OSError:
        return False
    return True


def kept_plan(folder: IndexFolder, scope: str) -> Plan | None:
    """The plan that was made for a build with this scope (see :func:`plan_scope`) on what is published now;
    None where there is none."""
    published = folder.manifest().published
    plan = _plan(folder.ledger.note(_NOTE))
    if plan is None and published is None:
        plan = _plan(_read(_beside(folder.path)))
    return plan if plan is not None and (plan.scope, plan.base) == (scope, published) else None


def planned_id(path: Path, scope: str) -> str | None:
    """The id that was planned for an index to be made in ``path`` by a build with this scope."""
    plan = _plan(_read(_beside(path)))
    return plan.index_id if plan is not None and (plan.scope, plan.base) == (scope, None) else None


def _plan(text: str | None) -> Plan | None:
    try:
        return plan_from_json(read_json(text)) if text else None
    except (ValueError, KeyError, TypeError, AttributeError):  # of another version, or cut short
        return None


def forget_plan(folder: IndexFolder) -> None:
    """What was planned is done."""
    if folder.ledger.note(_NOTE):
        folder.ledger.set_note(_NOTE, "")
    try:
        _beside(folder.path).unlink(missing_ok=True)
    except OSError:
        return  # it names no generation of this index any more, so it misleads nobody


def plan_scope(
    roots: Sequence[Root], config: Config, models: Models, without: Collection[str], edit: Edit | None
) -> str:
    """The digest of all that a plan was made for, beside the files themselves: a build with the same one may
    be held against it."""
    asked = [models.stamp, models.llm_asked, models.vision_asked, edit.name if edit else None]
    made = repr(replace(config, run=RunSettings()))  # wherever it computes, it is the same build
    return digest([sorted(root.spec for root in roots), made, sorted(without), asked])


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.plan.json")


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
