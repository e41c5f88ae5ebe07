"""What the ledger keeps of a reading is the reading."""

import json

from treegraph.indexer.pages import PageReading, ReadLine
from treegraph.pipelines.kept_readings import reading_from_json, reading_to_json

READING = PageReading(
    4,
    "ocr",
    (ReadLine("Cover bolt", (40.0, 50.25, 90.5, 62.0), 0.98),),
    confidence=0.98,
    turned=-1.5,
    rules=((40.0, 48.5, 250.0, 49.25), (40.0, 48.5, 40.75, 120.0)),
)


def test_a_reading_comes_back_as_it_was_for_any_page_of_the_same_picture() -> None:
    kept = reading_to_json(READING)
    assert reading_from_json(kept, 4) == READING
    assert reading_from_json(kept, 9).number == 9


def test_a_reading_that_was_kept_before_rules_were_seen_has_none() -> None:
    kept = json.loads(reading_to_json(READING))
    del kept["rules"]
    assert reading_from_json(json.dumps(kept), 4).rules == ()
