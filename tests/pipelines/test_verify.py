"""An index is held against what its rows were made of; what is damaged is found, and mended if it is derived."""

from __future__ import annotations
