"""The figures of docs/reference/scale.md: `cargo xtask scale`.

Pages per second and core of `extract`: by the command, by the package, on Spark with one core and with two, with an executor that is killed, and by what
people write by hand (warcio, selectolax, a function for the site) on Spark. All on the same pages, one after the other in the same run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pagekin
import pagekin.spark

# Executors take the first Python on the path, which need not have the package.
os.environ["PYSPARK_PYTHON"] = sys.executable

#: Copies of the archive that make the file large enough for a figure.
COPIES = 8
DATA = Path(os.environ.get("PAGEKIN_DATA", Path(__file__).parents[1] / "../shared/data")).resolve()
SITE = DATA / "sites/shop_cloudchemistry"
HAND = "url string, title string, price string"


def by_hand(parts: Iterator[Any]) -> Iterator[Any]:
    """What a scraping engineer writes for one site: the title, the price, the description, by selectors."""
    import pyarrow
    from selectolax.parser import HTMLParser
    from warcio.archiveiterator import ArchiveIterator

    for batch in parts:
        for row in batch.to_pylist():
            rows = []
            with open(row["path"], "rb") as file:
                for record in ArchiveIterator(file):
                    if record.rec_type != "response" or "html" not in (record.http_headers.get_header("Content-Type") or ""):
                        continue
                    tree = HTMLParser(record.content_stream().read())
                    title, price = tree.css_first("h1"), tree.css_first(".price, .woocommerce-Price-amount")
                    rows.append((record.rec_headers.get_header("WARC-Target-URI"), title and title.text(), price and price.text()))
            columns = list(zip(*rows))
            yield pyarrow.record_batch([pyarrow.array(column, pyarrow.string()) for column in columns], ["url", "title", "price"])


def timed(work: Callable[[], int]) -> tuple[int, float]:
    began = time.perf_counter()
    pages = work()
    return pages, time.perf_counter() - began


def session(master: str) -> Any:
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master(master).appName("scale").config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
        .config("spark.executor.memory", "1g").config("spark.python.worker.reuse", "true").config("spark.driver.host", "127.0.0.1").getOrCreate()
    )


def on_spark(master: str, path: str, wrapper: pagekin.Wrapper) -> tuple[int, float]:
    spark = session(master)
    try:
        pages = lambda: pagekin.spark.read_pages(spark, [path], part_bytes=4 << 20)  # noqa: E731
        warm = pagekin.spark.extract(pages().limit(1), wrapper)
        warm.count()
        return timed(lambda: int(pagekin.spark.extract(pages(), wrapper).filter("skipped is null").count()))
    finally:
        spark.stop()


def hand_on_spark(paths: list[str]) -> tuple[int, float]:
    spark = session("local[1]")
    try:
        frame = lambda some: spark.createDataFrame([(path,) for path in some], "path string").repartition(len(some)).mapInArrow(by_hand, HAND)  # noqa: E731
        frame(paths[:1]).count()
        return timed(lambda: int(frame(paths).count()))
    finally:
        spark.stop()


def killed(path: str, wrapper: pagekin.Wrapper) -> tuple[bool, int]:
    """Are the records the same when an executor is killed in the middle?"""
    spark = session("local-cluster[2,1,1024]")
    try:
        lines = lambda: sorted(row.record for row in pagekin.spark.extract(pagekin.spark.read_pages(spark, [path], part_bytes=1 << 20), wrapper).filter("skipped is null").collect())  # noqa: E731
        whole = lines()
        import threading

        victims: list[int] = []

        def kill() -> None:
            time.sleep(1.0)
            listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout.splitlines()
            application = spark.sparkContext.applicationId
            found = [int(line.split()[0]) for line in listed if "CoarseGrainedExecutorBackend" in line and application in line and "java" in line]
            if found:
                os.kill(found[0], 9)
                victims.append(found[0])

        killer = threading.Thread(target=kill)
        killer.start()
        again = lines()
        killer.join()
        return whole == again, len(victims)
    finally:
        spark.stop()


def main() -> None:
    command = str(Path(sys.executable).parent / "pagekin")
    with tempfile.TemporaryDirectory() as folder:
        site = (SITE / "site.warc.gz").read_bytes()
        copies = [str(Path(folder) / f"{n}.warc.gz") for n in range(COPIES)]
        for path in copies:
            Path(path).write_bytes(site)
        large = str(Path(folder) / "large.warc.gz")
        Path(large).write_bytes(site * COPIES)
        learned = str(Path(folder) / "wrapper.json")
        subprocess.run([command, "-q", "extract", "--archive", copies[0], "--wrapper", learned, "--out", os.path.join(folder, "r.jsonl")], check=True)
        wrapper = pagekin.Wrapper.read(learned)
        figures: dict[str, Any] = {}

        stats = os.path.join(folder, "stats.json")
        arguments = ["-q", "extract", "--archive", copies[0], "--wrapper", learned, "--out", os.path.join(folder, "r2.jsonl"), "--stats", stats]
        seconds, through = [], []
        for _ in range(3):
            subprocess.run([command, *arguments], check=True)
            seconds.append(json.loads(Path(stats).read_text())["seconds"])
            through.append(timed(lambda: len(pagekin.extract(archive=copies[0], wrapper=wrapper, progress=False)))[1])
        figures["extract by the command, s"], figures["extract through Python, s"] = min(seconds), min(through)
        for name, master in [("one core", "local-cluster[1,1,1024]"), ("two cores", "local-cluster[2,1,1024]")]:
            pages, taken = on_spark(master, large, wrapper)
            figures[f"Spark, {name}: pages, s, pages/s"] = (pages, round(taken, 2), round(pages / taken))
        pages, taken = on_spark("local[1]", large, wrapper)
        figures["Spark local[1]: pages/s and core"] = round(pages / taken)
        pages, slow = hand_on_spark(copies)
        figures["warcio + selectolax by hand on Spark local[1]: pages/s and core"] = round(pages / slow)
        figures["executor killed: the same records, executors killed"] = killed(large, wrapper)
        figures["bytes of an archived page"] = round(len(site) * COPIES / pages)
        print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
