"""What names and strings become on their way to Neo4j. No server is asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.stores.neo4j_names import most_alike, name_key, pieces
from treegraph.indexer.stores.neo4j_strings import packed, unpacked

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_every_string_can_be_sent_and_comes_back(text: str) -> None:
    sent = packed(text)
    assert sent.encode("utf-8").decode("utf-8") == sent
    assert unpacked(sent) == text


@given(st.text(st.sampled_from("a\ud800\udfff\U0010f7ff\U0010f800\U0010ffff")))
def test_what_stands_for_a_half_may_also_stand_for_itself(text: str) -> None:
    assert unpacked(packed({"rows": [{"text": text, "count": 3}]})) == {"rows": [{"text": text, "count": 3}]}
    packed(text).encode("utf-8")


@given(ANY_TEXT, ANY_TEXT)
def test_every_name_has_a_key_of_its_own_that_fits(one: str, other: str) -> None:
    assert (name_key(one) == name_key(other)) == (one == other)
    assert len(name_key(one * 900).encode("utf-8", "surrogatepass")) < 500


@given(ANY_TEXT)
def test_pieces_are_words_that_full_text_takes_as_they_are(text: str) -> None:
    assert len(pieces(text * 50)) <= 96
    for piece in pieces(text):
        assert piece == piece.casefold()
        assert all(character.isalnum() or character in "_" or ord(character) > 127 for character in piece)


def test_the_likest_name_comes_first() -> None:
    names = ["page table", "page fault", "paging", "cr4.osfxsr", "cr4.osxmmexcpt", "内存管理单元"]
    assert most_alike("page faults", names, 2) == ["page fault", "page table"]
    assert most_alike("osfxsr", names, 1) == ["cr4.osfxsr"]
    assert most_alike("内存", names, 5) == ["内存管理单元"]
    assert most_alike("zzz", names, 5) == []
