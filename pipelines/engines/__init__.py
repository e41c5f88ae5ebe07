"""Where the stages of a build compute: in this process, or on the workers of a cluster."""
