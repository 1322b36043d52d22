"""The recall workbench: replay, judge and tune the recall of a Lore memory server."""
