"""The write side: documents to chunks, their context, the structures over them, and their stores."""
