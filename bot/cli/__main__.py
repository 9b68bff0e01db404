"""``python -m bot.cli`` is the gpubot command."""

from bot.cli import main

main()
