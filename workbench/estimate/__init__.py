"""What helps among memories that were never shown: a model's estimate, always told apart from what is known."""

from workbench.estimate.model import Model, NoModel, fit_model
from workbench.estimate.newly import LABEL, Newly, Support, estimate_newly
from workbench.estimate.pairs import FEATURES, Pairs, ShownPairs, numbered_pairs, shown_pairs, wanted_pairs

__all__ = [
    "FEATURES",
    "LABEL",
    "Model",
    "Newly",
    "NoModel",
    "Pairs",
    "ShownPairs",
    "Support",
    "estimate_newly",
    "fit_model",
    "numbered_pairs",
    "shown_pairs",
    "wanted_pairs",
]
