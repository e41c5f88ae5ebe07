"""Who may import whom, and what ``import treegraph`` may cost."""

from __future__ import annotations

import subprocess
import sys
import time

import grimp
import pytest

HEAVY = (
    "FlagEmbedding",
    "fitz",
    "llama_index",
    "markitdown",
    "mcp",
    "onnx",
    "onnxruntime",
    "pydantic",
    "pymupdf",
    "qdrant_client",
    "qdrant_edge",
    "rich",
    "sqlite3",
    "tokenizers",
    "torch",
    "transformers",
)

READABLE = {
    "checks", "errors", "function_words", "language", "metadata", "models", "names", "names_form",
    "pages", "prompts", "sentences", "standalone", "stores", "table_rows", "tracing", "types",
    "word_forms", "words",
}  # fmt: skip
"""The parts of ``treegraph.indexer`` that ``treegraph.query`` may import."""


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("treegraph", cache_dir=None)


def direct_imports(graph: grimp.ImportGraph, package: str) -> set[tuple[str, str]]:
    """Every (importer, imported) inside treegraph whose importer is in ``package``."""
    importers = {package, *graph.find_descendants(package)}
    return {
        (importer, imported)
        for importer in importers
        for imported in graph.find_modules_directly_imported_by(importer)
    }


def test_query_imports_only_the_readable_parts_of_indexer(graph: grimp.ImportGraph) -> None:
    wrong = [
        pair
        for pair in direct_imports(graph, "treegraph.query")
        if pair[1].startswith("treegraph.indexer.") and pair[1].split(".")[2] not in READABLE
    ]
    assert wrong == []


def test_nothing_but_the_root_imports_pipelines(graph: grimp.ImportGraph) -> None:
    pipelines = {"treegraph.pipelines", *graph.find_descendants("treegraph.pipelines")}
    importers = {
        importer for module in pipelines for importer in graph.find_modules_that_directly_import(module)
    }
    assert importers - pipelines <= {"treegraph", "treegraph.__main__"}


def test_the_value_types_need_nothing_of_the_package(graph: grimp.ImportGraph) -> None:
    assert graph.find_modules_directly_imported_by("treegraph.indexer.errors") == set()
    assert graph.find_modules_directly_imported_by("treegraph.indexer.types") <= {
        "treegraph.indexer.errors",
        "treegraph.indexer.pages",
    }
    assert graph.find_modules_directly_imported_by("treegraph.indexer.pages") == set()


def run_python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    ).stdout


def test_import_loads_nothing_heavy() -> None:
    loaded = set(run_python("import sys, treegraph; print(*sys.modules)").split())
    assert "treegraph" in loaded
    assert {name for name in HEAVY if name in loaded} == set()


def test_import_is_quick() -> None:
    """At most 0.3 s more than an interpreter that does nothing; the best of some runs, on a busy machine."""

    def seconds(code: str) -> float:
        runs = []
        for _ in range(4):
            start = time.perf_counter()
            run_python(code)
            runs.append(time.perf_counter() - start)
        return min(runs)

    assert seconds("import treegraph") - seconds("pass") <= 0.3


def test_import_says_nothing_and_leaves_logging_alone() -> None:
    code = (
        "import logging, treegraph; "
        "print(logging.root.handlers, logging.root.level, logging.getLogger('treegraph').handlers)"
    )
    assert run_python(code).strip() == "[] 30 []"
