"""The blocks of docs/python.md run, in order, and print what it says."""

import doctest
import importlib.util
import pathlib
import re

GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
BLOCK = re.compile(r"(?:<!-- needs: ([\w.]+) -->\n)?```python\n(.*?)```", re.DOTALL)


def is_there(module):
    return module is None or importlib.util.find_spec(module.partition(".")[0]) is not None


def test_blocks_print_what_the_guide_says():
    text = GUIDE.read_text(encoding="utf-8")
    names, told = {}, []
    runner = doctest.DocTestRunner(verbose=False)
    blocks = list(BLOCK.finditer(text))
    for block in blocks:
        needs, code = block.groups()
        if not is_there(needs):
            continue
        line = text.count("\n", 0, block.start(2))
        test = doctest.DocTest(doctest.DocTestParser().get_examples(code), names, f"line {line}", GUIDE.name, line, None)
        assert test.examples, f"line {line}: a block without >>>"
        runner.run(test, out=told.append, clear_globs=False)
        names = test.globs
    assert not runner.failures, "".join(told)
    assert len(blocks) > 20 and len(text.splitlines()) <= 460
