"""The notebooks of python/examples run, and hold no long outputs."""

import pathlib

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.ipynb"))


def test_there_are_notebooks():
    assert {"dims", "images"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_notebook(name, tmp_path):
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    for cell in notebook.cells:
        assert sum(str(output).count("\n") for output in cell.get("outputs", ())) <= 5
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
