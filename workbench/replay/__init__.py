"""Replay of a log, live recall and explanation: one chain of SQL stages."""
