"""Find the files that travel with the code, in a checkout and in an installed wheel alike."""

from __future__ import annotations

from pathlib import Path

from planner.errors import CatalogError

#: The wheel carries the top-level folders inside the packages (see pyproject.toml).
_IN_WHEEL = {"data": "planner/_data", "locales": "bot/_locales", "seeds": "bot/_seeds"}
_ROOT = Path(__file__).resolve().parent.parent


def folder(name: str) -> Path:
    """The folder ``name`` ("data", "locales" or "seeds").  Raises CatalogError when it is not there."""
    for path in (_ROOT / _IN_WHEEL[name], _ROOT / name):
        if path.is_dir():
            return path
    raise CatalogError(f"{name}/ is missing beside {_ROOT}: install gpubot again")
