"""Hooks of agent runtimes: what they hand over, what they take, and where they are installed.

Nothing is imported here: a hook runs before every prompt, and what it does not need it must not load.
"""
