"""What tests and docstrings share: the built-in site, served on this machine, and pages of it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import pagekin


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def command() -> str:
    """The command that the wheel installed."""
    found = Path(sys.executable).parent / "pagekin"
    assert found.exists(), "the wheel installs the command"
    return str(found)


@pytest.fixture(scope="session")
def sample(command: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page of the built-in site."""
    port = _free_port()
    folder = tmp_path_factory.mktemp("demo")
    tour = subprocess.Popen(
        [command, "demo", "--stay", "--port", str(port), "--dir", str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}/drivers/2015/driver_02.htm"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(address, timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        tour.kill()
        tour.wait()


@pytest.fixture(scope="session")
def found(sample: str) -> pagekin.Pages:
    return pagekin.discover(sample)


@pytest.fixture(scope="session")
def wrapper_text(found: pagekin.Pages) -> str:
    return pagekin.learn(found, example={"team": "Juno & Sons"}).text()


@pytest.fixture(scope="session")
def driver_html(sample: str) -> str:
    with urllib.request.urlopen(sample) as answer:
        return str(answer.read().decode())


@pytest.fixture(scope="session")
def data() -> Path:
    """The real sites; tests that need them are skipped where they are absent, and fail under CI where only a part is."""
    beside = Path(__file__).parents[2] / "../shared/data"
    folder = Path(os.environ.get("PAGEKIN_DATA", beside)).resolve()
    if not (folder / "sites").is_dir():
        assert not (os.environ.get("CI") and folder.is_dir()), f"there is data, and no `sites` in `{folder}`"
        pytest.skip(f"SKIPPED: no `{folder}/sites`; hint: set PAGEKIN_DATA")
    return folder


@pytest.fixture(scope="session")
def java() -> None:
    # Executors take the first Python on the path, which need not have the package.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    if shutil.which("java") is None:
        pytest.skip("SKIPPED: no java")
