"""Indexes of made corpora, small to large."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from small_index import CONFIG, manual
from treegraph.pipelines.benchmark.scale import bench_scale
from treegraph.pipelines.benchmark.scale_report import ScaleBench, SizeResult

SIZES = (150, 400)


def _manuals(folder: Path) -> Path:
    random = Random(0)
    words = [
        f"{stem}{ending}"
        for stem in ["valve", "pump", "gate", "lock", "key", "boiler"]
        for ending in "abcdefgh"
    ]
    texts = {
        f"m{n}": "\n\n".join(
            f"# Part {n}.{p}\n\n" + " ".join(f"The {' '.join(random.sample(words, 5))}." for _ in range(25))
            for p in range(40)
        )
        for n in range(3)
    }
    return manual(folder, **texts)


@dataclass(frozen=True)
class Scaled:
    """A finished benchmark: where it was made, and what the model had to embed."""

    source: str
    work: Path
    found: ScaleBench
    embedded: int

    def again(self, **options: object) -> tuple[ScaleBench, int]:
        """The same benchmark once more, and how much it embedded."""
        embedder = FakeHashEmbedder()
        arguments = {"sizes": SIZES, "embed_at_most": SIZES[0], "embedder": embedder, **options}
        found = bench_scale([self.source], config=CONFIG, work=self.work, **arguments)  # type: ignore[arg-type]
        return found, len(embedder.embedded)


@pytest.fixture(scope="module")
def scaled(tmp_path_factory: pytest.TempPathFactory) -> Scaled:
    home = tmp_path_factory.mktemp("scale")
    source = str(_manuals(home / "manuals"))
    embedder = FakeHashEmbedder()
    found = bench_scale(
        [source], SIZES, CONFIG, work=home / "work", embed_at_most=SIZES[0], embedder=embedder
    )
    return Scaled(source, home / "work", found, len(embedder.embedded))


def test_every_size_is_built_and_searched(scaled: Scaled) -> None:
    small, large = scaled.found.sizes
    assert (small.size, large.size) == SIZES
    assert small.chunks == pytest.approx(SIZES[0], rel=0.5)
    assert large.chunks == pytest.approx(SIZES[1], rel=0.5)
    assert {
        "load",
        "chunk",
        "sparse",
        "embed",
        "store",
        "tree",
        "tree embed",
        "graph",
        "publish",
        "other",
    } == {s.stage for s in small.stages}
    assert all(0 < size.search.p50 <= size.search.p95 for size in scaled.found.sizes)
    assert large.disk.whole > small.disk.whole > 0
    assert not scaled.found.left_out


def test_the_model_embeds_small_sizes_and_a_stand_in_the_others(scaled: Scaled) -> None:
    small, large = scaled.found.sizes
    assert (small.embedding, large.embedding) == ("model", "stand-in")
    assert scaled.embedded < small.chunks + 2 * large.chunks
    assert scaled.found.likeness is not None
    assert any("at 400 were made by a stand-in for fake-hash" in note for note in scaled.found.notes)
    assert "embed" not in scaled.found.exponents, "one size is no growth"


def test_costs_grow_by_exponents_of_their_totals(scaled: Scaled) -> None:
    small, large = scaled.found.sizes
    found = scaled.found.exponents["disk"]
    growth = large.disk.whole / small.disk.whole
    assert (large.chunks / small.chunks) ** found.value == pytest.approx(growth)
    assert {"all but embed", "memory", "p50"} <= scaled.found.exponents.keys()


def test_a_finished_size_is_not_measured_again(scaled: Scaled) -> None:
    found, embedded = scaled.again()
    assert embedded == 0
    assert found == scaled.found


def test_what_would_take_too_long_is_left_out_and_named(scaled: Scaled) -> None:
    found, _ = scaled.again(sizes=(*SIZES, 600), max_seconds=1e-9)
    assert [size.size for size in found.sizes] == list(SIZES)
    assert "second" in found.left_out["600"]


def test_it_goes_on_where_it_was_stopped(scaled: Scaled) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(treegraph.Cancelled):
        scaled.again(sizes=(*SIZES, 500), cancel=cancel)
    assert scaled.again()[0] == scaled.found


def test_sizes_are_numbers(scaled: Scaled) -> None:
    for sizes in ((), (0,)):
        with pytest.raises(treegraph.ConfigurationError, match="sizes"):
            scaled.again(sizes=sizes)


def test_the_report_as_json_tables_and_plots(scaled: Scaled) -> None:
    data = json.loads(json.dumps(scaled.found.to_json()))
    assert (data["kind"], data["seed"]) == ("scale", 0)
    assert SizeResult.from_json(data["sizes"][0]) == scaled.found.sizes[0]
    stages, growth, room = scaled.found.tables()
    assert [row[1] for row in stages.rows] == ["model", "stand-in"]
    assert {row[0] for row in growth.rows} == scaled.found.exponents.keys()
    assert len(room.rows) == 2
    costs = scaled.found.panels()[0]
    by_name = {curve.name: curve for curve in costs.curves}
    assert len(by_name["store"].x) == 2
    assert by_name["embed"].x == (float(scaled.found.sizes[0].chunks),), "not the stand-in's cost"
