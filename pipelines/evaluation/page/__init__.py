"""The self-contained page of an evaluation: what was measured, and why questions failed."""

from .whole import render

__all__ = ["render"]
