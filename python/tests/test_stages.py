"""The stages on the built-in site: tables, notebooks, Ctrl-C, callbacks, threads, asyncio."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas
import polars
import pyarrow
import pytest

import pagekin
import pagekin.aio


def test_pages_come_with_their_evidence(found: pagekin.Pages, sample: str) -> None:
    frame = found.to_pandas()
    assert sample in found.urls and len(frame) == len(found) > 150
    assert frame["confidence"].between(0, 1).all()
    assert found.stats["requests"] > 10


def test_records_are_typed_in_every_form(found: pagekin.Pages) -> None:
    drivers = pagekin.extract(found)
    arrow, pandas_frame, polars_frame = drivers.to_arrow(), drivers.to_pandas(), drivers.to_polars()
    assert arrow.num_rows == len(pandas_frame) == polars_frame.height == len(found)
    assert arrow.column_names == list(pandas_frame.columns) == polars_frame.columns
    assert any(pyarrow.types.is_floating(field.type) for field in arrow.schema), "numbers are numbers"
    lines = [json.loads(line) for line in drivers.to_jsonl()]
    assert lines == list(drivers) and lines[0]["evidence"]


def test_tables_within_pages_are_tables() -> None:
    rows = lambda n: "".join(f"<tr><td>{1990 + i}<td>{(n * 7 + i) % 20 + 1}" for i in range(3))  # noqa: E731
    page = lambda n: f"<h1>Driver {n}</h1><table><tr><th>Year<th>Position{rows(n)}</table>".encode()  # noqa: E731
    import gzip

    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "site.warc.gz"
        with open(path, "wb") as out:
            for n in range(12):
                http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page(n)
                head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://s.example/{n}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n"
                out.write(gzip.compress(head.encode() + http + b"\r\n\r\n"))
        records = pagekin.extract(archive=path)
        assert len(records) == 12
        (table,) = records.children.values()
        frame = table.to_pandas()
        assert len(frame) == 36 and list(frame["_position"][:3]) == [1, 2, 3]
        assert frame["year"].dtype.kind == "f"


def test_a_notebook_shows_ten_rows_and_nothing_of_the_page_runs(found: pagekin.Pages) -> None:
    shown = pagekin.extract(found)._repr_html_()
    assert shown.count("<tr>") == 11 and f"{len(found)} records, 10 shown" in shown and '<a href="http://127.0.0.1' in shown
    wrapper = pagekin.Wrapper.parse(pagekin.learn(found).text())
    assert wrapper.columns
    hostile = pagekin.Records(pagekin._native.Records.from_table(pyarrow.table({"_url": ["http://s/"], "name": ["<script>alert(1)</script>"]})), {})
    assert "<script>" not in hostile._repr_html_()


def test_learned_once_read_anywhere(wrapper_text: str, driver_html: str, sample: str) -> None:
    wrapper = pagekin.Wrapper.parse(wrapper_text)
    assert wrapper.extract(driver_html)["team"] == ["Juno & Sons"]
    record = wrapper.record(driver_html.encode(), url=sample, content_type="text/html; charset=utf-8")
    assert record is not None and record["url"] == sample
    pages = pyarrow.table({"url": [sample, "no address", sample], "body": [driver_html, driver_html, None]})
    (rows,) = wrapper.extract_batch(pages)
    found = rows.to_arrow().to_pylist()
    assert [row["skipped"] is None for row in sorted(found, key=lambda row: row["skipped"] or "")] == [True, False, False]


@pytest.mark.parametrize("make", [pyarrow.table, pandas.DataFrame, polars.DataFrame])
def test_records_and_reference_may_be_any_table(make: type) -> None:
    rules = '[[rules]]\nname="R1"\nwhen="not exists S where E.code = S.code"\nthen="Unapproved"\nconfidence=0.9\n'
    offers = make({"_url": ["http://s/1", "http://s/2"], "code": ["H1", "H9"], "price": [3, 4]})
    findings = pagekin.check(offers, make({"code": ["H1"], "year": [2001]}), rules)
    assert findings.to_arrow()["url"].to_pylist() == ["http://s/2"]
    with pytest.raises(pagekin.Error, match="no table"):
        pagekin.check([1, 2], make({"code": ["H1"]}), rules)  # type: ignore[arg-type]


def test_a_run_is_kept_and_the_next_one_asks_for_what_changed(sample: str, tmp_path: Path) -> None:
    db = str(tmp_path / "drivers.db")
    first = pagekin.run(sample, db=db, hidden=False)
    second = pagekin.run(sample, db=db, hidden=False)
    assert len(first) == len(second) > 150
    assert second.stats["runs"][0]["refreshed"] and second.stats["runs"][0]["requests"] < first.stats["runs"][0]["requests"]


def test_an_exception_in_the_callback_ends_the_work(sample: str) -> None:
    class Enough(Exception):
        pass

    def enough(progress: object) -> None:
        raise Enough

    began = time.monotonic()
    with pytest.raises(Enough):
        pagekin.discover(sample, delay=0.05, progress=enough)
    assert time.monotonic() - began < 5


def test_the_callback_hears_of_pages(sample: str) -> None:
    heard: list[int] = []
    pagekin.discover(sample, delay=0.001, progress=lambda progress: heard.append(progress["pages"]))
    assert heard and heard == sorted(heard) and heard[-1] > 10


def test_other_threads_go_on(sample: str) -> None:
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    pagekin.discover(sample, budget=40, delay=0.005)
    done.set()
    thread.join()
    assert counted > 20, "the interpreter was held"


def test_ctrl_c_ends_the_work(sample: str) -> None:
    code = f"import pagekin\nprint('started', flush=True)\npagekin.discover({sample!r}, delay=0.2)\nprint('not stopped')"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "started\n"
    time.sleep(0.7)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=15)
    assert "KeyboardInterrupt" in err and "not stopped" not in out


def test_asyncio_runs_side_by_side_and_can_be_cancelled(sample: str) -> None:
    async def both() -> tuple[int, int]:
        pages, model = await asyncio.gather(pagekin.aio.discover(sample), pagekin.aio.model(sample, budget=30))
        return len(pages), len(model.classes)

    assert min(asyncio.run(both())) > 1

    async def cancelled() -> None:
        task = asyncio.create_task(pagekin.aio.discover(sample, delay=0.2))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    began = time.monotonic()
    asyncio.run(cancelled())
    assert time.monotonic() - began < 5


def test_the_model_says_of_which_class_pages_are(sample: str, driver_html: str) -> None:
    model = pagekin.model(sample)
    (rows,) = model.classify_batch(pyarrow.table({"url": [sample], "body": [driver_html]}))
    number = rows.to_arrow()["class"][0].as_py()
    assert next(each for each in model.classes if each["id"] == number)["size"] > 100
    assert "classes</p>" in model._repr_html_()
