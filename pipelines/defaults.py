"""What every composition agrees on before anything is loaded."""

from __future__ import annotations

MAX_REMOVED = 0.05
"""The share of a root's documents that one build may remove without being told to."""
STRUCTURES = ("tree", "graph")
"""Structures beside the hybrid layer that a build can leave for later."""
