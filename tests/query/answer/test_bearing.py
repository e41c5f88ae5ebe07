"""What leaves out the name of a question in another script is no answer to it; nor is a printed index."""

from __future__ import annotations

from pathlib import Path

from small_index import build, manual, open_small


def test_what_leaves_the_name_out_is_no_answer(tmp_path: Path) -> None:
    texts = {
        "waterpump": "# waterpump\n\nThe waterpump runs at 27 degrees by default.\n",
        "tools": "# 工具\n\ntoolbox 命令的默认选项是最少的配置文件。默认温度由用户设定。\n",
    }
    index = tmp_path / "index"
    build(index, manual(tmp_path / "m", **texts))
    with open_small(index) as opened:
        assert opened.ask("toolbox 的默认选项是什么？").found
        assert not opened.ask("ventpump 的默认选项是什么？").found


def test_entries_of_a_printed_index_are_passed_over(tmp_path: Path) -> None:
    text = (
        "# Relay\n\nRELAY_5 is the slow relay: it opens after nine seconds.\n\n"
        "# Index\n\nRELAY_5, 12 RELAY_6, 13 RELAY_7, 14 RELAY_8, 15 RELAY_9, 16.\n"
    )
    index = tmp_path / "index"
    build(index, manual(tmp_path / "m", relay=text))
    with open_small(index) as opened:
        answer = opened.ask("What is RELAY_5?")
    assert "nine seconds" in answer.sentences[0].text
    assert ", 13" not in answer.text
