"""What the planner refuses.

PlanError            a question that has no answer (size out of range, unknown GPU, ...)
OperatorError        an operator's mistake in one line; shop files, settings and lexicons raise their own kinds
  CatalogError       a file in data/ that does not say what it must
"""

from __future__ import annotations


class PlanError(ValueError):
    """A value in the query is outside what can be planned.

    ``code`` is stable and machine-readable, ``field`` the query field, ``allowed`` the range or
    the choices as short text without words ("0.01-10000"), ``nearest`` the nearest valid value.
    """

    def __init__(self, code: str, field: str, allowed: str, nearest: str | None = None) -> None:
        super().__init__(f"{field}: {code}, allowed {allowed}")
        self.code = code
        self.field = field
        self.allowed = allowed
        self.nearest = nearest


class OperatorError(ValueError):
    """An operator's mistake; the text is one line that says what to mend."""


class CatalogError(OperatorError):
    """A data file is missing or does not hold what its schema asks for."""
