"""The package as a whole: wrappers, stubs and docstrings for all that the extension has; the command; a quick import."""

from __future__ import annotations

import ast
import inspect
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pagekin
import pagekin.aio
import pagekin.spark
from pagekin import _native

PACKAGE = Path(pagekin.__file__).parent


def public(of: object) -> list[str]:
    return [name for name in dir(of) if not name.startswith("_")]


def test_all_that_the_extension_has_is_in_the_stub_and_used() -> None:
    stub = ast.parse((PACKAGE / "_native.pyi").read_text())
    functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    code = "\n".join(path.read_text() for path in PACKAGE.glob("*.py"))
    for name in public(_native):
        item = getattr(_native, name)
        assert inspect.getdoc(item), f"`{name}` has no docstring"
        assert f"_native.{name}" in code or getattr(pagekin, name, None) is item, f"`{name}` has no wrapper"
        if not inspect.isclass(item):
            assert name in functions, f"`{name}` is not in the stub"
            continue
        methods = {node.name for node in classes[name].body if isinstance(node, ast.FunctionDef)}
        for method in public(item):
            assert method in methods, f"`{name}.{method}` is not in the stub"
            assert inspect.getdoc(getattr(item, method)), f"`{name}.{method}` has no docstring"
            handed_on = getattr(pagekin, name, None) is item
            assert handed_on or f".{method}" in code, f"`{name}.{method}` has no wrapper"


def test_all_that_is_public_has_a_docstring() -> None:
    for module in [pagekin, pagekin.aio, pagekin.spark]:
        for name in getattr(module, "__all__", ["read_pages", "extract", "extract_files", "classify", "links", "parts"]):
            item = getattr(module, name)
            assert name == "__version__" or inspect.getdoc(item), f"`{module.__name__}.{name}` has no docstring"


def test_stubs_and_code_are_typed() -> None:
    project = str(Path(__file__).parents[1])
    mypy = subprocess.run([sys.executable, "-m", "mypy"], cwd=project, capture_output=True, text=True)
    assert mypy.returncode == 0, mypy.stdout + mypy.stderr
    pyright = subprocess.run([sys.executable, "-m", "pyright", "--pythonpath", sys.executable], cwd=project, capture_output=True, text=True)
    assert pyright.returncode == 0, pyright.stdout + pyright.stderr


def test_import_is_quick_and_needs_nothing_else() -> None:
    code = "import sys, time; t = time.perf_counter(); import pagekin; print(time.perf_counter() - t); print([m for m in ('pandas', 'pyarrow', 'polars', 'pyspark', 'asyncio') if m in sys.modules])"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines() for _ in range(5)]
    assert runs[0][1] == "[]"
    print(f"import takes {min(float(run[0]) for run in runs) * 1000:.0f} ms")


def test_the_wheel_carries_the_command(command: str) -> None:
    told = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == f"pagekin {pagekin.__version__}"
    wrong = subprocess.run([command, "nonsense"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "hint:" in wrong.stderr
    module = subprocess.run([sys.executable, "-m", "pagekin", "--version"], capture_output=True, text=True, check=True)
    assert module.stdout == told.stdout


def test_errors_have_a_hint_and_can_be_pickled() -> None:
    try:
        pagekin.discover("no address")
    except pagekin.Error as error:
        assert "no address" in error.message and error.hint and "https://" in error.hint
        again = pickle.loads(pickle.dumps(error))
        assert (again.message, again.hint) == (error.message, error.hint)
    else:
        raise AssertionError("an address that is none is an error")


def test_the_wheel_has_the_version_of_the_workspace() -> None:
    assert json.dumps(pagekin.__version__) in (Path(__file__).parents[2] / "Cargo.toml").read_text()
