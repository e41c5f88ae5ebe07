"""Pages read by a model that sees: what it is asked, what its answer is held against, what is kept of it."""
