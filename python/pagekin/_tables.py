"""What comes back: tables that pandas, polars and Arrow take, and that a notebook shows."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pagekin import _native

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: Rows that a notebook shows.
SHOWN = 10


def _link(text: str) -> str:
    """A link where the text is an address of the web; escaped in any case.

    >>> _link("https://example.org/?a=1&b=<x>")
    '<a href="https://example.org/?a=1&amp;b=&lt;x&gt;" rel="noreferrer noopener" target="_blank">/?a=1&amp;b=&lt;x&gt;</a>'
    >>> _link("javascript:alert(1)")
    'javascript:alert(1)'
    """
    if not text.startswith(("http://", "https://")):
        return html.escape(text)
    shown = text.split("://", 1)[1]
    shown = "/" + shown.split("/", 1)[1] if "/" in shown else shown
    return f'<a href="{html.escape(text)}" rel="noreferrer noopener" target="_blank">{html.escape(shown)}</a>'


class Table:
    """Rows under named, typed columns. Anything that takes Arrow takes it: `pyarrow.table(t)`, `polars.DataFrame(t)`, DuckDB."""

    def __init__(self, native: _native.Table, name: str = "rows") -> None:
        self._native = native
        self._name = name

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return self._native.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._native)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._native.columns

    @property
    def units(self) -> dict[str, str]:
        """Unit or currency of the columns that have one."""
        return {name: unit for name, (_, unit) in zip(self.columns, self._native.types) if unit is not None}

    def to_arrow(self) -> pyarrow.Table:
        """As a table of pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """As a data frame of pandas."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """As a data frame of polars."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<{len(self)} {self._name}: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """Ten rows, with links to the pages; what pages say is escaped."""
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{_link(cell) if cell is not None else ''}</td>" for cell in row) + "</tr>"
            for row in self._native.head(SHOWN)
        )
        more = f", {SHOWN} shown" if len(self) > SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table><p>{len(self)} {html.escape(self._name)}{more}</p>"


class Pages(Table):
    """Pages of one kind: `url`, `confidence`, `via`, `evidence`."""

    def __init__(self, native: _native.Table, answer: Mapping[str, Any], session: _native.Session, options: dict[str, Any]) -> None:
        super().__init__(native, "pages")
        #: The whole answer: samples, index pages, what was left out and why, the ladder of nested answers.
        self.answer = answer
        self._session = session
        self._options = options

    @property
    def urls(self) -> list[str]:
        """Addresses of the pages."""
        return [entity["url"] for entity in self.answer["entities"]]

    @property
    def stats(self) -> dict[str, Any]:
        """What was asked for it."""
        stats: dict[str, Any] = json.loads(self._session.stats())
        return stats

    def __iter__(self) -> Iterator[str]:
        return iter(self.urls)


class Wrapper:
    """What was learned of a kind of pages: reads other pages of the kind.

    >>> import pagekin
    >>> wrapper = pagekin.Wrapper.parse(getfixture("wrapper_text"))
    >>> wrapper.extract(getfixture("driver_html"))["team"]
    ['Juno & Sons']
    """

    def __init__(self, native: _native.Wrapper) -> None:
        self._native = native

    @staticmethod
    def parse(text: str) -> Wrapper:
        """From the text of a wrapper, as :meth:`text` or the command's `--wrapper FILE` wrote it."""
        return Wrapper(_native.Wrapper.parse(text))

    @staticmethod
    def read(path: str) -> Wrapper:
        """From a file."""
        with open(path, encoding="utf-8") as file:
            return Wrapper.parse(file.read())

    def text(self) -> str:
        """As text, for a file."""
        return self._native.text()

    @property
    def columns(self) -> list[str]:
        """What it reads."""
        return [name for _, name, _, _ in self._native.slots()]

    def record(self, page: str | bytes, url: str = "https://page.invalid/", content_type: str | None = None) -> dict[str, Any] | None:
        """The whole record of a page, with evidence; `None` when the page is of another kind."""
        body = page.encode() if isinstance(page, str) else page
        line = self._native.record(body, url, "text/html; charset=utf-8" if isinstance(page, str) else content_type)
        return None if line is None else json.loads(line)

    def extract(self, page: str | bytes, url: str = "https://page.invalid/", content_type: str | None = None) -> dict[str, list[str]]:
        """What a page says, by name; empty when the page is of another kind."""
        record = self.record(page, url, content_type)
        return {} if record is None else record["attributes"]

    def extract_batch(self, pages: _native.ArrowStream) -> Iterator[Table]:
        """A table of pages (`url`, `body`) → `url`, `class`, `attributes`, `record`, `skipped`, one row a page."""
        return (Table(native, "records") for native in self._native.records(pages))

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (Wrapper.parse, (self.text(),))

    def __repr__(self) -> str:
        return f"<Wrapper: {', '.join(self.columns)}>"


class Records(Table):
    """What pages say, one row a page: `_url`, `_class`, and a typed column for each attribute."""

    def __init__(self, native: _native.Records, stats: Mapping[str, Any]) -> None:
        super().__init__(native.table(), "records")
        self._records = native
        #: What was asked for it.
        self.stats = stats

    @property
    def children(self) -> dict[str, Table]:
        """Tables within the pages, by name: `_url`, `_position`, and their own columns."""
        return {name: Table(table, f"rows of {name}") for name, table in self._records.children().items()}

    @property
    def wrapper(self) -> Wrapper:
        """What read the pages."""
        return Wrapper(self._records.wrapper())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Whole records, with evidence, as the command writes them."""
        return (json.loads(self._records.line(at)) for at in range(len(self._records)))

    def to_jsonl(self) -> Iterator[str]:
        """The lines that the command writes."""
        return (self._records.line(at) for at in range(len(self._records)))


class Model:
    """The classes of pages of a site, and how they link."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._native = _native.Model.parse(text)
        self._model: dict[str, Any] = json.loads(text)

    @staticmethod
    def read(path: str) -> Model:
        """From a file that `pagekin model --out FILE.json` wrote."""
        with open(path, encoding="utf-8") as file:
            return Model(file.read())

    def text(self) -> str:
        """As JSON, for a file."""
        return self._text

    @property
    def classes(self) -> list[dict[str, Any]]:
        """Each with `id`, `name`, `role`, `size`, `samples` and more."""
        return list(self._model["classes"])

    @property
    def links(self) -> list[dict[str, Any]]:
        """From class to class."""
        return list(self._model["links"])

    def classify_batch(self, pages: _native.ArrowStream) -> Iterator[Table]:
        """A table of pages (`url`, `body`) → `url`, `class`, `cost`, `skipped`, one row a page."""
        return (Table(native, "pages") for native in self._native.classes(pages))

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (Model, (self._text,))

    def __repr__(self) -> str:
        return f"<Model of {self._model['site']}: {len(self.classes)} classes>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{each['id']}</td><td>{html.escape(each['name'])}</td><td>{html.escape(each['role'])}</td><td>{each['size']}</td>"
            f"<td>{_link(each['samples'][0]) if each.get('samples') else ''}</td></tr>"
            for each in self.classes[:SHOWN]
        )
        head = "<tr><th>id</th><th>name</th><th>role</th><th>pages</th><th>sample</th></tr>"
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table><p>{len(self.classes)} classes</p>"
