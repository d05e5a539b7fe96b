#!/usr/bin/python3
"""scipy_files.py REWRITE: what SciPy saves, the program rewrite_npz reads and saves again, and SciPy reads what it saved."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.io
import scipy.sparse

FORMS = ("csr", "csc", "coo")


def main():
    random = np.random.default_rng(1)
    checked = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for rows, columns, density in ((1, 1, 1), (30, 40, 0.1), (200, 3, 0.5), (5, 0, 0), (7, 9, 0)):
            matrix = scipy.sparse.random(rows, columns, density, "coo", random_state=random)
            for form in FORMS:
                for compressed in (False, True):
                    scipy.sparse.save_npz(folder / "in.npz", matrix.asformat(form), compressed)
                    subprocess.run([sys.argv[1], folder / "in.npz", folder / "out"], check=True)
                    read = {name: scipy.sparse.load_npz(folder / f"out_{name}.npz")
                            for name in (*FORMS, "tensor")}
                    assert [read[name].format for name in FORMS] == list(FORMS)
                    for name, other in (*read.items(), ("mtx", scipy.io.mmread(folder / "out.mtx"))):
                        assert other.shape == matrix.shape, (form, name, other.shape)
                        assert (other.toarray() == matrix.toarray()).all(), (form, name)
                        checked += 1
    print(f"{checked} files agree with SciPy {scipy.__version__}")


if __name__ == "__main__":
    main()
