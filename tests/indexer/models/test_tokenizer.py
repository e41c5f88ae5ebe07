from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Rust
from tokenizers import models, pre_tokenizers
from treegraph.indexer.errors import ConfigurationError, ModelUnavailable
from treegraph.indexer.models.minilm import files
from treegraph.indexer.models.ports import Tokenizer
from treegraph.indexer.models.tokenizer import LONGEST, PIECE, HuggingFaceTokenizer, load_tokenizer

MINILM = load_tokenizer("minilm")
RUST = Rust.from_file(str(files().tokenizer))
RUST.no_truncation()
RUST.no_padding()


def reference(text: str) -> list[int]:
    return [end for _, end in RUST.encode(text, add_special_tokens=False).offsets]


def test_it_neither_truncates_nor_adds_special_tokens() -> None:
    assert isinstance(MINILM, Tokenizer)
    assert MINILM.count("pump " * 3000) == 3000
    assert list(MINILM.ends("a pump")) == [1, 6]
    assert MINILM.count("") == 0


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40))
def test_words_tokenised_one_by_one_end_where_the_whole_text_would(text: str) -> None:
    assert list(MINILM.ends(text)) == reference(text)


def test_a_text_longer_than_a_piece_counts_the_same() -> None:
    text = "Unbelievable pumps, indeed.\n" * (2 * PIECE // 28)
    assert list(MINILM.ends(text)) == reference(text)


def test_a_word_that_no_vocabulary_knows_is_not_one_token() -> None:
    ends = MINILM.ends("A" * 1000)
    assert len(ends) >= 1000 // LONGEST
    assert ends[-1] == 1000


def test_a_file_decides_the_name(tmp_path: Path) -> None:
    tokenizer = Rust(models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    loaded = load_tokenizer(str(path))
    assert isinstance(loaded, HuggingFaceTokenizer)
    assert loaded.name.startswith("tokenizer@")
    assert loaded.name != MINILM.name
    assert list(loaded.ends("a b, a")) == [1, 3, 4, 6]


def test_the_plain_one_needs_no_model() -> None:
    plain = load_tokenizer("words")
    assert list(plain.ends("The fairgrounds, 車")) == [3, 10, 15, 16, 18]
    assert plain.count("The fairgrounds, 車") == 5


def test_what_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="tokenizer"):
        load_tokenizer("nonesuch")
    with pytest.raises(ModelUnavailable, match="cannot read"):
        load_tokenizer(str(tmp_path / "missing.json"))
    broken = tmp_path / "broken.json"
    broken.write_bytes(b"{\xff")
    with pytest.raises(ModelUnavailable, match=r"not a tokenizer\.json"):
        load_tokenizer(str(broken))
