"""How far is it? One line in a terminal or a notebook, rewritten while work goes on."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagekin._native import Progress

#: `None` shows a line where somebody looks, `True` always, `False` never; a function hears of the counters, and ends the work by raising.
ProgressOption = Union[bool, "Callable[[Progress], object]", None]


def told(progress: Progress) -> str:
    """
    >>> told({"stage": "discover", "pages": 12, "requests": 14, "bytes": 2_500_000, "skipped": 1})
    'discover: 12 pages, 2.5 MB, 1 not looked at'
    """
    parts = [f"{progress['pages']} pages"]
    if progress["bytes"]:
        parts.append(f"{progress['bytes'] / 1e6:.1f} MB")
    if progress["skipped"]:
        parts.append(f"{progress['skipped']} not looked at")
    return (f"{progress['stage']}: " if progress["stage"] else "") + ", ".join(parts)


def _notebook() -> Any | None:
    """The shell of a notebook, where there is one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell if shell is not None and hasattr(shell, "kernel") else None


class _Text:
    """A line of a notebook."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class _Line:
    """Rewrites one line, a few times a second."""

    def __init__(self) -> None:
        self._last = 0.0
        self._stage: str | None = None
        self._handle: Any = None
        if _notebook() is not None:
            display: Any = importlib.import_module("IPython.display")
            self._handle = display.display(_Text("…"), display_id=True)

    def __call__(self, progress: Progress) -> None:
        self._stage = progress["stage"] or self._stage
        now = time.monotonic()
        if now - self._last < 0.2:
            return
        self._last = now
        line = told({**progress, "stage": self._stage})
        if self._handle is not None:
            self._handle.update(_Text(line))
        else:
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._handle is not None:
            self._handle.update(_Text("done"))
        elif self._last:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def shown(option: ProgressOption) -> Iterator[Callable[[Progress], object] | None]:
    """The callback for the native side."""
    if callable(option):
        yield option
        return
    looked_at = _notebook() is not None or bool(sys.stderr and sys.stderr.isatty())
    if option is False or (option is None and not looked_at):
        yield None
        return
    line = _Line()
    try:
        yield line
    finally:
        line.end()
