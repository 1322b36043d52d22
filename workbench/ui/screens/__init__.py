"""Pages of the app, one script each, and how they stand in the navigation."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent


class Screen(NamedTuple):
    """One page: the script `<name>.py` beside this file, called by the text `<name>.title`."""

    name: str
    icon: str

    @property
    def script(self) -> Path:
        """Its script."""
        return _HERE / f"{self.name}.py"


FIRST = "overview"
# Not `pages`: beside the entry point, a folder of that name is a navigation of its own to Streamlit, without the frame.
# A further page is one line here, its script, and its texts in each language.
SCREENS = {
    "look": (
        Screen("overview", "monitoring"),
        Screen("prompts", "list"),
        Screen("prompt", "account_tree"),
        Screen("missed", "search_off"),
        Screen("review", "how_to_reg"),
    ),
    "change": (
        Screen("whatif", "science"),
        Screen("tune", "tune"),
        Screen("compare", "compare_arrows"),
        Screen("export", "upload"),
    ),
    "store": (Screen("data", "database"), Screen("help", "help")),
}
