"""Numbers of a sentence that rest on the place of a passage, and not on its text."""

from __future__ import annotations

import pytest
from treegraph.query.answer.grounds import ungrounded

TEXT = "The relief valve RV-7 opens at 8 bar."
PLACE = "pump.md p. 212, Feed pump GX-3, 4.2 Motor 400 V, edition 3, valid from 2023-05-01"


@pytest.mark.parametrize(
    ("sentence", "language", "wrong"),
    [
        ("RV-7 stops after 212.", "en", ["212"]),
        ("RV-7 opens at 3 places.", "en", ["3"]),
        ("RV-7 opens at 212 bar.", "en", ["212 bar"]),
        ("RV-7 opens at 2023 revolutions.", "en", ["2023"]),
        ("On page 99, RV-7 opens at 8 bar.", "en", ["99"]),
        ("On page 212, RV-7 opens at 8 bar.", "en", []),
        ("By section 4.2 (p. 212) of edition 3, RV-7 opens at 8 bar.", "en", []),
        ("In the 3rd edition, valid from 1 May 2023, RV-7 opens at 8 bar.", "en", []),
        ("Since 2023, RV-7 of GX-3 opens at 8 bar by its 400 V motor.", "en", []),
        ("Nach Abschnitt 4.2 auf Seite 212 der 3. Auflage öffnet RV-7 bei 8 bar.", "de", []),
        ("RV-7 öffnet bei 212.", "de", ["212"]),
        ("根据第212页和第3版，RV-7在8 bar打开。", "zh", []),
        ("RV-7は212ページと第3版によれば8 barで開く。", "ja", []),
    ],
)
def test_numbers_of_a_place_count_as_what_they_are(sentence: str, language: str, wrong: list[str]) -> None:
    found = ungrounded(sentence, [TEXT], [PLACE], language, "en")
    assert [fault.text for fault in found if fault.kind != "name"] == wrong


@pytest.mark.parametrize(
    ("sentence", "language", "wrong"),
    [
        ("On page 13, RV-7 opens at 8 bar.", "en", []),
        ("By pp. 12-13, RV-7 opens at 8 bar.", "en", []),
        ("Laut Seite 13 öffnet RV-7 bei 8 bar.", "de", []),
        ("根据第13页，RV-7在8 bar打开。", "zh", []),
        ("On page 15, RV-7 opens at 8 bar.", "en", ["15"]),
        ("By section 13, RV-7 opens at 8 bar.", "en", ["13"]),
        ("RV-7 opens at 13 places.", "en", ["13"]),
    ],
)
def test_each_page_that_a_place_holds_is_one_of_it(sentence: str, language: str, wrong: list[str]) -> None:
    place = "pump.md p. 12-14, Feed pump"
    found = ungrounded(sentence, [TEXT], [place], language, "en", frozenset({12, 13, 14}))
    assert [fault.text for fault in found if fault.kind != "name"] == wrong
