"""The tests' Bot API server, for the real process."""

from peer.fixtures import api

__all__ = ["api"]
