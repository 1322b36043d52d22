"""Simulated worlds with known truth, in Lore's table layout."""

from workbench.simulate.generate import Truth, simulate
from workbench.simulate.planted import PLANTED_NEEDS, TRUTH, Planted, planted_log, simulate_planted
from workbench.simulate.plants import WORLDS
from workbench.simulate.world import DEMO, DEMO_SEED, Client, World, checked_world

__all__ = [
    "DEMO",
    "DEMO_SEED",
    "PLANTED_NEEDS",
    "TRUTH",
    "WORLDS",
    "Client",
    "Planted",
    "Truth",
    "World",
    "checked_world",
    "planted_log",
    "simulate",
    "simulate_planted",
]
