"""The same file on Apache Spark and on Sail: records byte-equal to the command's, executors that are killed, a file shared by parts, indexes of records."""

from __future__ import annotations

import collections
import http.server
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import pagekin
import pagekin.spark

#: Whole sites of twelve systems, 295 to 4,126 pages.
SITES = (
    "f1_pitlanestats attack_mitre everypolitician jargon_file pycon2013 maillist_xfce_goodies forum_computer_forum recipes_wika museum_stieglitz "
    "news_ucf docs_postgresql javadoc_jdk17"
).split()

#: Files over which the records of an archive are shuffled.
FILES = 40


def apache(master: str) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
    return builder.config("spark.sql.shuffle.partitions", "4").config("spark.log.level", "OFF").getOrCreate()


@pytest.fixture(scope="module")
def killable(java: None) -> Iterator[Any]:
    spark = apache("local-cluster[2,1,1024]")
    yield spark
    spark.stop()


@pytest.fixture(scope="module", params=["apache", "sail"])
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "apache":
        request.getfixturevalue("java")
        spark = apache("local[2]")
        yield spark
        spark.stop()
        return
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer()
    server.start()
    _, port = server.listening_address
    spark = SparkSession.builder.remote(f"sc://localhost:{port}").create()
    yield spark
    spark.stop()
    server.stop()


@pytest.fixture(scope="module")
def sites(data: Path, command: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, pagekin.Wrapper, list[str]]]:
    """Archive, wrapper and the lines that the command writes, of each site."""
    folder = tmp_path_factory.mktemp("sites")
    found = {}
    for name in SITES:
        archive, learned, out = str(data / "sites" / name / "site.warc.gz"), str(folder / f"{name}.json"), str(folder / f"{name}.jsonl")
        for _ in range(2):  # First it is learned, then it is used.
            subprocess.run([command, "-q", "extract", "--archive", archive, "--wrapper", learned, "--out", out], check=True)
        found[name] = (archive, pagekin.Wrapper.read(learned), sorted(Path(out).read_text().splitlines()))
    return found


def lines_of(frame: Any) -> list[str]:
    return sorted(row.record for row in frame.filter("skipped is null").select("record").collect())


def executors(application: str) -> list[int]:
    """Processes of the executors of an application."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0") if entry.name.isdigit() else []
        except OSError:
            continue  # It has just ended.
        if application in words and any("CoarseGrainedExecutorBackend" in word for word in words) and "java" in words[0]:
            found.append(int(entry.name))
    return found


def test_a_killed_executor_changes_nothing(sites: dict[str, Any], killable: Any) -> None:
    archive, wrapper, lines = sites["recipes_wika"]
    context, killed, over = killable.sparkContext, [], threading.Event()

    def kill() -> None:
        tracker = context.statusTracker()
        while not over.is_set() and not killed:
            for stage in tracker.getActiveStageIds():
                known = tracker.getStageInfo(stage)
                if known is not None and known.numTasks > 20 and 3 <= known.numCompletedTasks < known.numTasks // 2:
                    victim = executors(context.applicationId)[0]
                    os.kill(victim, signal.SIGKILL)
                    killed.append((victim, known.numCompletedTasks, known.numTasks))
                    break
            time.sleep(0.02)

    killer = threading.Thread(target=kill)
    killer.start()
    found = lines_of(pagekin.spark.extract_files(killable, archive, wrapper, part_bytes=128 << 10))
    over.set()
    killer.join()
    print(f"killed: process, tasks done by then, all tasks: {killed}")
    assert killed, "it was over before an executor could be killed"
    assert found == lines


@pytest.mark.parametrize("name", SITES)
def test_records_are_those_of_the_command(engine: Any, name: str, sites: dict[str, Any]) -> None:
    archive, wrapper, lines = sites[name]
    assert len(lines) > 200
    assert lines_of(pagekin.spark.extract_files(engine, archive, wrapper, part_bytes=1 << 20)) == lines
    if name in ("museum_stieglitz", "everypolitician", "maillist_xfce_goodies"):
        pages = pagekin.spark.read_pages(engine, archive, part_bytes=256 << 10)
        assert lines_of(pagekin.spark.extract(pages, wrapper)) == lines


def test_classes_and_links(engine: Any, sites: dict[str, Any]) -> None:
    archive, _, lines = sites["museum_stieglitz"]
    pages, model = pagekin.spark.read_pages(engine, archive), pagekin.model(archive=archive)
    classes = pagekin.spark.classify(pages, model).filter("class is not null").collect()
    whole = [row for table in model.classify_batch(pages_of(archive, 1 << 40)) for row in table.to_arrow().to_pylist()]
    expected = {row["url"]: row["class"] for row in whole if row["class"] is not None}
    assert {row.url: row["class"] for row in classes} == expected and len(expected) > len(lines) // 2
    links = sum(len(table) for table in pagekin.links(pages_of(archive, 1 << 40)))
    assert pagekin.spark.links(pages).count() == links > 1_000


def pages_of(archive: str, part_bytes: int) -> pyarrow.Table:
    """The pages of an archive, read by parts."""
    tables = []
    for path, start, end in pagekin.spark.parts(archive, part_bytes):
        part = pagekin._native.Part(path, start, end)
        while (table := part.next_batch()) is not None:
            tables.append(pyarrow.table(table))
    return pyarrow.concat_tables(tables)


def test_parts_share_a_file(sites: dict[str, Any]) -> None:
    archive, _, _ = sites["museum_stieglitz"]
    whole = pages_of(archive, 1 << 40)["url"].to_pylist()
    assert len(whole) > 200
    for part_bytes in [1_000, 70_000, 300_000]:
        assert pages_of(archive, part_bytes)["url"].to_pylist() == whole, part_bytes


class Busy(http.server.BaseHTTPRequestHandler):
    """Files by ranges. Of the requests for a file, every sixth finds the server busy."""

    protocol_version = "HTTP/1.1"
    folder: Path
    asked: collections.Counter[str]
    counted: dict[str, int]
    lock: threading.Lock

    def do_GET(self) -> None:
        with self.lock:
            self.asked[self.path] += 1
            busy = self.asked[self.path] % 6 == 2
        if busy:
            self.counted["busy"] += 1
            self.answer(503, b"")
            return
        start, end = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        with self.lock:
            self.counted["bytes"] += end + 1 - start
        with open(self.folder / self.path.lstrip("/"), "rb") as file:
            file.seek(start)
            self.answer(206, file.read(end + 1 - start))

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def shuffled(archive: str, folder: Path) -> list[dict[str, Any]]:
    """The records of an archive over many files, and the rows of their index."""
    from warcio.archiveiterator import ArchiveIterator

    raw, sizes, rows = Path(archive).read_bytes(), collections.Counter[str](), []
    outs = {f"part-{number}.warc.gz": open(folder / f"part-{number}.warc.gz", "wb") for number in range(FILES)}
    with open(archive, "rb") as file:
        records = ArchiveIterator(file)
        for nth, record in enumerate(records):
            if record.rec_type != "response" or record.http_headers is None:
                continue
            offset, length, name = records.get_record_offset(), records.get_record_length(), f"part-{nth * 17 % FILES}.warc.gz"
            outs[name].write(raw[offset : offset + length])
            mime = (record.http_headers.get_header("Content-Type") or "").split(";")[0]
            url, status = record.rec_headers.get_header("WARC-Target-URI"), int(record.http_headers.get_statuscode())
            row = {"url": url, "warc_filename": name, "warc_record_offset": sizes[name], "warc_record_length": length}
            rows.append({**row, "fetch_status": status, "content_mime_detected": mime})
            sizes[name] += length
    for out in outs.values():
        out.close()
    return rows


def test_an_index_over_forty_files_of_a_busy_server(engine: Any, sites: dict[str, Any], tmp_path: Path) -> None:
    archive, wrapper, lines = sites["museum_stieglitz"]
    rows = shuffled(archive, tmp_path)
    lengths = sum(row["warc_record_length"] for row in rows)
    index = str(tmp_path / "index.parquet")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), index, compression="gzip")
    counted = collections.Counter[str]()
    own = {"folder": tmp_path, "asked": collections.Counter[str](), "counted": counted, "lock": threading.Lock()}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Busy,), own))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        far = pagekin.extract(archive=index, archive_base=base, wrapper=wrapper)
        assert sorted(far.to_jsonl()) == lines
        bytes_asked = {"pagekin.extract": counted.pop("bytes")}
        coverage = far.stats["coverage"]
        assert coverage["files"] == FILES and coverage["bytes"] == bytes_asked["pagekin.extract"]
        assert lines_of(pagekin.spark.extract_files(engine, index, wrapper, archive_base=base)) == lines
        bytes_asked["extract_files"] = counted.pop("bytes")
        assert lines_of(pagekin.spark.extract(pagekin.spark.read_pages(engine, index), wrapper)) == lines, "files beside the index"
    finally:
        server.shutdown()
    shares = {name: round(asked / lengths, 3) for name, asked in bytes_asked.items()}
    print(f"{len(rows)} records over {FILES} files, {counted['busy']} times busy, bytes asked for the bytes of the records: {shares}")
    assert counted["busy"] > 10 and all(share <= 1.1 for share in shares.values()), shares
