"""Whether an index is sound: every row held against what it was derived from, and mended where it can be."""
