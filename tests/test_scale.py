"""The arithmetic of docs/scale.md, on inputs worked out by hand."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))
import scale  # type: ignore[import-not-found]  # noqa: E402
import scale_arithmetic as arithmetic  # type: ignore[import-not-found]  # noqa: E402

_CPU = {"load": 2.0, "chunk": 1.0, "sparse": 1.0, "embed": 40.0, "store": 2.0, "tree": 9.0, "tree embed": 5.0}
_BUILD = {
    "pages": 100,
    "chunks": 400,
    "nodes": 100,
    "entities": 800,
    "communities": 50,
    "cpu": {**_CPU, "graph": 20.0, "publish": 4.0, "other": 4.0},
    "total": 88.0,
    "disk": {"vectors": 4e6, "graph.db*": 1e6},
}


def _share(chunks: int, growth: float) -> dict[str, Any]:
    """A share whose ``communities`` grow by that exponent, all else evenly."""
    part = chunks / 400
    steps = {
        "leaves": {"cpu": 1.0 * part, "kept": 400_000 * part, "peak": 0},
        "shape": {"cpu": 1.0 * part, "kept": 0, "peak": 0},
        "extract a sample": {"cpu": 1.0},
        "assembly": {"cpu": 4.0 * part, "kept": 200_000 * part, "peak": 0},
        "communities": {"cpu": 2.0 * part**growth, "kept": 100_000 * part**growth, "peak": 0},
        "graph rows": {"cpu": 2.0 * part, "kept": 0, "peak": 0},
    }
    return {"chunks": chunks, "sampled": 100, "resident": 1_400_000 * part, "steps": steps}


KEPT: Mapping[str, Any] = {
    "build": {"small": _BUILD, "middle": _BUILD, "rest": _BUILD},
    "held": {"middle": [_share(400, 1.5)], "small": [_share(100, 1.5), _share(200, 1.5)]},
    "ocr": {"pages": {"pages": 12, "cpu": 3.0}},
    "hnsw": {"vectors": 100, "cpu": 1.0},
}


def test_an_exponent_is_the_slope_of_the_logarithms() -> None:
    assert arithmetic.exponent([1, 10, 100], [5, 50, 500]) == pytest.approx(1.0)
    assert arithmetic.exponent([100, 400], [1, 8]) == pytest.approx(1.5)


def test_a_build_is_predicted_from_a_smaller_one_by_the_units_of_its_stages() -> None:
    found = arithmetic.predicted(_BUILD, 1000)
    assert found["load"] == pytest.approx(20)  # pages
    assert found["embed"] == pytest.approx(400)  # chunks, as many a page
    assert found["tree"] == pytest.approx(90)  # nodes, as many a chunk
    denser = arithmetic.predicted(_BUILD, 1000, 8000)
    assert (denser["load"], denser["embed"]) == (pytest.approx(20), pytest.approx(800))


def test_stages_grow_with_their_units_and_what_is_whole_by_its_exponent() -> None:
    found = {stage.name: stage for stage in arithmetic.stages(KEPT, 10_000, scans=0.1)}
    assert found["read: text layer"].cpu == pytest.approx(200)
    assert found["read: OCR"].cpu == pytest.approx(3000)
    assert found["embed"].cpu == pytest.approx(4000)
    assert found["extract by patterns"].cpu == pytest.approx(400)  # 10 ms for each of 40,000 chunks
    assert found["graph: communities"].cpu == pytest.approx(2.0 * 100**1.5)
    assert found["graph: resolve, assemble"].cpu == pytest.approx(400)
    # of 20 s: 4 of extraction, 4 + 2 + 2 of steps, the rest over 50 communities
    assert found["graph: reports, rest"].cpu == pytest.approx(800)
    assert found["tree: summaries"].cpu == pytest.approx(800)
    assert found["vectors: HNSW"].cpu == pytest.approx(50_000 * 0.01 * math.log(50_000) / math.log(100))


def test_parts_are_builds_of_their_own_on_all_cores() -> None:
    found = {stage.name: stage for stage in arithmetic.stages(KEPT, 10_000, parts=100)}
    assert found["graph: communities"].cpu == pytest.approx(100 * 2.0)
    assert found["graph: communities"].hours(8) == pytest.approx(200 / 3600 / 8)


def test_nothing_grows_more_slowly_than_its_unit() -> None:
    shares = [_share(100, 0.5), _share(400, 0.5)]
    assert arithmetic.grown(shares, "communities", "cpu", 4000) == (pytest.approx(20.0), 1.0)


def test_only_what_runs_on_workers_is_divided_among_them() -> None:
    found = {stage.name: stage for stage in arithmetic.stages(KEPT, 10_000)}
    assert found["embed"].hours(8) == pytest.approx(4000 / 3600 / 8)
    assert found["vectors and ledger"].hours(8) == pytest.approx(200 / 3600)


def test_memory_grows_by_its_exponents_and_says_what_fits() -> None:
    rows = {name: (each, power, then) for name, each, power, then in arithmetic.memory(KEPT, 10_000)}
    assert rows["leaves"] == (pytest.approx(1000), pytest.approx(1.0), pytest.approx(4e7))
    assert rows["communities"][1:] == (pytest.approx(1.5), pytest.approx(1e5 * 100**1.5))
    assert "extract a sample" not in rows
    # 700,000 bytes of objects at the largest size, where the process took 1,400,000
    objects = sum(then for name, (_, _, then) in rows.items() if name != "all, as the process's memory")
    assert rows["all, as the process's memory"][2] == pytest.approx(2 * objects)
    pages = arithmetic.fits(KEPT, 1e9)
    assert arithmetic.memory(KEPT, pages)[-1][3] == pytest.approx(1e9, rel=0.01)


def test_money_is_tokens_at_their_prices() -> None:
    plan = {"pages": 100, "stages": {"context": {"calls": 10, "tokens_in": 1e6, "tokens_out": 1e5}}}
    ((stage, calls, into, out, price),) = arithmetic.money(plan, 1000, price_in=0.1, price_out=0.4)
    assert (stage, calls, into, out) == ("context", 100, 1e7, 1e6)
    assert price == pytest.approx(1.4)


def test_vectors_and_their_graph_take_what_their_numbers_and_links_do() -> None:
    assert arithmetic.vectors(1e6, 1024) == (pytest.approx(4.096e9), pytest.approx(1.36e8))
    assert arithmetic.vectors(1e6, 1024, bits=8)[0] == pytest.approx(1.024e9)


def test_a_night_takes_what_is_new_and_what_goes_over_everything() -> None:
    again = {"pages": 100, "total": 12.0, "cpu": {"tree": 3.0, "graph": 6.0, "publish": 2.0, "embed": 0.5}}
    found = {stage: rest for stage, *rest in arithmetic.night({**KEPT, "again": {"small": again}}, 200, 0.1)}
    assert found["embed"] == [pytest.approx(8), 0]
    assert found["graph"] == [pytest.approx(4), pytest.approx(12)]
    assert found["publish"] == [0, pytest.approx(4)]
    assert found["other"] == [0, pytest.approx(1)]


def test_a_gpu_does_two_operations_a_parameter_and_token() -> None:
    assert arithmetic.on_gpu(3600, 100, 1e6, 1) == pytest.approx(2e-4)


@pytest.mark.parametrize("table", ["check", "stages", "memory", "money", "stores", "night", "gpu"])
def test_the_page_shows_what_its_figures_give(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    kept = json.loads((DOCS / "scale.json").read_text("utf-8"))
    page = (DOCS / "scale.md").read_text("utf-8")
    shown = re.findall(rf"^\$ python docs/scale\.py ({table}.*)\n((?:(?!```).*\n)*)", page, re.M)
    assert shown
    for words, output in shown:
        scale.show(kept, words.split())
        assert capsys.readouterr().out == output, words
