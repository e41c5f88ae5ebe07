"""Corpora: a sample manual of our own (``sample/``), and manifests that fetch public ones."""
