"""The tools that agents hold."""
