"""Text search as PostgreSQL does it: tokenizers, queries that match any or all of their lexemes, and their rank."""
