"""The same functions for asyncio: each runs in a thread, and a task that is cancelled ends its work.

>>> import asyncio, pagekin.aio
>>> len(asyncio.run(pagekin.aio.discover(getfixture("sample"))))
168
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from pagekin import _api
from pagekin._native import Stop

P = ParamSpec("P")
T = TypeVar("T")

__all__ = ["check", "discover", "extract", "hidden", "learn", "links", "model", "run"]


def _stoppable(function: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    @functools.wraps(function)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        stop = kwargs.setdefault("stop", Stop())
        work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            if isinstance(stop, Stop):
                stop.set()
            # What was found until then is dropped, and so is what failed because it was stopped.
            await asyncio.gather(work, return_exceptions=True)
            raise

    return wrapped


discover = _stoppable(_api.discover)
extract = _stoppable(_api.extract)
hidden = _stoppable(_api.hidden)
learn = _stoppable(_api.learn)
model = _stoppable(_api.model)
run = _stoppable(_api.run)


def _threaded(function: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """For what is over soon, and cannot be stopped."""

    @functools.wraps(function)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(function, *args, **kwargs)

    return wrapped


check = _threaded(_api.check)
links = _threaded(_api.links)
