"""The public names of the package, pinned."""

from __future__ import annotations

import subprocess
import sys

import treegraph

PUBLIC = {
    *("build_index", "open_index", "remove", "gc", "rollback", "status", "load_config"),
    *("export_index", "import_index", "verify", "doctor", "purge", "runs"),
    *("Plan", "Verification", "Diagnosis"),
    *("Config", "Event", "BuildReport", "Failure", "Index", "SearchResult", "MarkedPage"),
    *("Chunk", "Citation", "Content", "Document", "Hit", "Answer", "Sentence", "Looked"),
    *("TreegraphError", "ConfigurationError", "RemovalRefused", "RouteUnavailable"),
    *("WorkError", "SourceUnreadable", "IndexNotFound", "IndexLocked", "IndexIncompatible", "GenerationGone"),
    *("StoreError", "StoreUnreachable", "StoreFull", "StoreInconsistent", "ModelUnavailable"),
    *("LoadError", "ModelCallError", "Cancelled", "PageUnavailable", "SourceGone", "SourceChanged"),
}


def test_the_public_names_are_these_and_all_of_them_are_there() -> None:
    assert set(treegraph.__all__) == PUBLIC
    for name in treegraph.__all__:
        assert getattr(treegraph, name).__module__.startswith("treegraph.")


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    code = "import treegraph; treegraph.nonsense"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "has no attribute 'nonsense'" in done.stderr
