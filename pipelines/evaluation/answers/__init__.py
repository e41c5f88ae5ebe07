"""Measuring answers: what ``Index.ask`` says to the questions of a set, held against what they should say."""
