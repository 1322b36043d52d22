"""Simulated worlds with known truth, in Lore's table layout."""

from workbench.simulate.generate import Truth, simulate
from workbench.simulate.world import DEMO, DEMO_SEED, Client, World

__all__ = ["DEMO", "DEMO_SEED", "Client", "Truth", "World", "simulate"]
