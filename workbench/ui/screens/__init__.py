"""Pages of the app, one script each."""
