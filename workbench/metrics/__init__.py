"""Measures of recall: what may be claimed, with counts and intervals."""
