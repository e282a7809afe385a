"""Big archives on Apache Spark or Sail: the same functions over DataFrames, by `mapInArrow`. Written for both, not yet proved on either.

A task reads a range of a WARC file, so that one large file keeps all executors busy. What a page gives depends on the page alone: a task that is
run again, after an executor was lost, gives the same rows.

    from pagekin import spark as kin
    pages = kin.read_pages(spark, ["crawl/1.warc.gz", "crawl/2.warc.gz"])
    kin.extract(pages, wrapper).write.parquet("records")

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

PAGES = "url string, status int, content_type string, body binary, archive string, position long, at long"
RECORDS = "url string, class string, attributes map<string, array<string>>, record string, skipped string"
CLASSES = "url string, class int, cost double, skipped string"
LINKS = "url string, target string, path string, text string"

_Batches = Iterator["pyarrow.RecordBatch"]


def _one_thread() -> None:
    """The engine runs a task on each core; one that took all cores for itself would disturb the others."""
    os.environ.setdefault("RAYON_NUM_THREADS", "1")


def _batches(tables: Iterable[_native.Table]) -> _Batches:
    import pyarrow

    for table in tables:
        yield from pyarrow.table(table).to_batches()


def _read_parts(parts: _Batches) -> _Batches:
    _one_thread()
    for batch in parts:
        for row in batch.to_pylist():
            part = _native.Part(row["path"], row["start"], row["end"])
            while (table := part.next_batch()) is not None:
                yield from _batches([table])


def parts(paths: str | Iterable[str], part_bytes: int = PART_BYTES) -> list[tuple[str, int, int]]:
    """Ranges of files that tasks read: path, start, end."""
    found: list[tuple[str, int, int]] = []
    for path in [paths] if isinstance(paths, str) else paths:
        path = os.path.abspath(path)
        size = os.path.getsize(path)
        found.extend((path, start, min(start + part_bytes, size)) for start in range(0, size, part_bytes))
    return found


def read_pages(spark: Any, paths: str | Iterable[str], *, part_bytes: int = PART_BYTES, archive_base: str | None = None) -> Any:
    """A DataFrame of the pages of WARC files: `url`, `status`, `content_type`, `body`, `archive`, `position`, `at`.

    `.parquet` files are indexes of web crawls: the records that they name are read from the files below `archive_base`, a folder or an address.
    """
    paths = [paths] if isinstance(paths, str) else list(paths)
    if paths and all(path.endswith(".parquet") for path in paths):
        return _read_indexes(spark, paths, archive_base or os.path.dirname(os.path.abspath(paths[0])))
    ranges = parts(paths, part_bytes)
    frame = spark.createDataFrame(ranges, "path string, start long, end long")
    return frame.repartitionByRange(max(len(ranges), 1), "path", "start").mapInArrow(_read_parts, PAGES)


def _read_indexes(spark: Any, paths: list[str], base: str) -> Any:
    def read(rows: _Batches) -> _Batches:
        import pyarrow

        _one_thread()
        for batch in rows:
            yield from _batches(_native.indexed_pages(pyarrow.Table.from_batches([batch]), base))

    frame = spark.read.parquet(*paths)
    wanted = ["url", "warc_filename", "warc_record_offset", "warc_record_length", "fetch_status", "content_mime_detected"]
    frame = frame.select(*[name for name in wanted if name in frame.columns])
    # Rows of one file lie together, so that a task asks few files.
    return frame.repartition("warc_filename").mapInArrow(read, PAGES)


def _mapped(frame: Any, make: Callable[[], Callable[[Any], list[_native.Table]]], schema: str) -> Any:
    def apply(batches: _Batches) -> _Batches:
        import pyarrow

        _one_thread()
        function = make()
        for batch in batches:
            yield from _batches(function(pyarrow.Table.from_batches([batch])))

    return frame.mapInArrow(apply, schema)


def extract(pages: Any, wrapper: Wrapper) -> Any:
    """Records of pages: `url`, `class`, `attributes`, `record` (the line of JSON that the command writes), `skipped` (why there is none)."""
    text = wrapper.text()
    return _mapped(pages.select("url", "status", "content_type", "body"), lambda: _native.Wrapper.parse(text).records, RECORDS)


def classify(pages: Any, model: Model) -> Any:
    """Classes of pages: `url`, `class` (none: unknown), `cost`, `skipped`."""
    text = model.text()
    return _mapped(pages.select("url", "status", "content_type", "body"), lambda: _native.Model.parse(text).classes, CLASSES)


def links(pages: Any) -> Any:
    """Links of pages: `url`, `target`, `path` within the page, `text`."""
    return _mapped(pages.select("url", "status", "content_type", "body"), lambda: _native.links, LINKS)
