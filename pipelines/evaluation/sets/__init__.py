"""Reading and writing sets of labelled questions."""

from .file import write_set
from .reading import read_set

__all__ = ["read_set", "write_set"]
