"""The command line. Results go to stdout, everything else to stderr."""

from .app import main

__all__ = ["main"]
