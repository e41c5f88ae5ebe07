"""Which language a document is in."""

from __future__ import annotations

import pytest
from treegraph.indexer.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The pump must be primed with clean water before it is started for the first time.", "en"),
        ("Die Pumpe muss vor der ersten Inbetriebnahme mit sauberem Wasser gefüllt werden.", "de"),
        ("第一次启动之前，必须用清水注满水泵。每个月检查一次安全阀。", "zh"),
        ("初めて運転する前に、ポンプにきれいな水を入れてください。", "ja"),
        ("처음 작동하기 전에 펌프에 깨끗한 물을 채워야 합니다.", "ko"),
        ("يجب ملء المضخة بالماء النظيف قبل تشغيلها لأول مرة.", "ar"),
    ],
)
def test_a_sentence_is_told_by_its_language(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_a_small_language_is_taken_for_the_large_one_beside_it() -> None:
    assert detect_language("我哋第一次開個水泵之前，一定要用清水入滿佢先得㗎。") == "zh"


@pytest.mark.parametrize("text", ["", "8 bar", "3.14 | 2.72 | 1.41"])
def test_too_few_letters_tell_nothing(text: str) -> None:
    assert detect_language(text) is None


def test_a_manual_full_of_commands_is_in_the_language_of_its_sentences() -> None:
    command = " run apt install build-essential && ./configure --prefix=/usr && make -j4 all "
    assert detect_language("我们使用这个命令来安装软件包。" * 3 + command * 2) == "zh"
    assert detect_language(("これは設定のためのコマンドです。" + command) * 4) == "ja"
    assert detect_language(("이 명령은 꾸러미를 설치합니다. " + command) * 6) == "ko"
    assert detect_language("The pump is started by the operator. " * 60 + "设备手册说明。" * 8) == "en"
