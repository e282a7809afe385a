"""The command `pagekin`, as the wheel installs it."""

from __future__ import annotations

import signal
import sys

from pagekin import _native


def main() -> None:
    """Run the command with the arguments of this process, and end it with its exit code."""
    # Ctrl-C is the command's: the first ends with what there is, the second at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.command(["pagekin", *sys.argv[1:]]))
