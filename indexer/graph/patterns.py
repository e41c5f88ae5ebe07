"""The default extractor: names, places, defined terms and sentence patterns, with no model."""

from __future__ import annotations

from ..names import find_names, longest
from .extraction import Extraction, Passage
from .patterns_names import Gathered
from .patterns_sentences import read_sentences
from .patterns_subjects import About, add_subjects, title_spans
from .patterns_terms import code_spans, find_acronyms, find_terms, table_keys, type_of

NAME = "patterns-3"

_IN_CODE = ("identifier", "acronym")


class PatternExtractor:
    """Reads a chunk by patterns alone: deterministic, offline, and fast enough for every chunk.

    Listings give their identifiers and acronyms only, tables also the keys of their rows. The most telling
    64 names of a chunk are kept and 96 statements; what is left out is counted in ``faults``.
    """

    name = NAME
    concurrency = 1

    def extract(self, passage: Passage) -> Extraction:
        """What the whole of ``passage`` says; never fails."""
        gathered = Gathered()
        about = add_subjects(gathered, passage)
        text = passage.text
        found = find_names(text, passage.language, about.words)
        if passage.kind == "code":
            found = [name for name in found if name.kind in _IN_CODE]
        found = longest([*found, *title_spans(text, about.titles), *code_spans(text)])
        for name in found:
            kind = type_of(text, name) if name.kind in _IN_CODE else ""
            gathered.add(name.name, kind=name.kind, type=kind)
        if passage.kind != "code":
            self._add_terms(gathered, passage, about)
        stated = read_sentences(gathered, passage, found, about)
        statements = gathered.statements(stated)
        names = gathered.named(statements)
        kept = {name.name for name in names}
        statements = tuple(one for one in statements if one.source in kept and one.target in kept)
        return Extraction(names=names, statements=statements, by=self.name, faults=dict(gathered.faults))

    @staticmethod
    def _add_terms(gathered: Gathered, passage: Passage, about: About) -> None:
        for term in find_acronyms(passage.text):
            # The subject, if it is one of the two, keeps its name: the other becomes its alias.
            short = gathered.find(term.aliases[0])
            if short is not None and short == about.subject:
                gathered.add(term.aliases[0], count=0, aliases=(term.name,))
            else:
                gathered.add(term.name, count=0, aliases=term.aliases)
        if passage.kind == "table":
            for term in table_keys(passage.text):
                gathered.add(term.name, kind="identifier", type=term.type)
        else:
            for term in find_terms(passage.text):
                gathered.add(term.name, description=term.meaning, count=0)
