"""What agents are given and what they do with it: recall, search and memories on demand, and the record of both."""

from workbench.agents.lore import Lore, Opened, Recalled, Skipped
from workbench.agents.requests import Caller, Overrides

__all__ = ["Caller", "Lore", "Opened", "Overrides", "Recalled", "Skipped"]
