"""What agents hold: the tools of an index, behind the Model Context Protocol and in LlamaIndex."""
