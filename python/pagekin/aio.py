"""The same functions for asyncio: each runs in a thread, and a task that is cancelled ends its work.

>>> import asyncio, pagekin.aio
>>> len(asyncio.run(pagekin.aio.discover(getfixture("sample"))))
168
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from pagekin import _api
from pagekin._native import Stop
from pagekin._tables import Table

P = ParamSpec("P")
T = TypeVar("T")

__all__ = ["check", "discover", "extract", "hidden", "learn", "model", "run"]


def _stoppable(function: Callable[P, T]) -> Callable[P, Awaitable[T]]:
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


async def check(*args: object, **kwargs: object) -> Table:
    """See :func:`pagekin.check`."""
    return await asyncio.to_thread(_api.check, *args, **kwargs)  # type: ignore[arg-type]
