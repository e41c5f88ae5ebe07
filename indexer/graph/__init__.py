"""The entity graph: names and statements out of chunks, resolved to entities, grouped into communities."""
