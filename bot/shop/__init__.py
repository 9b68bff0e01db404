"""The shop's dated facts: prices, configurations, terms, links; read from reviewed files."""
