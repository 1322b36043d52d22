"""The configuration of the recall: keys, values, files, and a server's settings."""

from workbench.params.keys import KEYS, THRESHOLD, Effect, Key, Value
from workbench.params.values import Params, checked, key_of, snap

__all__ = ["KEYS", "THRESHOLD", "Effect", "Key", "Params", "Value", "checked", "key_of", "snap"]
