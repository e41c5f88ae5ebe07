"""The services that are configured: a round trip to each, with one attempt and not for long."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from ...indexer.errors import ModelCallError
from ...indexer.models.ports import Completion
from ...indexer.models.retries import attempts
from ...indexer.stores.addresses import without_secrets
from ...indexer.stores.authorities import NEO4J_CA, QDRANT_CA, authority
from ...indexer.stores.folder import API_KEY, NEO4J_PASSWORD, NEO4J_USER
from ..loading_models import Models
from .finding import Finding, absent, doubtful, failing, fine
from .index_folder import manifest_of
from .looking import Look

if TYPE_CHECKING:
    from ..config import Config

_PAID = "not called: model calls may cost"
_ROOM = 64
"""Tokens: some models think before they say a word."""


def services(config: Config, index: Path, seconds: float, calls: bool) -> Iterator[Look]:
    """Looks at the models that are served and the stores' servers; models are called only with ``calls``."""
    quick = replace(
        config,
        llm=replace(config.llm, timeout=min(seconds, config.llm.timeout)),
        vision=replace(config.vision, timeout=min(seconds, config.vision.timeout)),
    )
    models = Models(quick)
    yield Look("language model", partial(_llm, config, models, calls), waits=True)
    yield Look("vision model", partial(_vision, config, models, calls), waits=True)
    yield Look("Qdrant", partial(_qdrant, config, index, seconds), waits=True)
    yield Look("Neo4j", partial(_neo4j, config, index, seconds), waits=True)
    yield Look("Ray", partial(_ray, config), waits=True)


def _ray(config: Config) -> Finding:
    if config.run.engine != "ray":
        return absent('not used: [run] engine is "local"')
    from ..engines.ray_cluster import RayCluster

    with closing(RayCluster(config.run)) as cluster:
        nodes = cluster.has_this_code()
        found = (
            f"{cluster.workers} processors on {len(nodes)} nodes"
            if len(nodes) > 1
            else (f"{cluster.workers} processors")
        )
    if other := sorted(name for name, same in nodes.items() if not same):
        return failing(
            f"{found}; other code on {', '.join(other)}", "install this version of treegraph there"
        )
    return fine(found)


def _llm(config: Config, models: Models, calls: bool) -> Finding:
    model = models.llm()
    if model is None:
        return absent("none", "give --llm MODEL@URL, or set [llm], to have answers and summaries written")
    where = f"{model.name} at {without_secrets(config.llm.base_url)}"
    if not calls:
        return fine(f"{where}; {_PAID}")
    return _answered(where, lambda: model.complete("Answer with the word yes.", _ROOM))


def _vision(config: Config, models: Models, calls: bool) -> Finding:
    from .specimen import NUMBER, picture

    model = models.vision()
    if model is None:
        return absent("none", "give --vision MODEL@URL, or set [vision], to have pages read by a model")
    where = f"{model.name} at {without_secrets(config.vision.base_url)}"
    if not calls:
        return fine(f"{where}; {_PAID}")
    prompt = "Question: Which number stands in the picture? Answer with the number alone."
    return _answered(where, lambda: model.look(prompt, picture().png, _ROOM), NUMBER)


def _answered(where: str, ask: Callable[[], Completion], expected: str = "") -> Finding:
    """What is said of a model, one call of which is ``ask``; its answer should hold what is ``expected``."""
    began = perf_counter()
    try:
        with attempts(1):
            done = ask()
    except ModelCallError as error:
        return failing(str(error), "start the server, or check its address, the model's name and its key")
    found = f"{where} answered in {perf_counter() - began:.1f} s"
    if expected and expected not in done.text:
        return doubtful(f"{found}, but did not read the picture", "check that this model takes images")
    if not done.text.strip() and not done.cut:
        return doubtful(f"{found}, with nothing", "check that the model is one for instructions")
    if done.estimated:
        return doubtful(f"{found}, without counting tokens", "tokens and costs are estimates with it")
    return fine(f"{found}, {done.tokens_in} tokens in, {done.tokens_out} out")


def _qdrant(config: Config, index: Path, seconds: float) -> Finding:
    manifest = manifest_of(index)
    url = config.stores.qdrant or (manifest.stores.get("qdrant_url", "") if manifest else "")
    if not url:
        return absent("none: vectors are in the index's folder")
    from ...indexer.stores.qdrant import connect
    from ...indexer.stores.qdrant_retries import TRIES

    index_id = manifest.index_id if manifest else str(uuid.uuid4())
    key, ca = os.environ.get(API_KEY), authority(QDRANT_CA)
    with closing(connect(url, key, index_id, ca, seconds / TRIES)) as store:
        version, rows = store.inspect()
        found = f"version {version} at {without_secrets(url)}"
        published = manifest.published if manifest and manifest.stores.get("qdrant_url") == url else None
        if published is not None:
            with closing(store.read(published)):
                return fine(f"{found}, {rows or 0:,} rows of this index, generation {published} whole")
    return fine(f"{found}, no collection of this index yet" if rows is None else f"{found}, {rows:,} rows")


def _neo4j(config: Config, index: Path, seconds: float) -> Finding:
    manifest = manifest_of(index)
    url = config.stores.neo4j or (manifest.stores.get("neo4j_url", "") if manifest else "")
    if not url:
        return absent("none: the graph is in the index's folder")
    from ...indexer.stores.neo4j import connect

    index_id = manifest.index_id if manifest else str(uuid.uuid4())
    user = os.environ.get(NEO4J_USER) or "neo4j"
    password = os.environ.get(NEO4J_PASSWORD)
    ca = authority(NEO4J_CA)
    with closing(
        connect(url, user, password, index_id, retry_seconds=seconds, ca=ca, connect_seconds=seconds)
    ) as store:
        agent, indexes = store.inspect()
    found = f"{agent} at {without_secrets(url)}, {len(indexes)} indexes of treegraph"
    bad = [f"{name} is {state}" for name, state in sorted(indexes.items()) if state != "ONLINE"]
    if bad:
        do = "wait where they are POPULATING; drop those that FAILED, and build again: they are made anew"
        return doubtful(f"{found}; {', '.join(bad)}", do)
    return fine(found)
