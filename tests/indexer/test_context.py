import uuid
from dataclasses import replace

import pytest
from treegraph.indexer.chunking import ChunkSettings, cut
from treegraph.indexer.context import ContextSettings, indexed_text, situate
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.models.tokenizer import load_tokenizer
from treegraph.indexer.types import Block, Chunk, Content, Cut, Document, Section

PLAIN = load_tokenizer("words")
ID = str(uuid.UUID(int=7))
BODY = "The pump must be primed before any other use. " * 5


def situated(
    text: str, title: str = "", *, size: int = 64, context: ContextSettings | None = None, **content: object
) -> list[Chunk]:
    document = Document(ID, "a/b.txt", title, content=Content(text, "text/plain", **content))  # type: ignore[arg-type]
    chunks = cut(document, PLAIN, ChunkSettings(size=size))
    return situate(document, chunks, context or ContextSettings(), PLAIN)


def contexts(text: str, title: str = "", *, size: int = 64, **content: object) -> list[str]:
    return [chunk.context for chunk in situated(text, title, size=size, **content)]


def test_title_and_section_path_stand_before_a_chunk() -> None:
    text = f"Care\n\n{BODY}\n\nFilters\n\n{BODY}"
    sections = (Section("Care", 1, 0), Section("Filters", 2, text.index("Filters")))
    assert contexts(text, "Pump manual", sections=sections) == [
        "Pump manual > Care",
        "Pump manual > Care > Filters",
    ]


def test_a_title_that_the_outline_repeats_is_said_once() -> None:
    assert contexts(BODY, "Pump  Manual", sections=(Section("Pump manual", 1, 0),)) == ["Pump manual"]


@pytest.mark.parametrize(
    "title", ["scan_0012.pdf", "b.txt", "docs/b", "corpus.jsonl#17", "5e4c01057a10732d34784af2a97bee9d"]
)
def test_the_name_of_a_file_is_no_title(title: str) -> None:
    assert contexts(BODY, title) == [""]


def test_without_context_the_text_is_indexed_alone() -> None:
    (chunk,) = situated(BODY, "Pump manual", context=ContextSettings(by="none"))
    assert indexed_text(chunk) == chunk.text == BODY
    (chunk,) = situated(BODY, "Pump manual")
    assert indexed_text(chunk) == f"Pump manual\n{BODY}"


BOLTS = "| bolt | torque |\n|---|---|\n"


def bolts(rows: str, **block: object) -> list[str]:
    table = BOLTS + rows
    return contexts(table, blocks=(Block("table", 0, len(table), **block),))  # type: ignore[arg-type]


def test_a_table_that_goes_on_repeats_its_caption_and_header() -> None:
    cell = "a long one " * 15
    first, *others = bolts(
        f"| {cell}| {cell}3 Nm |\n" * 20, caption="Table 3: Torques", header="bolt | torque"
    )
    assert first == "Table 3: Torques"
    assert others
    assert set(others) == {"Table 3: Torques\nbolt torque"}


def test_rows_of_a_long_table_are_named_by_their_columns() -> None:
    first, *others, last = bolts("| a long one | 3 Nm |\n" * 40, caption="Table 3: Torques")
    assert first == "Table 3: Torques"
    assert set(others) == {"\n".join(["Table 3: Torques", *["bolt: a long one; torque: 3 Nm"] * 3])}
    assert last.startswith("Table 3: Torques\nbolt: a long one; ")


def test_empty_cells_are_not_named_and_names_are_not_rules() -> None:
    rows = "| one | 3 Nm |\n| Brass |  |\n| a \\| b |  |\n|  | 4 Nm |\n" * 20
    said = {line for context in bolts(rows) for line in context.split("\n")}
    assert said == {"", "bolt: one; torque: 3 Nm", "Brass", "a | b", "torque: 4 Nm"}


def test_a_row_that_is_a_name_alone_heads_the_rows_below_it() -> None:
    steel, brass = "| long one | 3 Nm |\n" * 20, "| short one | 2 Nm |\n" * 20
    said = bolts(f"| Steel |  |\n{steel}| Brass |  |\n{brass}")[1:]
    assert len(said) > 4
    for context in said:
        name, *_ = context.split("\n")
        assert name in ("Steel", "Brass")
        assert name == ("Steel" if "long" in context.replace("Brass", "").split("short")[0] else "Brass")


def test_rows_of_a_table_without_a_header_have_no_names() -> None:
    table = "| a long one | 3 Nm |\n" * 60
    assert set(contexts(table, "Bolts", blocks=(Block("table", 0, len(table)),))) == {"Bolts"}


def test_a_caption_in_the_chunk_itself_is_not_said_twice() -> None:
    text = "Table 3: Torques\n\n| bolt | torque |\n|---|---|\n| M4 | 3 Nm |\n"
    block = Block("table", text.index("|"), len(text), caption="Table 3: Torques", header="bolt | torque")
    assert contexts(text, blocks=(block,)) == [""]


def test_a_title_over_several_columns_is_indexed_once() -> None:
    table = "| Bolt | Limits / min | Limits / max |\n| --- | --- | --- |\n| M4 | 2 | 3 |"
    (chunk,) = situated(table, "scan.pdf")
    assert indexed_text(chunk).startswith("Bolt  Limits / min  max\n")


def test_the_rows_of_a_table_are_indexed_without_their_bars() -> None:
    table = "Torques\n\n| bolt | torque |\n|:---|---|\n| M4 | 3 Nm |\n"
    (chunk,) = situated(table, "scan.pdf")
    assert chunk.text == table
    assert indexed_text(chunk) == "Torques\n\nbolt  torque\n\nM4  3 Nm\n"


def test_a_long_context_is_shortened_in_its_middle() -> None:
    path = tuple(Section(f"Section{i} about valves", i, 0) for i in range(1, 12))
    (chunk,) = situated(BODY, "Pump manual", context=ContextSettings(budget=20), sections=path)
    assert PLAIN.count(chunk.context) <= 20
    assert chunk.context.startswith("Pump manual > ")
    assert " … " in chunk.context
    assert chunk.context.endswith("about valves")


def test_the_same_document_gives_the_same_context() -> None:
    assert situated(BODY * 5, "Pump manual") == situated(BODY * 5, "Pump manual")


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"context\.by"):
        ContextSettings(by="magic")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="budget"):
        ContextSettings(budget=-1)


PYTHON = '''# Copyright 2020 The Authors. All rights reserved.
"""Reads the pressure of pumps. More words follow."""

import os


class PumpReader:
    def __init__(self, port):
        self.port = port

    def read(self, retries):
        for _ in range(retries):
            value = self.poll()
            if value:
                return value


def main():
    return PumpReader(1)
'''
RUST = """//! Executor of two pumps.
use core::fmt;

impl<A, B> Executor<A> for DualPump<A, B>
where
    A: Pump,
{
    pub fn run_both(&mut self, state: &mut S) -> Result<(), Error> {
        let first = self.primary.run(state)?;
        self.observe(first);
    }
}
"""
CPP = """/*
 * Licensed to nobody.
 */
#include "pump.h"
namespace pumps {
    void PumpBox::drain(int seconds, bool hard) {
        if (hard) {
            open(valve);
        }
        wait(seconds);
    }
}
"""
GO = """// Package pump drives pumps.
package pump

func (p *Pump) Prime(ctx context.Context) error {
\tif p.dry {
\t\treturn p.fill(ctx)
\t}
\treturn nil
}
"""
TYPESCRIPT = """import { Valve } from "./valve";

export default class PumpView extends View {
    private async redraw(level: number): Promise<void> {
        await this.canvas.fill(level);
        this.emit("drawn");
    }
}
export const drain = async (pump: Pump) => {
    await pump.stop();
};
"""


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        (PYTHON, "            value =", "PumpReader: Reads the pressure of pumps.\nPumpReader > read"),
        (PYTHON, "    def read", "PumpReader: Reads the pressure of pumps.\nPumpReader"),
        (PYTHON, "def main", "PumpReader: Reads the pressure of pumps."),
        (
            RUST,
            "        self.obs",
            "Executor for DualPump: Executor of two pumps.\nExecutor for DualPump > run_both",
        ),
        (CPP, "            open(", "pumps\npumps > PumpBox::drain"),
        (GO, "\t\treturn p.fill", "Pump.Prime: Package pump drives pumps.\nPump.Prime"),
        (TYPESCRIPT, "        this.emit", "PumpView\nPumpView > redraw"),
        (TYPESCRIPT, "    await pump.stop", "PumpView\ndrain"),
    ],
)
def test_code_is_placed_in_its_file_and_in_what_encloses_it(text: str, place: str, expected: str) -> None:
    at = text.index(place)
    found = situated(text, cuts=(Cut("f#0", 0, at), Cut("f#1", at, len(text))))
    assert found[1].context == expected


def test_a_listing_inside_prose_does_not_make_the_document_code() -> None:
    text = f"{BODY}\n\n{BODY}\n\n{PYTHON}\n\n{BODY}"
    block = Block("code", text.index("class"), text.index("def main"))
    assert set(contexts(text, "Manual", blocks=(block,), sections=(Section("Manual", 1, 0),))) == {"Manual"}


def test_other_fields_of_the_chunks_stay() -> None:
    (chunk,) = situated(BODY, "Pump manual")
    (bare,) = situated(BODY, "Pump manual", context=ContextSettings(by="none"))
    assert replace(chunk, context="") == bare
