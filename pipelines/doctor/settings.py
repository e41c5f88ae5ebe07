"""The configuration: whether it can be read and met, and what is not set that one may miss."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ...indexer.models.language import API_KEY_VARIABLE
from ...indexer.models.settings import ServedSettings
from ...indexer.models.vision import VISION_KEY_VARIABLE
from ..config import secrets_set
from .finding import Finding, absent, doubtful, failing, fine
from .looking import Look

if TYPE_CHECKING:
    from ..config import Config, Effective
    from ..loading_models import Models

_HERE = ("localhost", "127.0.0.1", "::1")


def settings(effective: Effective, models: Models) -> Iterator[Look]:
    """Looks at a configuration that could be read."""
    config = effective.config
    yield Look("configuration", partial(_configuration, effective, models))
    yield Look("prices", partial(_prices, config))
    yield Look("secrets", partial(_secrets, config))


def unread(message: str) -> Look:
    """The configuration that could not be read."""
    do = "mend it; until then what is below is looked at under the defaults"
    return Look("configuration", lambda: failing(message, do))


def _configuration(effective: Effective, models: Models) -> Finding:
    from ..page_readers import PageReaders

    config = effective.config
    changed = sum(setting.layer != "default" for setting in effective.settings)
    found = f"{effective.file or 'no file'}, {changed} settings that are not the defaults"
    PageReaders(config, models).check()
    if not models.llm_asked:
        for asked, by in (
            ("[tree] summary", config.tree.summary),
            ("[graph] extract", config.graph.extract),
            ("[graph] report", config.graph.report),
            ("[context] by", config.context.by),
        ):
            if by == "model":
                return failing(f'{asked} = "model" without a model', "set [llm] model, or give --llm")
    return fine(found)


def _prices(config: Config) -> Finding:
    """A model without prices can be counted in tokens alone, and not be held back by --max-cost."""
    asked = [each for each in (config.llm, config.vision) if each.model]
    if not asked:
        return absent("no model is configured whose calls could cost")
    unknown = [f"[{each.table}]" for each in asked if not (each.price_in or each.price_out)]
    if unknown:
        return doubtful(
            f"{' and '.join(unknown)} without price_in and price_out: costs are unknown",
            "set them, in money for a million tokens; --max-cost needs them",
        )
    return fine(", ".join(f"[{each.table}] {each.price_in:g} in, {each.price_out:g} out" for each in asked))


def _secrets(config: Config) -> Finding:
    """Which variables are set, and which are missed; never what they hold."""
    given = secrets_set()
    variables = {value.removeprefix("env:") for value in config.load.passwords.values()}
    missed = sorted(name for name in variables if not os.environ.get(name))
    key = given[API_KEY_VARIABLE]
    missed += [API_KEY_VARIABLE] if _is_far(config.llm) and not key else []
    missed += (
        [VISION_KEY_VARIABLE] if _is_far(config.vision) and not (key or given[VISION_KEY_VARIABLE]) else []
    )
    known = sorted({name for name, is_set in given.items() if is_set} | variables.difference(missed))
    found = f"set: {', '.join(known)}" if known else "none is set"
    if missed:
        return doubtful(f"{found}; not set: {', '.join(missed)}", "set them in the environment")
    return fine(found) if known else absent(found)


def _is_far(model: ServedSettings) -> bool:
    """Whether a model is on another machine, where a key is usual."""
    return bool(model.base_url) and urlsplit(model.base_url).hostname not in _HERE
