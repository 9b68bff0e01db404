"""Question (+ the shop's facts as values) -> Answer: the only place that calls the planner."""
