"""The read side: route, retrieve, fuse, rerank."""
