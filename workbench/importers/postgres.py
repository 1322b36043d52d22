"""placeholder until the adapter lands"""

from __future__ import annotations


def stage(address, staging, options):
    raise RuntimeError
