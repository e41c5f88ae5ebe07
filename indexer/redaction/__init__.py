"""Secrets in what is read, found and replaced by placeholders before anything is kept of them."""
