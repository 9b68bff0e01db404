"""gpubot: the command line."""


def main() -> None:
    """Entry point of the ``gpubot`` command."""
    raise SystemExit(2)
