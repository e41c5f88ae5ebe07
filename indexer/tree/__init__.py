"""The tree of summaries over the chunks, after RAPTOR (Sarthi et al., arXiv 2401.18059)."""
