"""The figures of docs/reference/scale.md: `cargo xtask scale`, or `python scale.py SECTION...` for some of them.

- `import`: what `import pagekin` takes. - `command`: `extract` by the command and through Python, the whole process each. - `cores`: Spark with one executor and with two. - `sail`: the same on Sail.
- `hand`: beside what people write by hand for a site, with warcio and selectolax or lxml, on Spark.

The pages are those of one kind of three sites. Seconds of the clock hold only on a machine that does nothing else, so the load before each measure stands
beside it, and processor seconds of everything that the engine started (the Java machine and the Python workers, too).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import by_hand
from warcio.archiveiterator import ArchiveIterator

import pagekin
import pagekin.spark

# Executors take the first Python on the path, which need not have the package, nor what stands beside this file.
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)

DATA = Path(os.environ.get("PAGEKIN_DATA", Path(__file__).parents[2] / "../shared/data")).resolve()

#: Copies of an archive that make one large enough for a figure.
COPIES = 8

#: Each measure is repeated so often, in turns with what it is compared with; the least counts.
TURNS = 3


def cpu_seconds() -> float:
    """Of this process and everything below it, also of what has ended there."""
    below: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # It has just ended.
        below.setdefault(int(fields[1]), []).append(int(entry))
        used[int(entry)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    waiting, total = [os.getpid()], 0.0
    while waiting:
        process = waiting.pop()
        total += used.get(process, 0.0)
        waiting += below.get(process, [])
    return total


class Measure:
    """The least seconds of several turns."""

    def __init__(self) -> None:
        self.pages, self.wall, self.cpu, self.load = 0, float("inf"), float("inf"), 0.0

    def turn(self, work: Callable[[], int]) -> None:
        load, cpu, began = os.getloadavg()[0], cpu_seconds(), time.perf_counter()
        self.pages = work()
        wall, cpu = time.perf_counter() - began, cpu_seconds() - cpu
        if wall < self.wall:
            self.wall, self.load = wall, load
        self.cpu = min(self.cpu, cpu)

    def row(self, name: str) -> None:
        rates = f"{self.pages / self.wall:,.0f} | {self.pages / self.cpu:,.0f}"
        print(f"| {name} | {self.pages:,} | {self.wall:.2f} | {self.cpu:.2f} | {rates} | {self.load:.1f} |", flush=True)


def heading(title: str) -> None:
    print(f"\n{title}\n\n| what | pages | s | processor s | pages/s | pages/s and core | load before |\n|---|---|---|---|---|---|---|", flush=True)


def pages_of_kind(site: str, folder: Path) -> Path:
    """An archive of the pages of the kind alone, its records as they are."""
    wanted = {line.split()[0] for line in (DATA / "sites" / site / "truth.txt").read_text().splitlines() if line.strip()}
    path, out = DATA / "sites" / site / "site.warc.gz", folder / f"{site}.warc.gz"
    with open(path, "rb") as file, open(path, "rb") as raw, open(out, "wb") as kept:
        records = ArchiveIterator(file)
        for record in records:
            url, offset, length = record.rec_headers.get_header("WARC-Target-URI"), records.get_record_offset(), records.get_record_length()
            if record.rec_type == "response" and url in wanted:
                raw.seek(offset)
                kept.write(raw.read(length))
    return out


class Site:
    """Archives of one site: the pages of the kind, eight files of it, one large one; and its wrapper."""

    def __init__(self, name: str, folder: Path, command: str) -> None:
        self.name, self.one, self.learned = name, pages_of_kind(name, folder), str(folder / f"{name}.json")
        out = str(folder / "learned.jsonl")
        subprocess.run([command, "-q", "extract", "--archive", self.one, "--wrapper", self.learned, "--out", out], check=True)
        self.wrapper = pagekin.Wrapper.read(self.learned)
        self.copies = [str(folder / f"{name}-{number}.warc.gz") for number in range(COPIES)]
        for path in self.copies:
            os.symlink(self.one, path)
        self.large = str(folder / f"{name}-large.warc.gz")
        Path(self.large).write_bytes(self.one.read_bytes() * COPIES)

    def larger(self) -> str:
        """So large that starting an engine's tasks is a small part of the work."""
        path = self.large.replace("-large", "-larger")
        if not os.path.exists(path):
            Path(path).write_bytes(Path(self.large).read_bytes() * COPIES)
        return path


def spark_session(master: str) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("scale").config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
    return builder.config("spark.executor.memory", "1g").config("spark.driver.host", "127.0.0.1").getOrCreate()


def counted(frame: Any) -> int:
    """Records, each of which crosses to the engine."""
    return int(frame.filter("length(record) > 2").count())


def ours(spark: Any, path: str, wrapper: pagekin.Wrapper) -> int:
    return counted(pagekin.spark.extract_files(spark, path, wrapper, part_bytes=2 << 20))


def ours_in_two_steps(spark: Any, path: str, wrapper: pagekin.Wrapper) -> int:
    return counted(pagekin.spark.extract(pagekin.spark.read_pages(spark, path, part_bytes=2 << 20), wrapper))


def theirs(spark: Any, site: Site, library: str) -> int:
    paths = spark.createDataFrame([(path,) for path in site.copies], "path string").repartition(COPIES)
    return counted(paths.mapInArrow(by_hand.mapped(site.name, library), by_hand.SCHEMA))


def command_section(sites: list[Site], folder: Path, command: str) -> None:
    heading("extract of an archive into a file of lines, the whole process")
    out = str(folder / "out.jsonl")
    code = "import sys, pagekin\nwith open(sys.argv[3], 'w') as out:\n for line in pagekin.extract(archive=sys.argv[1], wrapper=sys.argv[2], progress=False).to_jsonl(): print(line, file=out)"
    for site in sites:
        by_command, by_python = Measure(), Measure()

        def lines(arguments: list[str]) -> int:
            subprocess.run(arguments, check=True)
            return sum(1 for _ in open(out))

        for _ in range(TURNS * 3):
            by_command.turn(lambda: lines([command, "-q", "extract", "--archive", str(site.one), "--wrapper", site.learned, "--out", out]))
            by_python.turn(lambda: lines([sys.executable, "-c", code, str(site.one), site.learned, out]))
        by_command.row(f"{site.name}, command")
        by_python.row(f"{site.name}, Python")


def import_section() -> None:
    def started(code: str) -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - began

    turns = [(started("import pagekin"), started("pass")) for _ in range(TURNS * 5)]
    with_it, bare = (min(times) for times in zip(*turns))
    print(f"\n`import pagekin` takes {(with_it - bare) * 1000:.0f} ms beyond the {bare * 1000:.0f} ms of Python", flush=True)


def cores_section(sites: list[Site]) -> None:
    heading("extract_files of one large file, an executor a core (local-cluster), and Sail")
    site = sites[0]
    cores = {1: Measure(), 2: Measure()}
    for _ in range(TURNS):
        for number, measure in cores.items():
            spark = spark_session(f"local-cluster[{number},1,1024]")
            try:
                ours(spark, site.large, site.wrapper)  # The Java machine compiles, the workers start.
                measure.turn(lambda: ours(spark, site.larger(), site.wrapper))
            finally:
                spark.stop()
    cores[1].row(f"{site.name}, Spark, 1 executor")
    cores[2].row(f"{site.name}, Spark, 2 executors")
    print(f"\n2 executors: {cores[1].wall / cores[2].wall:.2f} times 1 by the clock; the same work costs {cores[2].cpu / cores[1].cpu:.2f} times the processor seconds")
    print(f"bytes of an archived page: {os.path.getsize(site.larger()) / cores[1].pages:,.0f}")


def sail_section(sites: list[Site]) -> None:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    heading("extract_files of one large file on Sail, in this process")
    server = SparkConnectServer()
    server.start()
    spark = SparkSession.builder.remote(f"sc://localhost:{server.listening_address[1]}").create()
    for site in sites:
        measure = Measure()
        ours(spark, site.copies[0], site.wrapper)
        for _ in range(TURNS):
            measure.turn(lambda: ours(spark, site.large, site.wrapper))
        measure.row(f"{site.name}, Sail")
    spark.stop()
    server.stop()


def hand_section(sites: list[Site]) -> None:
    heading("one core of Spark (local[1]): pagekin beside a parser for the site written by hand")
    spark = spark_session("local[1]")
    for site in sites:
        measures: dict[str, tuple[Measure, Callable[[], int]]] = {
            "extract_files": (Measure(), lambda: ours(spark, site.large, site.wrapper)),
            "read_pages, extract": (Measure(), lambda: ours_in_two_steps(spark, site.large, site.wrapper)),
            "warcio, selectolax": (Measure(), lambda: theirs(spark, site, "selectolax")),
            "warcio, lxml": (Measure(), lambda: theirs(spark, site, "lxml")),
        }
        for turn in range(TURNS + 1):
            for measure, work in measures.values():
                measure.turn(work) if turn else work()  # The Java machine compiles first.
        for name, (measure, _) in measures.items():
            measure.row(f"{site.name}, {name}")
    spark.stop()


def main(sections: list[str]) -> None:
    command = str(Path(sys.executable).parent / "pagekin")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sites = [Site(site, folder, command) for site in by_hand.SITES]
        if "import" in sections:
            import_section()
        if "command" in sections:
            command_section(sites, folder, command)
        if "hand" in sections:
            hand_section(sites)
        if "cores" in sections:
            cores_section(sites)
        if "sail" in sections:  # Last: who has asked a server has no Spark of his own in the same process.
            sail_section(sites)


if __name__ == "__main__":
    main(sys.argv[1:] or ["import", "command", "hand", "cores", "sail"])
