"""lore_search: recall's signals for a query, and beside them the content of the memories."""

from workbench.search.documents import Documents
from workbench.search.search import MODES, Found, search

__all__ = ["MODES", "Documents", "Found", "search"]
