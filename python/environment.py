"""Makes the Python environment of the tests: `python environment.py FOLDER [FURTHER_REQUIREMENTS]`. Returns at once when it is there already.

Two may call it at the same time: the second waits for the first.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(folder: Path, further: list[str]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    files = [HERE / name for name in ["requirements.txt", *further]]
    wanted = "".join(file.read_text(encoding="utf-8") for file in files)
    mark = folder / "installed.txt"
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if mark.exists() and mark.read_text(encoding="utf-8") == wanted:
            return
        python = folder / "bin/python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "uv"], check=True)
        listed = [word for file in files for word in ("-r", file)]
        # Several times as quick as pip, which unpacks one after the other.
        install = [folder / "bin/uv", "pip", "install", "--quiet", "--native-tls", "--python", python, *listed]
        if subprocess.run(install).returncode != 0:
            subprocess.run([*pip, *listed], check=True)
        mark.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
