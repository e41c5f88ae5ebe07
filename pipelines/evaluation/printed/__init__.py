"""The printed index at the back of a book: its pages, its terms, and the pages that they name."""

from .index import IndexEntry, PrintedIndex, printed_index

__all__ = ["IndexEntry", "PrintedIndex", "printed_index"]
