"""Telegram: handlers decide, receivers take updates in, the sender delivers."""
