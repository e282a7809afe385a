"""Big archives on Apache Spark or Sail: the same functions over DataFrames, by `mapInArrow`.

A task reads a range of a WARC file, so that one large file keeps all executors busy. What a page gives depends on the page alone: a task that is
run again, after an executor was lost, gives the same rows.

    from pagekin import spark as kin
    pages = kin.read_pages(spark, ["crawl/1.warc.gz", "crawl/2.warc.gz"])
    kin.extract(pages, wrapper).write.parquet("records")
    kin.extract_files(spark, ["crawl/1.warc.gz", "crawl/2.warc.gz"], wrapper)    # the same rows, in one step

The files and the package `pagekin` have to be at hand on every executor.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pagekin import _native
from pagekin._tables import Model, Wrapper

if TYPE_CHECKING:
    import pyarrow

#: Bytes of a file that one task reads. Smaller parts spread better, larger ones cost less to start.
PART_BYTES = 16 << 20

#: Rows of an index whose pages a task has in memory at a time.
ROWS = 256

PAGES = "url string, status int, content_type string, body binary, archive string, position long, at long"
RECORDS = "url string, class string, attributes map<string, array<string>>, record string, skipped string"
CLASSES = "url string, class int, cost double, skipped string"
LINKS = "url string, target string, path string, text string"

_Batches = Iterator["pyarrow.RecordBatch"]
_Use = Callable[[_native.Table], "list[_native.Table]"]


def _batches(tables: Iterable[_native.Table]) -> _Batches:
    import pyarrow

    for table in tables:
        yield from pyarrow.table(table).to_batches()


def parts(paths: str | Iterable[str], part_bytes: int = PART_BYTES) -> list[tuple[str, int, int]]:
    """Ranges of files that tasks read: path, start, end."""
    found: list[tuple[str, int, int]] = []
    for path in [paths] if isinstance(paths, str) else paths:
        path = os.path.abspath(path)
        size = os.path.getsize(path)
        found.extend((path, start, min(start + part_bytes, size)) for start in range(0, size, part_bytes))
    return found


def _pages_of(path: str, start: int, end: int) -> Iterator[_native.Table]:
    part = _native.Part(path, start, end)
    while (table := part.next_batch()) is not None:
        yield table


def _from_files(spark: Any, paths: str | Iterable[str], part_bytes: int, base: str | None, make: Callable[[], _Use], schema: str) -> Any:
    """What `make` makes of the pages of files, where they are read."""
    paths = [paths] if isinstance(paths, str) else list(paths)
    if paths and all(path.endswith(".parquet") for path in paths):
        return _from_indexes(spark, paths, base or os.path.dirname(os.path.abspath(paths[0])), make, schema)
    ranges = parts(paths, part_bytes)

    def apply(numbers: _Batches) -> _Batches:
        use = make()
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                for table in _pages_of(*ranges[number]):
                    yield from _batches(use(table))

    # A number a task, so that no two ranges come to lie in one.
    return spark.range(0, len(ranges), 1, max(len(ranges), 1)).mapInArrow(apply, schema)


def _from_indexes(spark: Any, paths: list[str], base: str, make: Callable[[], _Use], schema: str) -> Any:
    def apply(batches: _Batches) -> _Batches:
        import pyarrow

        use = make()
        for batch in batches:
            rows = pyarrow.Table.from_batches([batch])
            for at in range(0, rows.num_rows, ROWS):
                for table in _native.indexed_pages(rows.slice(at, ROWS), base):
                    yield from _batches(use(table))

    frame = spark.read.parquet(*paths)
    wanted = ["url", "warc_filename", "warc_record_offset", "warc_record_length", "fetch_status", "content_mime_detected"]
    frame = frame.select(*[name for name in wanted if name in frame.columns])
    # Rows of one file lie together, so that a task asks few files.
    return frame.repartition("warc_filename").mapInArrow(apply, schema)


def read_pages(spark: Any, paths: str | Iterable[str], *, part_bytes: int = PART_BYTES, archive_base: str | None = None) -> Any:
    """A DataFrame of the pages of WARC files: `url`, `status`, `content_type`, `body`, `archive`, `position`, `at`.

    `.parquet` files are indexes of web crawls: the records that they name are read from the files below `archive_base`, a folder or an address.
    """
    return _from_files(spark, paths, part_bytes, archive_base, lambda: lambda pages: [pages], PAGES)


def extract_files(
    spark: Any, paths: str | Iterable[str], wrapper: Wrapper, *, part_bytes: int = PART_BYTES, archive_base: str | None = None
) -> Any:
    """The rows of `extract(read_pages(…))`, in one step: pages stay where they are read, and only records pass through the engine."""
    text = wrapper.text()
    return _from_files(spark, paths, part_bytes, archive_base, lambda: _records(text), RECORDS)


def _records(text: str) -> Callable[[Any], list[_native.Table]]:
    wrapper = _native.Wrapper.parse(text)
    return lambda pages: wrapper.records(pages, one_core=True)


def _classes(text: str) -> Callable[[Any], list[_native.Table]]:
    model = _native.Model.parse(text)
    return lambda pages: model.classes(pages, one_core=True)


def _mapped(pages: Any, make: Callable[[], Callable[[Any], list[_native.Table]]], schema: str) -> Any:
    def apply(batches: _Batches) -> _Batches:
        import pyarrow

        use = make()
        for batch in batches:
            yield from _batches(use(pyarrow.Table.from_batches([batch])))

    return pages.select("url", "status", "content_type", "body").mapInArrow(apply, schema)


def extract(pages: Any, wrapper: Wrapper) -> Any:
    """Records of pages: `url`, `class`, `attributes`, `record` (the line of JSON that the command writes), `skipped` (why there is none)."""
    text = wrapper.text()
    return _mapped(pages, lambda: _records(text), RECORDS)


def classify(pages: Any, model: Model) -> Any:
    """Classes of pages: `url`, `class` (none: unknown), `cost`, `skipped`."""
    text = model.text()
    return _mapped(pages, lambda: _classes(text), CLASSES)


def links(pages: Any) -> Any:
    """Links of pages: `url`, `target`, `path` within the page, `text`."""
    return _mapped(pages, lambda: lambda batch: _native.links(batch, one_core=True), LINKS)
