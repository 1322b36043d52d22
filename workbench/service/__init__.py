"""The recall system over HTTP and MCP."""

from importlib.metadata import version

VERSION = version("lore-recall-workbench")
