"""What agents hold: the index behind the Model Context Protocol."""
