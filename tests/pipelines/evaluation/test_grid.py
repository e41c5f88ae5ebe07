"""The grid of configurations that ``--compare`` describes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph import Config, ConfigurationError
from treegraph.indexer.chunking import ChunkSettings
from treegraph.indexer.models.settings import LLMSettings, RerankSettings
from treegraph.pipelines.evaluation.grid import parse_grid

AXES = {
    "context": ("none", "structure"),
    "chunk": ("structure", "fixed"),
    "fusion": ("adaptive", "0.45", "rrf", "minmax", "dense", "sparse"),
    "embed": ("minilm", "onnx:models/e5"),
    "route": ("hybrid", "auto"),
    "search.phrase_bonus": ("0", "0.3"),
    "rerank.candidates": ("20", "50"),
}


def test_no_text_is_the_configuration_itself() -> None:
    config = Config(chunk=ChunkSettings(size=96))
    grid = parse_grid([], config)
    (variant,) = grid.variants
    assert (variant.values, variant.config, variant.route, variant.rerank) == ({}, config, None, None)
    assert (grid.left_out, grid.building) == ({}, ())


@given(st.lists(st.sampled_from(sorted(AXES)), unique=True, max_size=4), st.integers(1, 3))
def test_the_variants_are_the_product_of_the_axes(names: list[str], texts: int) -> None:
    words = [f"{name}={','.join(AXES[name])}" for name in names]
    grid = parse_grid([" ".join(words[at::texts]) for at in range(texts)], Config())
    ordered = [name for at in range(texts) for name in names[at::texts]]
    expected = [
        dict(zip(ordered, values, strict=True)) for values in itertools.product(*(AXES[n] for n in ordered))
    ]
    assert [dict(variant.values) for variant in grid.variants] == expected
    assert len({repr(variant) for variant in grid.variants}) == len(expected)


def test_each_axis_sets_what_it_says() -> None:
    text = [
        "context=none chunk=fixed embed=multilingual sparse=words rerank=off route=hybrid chunk.overlap=32"
    ]
    (variant,) = parse_grid([*text, "search.weight=none load.tables=false"], Config()).variants
    config = variant.config
    assert (config.context.by, config.chunk.by, config.chunk.overlap) == ("none", "fixed", 32)
    assert (config.embed.model, config.search.weight, config.load.tables) == ("multilingual", None, False)
    assert (variant.route, variant.rerank) == ("hybrid", False)


@pytest.mark.parametrize(
    ("text", "fusion", "weight"),
    [
        ("adaptive", "maximum", None),
        ("0.45", "maximum", 0.45),
        ("dense", "maximum", 1.0),
        ("sparse", "maximum", 0.0),
        ("rrf", "rrf", None),
        ("minmax", "minmax", None),
    ],
)
def test_fusion_is_a_way_and_a_weight(text: str, fusion: str, weight: float | None) -> None:
    (variant,) = parse_grid([f"fusion={text}"], Config()).variants
    assert (variant.config.search.fusion, variant.config.search.weight) == (fusion, weight)


def test_variants_that_differ_in_the_search_alone_share_an_index() -> None:
    grid = parse_grid(["chunk=structure,fixed fusion=adaptive,rrf route=hybrid,auto embed=minilm"], Config())
    builds = [dict(variant.builds) for variant in grid.variants]
    assert builds[0] == {"chunk": "structure", "embed": "minilm"}
    assert [builds.count(builds[0]), len(builds)] == [4, 8]
    assert grid.building == ("chunk", "embed")


def test_an_axis_may_be_named_by_its_key_and_named_twice() -> None:
    grid = parse_grid(["chunk.by=fixed", "chunk=structure,fixed"], Config())
    assert [dict(variant.values) for variant in grid.variants] == [{"chunk": "fixed"}, {"chunk": "structure"}]


def test_what_cannot_be_measured_here_is_left_out_with_the_reason() -> None:
    grid = parse_grid(["route=hybrid,tree,graph,auto rerank=off,on context=structure,model"], Config())
    assert [variant.route for variant in grid.variants] == ["hybrid", "tree", "graph", "auto"]
    assert set(grid.left_out) == {"rerank=on", "context=model"}
    assert "[rerank] model" in grid.left_out["rerank=on"]


def test_models_that_are_configured_or_handed_in_count() -> None:
    config = Config(
        rerank=RerankSettings(model="onnx:reranker"),
        llm=LLMSettings(base_url="http://localhost:1/v1", model="small"),
    )
    text = ["rerank=on,off context=model,none"]
    assert len(parse_grid(text, config).variants) == 4
    assert len(parse_grid(text, Config(), reranker=True, llm=True).variants) == 4
    crossed = parse_grid(["rerank.model=,onnx:reranker rerank=on,off"], Config())
    assert len(crossed.variants) == 3
    assert list(crossed.left_out) == ["rerank.model= rerank=on"]


def test_values_that_exclude_each_other_are_left_out_as_a_pair() -> None:
    grid = parse_grid(["chunk=structure,fixed fusion=adaptive,rrf chunk.overlap=0,32"], Config())
    assert len(grid.variants) == 6
    assert grid.left_out == {"chunk=structure chunk.overlap=32": 'chunk.overlap needs chunk.by = "fixed"'}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("chnuk=fixed", "did you mean chunk"),
        ("chunk.sise=64", "did you mean chunk.size"),
        ("colour=red", "context, chunk, embed, sparse, fusion, route, rerank"),
        ("chunk", "AXIS=VALUE"),
        ("chunk=fix", '"structure", "fixed", "semantic"'),
        ("chunk=", '"structure", "fixed", "semantic"'),
        ("chunk.size=many", "a whole number"),
        ("fusion=best", "adaptive, dense, sparse, minmax, rrf"),
        ("fusion=1.5", "between 0 and 1"),
        ("fusion=rrf search.weight=0.2", "fusion and search.weight"),
        ("route=tee", "auto, hybrid, tree, graph"),
        ("rerank=maybe", "on or off"),
        ("embed=minilm,e5", "minilm, multilingual, bge-m3"),
        ("embed=onnx:", "onnx:..."),
        ("search.phrase_bonus=-1,0.3", "0 or more"),
        ("chunk.overlap=32", 'chunk.by = "fixed"'),
        ("load.ignore=a", "configuration file"),
        ("load.passwords=a", "configuration file"),
        ("stores.qdrant=ftp://x", "expected a URL"),
        ("rerank=on", "nothing to measure"),
    ],
)
def test_what_there_is_not_is_said_with_what_there_is(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match="--compare") as caught:
        parse_grid([text], Config())
    assert said in str(caught.value)
