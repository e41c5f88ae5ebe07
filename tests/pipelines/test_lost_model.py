"""Builds that have no language model any more, over an index that one made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from paid_server import PaidServer, by_model
from small_index import build
from small_plant import INDEX_ID, PLANT, write_plant
from treegraph.indexer.context import ContextSettings


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, treegraph.Config, treegraph.BuildReport]:
    """An index of which a model made all, the configuration with that model, and the build's report."""
    with PaidServer() as server:
        config = by_model(server, PLANT)
        report = build(
            tmp_path / "index", write_plant(tmp_path / "plant", 1, 2), config=config, index_id=INDEX_ID
        )
    return tmp_path, config, report


def test_what_a_model_made_is_not_made_again_without_one_unasked(
    made: tuple[Path, treegraph.Config, treegraph.BuildReport],
) -> None:
    home, config, first = made
    index, plant = home / "index", home / "plant"
    named = (
        f"{first.chunks} contexts, {first.nodes} summaries, {first.chunks} extractions, "
        f"{first.communities} reports"
    )
    with pytest.raises(treegraph.ConfigurationError, match=f"{named}.*--config.*--llm MODEL@URL.*--yes"):
        build(index, plant, config=PLANT)
    plan = build(index, plant, config=PLANT, dry_run=True).plan
    assert plan is not None
    assert named in plan.warnings[0]
    assert build(index, plant, config=config).generation is None, "nothing was lost"
    report = build(index, plant, config=PLANT, yes=True)
    assert report.degraded == {
        "contexts not by a model any more": first.chunks,
        "summaries not by a model any more": first.nodes,
        "extractions not by a model any more": first.chunks,
        "reports not by a model any more": first.communities,
    }
    write_plant(plant, 3)
    assert build(index, plant, config=PLANT).degraded == {}, "it is said once"


def test_contexts_alone_are_not_lost_where_their_setting_stays(tmp_path: Path) -> None:
    index, plant, other = tmp_path / "index", write_plant(tmp_path / "plant", 1), tmp_path / "other"
    with PaidServer() as server:
        config = replace(PLANT, context=by_model(server, PLANT).context, llm=by_model(server, PLANT).llm)
        first = build(index, plant, config=config, without=("tree", "graph"))
    unset = replace(config, llm=PLANT.llm)
    build(index, write_plant(other, 2), config=unset, without=("tree", "graph"))
    with pytest.raises(treegraph.ConfigurationError, match=rf": {first.chunks} contexts\. Name"):
        build(index, plant, config=unset, without=("tree", "graph"))


def test_settings_that_are_meant_stop_no_build(
    made: tuple[Path, treegraph.Config, treegraph.BuildReport],
) -> None:
    home, config, _ = made
    meant = replace(PLANT, llm=config.llm)
    report = build(home / "index", home / "plant", config=meant)
    assert (report.generation, report.degraded) == (2, {})
    again = replace(PLANT, context=ContextSettings(by="none"))
    assert build(home / "index", home / "plant", config=again).degraded == {}
