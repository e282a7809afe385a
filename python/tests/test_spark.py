"""The same file on Apache Spark and on Sail: records byte-equal to the command's, a file shared by parts, an index of records."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import pagekin
import pagekin.spark

#: Twelve whole sites of different systems, the smallest first: the test has to be quick.
SITES = "turecki durham_civil_rights climate_art_350 openems_wiki singochina dcnj2015 tropixel soundsoftware drupalcamp_wroclaw marinebon duraark platzfuerwien".split()


@pytest.fixture(scope="module")
def apache(java: None) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
    spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def sail() -> Iterator[Any]:
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


@pytest.mark.parametrize("engine", ["apache", "sail"])
def test_records_are_those_of_the_command(engine: str, sites: dict[str, Any], request: pytest.FixtureRequest) -> None:
    spark = request.getfixturevalue(engine)
    for name, (archive, wrapper, lines) in sites.items():
        pages = pagekin.spark.read_pages(spark, archive, part_bytes=256 << 10)
        rows = pagekin.spark.extract(pages, wrapper).filter("skipped is null").select("record").collect()
        assert sorted(row.record for row in rows) == lines, f"{engine}: {name}"


@pytest.mark.parametrize("engine", ["apache", "sail"])
def test_classes_and_links(engine: str, sites: dict[str, Any], request: pytest.FixtureRequest) -> None:
    spark = request.getfixturevalue(engine)
    archive, _, lines = sites["turecki"]
    pages = pagekin.spark.read_pages(spark, archive)
    classes = pagekin.spark.classify(pages, pagekin.model(archive=archive)).filter("class is not null").count()
    assert classes >= len(lines) // 2
    assert pagekin.spark.links(pages).filter("target like 'http%'").count() > 100


def test_parts_share_a_file(sites: dict[str, Any]) -> None:
    archive, _, _ = sites["climate_art_350"]

    def urls(part_bytes: int) -> list[str]:
        found = []
        for path, start, end in pagekin.spark.parts(archive, part_bytes):
            part = pagekin._native.Part(path, start, end)
            while (table := part.next_batch()) is not None:
                found += pyarrow.table(table)["url"].to_pylist()
        return found

    whole = urls(1 << 40)
    assert len(whole) > 50
    for part_bytes in [1_000, 70_000, 300_000]:
        assert urls(part_bytes) == whole, part_bytes


def test_an_index_names_the_records(sites: dict[str, Any], command: str, tmp_path: Path, apache: Any) -> None:
    archive, wrapper, lines = sites["turecki"]
    rows: list[dict[str, Any]] = []
    from warcio.archiveiterator import ArchiveIterator

    with open(archive, "rb") as file:
        records = ArchiveIterator(file)
        for record in records:
            url, kind = record.rec_headers.get_header("WARC-Target-URI"), record.rec_type
            offset = records.get_record_offset()
            status = record.http_headers.get_statuscode() if record.http_headers else "0"
            mime = (record.http_headers.get_header("Content-Type") or "").split(";")[0] if record.http_headers else ""
            length = records.get_record_length()
            if kind == "response":
                rows.append(dict(url=url, warc_filename="site.warc.gz", warc_record_offset=offset, warc_record_length=length, fetch_status=int(status), content_mime_detected=mime))
    (tmp_path / "site.warc.gz").symlink_to(archive)
    index = str(tmp_path / "index.parquet")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), index, compression="gzip")
    pages = pagekin.spark.read_pages(apache, index)
    found = pagekin.spark.extract(pages, wrapper).filter("skipped is null").select("record").collect()
    assert sorted(row.record for row in found) == lines
    local = pagekin.extract(archive=index, wrapper=wrapper)
    assert sorted(local.to_jsonl()) == lines
    coverage = local.stats["coverage"]
    assert coverage["files"] == 1 and coverage["bytes"] <= 1.1 * sum(row["warc_record_length"] for row in rows)
    assert json.dumps(coverage)
