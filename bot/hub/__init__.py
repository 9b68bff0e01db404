"""Reading a model's config from a model hub."""
