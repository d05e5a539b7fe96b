"""The blocks of docs/python.md, and those in Python of other pages, run, in order, and print what they say."""

import doctest
import importlib.util
import pathlib
import re

import pytest

import purview as pv

DOCS = pathlib.Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"(?:<!-- needs: ([\w.]+) -->\n)?```python\n(.*?)```", re.DOTALL)


def is_there(module):
    if module == "opencl":
        return any(each.startswith("opencl") for each in pv.devices())
    return module is None or importlib.util.find_spec(module.partition(".")[0]) is not None


@pytest.mark.parametrize(("page", "fewest", "most_lines"), [("python.md", 22, 570), ("larger_than_memory.md", 2, 220), ("optimisers.md", 2, 110), ("own_reductions.md", 1, 180), ("traced_python.md", 7, 180)])
def test_blocks_print_what_the_page_says(page, fewest, most_lines):
    text = (DOCS / page).read_text(encoding="utf-8")
    names, told = {}, []
    runner = doctest.DocTestRunner(verbose=False)
    blocks = list(BLOCK.finditer(text))
    for block in blocks:
        needs, code = block.groups()
        if not is_there(needs):
            continue
        line = text.count("\n", 0, block.start(2))
        test = doctest.DocTest(doctest.DocTestParser().get_examples(code), names, f"line {line}", page, line, None)
        assert test.examples, f"line {line}: a block without >>>"
        runner.run(test, out=told.append, clear_globs=False)
        names = test.globs
    assert not runner.failures, "".join(told)
    assert len(blocks) >= fewest and len(text.splitlines()) <= most_lines
