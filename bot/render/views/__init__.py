"""Answer -> Document: one module per kind of answer."""
