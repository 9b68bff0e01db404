"""Exchange rates of coins and currencies: what sources say, what they agree on, how long that holds."""
