"""What is known of a document: rules, sidecars, record keys, in their order of strength."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from treegraph.indexer.errors import BadMetadata, UnreadableFile
from treegraph.indexer.loaders import Loaded
from treegraph.indexer.metadata import HIDDEN, MetadataRule, describe, read_sidecar, source_matches
from treegraph.indexer.pages import Page
from treegraph.indexer.types import Content, Document


def loaded(at: str = "m/sub/a.pdf", /, found: str | None = "Its own", **metadata: Any) -> Loaded:
    content = Content("text", "application/pdf", title=found, language="en", pages=(Page(1, 0, 4),))
    return Loaded(at, "0" * 64, content, metadata)


def sidecar(folder: Path, text: str) -> Path:
    path = folder / "a.pdf.meta.toml"
    path.write_text(text)
    return path


def test_a_document_without_metadata_is_what_its_loader_says() -> None:
    assert describe(loaded(), id="i") == Document(
        id="i",
        source="m/sub/a.pdf",
        title="Its own",
        media_type="application/pdf",
        version="0" * 64,
        language="en",
        page_count=1,
        content=loaded().content,
    )
    assert describe(loaded(found=None), id="i").title == "a.pdf"
    assert describe(loaded("m/C#/faq.jsonl#a/1", None), id="i").title == "faq.jsonl#a/1"
    assert describe(loaded("m/C# now/x.pdf", None), id="i").title == "x.pdf"


def test_the_more_specific_place_wins_key_by_key(tmp_path: Path) -> None:
    rules = [
        MetadataRule("m/**", {"title": "rule one", "labels": "staff, ops", "edition": "1", "team": "a"}),
        MetadataRule("*.pdf", {"edition": 2, "team": "b", "year": 2020}),
        MetadataRule("other/**", {"title": "not this one"}),
    ]
    beside = read_sidecar(
        sidecar(tmp_path, 'title = "sidecar"\nvalid_from = 2020-01-02\nreviewed = 2024-05-06')
    )
    document = describe(loaded(), id="i", rules=rules, sidecar=beside)
    assert (document.title, document.edition) == ("sidecar", "2")
    assert document.labels == ("ops", "staff")
    assert (document.valid_from, document.valid_until) == (date(2020, 1, 2), None)
    assert document.fields == {"team": "b", "year": 2020, "reviewed": "2024-05-06"}
    own = loaded(title="own", labels=["public-desk"], language="de", valid_until="2025-12-31", year=None)
    document = describe(own, id="i", rules=rules, sidecar=beside)
    assert (document.labels, document.language) == (("public-desk",), "de")
    assert document.valid_until == date(2025, 12, 31)
    assert document.fields["year"] == 2020


def test_an_empty_list_takes_labels_away_and_hidden_needs_a_label() -> None:
    rules = [MetadataRule("**", {"labels": ["staff"]}), MetadataRule("*.pdf", {"labels": []})]
    assert describe(loaded(), id="i", rules=rules).labels == ()
    assert describe(loaded(), id="i", rules=rules, unlabelled="hidden").labels == (HIDDEN,)
    assert describe(loaded(), id="i", rules=rules[:1], unlabelled="hidden").labels == ("staff",)
    with pytest.raises(BadMetadata, match="printable"):
        describe(loaded(labels=[HIDDEN]), id="i")


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("labels", 3, "a list of labels"),
        ("labels", ["a", 1], "a list of labels"),
        ("labels", "", "an empty list means public"),
        ("labels", [" "], "an empty list means public"),
        ("title", ["x"], "a text"),
        ("title", True, "a text"),
        ("edition", "", "a text"),
        ("valid_from", "soon", "a date like"),
        ("valid_until", 20251231, "a date like"),
        ("labels", {"a": 1}, "a list of labels"),
        ("team", [{"a": 1}], "a text, number"),
        ("team", [["a"]], "a text, number"),
        ("count", 2**70, "a text, number"),
        ("ratio", float("nan"), "a text, number"),
        ("source", "x", "choose another name"),
    ],
)
def test_wrong_types_name_the_place_the_key_and_what_is_expected(key: str, value: Any, expected: str) -> None:
    with pytest.raises(BadMetadata, match=rf"rule for \*\*: {key}: .*{expected}"):
        MetadataRule("**", {key: value})


def test_a_sidecar_that_is_wrong_is_an_error_not_an_open_document(tmp_path: Path) -> None:
    with pytest.raises(BadMetadata, match=r"a\.pdf\.meta\.toml: is not TOML"):
        read_sidecar(sidecar(tmp_path, "labels = [staff"))
    with pytest.raises(BadMetadata, match=r"a\.pdf\.meta\.toml: labels: expected"):
        read_sidecar(sidecar(tmp_path, "labels = 1"))
    with pytest.raises(UnreadableFile):
        read_sidecar(tmp_path / "gone.meta.toml")
    assert read_sidecar(None) is None


def test_dates_must_be_in_order_and_a_record_cannot_set_what_is_ours() -> None:
    with pytest.raises(BadMetadata, match="valid_until"):
        describe(loaded(valid_from="2025-01-01", valid_until="2024-12-31"), id="i")
    document = describe(loaded(id="theirs", source="web", metadata={"url": "u", "deep": {"n": 1}}), id="i")
    assert (document.id, document.source) == ("i", "m/sub/a.pdf")
    assert document.fields == {"id": "theirs", "source": "web", "metadata.url": "u", "metadata.deep.n": 1}


def test_rules_reach_one_record_or_all_of_a_file() -> None:
    rules = [
        MetadataRule("m/faq.jsonl", {"team": "all"}),
        MetadataRule("m/faq.jsonl#7", {"team": "one"}),
        MetadataRule("m/faq.jsonl#x/*", {"team": "some"}),
    ]

    def team(source: str) -> Any:
        return describe(loaded(source), id="i", rules=rules).fields.get("team")

    assert [team(f"m/faq.jsonl#{n}") for n in ("6", "7", "71", "x/1")] == ["all", "one", "all", "some"]
    assert team("m/faq.jsonl2#7") is None


@pytest.mark.parametrize(
    ("glob", "source", "expected"),
    [
        ("m/*.pdf", "m/a.pdf", True),
        ("m/*.pdf", "m/sub/a.pdf", False),
        ("m/**/*.pdf", "m/a.pdf", True),
        ("m/**/*.pdf", "m/x/y/a.pdf", True),
        ("*.pdf", "m/x/a.pdf", True),
        ("m/**", "m/x/a.pdf", True),
        ("m", "m/x/a.pdf", True),
        ("m/", "m/x/a.pdf", True),
        ("m/x", "m/x/a.pdf", True),
        ("m/x", "m/xy/a.pdf", False),
        ("x/a.pdf", "m/x/a.pdf", False),
        ("**/x/a.pdf", "m/x/a.pdf", True),
        ("m/[ab].pdf", "m/b.pdf", True),
        ("m/[!ab].pdf", "m/b.pdf", False),
        ("m/[!ab].pdf", "m/c.pdf", True),
        ("m/?.pdf", "m/ab.pdf", False),
        ("m/a.b", "m/aXb", False),
        ("m/a+(b).pdf", "m/a+(b).pdf", True),
        ("m/[.pdf", "m/[.pdf", True),
        ("m/A.pdf", "m/a.pdf", False),
    ],
)
def test_globs_over_sources(glob: str, source: str, expected: bool) -> None:
    assert source_matches([glob], source) is expected
    assert source_matches(["never", glob], source) is expected
    assert source_matches([], source) is False
