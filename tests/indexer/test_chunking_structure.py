import uuid
from collections.abc import Sequence

import numpy as np
import pytest
from treegraph.indexer.chunking import ChunkSettings, cut
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.models.tokenizer import load_tokenizer
from treegraph.indexer.pages import Page
from treegraph.indexer.types import Block, Chunk, Content, Document, Section, chunk_id

PLAIN = load_tokenizer("words")
ID = str(uuid.UUID(int=7))
SENTENCE = "The pump must be primed before any other use. "


def document(text: str, **content: object) -> Document:
    return Document(ID, "a/b.txt", "B", content=Content(text, "text/plain", **content))  # type: ignore[arg-type]


def chunks(text: str, size: int = 64, **content: object) -> list[Chunk]:
    return cut(document(text, **content), PLAIN, ChunkSettings(size=size))


class Flat:
    """All sentences alike."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.ones((len(texts), 1), dtype=np.float32)


def sections(text: str, *titles: tuple[str, int]) -> tuple[Section, ...]:
    return tuple(Section(title, level, text.index(title)) for title, level in titles)


def pages(texts: Sequence[str], **marks: object) -> tuple[Page, ...]:
    starts = [sum(map(len, texts[:i])) for i in range(len(texts) + 1)]
    return tuple(Page(i + 1, starts[i], starts[i + 1], **marks) for i in range(len(texts)))  # type: ignore[arg-type]


def test_whitespace_alone_makes_no_chunk() -> None:
    assert chunks("") == chunks(" \n\n\t ") == []


def test_a_document_without_content_cannot_be_cut() -> None:
    with pytest.raises(ValueError, match="no content"):
        cut(Document(ID, "a", "A"), PLAIN, ChunkSettings())


def test_what_fits_stays_whole_with_all_its_whitespace() -> None:
    (chunk,) = chunks("\n One. \n\n Two. \n")
    assert chunk.text == "\n One. \n\n Two. \n"
    assert chunk.id == chunk_id(ID, chunk.text, 0)
    assert (chunk.ordinal, chunk.span, chunk.token_count, chunk.pages) == (0, (0, 16), 4, None)


def test_paragraphs_are_kept_whole() -> None:
    text = "\n\n".join([SENTENCE * 5] * 4)
    assert [c.text.strip() for c in chunks(text)] == [(SENTENCE * 5).strip()] * 4


def test_sentences_are_kept_whole_in_a_long_paragraph() -> None:
    assert all(c.text.endswith("use. ") for c in chunks(SENTENCE * 30))


@pytest.mark.parametrize(
    "sentence", ["泵必须先注水。", "ポンプに水を入れます。", "يجب ملء المضخة. ", "펌프를 채우세요. "]
)
def test_sentences_of_other_scripts_are_kept_whole(sentence: str) -> None:
    found = chunks(sentence * 60)
    assert len(found) > 1
    assert all(len(c.text) % len(sentence) == 0 for c in found)


def test_no_orphan_is_left_at_the_end() -> None:
    counts = [c.token_count for c in chunks("pump " * 66)]
    assert len(counts) == 2
    assert min(counts) > 16


def test_a_word_without_an_end_is_cut_inside() -> None:
    found = chunks("x" * 3000)
    assert all(c.token_count <= 64 for c in found)
    assert "".join(c.text for c in found) == "x" * 3000


def test_sections_are_kept_apart_and_named() -> None:
    body = SENTENCE * 6
    text = f"1 Use\n\n{body}\n\n1.1 Priming\n\n{body}\n\n2 Care\n\n{body}"
    found = chunks(text, 96, sections=sections(text, ("1 Use", 1), ("1.1 Priming", 2), ("2 Care", 1)))
    assert [c.section for c in found] == [("1 Use",), ("1 Use", "1.1 Priming"), ("2 Care",)]
    assert [c.text.split("\n")[0] for c in found] == ["1 Use", "1.1 Priming", "2 Care"]


def test_a_heading_alone_goes_with_what_follows() -> None:
    text = f"Part I\n\nChapter 1\n\n{SENTENCE * 5}"
    (chunk,) = chunks(text, sections=sections(text, ("Part I", 1), ("Chapter 1", 2)))
    assert chunk.section == ("Part I", "Chapter 1")


def test_slivers_share_a_chunk_with_their_siblings_but_not_with_another_parent() -> None:
    body = "A few words of its own. "
    text = f"A\n\n{body}\n\nA1\n\n{body}\n\nA2\n\n{body}\n\nB\n\n{SENTENCE * 3}"
    marks = sections(text, ("A\n", 1), ("A1", 2), ("A2", 2), ("B\n", 1))
    found = chunks(text, sections=marks)
    assert [c.text[:2].strip() for c in found] == ["A", "B"]
    assert sum(c.token_count for c in found) <= 64


def test_levels_that_skip_or_begin_deep_do_no_harm() -> None:
    body = SENTENCE * 6
    text = f"Deep\n\n{body}\n\nTop\n\n{body}\n\nSunk\n\n{body}"
    found = chunks(text, 80, sections=sections(text, ("Deep", 4), ("Top", 1), ("Sunk", 6)))
    assert [c.section for c in found] == [("Deep",), ("Top",), ("Top", "Sunk")]


def test_chunks_end_with_their_pages() -> None:
    texts = [SENTENCE * 5 + "\n", SENTENCE * 3 + "\n", SENTENCE * 4]
    found = chunks("".join(texts), pages=pages(texts, origin="ocr"))
    assert [(c.text, c.pages, c.origin) for c in found] == [
        (text, (i + 1, i + 1), "ocr") for i, text in enumerate(texts)
    ]


def test_a_few_words_over_the_end_of_a_page_stay_with_their_sentence() -> None:
    texts = ["Close the valve before ", "use.\n"]
    (chunk,) = chunks("".join(texts), pages=pages(texts))
    assert chunk.pages == (1, 2)


def test_a_heading_at_the_foot_of_a_page_goes_with_its_text() -> None:
    texts = [SENTENCE * 5 + "\n\n", "Care\n\n", SENTENCE * 5]
    where = pages(["".join(texts[:2]), texts[2]])
    found = chunks("".join(texts), pages=where, sections=(Section("Care", 1, len(texts[0])),))
    assert [(c.text.split()[0], c.pages) for c in found] == [("The", (1, 1)), ("Care", (1, 2))]


def test_a_page_counts_only_where_there_is_ink() -> None:
    texts = [SENTENCE, " \n", "\n " + SENTENCE]
    assert [c.pages for c in chunks("".join(texts), pages=pages(texts))] == [(1, 1), (3, 3)]


def test_a_table_that_fits_is_never_cut() -> None:
    table = "| part | torque |\n|---|---|\n" + "| bolt. | 3 Nm |\n\n" * 5
    text = f"{SENTENCE * 5}\n\n{table}\n\n{SENTENCE * 5}"
    block = Block("table", text.index("|"), text.index("|") + len(table))
    found = chunks(text, 60, blocks=(block,))
    assert [c.kind for c in found] == ["text", "table", "text"]
    assert found[1].text.strip() == table.strip()


def tall(rows: int) -> str:
    return "| part | torque |\n|---|---|\n" + "| a long bolt | 3 Nm |\n" * rows


def test_a_long_table_is_cut_to_a_few_rows_each() -> None:
    table = tall(60)
    text = f"{SENTENCE * 5}\n\n{table}\n{SENTENCE}"
    block = Block("table", text.index("|"), text.index("|") + len(table))
    found = chunks(text, blocks=(block,))
    assert "".join(c.text for c in found) == text
    rows = [c.text.strip().split("\n") for c in found if c.text.startswith("| a")]
    assert {len(each) for each in rows[:-1]} == {3}
    assert all(row == "| a long bolt | 3 Nm |" for each in rows for row in each)
    assert found[-1].text.strip() == SENTENCE.strip()
    begun = [c for c in found if "part" in c.text]
    assert len(begun) == 1
    assert begun[0].text.endswith("|---|---|\n| a long bolt | 3 Nm |\n| a long bolt | 3 Nm |\n")


def test_a_table_of_two_chunks_is_not() -> None:
    table = tall(21)
    found = chunks(table, blocks=(Block("table", 0, len(table)),))
    assert len(found) == 2


def test_a_few_rows_end_with_their_page() -> None:
    above, below = tall(31), "| a long bolt | 3 Nm |\n" * 30
    marked = pages([above, below])
    found = chunks(above + below, pages=marked, blocks=(Block("table", 0, len(above + below)),))
    assert "".join(c.text for c in found) == above + below
    assert [c.pages for c in found] == sorted((n, n) for c in found for n in [c.pages[0]])  # type: ignore[index]
    assert len({c.pages for c in found}) == 2


@pytest.mark.parametrize("by", ["structure", "semantic"])
def test_a_row_longer_than_a_chunk_is_cut_and_nothing_is_lost(by: str) -> None:
    table = tall(20) + f"| {'word ' * 300}| 3 Nm |\n" + "| a | b |\n" * 40
    content = {"blocks": (Block("table", 0, len(table)),)}
    found = cut(document(table, **content), PLAIN, ChunkSettings(by=by, size=64), Flat())  # type: ignore[arg-type]
    assert "".join(c.text for c in found) == table
    assert all(c.token_count <= 64 for c in found)


def test_a_table_that_does_not_fit_is_cut_between_rows() -> None:
    table = "| part | torque |\n" + "| a long bolt | 3 Nm |\n" * 40
    found = chunks(table, blocks=(Block("table", 0, len(table)),))
    assert len(found) > 2
    assert all(c.text.startswith("|") and c.text.endswith("|\n") and c.kind == "table" for c in found)


def test_code_that_does_not_fit_is_cut_between_lines_best_at_blank_ones() -> None:
    function = "def run(a):\n" + "    a.move(1)\n" * 8 + "\n"
    text = function * 6
    found = chunks(text, 128, blocks=(Block("code", 0, len(text)),))
    assert all(c.text.startswith("def run") and c.kind == "code" for c in found)


def test_repeated_text_has_ids_of_its_own() -> None:
    texts = [SENTENCE] * 3
    found = chunks("".join(texts), pages=pages(texts))
    assert [c.id for c in found] == [chunk_id(ID, SENTENCE, n) for n in range(3)]


def test_an_edit_leaves_the_other_sections_alone() -> None:
    def of(middle: str) -> list[str]:
        text = f"One\n\n{SENTENCE * 6}\n\nTwo\n\n{middle}\n\nThree\n\n{SENTENCE * 7}"
        marks = sections(text, ("One", 1), ("Two", 1), ("Three", 1))
        return [c.id for c in chunks(text, 96, sections=marks)]

    before, after = of(SENTENCE * 6), of(SENTENCE * 5 + "It is warm. ")
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True]


@pytest.mark.parametrize(
    "wrong",
    [
        {"by": "page"},
        {"size": 4},
        {"by": "fixed", "overlap": -1},
        {"by": "fixed", "size": 64, "overlap": 40},
        {"overlap": 8},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match="chunk"):
        ChunkSettings(**wrong)  # type: ignore[arg-type]
