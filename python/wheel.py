"""Puts a wheel together from an extension that cargo has built already: `python wheel.py LIBRARY FOLDER`.

`maturin build` makes the wheel that is shipped, and builds everything anew for it. The tests have the extension at hand, and take this way.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).parent


def value(text: str, key: str) -> str:
    """The first `key = "value"` of a TOML file; Python 3.10 has no reader of its own."""
    line = next(line for line in text.splitlines() if line.startswith(f"{key} = "))
    return line.split("=", 1)[1].strip().strip('"')


def files(library: Path, version: str) -> dict[str, bytes]:
    project = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    info = f"pagekin-{version}.dist-info"
    extras = project.split("[project.optional-dependencies]")[1].split("[")[1:]
    assert extras, "the extras are in pyproject.toml"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    found = {path.relative_to(HERE).as_posix(): path.read_bytes() for path in sorted((HERE / "pagekin").iterdir()) if path.is_file()}
    found["pagekin/_native.abi3.so"] = library.read_bytes()
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    found[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.4\nName: pagekin\nVersion: {version}\nSummary: {value(project, 'description')}\n"
        f"Requires-Python: {value(project, 'requires-python')}\nLicense-Expression: {value(project, 'license')}\n"
        f"Description-Content-Type: text/markdown\n\n{readme}"
    ).encode()
    found[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: pagekin\nRoot-Is-Purelib: false\nTag: cp310-abi3-{platform}\n".encode()
    found[f"{info}/entry_points.txt"] = f"[console_scripts]\npagekin={value(project, 'pagekin')}\n".encode()
    return found


def main(library: Path, folder: Path) -> Path:
    version = value((HERE.parent / "Cargo.toml").read_text(encoding="utf-8"), "version")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    held = files(library, version)
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for name, data in held.items()
    )
    held[f"pagekin-{version}.dist-info/RECORD"] = f"{record}pagekin-{version}.dist-info/RECORD,,\n".encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"pagekin-{version}-cp310-abi3-{platform}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as wheel:
        for name, data in held.items():
            wheel.writestr(name, data)
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), Path(sys.argv[2])))
