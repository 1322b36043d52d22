"""The four signals of recall, computed from the text of prompts and the memories in the store."""
