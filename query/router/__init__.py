"""The router: which structure answers a question, by what it says and by what this index holds of it."""
