"""Simulated worlds with known truth, in Lore's table layout."""

from workbench.simulate.generate import Truth, simulate
from workbench.simulate.world import DEMO, DEMO_SEED, Client, World, checked_world

__all__ = ["DEMO", "DEMO_SEED", "Client", "Truth", "World", "checked_world", "simulate"]
