"""Whether what an index needs is there and works: looked at part by part, each with what to do about it."""
