"""Measuring how well an index answers: sets of labelled questions, metrics, comparisons, the page."""
