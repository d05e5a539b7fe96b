#!/usr/bin/env python3
"""Checks that docs/catalogue.md names every public operation.

Operations are the function objects (`inline constexpr SumFunction sum;`) of include/purview's functional/, named/ and
chrono.hpp, the views of tensor/views.hpp, and the free functions there whose own doc comment says how they are called,
between backquotes: `argshuffle(n, seed)`. A name counts as listed where it stands in the catalogue between backquotes.

    tools/check_catalogue.py [ROOT]
    tools/check_catalogue.py --self-test
"""

import re
import sys
import tempfile
from pathlib import Path

CATALOGUE = "docs/catalogue.md"
FOLDERS = ["functional", "named"]
FILES = ["chrono.hpp", "tensor/views.hpp"]

OBJECT = re.compile(
    r"^inline constexpr (?!(?:bool|int|std::|index_t|DType|auto|char|double)\b)"
    r"[\w:]+(?:<[^;=]*>)?\s+(?P<name>[a-z]\w*)\s*;", re.MULTILINE)
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
    found = {match["name"] for match in OBJECT.finditer(text)}
    return found | {match["name"] for match in FUNCTION.finditer(text)
                    if re.search(rf"`{match['name']}\b[^`]*\(", match["doc"])}


def operations(root):
    """name -> header"""
    found = {}
    include = root / "include" / "purview"
    headers = [path for folder in FOLDERS for path in sorted((include / folder).glob("*.hpp"))]
    headers += [include / file for file in FILES if (include / file).exists()]
    for header in headers:
        for name in names_of(header.read_text()):
            found.setdefault(name, header.relative_to(root).as_posix())
    return found


def listed(text):
    """Every word between backquotes."""
    words = set()
    for code in re.findall(r"`([^`\n]+)`", text):
        words.update(re.findall(r"[A-Za-z_]\w*", code))
    return words


def problems(root):
    found = operations(root)
    words = listed((root / CATALOGUE).read_text())
    result = [f"{header}: {CATALOGUE} does not list {name}"
              for name, header in sorted(found.items(), key=lambda item: (item[1], item[0]))
              if name not in words]
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
        ("inline constexpr SumFunction sum;", "sum", 1),
        ("inline constexpr UnaryFunction<Op::exp, GenericExp> exp;", "`log`", 1),
        ("inline constexpr UnaryFunction<Op::exp, GenericExp> exp;", "`exp log`", 0),
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
    found = problems(root)
    for problem in found:
        print(problem)
    print(f"catalogue: {len(operations(root))} operations, {len(found)} problem(s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
