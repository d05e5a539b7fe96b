#!/usr/bin/env python3
"""Checks that the catalogue, docs/catalogue.md and the pages in docs/catalogue, names every public operation.

Operations are the function objects (`inline constexpr SumFunction sum;`) of the folders of include/purview that users call
(FOLDERS), and the free functions there whose own doc comment says how they are called,
between backquotes: `argshuffle(n, seed)`; those of the optional libraries too. A name counts as listed where it stands between backquotes at the head
of a list item of the catalogue, before its colon, or is called in the prose. What stands at a head, or is called in the
prose, has to be the name of something in the headers.

docs/chunked_operations.md says of each of them how often it reads the chunks of an operand (READS), by its name or the
link to its section of the catalogue, but of those that take no such operand (NO_OPERANDS); and READS_TEST measures it.

    tools/check_catalogue.py [ROOT]
    tools/check_catalogue.py --self-test
"""

import re
import sys
import tempfile
from pathlib import Path

from wrap_markdown import ITEM, blocks

CATALOGUE = "docs/catalogue.md"
FOLDERS = ["functional", "named", "tensor", "io", "reader"]
FILES = ["chrono.hpp"]
LIBRARIES = ["linalg", "fft", "image", "csv", "zarr", "hdf5", "archives", "arrow", "parquet", "gpu", "mpi"]  # top-level folders whose operations are listed too
READS = "docs/chunked_operations.md", "## How often each function reads"
READS_TEST = "tests/functional/statistics/reads_of_chunks_test.cpp"
# Sections and names of the catalogue that take no array in chunks, or say themselves how they read it: what makes, opens, saves or
# traces, sets of indexes, and optional libraries.
NO_OPERANDS = {
    "Creation", "What a tensor says of itself", "Readers", "Files", "Tables in text", "On devices", "Across ranks", "Gradients",
    "Saved computations", "Functions of one's own", "Sparse matrices", "Sparse tensors", "Pictures", "Fourier transforms", "Linear algebra",
    *"Gradient gradients magma inferno plasma cividis grey reversed".split(),  # colours
    *"argshuffle argsample argchoice Reservoir random_uniform random_normal random_exponential random_poisson random_word".split(),
    *"normal_quantile portable_log time_range".split(),
    *"IndexSet as_interval complement is_subset intersects size rank read set serialize indexes_of mask_of".split(),
    *"reducer approximate_quantile approximate_distinct bins".split(),  # for `reduce`
    *"any std small borrow_column time_text to_zone from_zone".split(),
}

OBJECT = re.compile(
    r"^inline constexpr (?!(?:bool|int|std::|index_t|DType|auto|char|double)\b)"
    r"(?P<type>[\w:]+)(?:<[^;=]*>|[ ,>][^;=<]*>|>)?\s+(?P<name>[a-z]\w*)\s*;", re.MULTILINE)
FUNCTION = re.compile(
    r"(?P<doc>(?:^///[^\n]*\n)+)"
    r"(?:template <[^\n]*\n(?:    [^\n]*\n)*?)?"
    r"(?:^    requires[^\n]*\n(?:    [^\n]*\n)*?)?"
    r"^(?:PURVIEW_EXPORT )?(?:inline )?(?!return|using|class|struct|enum|namespace|concept|static_assert|friend|extern)"
    r"[\w:<>, &\*\[\]]*?\b(?P<name>[a-z]\w*)\(", re.MULTILINE)


def names_of(text):
    """The operations that a header declares."""
    text = text[text.find("namespace purview"):]
    text = re.sub(r"\bnamespace strings \{.*?\} // namespace strings", "", text, flags=re.DOTALL)
    found = {match["name"] for match in OBJECT.finditer(text) if match["type"].endswith(("Function", "View"))}
    return found | {match["name"] for match in FUNCTION.finditer(text)
                    if re.search(rf"`{match['name']}\b[^`]*\(", match["doc"])}


def operations(root):
    """name -> header"""
    found = {}
    include = root / "include" / "purview"
    headers = [path for folder in FOLDERS for path in sorted((include / folder).rglob("*.hpp"))]
    headers += [include / file for file in FILES if (include / file).exists()]
    for library in LIBRARIES:
        headers += sorted((root / library / "include").rglob("*.hpp"))
    for header in headers:
        for name in names_of(header.read_text()):
            found.setdefault(name, header.relative_to(root).as_posix())
    return found


def without_arguments(code):
    """What is left of code without what stands in brackets."""
    while True:
        shorter = re.sub(r"\([^()]*\)|<[^<>()]*>|\{[^{}]*\}|\[[^\[\]]*\]", " ", code)
        if shorter == code:
            return code
        code = shorter


def head_of(item):
    """The head of a list item: what stands before its colon."""
    return re.match(r"(?:`[^`]*`|[^`:]|:(?!\s|$))*", item)[0]


def listed(text):
    """The names at the heads of list items, and those called in the prose."""
    words = set()
    for is_text, block in blocks(text.split("\n")):
        code = " ".join(block)
        if is_text and ITEM.match(code):
            head = head_of(code)
            for each in re.findall(r"`([^`]+)`", head):
                words.update(re.findall(r"(?<![\w:.])[A-Za-z_]\w+", without_arguments(each)))
        elif is_text:
            for each in re.findall(r"`([^`]+)`", code):
                words.update(re.findall(r"(?<![\w:.])([a-z_]\w+)(?:<\w+>)?\(", each))
    return words


def sections(text):
    """heading -> text"""
    parts = re.split(r"^## +(.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def unread(root):
    """The functions of the catalogue of which the page on chunks does not say how often they read, or that no test measures."""
    page, heading = READS
    said = sections((root / page).read_text())[heading.removeprefix("## ")]
    named = set(re.findall(r"[A-Za-z_]\w+", " ".join(re.findall(r"`([^`]+)`", said))))
    linked = set(re.findall(r"\[([^\]]+)\]\(catalogue/", said))
    measured = set(re.findall(r"\w+", (root / READS_TEST).read_text()))
    names = set()
    for path in sorted((root / CATALOGUE).with_suffix("").glob("*.md")):
        for section, text in sections(path.read_text()).items():
            if section in linked:
                named |= listed(text)
            if section not in NO_OPERANDS:
                names |= listed(text) - NO_OPERANDS
    return [f"{page}: how often does {name} read chunks?" for name in sorted(names - named)] \
        + [f"{READS_TEST} does not measure {name}" for name in sorted(names - measured)]


def declared(root):
    """Every word of the public headers outside of comments."""
    words = set()
    for folder in ("include", *(f"{library}/include" for library in ("sparse", *LIBRARIES))):
        for header in (root / folder).rglob("*.hpp"):
            words.update(re.findall(r"[A-Za-z_]\w+", re.sub(r"//[^\n]*", "", header.read_text())))
    return words


def problems(root):
    found = operations(root)
    pages = [root / CATALOGUE, *sorted((root / CATALOGUE).with_suffix("").glob("*.md"))]
    words = set().union(*(listed(page.read_text()) for page in pages))
    result = [f"{header}: {CATALOGUE} does not list {name}"
              for name, header in sorted(found.items(), key=lambda item: (item[1], item[0]))
              if name not in words]
    known = declared(root)
    result += [f"{CATALOGUE}: nothing in the headers is called {word}" for word in sorted(words - known)]
    return result


def self_test():
    def run(header, catalogue):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            path = root / "include" / "purview" / "functional" / "a.hpp"
            path.parent.mkdir(parents=True)
            path.write_text("#pragma once\nnamespace purview {\n" + header + "\n}\n")
            (root / "docs").mkdir()
            (root / CATALOGUE).write_text(catalogue)
            return len(problems(root))

    cases = [
        ("inline constexpr SumFunction sum;", "`sum(x)`", 0),
        ("inline constexpr SumFunction sum;", "- `sum`: of all", 0),
        ("inline constexpr SumFunction sum;", "- x: `sum`", 1),
        ("inline constexpr SumFunction sum;", "- `sum(x)`,\n  `total(x)`: of all", 1),
        ("inline constexpr SumFunction sum;", "- `f(sum)`: that", 1),
        ("inline constexpr SkipNan skip_nan;", "", 0),
        ("inline constexpr SumFunction sum;", "sum", 1),
        ("inline constexpr UnaryFunction<Op::exp> exp;", "- `log`: a", 2),
        ("inline constexpr UnaryFunction<Op::exp> exp;", "- `exp pv`", 1),
        ("inline constexpr UnaryFunction<Op::exp> exp;", "- `exp`: e", 0),
        ("inline constexpr UnaryFunction<Op::exp> exp;", "", 1),
        ("inline constexpr AxisView<flip_operand, ViewValues::axes, \"flip\", reversed_axes> flip;", "", 1),
        ("inline constexpr FlipFunction flip;", "- `flip`: b", 0),
        ("inline constexpr CalendarFunction<CalendarField::day>\n    day_of; ///< 1", "", 1),
        ("inline constexpr index_t any_size = -1;", "", 0),
        ("template <typename T>\ninline constexpr bool kIs = true;", "", 0),
        ("/// `argshuffle(n)`: all.\nPURVIEW_EXPORT MutableTensor<std::int64_t> argshuffle(index_t n);", "", 1),
        ("/// `einsum(x)`: a sum.\ntemplate <TensorLike X>\nauto einsum(const X& x) {}", "", 1),
        ("/// `dates<T>(x)`: a sum.\ntemplate <TensorLike X>\n    requires(A<X>)\nauto dates(const X& x) {}", "", 1),
        ("/// What `take(x)` is made of.\nPURVIEW_EXPORT Operand take_operand(const Operand& x);", "", 0),
        ("auto no_doc(int x);", "", 0),
    ]
    wrong = [case for case in cases if run(*case[:2]) != case[2]]
    for case in wrong:
        print(f"self-test: {case}")
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = problems(root) + unread(root)
    for problem in found:
        print(problem)
    print(f"catalogue: {len(operations(root))} operations, {len(found)} problem(s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
