"""Whether a text says only what other texts say: its facts, its language, and what it was told to do."""
