"""text (+ the chat's memory) -> Question."""
