"""One example page becomes the whole data set of a web site.

>>> import pagekin
>>> drivers = pagekin.run(getfixture("sample"))
>>> drivers.to_pandas()["team"].notna().all().item()
True
"""

from __future__ import annotations

from pagekin._api import check, discover, extract, hidden, learn, links, model, run
from pagekin._errors import Error
from pagekin._native import Stop, __version__
from pagekin._tables import Model, Pages, Records, Table, Wrapper

__all__ = [
    "Error",
    "Model",
    "Pages",
    "Records",
    "Stop",
    "Table",
    "Wrapper",
    "__version__",
    "check",
    "discover",
    "extract",
    "hidden",
    "learn",
    "links",
    "model",
    "run",
]
