"""Answers with citations: evidence for a question, and what a model or an extract makes of it."""
