"""Measuring what an index costs: building it, asking it, and how both grow with what it holds."""
