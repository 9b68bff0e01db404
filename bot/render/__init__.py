"""Answer + locale -> HTML, plain text, JSON: the only place that knows what the bot says."""
