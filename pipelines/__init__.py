"""Compositions: build, evaluate, the command line."""
