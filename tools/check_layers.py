#!/usr/bin/env python3
"""Checks that the house stands: includes go down, never up, sideways or round; between floors, and between the rooms of a floor.

    tools/check_layers.py [ROOT]
    tools/check_layers.py --self-test

What a source defines is declared by the header of its own name, or by one that its first line names, of the same floor and room. In the
bindings of Python, whatever a header declares is defined in the source of its name, and the other way round; a header and its source are
one there, and no circle leads from one to another and back.

A library includes what is private elsewhere only where tools/house.py lists it (`SHARED`), and all that is listed is
included by one.

It also checks that the umbrella header is complete and never included from inside, that files stay
under 400 lines, and that none is named after nothing.
"""

import re
import sys
import tempfile
from pathlib import Path

import house
from house import FACE, LIBRARIES, PRIVATE

FLOORS = house.numbers(house.FLOORS)
ROOMS = {floor: house.numbers(rooms) for floor, rooms in house.ROOMS.items()}

# What goes up all the same, and why.
EXCEPTIONS = {
    # Plans read gathers, and gathers plan what they read: one of both has to be declared before the other.
    ("src/engine/gather/open_block_source.cpp", "src/engine/compile/open_block_source.hpp"),
    # Constants are folded while an expression is composed, by evaluating them.
    ("src/expression/constants.cpp", "include/purview/evaluation/evaluate.hpp"),
    # A node that is computed is read by evaluating it.
    ("src/expression/read.cpp", "include/purview/evaluation/evaluate.hpp"),
    # What is sparse is not prepared. To know that takes operations on fills, which are evaluated.
    ("src/engine/realise/realised_operand.cpp", "storage_kind_of"),
}
# Who may derive from `BlockFunction`: what the library computes is a `LibraryFunction`, which has a name, so that equal ones are equal. All others
# are functions of the user's.
OPAQUE = {
    "include/purview/expression/library_function.hpp",
    "include/purview/expression/element_function.hpp",  # of both kinds
    "include/purview/functional/elementwise/emap.hpp",
    "include/purview/functional/applied/saved.hpp",  # those that are registered
    "python/bindings/callbacks.cpp",  # functions of Python and of C that Python gives
}
UMBRELLA = "purview/purview.hpp"
# Public headers that the umbrella leaves out: what they include is not there, or takes long to compile; and a smaller
# umbrella.
OPTIONAL = {"purview/ranges.hpp", "purview/format.hpp", "purview/chrono.hpp", "purview/functional/elementwise/time_ticks.hpp",
            "purview/functional/elementwise/time_rounding.hpp", "purview/functional/elementwise/time_zones.hpp", "purview/core.hpp", "purview/dims.hpp",
            "purview/reader/sparse_buffer.hpp", "purview/dtype/half.hpp", "purview/evaluation/progress.hpp", "purview/evaluation/replace.hpp",
            "purview/evaluation/backend.hpp",
            "purview/expression/graph.hpp", "purview/expression/visit_node.hpp",
            "purview/table/columns.hpp", "purview/io/attributes.hpp", "purview/io/stored_array.hpp", "purview/io/stored_group.hpp",
            "purview/io/bind_dims.hpp", "purview/io/cf_decoded.hpp"}
OPTIONAL_FOLDER = "purview/interop/"
GENERATED = {f"purview/{folder}/export.hpp" for folder in ("base", "sparse", "linalg", "fft", "image", "csv", "zarr", "hdf5", "archives", "arrow", "parquet", "gpu", "mpi")}
BINDINGS = "python/bindings"  # above the house
ROOTS = ["include", "src"] + [f"{library}/{part}" for library in LIBRARIES for part in ("include", "src")]
VENDORED = "fft/src/pocketfft"  # as its authors wrote it
MAX_LINES = 400
HEAPS = {"util", "utils", "helper", "helpers", "common", "misc", "stuff", "manager", "detail"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
DEFINES = re.compile(r"// Defines (\S+)\.\n")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# What is no code, for `check_calls`: comments, literals of text, preprocessor lines.
OPAQUE_BASE = re.compile(r"\b(?:class|struct)\b[^;{}()]*[^:;{}()]:(?!:)[^;{}()]*\b(BlockFunction|UserFunction)\b|\b(map_operands|NoName)\((?!FunctionName\b)")
NO_CODE = re.compile(r"""/\*.*?\*/|//[^\n]*|^[ \t]*#[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.DOTALL | re.MULTILINE)
INNER = re.compile(rf"^namespace (?:[\w: ]*\b{PRIVATE} )?\{{", re.MULTILINE)
EXPORTED = re.compile(r"PURVIEW_EXPORT\b[^;{}()]*?\b(\w+)\(")
EXPORTED_TYPE = re.compile(r"\b(?:class|struct) PURVIEW_EXPORT (\w+)")
INLINE = re.compile(r"^inline [^;{}()]*?(\w+)\([^;{}]*\)[^;{}()]*(\{.*?^\})", re.DOTALL | re.MULTILINE)
# What may stand in front of a function that is called: no member access, no other scope, no type (of a declaration).
CALLED = r"(?:(?<=\breturn )|(?<=\belse )|(?<![\w.:~])(?<!->)(?<!\w )(?<!\w[&*] )(?<!> ))(?:purview::)?"
VERSION = re.compile(r"^    VERSION (\d+)\.(\d+)\.", re.MULTILINE)


def definition_of(name):
    """A pattern for the definition of a function outside of classes, in a text of several lines."""
    return rf"^[A-Za-z_][\w:<>, *&]*[ *&]{name}\([^;{{}}]*\)[^;{{}}()]*\{{"


def without_inner_namespaces(text):
    """Without what is in anonymous namespaces, and in that of the engine."""
    while match := INNER.search(text):
        depth, end = 1, match.end()
        while depth > 0 and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[: match.start()] + text[end:]
    return text


def code(path):
    """The text of a file without comments, literals of text and preprocessor lines, on the same lines."""
    return NO_CODE.sub(lambda m: '""' if m[0][0] in "\"'" else "\n" * m[0].count("\n"), path.read_text())


def check_size(file, path, problems):
    lines = len(path.read_text().splitlines())
    if lines > MAX_LINES:
        problems.append(f"{file}: {lines} lines; is this one concept?")
    heap = HEAPS & {part.split(".")[0].lower() for part in Path(file).parts}
    if heap:
        problems.append(f"{file}: '{heap.pop()}' names no concept")


def check_opaque(files, problems):
    """Functions of elements that have no name are the user's."""
    for file in files.keys() - OPAQUE:
        text = code(files[file])
        for match in OPAQUE_BASE.finditer(text) if "Function" in text or "map_operands" in text or "NoName" in text else ():
            line = text.count("\n", 0, match.start()) + 1
            what = f"derives from {match[1]}" if match[1] else f"calls {match[2]}"
            problems.append(f"{file}:{line}: {what}, as functions of the user's do: one of the library is a LibraryFunction, or map_elements of a name")


def check_fmt(files, problems):
    """The precompiled header has <fmt/format.h>, which a parent project that compiles the library has not."""
    for file, path in files.items():
        text = path.read_text()
        if file.startswith("src/") and not re.search(r"# *include <fmt/", text) and re.search(r"\bfmt::", code(path)):
            problems.append(f"{file}: uses fmt and includes none of its headers")


class House:
    def __init__(self, root, shared=house.SHARED):
        self.root = root
        self.shared = shared
        self.problems = []
        self.files = {}  # path relative to its root folder -> path relative to the repository
        for folder in ROOTS:
            for path in sorted((root / folder).rglob("*")):
                if path.suffix in {".hpp", ".h", ".inc", ".ipp", ".cpp"} and root / VENDORED not in path.parents:
                    self.files[path.relative_to(root).as_posix()] = path
        self.includes = {file: list(self.resolve(file)) for file in self.files}

    def place(self, file):
        """The floor and the room, None on floors without; for what stands above the house both."""
        parts = Path(file).parts
        if parts[0] in LIBRARIES:
            return parts[0], parts[2] if parts[0] in ROOMS and parts[1] == "src" and len(parts) > 3 else None
        rest = parts[1:-1] if parts[0] == "src" else parts[2:-1]
        floor = rest[0] if rest else None
        return floor, rest[1] if floor in ROOMS and len(rest) > 1 else None

    @staticmethod
    def is_face(file):
        """Whether a file is a public header of a library."""
        return Path(file).parts[0] in LIBRARIES and Path(file).parts[1] == "include"

    def resolve(self, file):
        """The files of ours that `file` includes: (line, path in the repository)."""
        text = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), self.files[file].read_text())
        for match in INCLUDE.finditer(text):
            line, name = text.count("\n", 0, match.start(1)) + 1, match[2]
            candidates = [f"{folder}/{name}" for folder in ROOTS]
            if match[1] == '"':
                beside = (self.root / file).parent / name
                try:
                    candidates.insert(0, beside.resolve().relative_to(self.root).as_posix())
                except ValueError:
                    pass
            found = next((c for c in candidates if c in self.files), None)
            if found:
                yield line, found
            elif name.startswith("purview/") and name not in GENERATED:
                self.problems.append(f"{file}:{line}: includes {name}, which does not exist")

    def check_directions(self):
        for file, includes in self.includes.items():
            own, room = self.place(file)
            if own is not None and own not in FLOORS:
                self.problems.append(f"{file}: '{own}' is not a floor of the house")
                continue
            if own == PRIVATE and file.startswith("include/"):
                self.problems.append(f"{file}: the {PRIVATE} is private and lives in src/ only")
            elif own in ROOMS and room not in ROOMS[own] and not self.is_face(file):
                self.problems.append(f"{file}: '{room}' is not a room of the {own}")
                continue
            for line, target in includes:
                other, other_room = self.place(target)
                if target == f"include/{UMBRELLA}":
                    self.problems.append(f"{file}:{line}: includes the umbrella header")
                elif own is None or (file, target) in EXCEPTIONS:
                    continue
                elif own == other:
                    if room != other_room and not self.is_face(target) and ROOMS[own].get(other_room, 99) >= ROOMS[own].get(room, -1):
                        way = "sideways" if ROOMS[own].get(other_room) == ROOMS[own].get(room) else "up"
                        self.problems.append(f"{file}:{line}: room {room} includes {way}: {target}")
                elif other is None:
                    self.problems.append(f"{file}:{line}: {own} includes {target} from above")
                elif other == PRIVATE:
                    self.problems.append(f"{file}:{line}: only the {PRIVATE} includes {target}")
                elif (own, other) != (PRIVATE, FACE) and FLOORS.get(other, 99) >= FLOORS[own]:
                    way = "sideways" if FLOORS.get(other) == FLOORS[own] else "up"
                    self.problems.append(f"{file}:{line}: {own} includes {way}: {target}")

    def borrowers(self):
        """What is private and included by another library than its own: header -> (file, line) of each."""
        borrowers = {}
        for file, includes in self.includes.items():
            own = Path(file).parts[0]
            for line, target in includes:
                parts = Path(target).parts
                if own in LIBRARIES and own != parts[0] and (parts[0] == "src" or parts[1] == "src"):
                    borrowers.setdefault(target, []).append((file, line))
        return borrowers

    def check_shared(self):
        borrowers = self.borrowers()
        for header, places in borrowers.items():
            if header not in self.shared:
                self.problems += [f"{file}:{line}: includes {header}, which is private: tools/house.py does not list it" for file, line in places]
        for header in self.shared.keys() - borrowers.keys():
            self.problems.append(f"tools/house.py: no library includes {header}, which it lists as shared")

    def check_definitions(self):
        """A source of a house with headers defines what a header of its own floor and room declares."""
        for file, path in self.files.items():
            if not file.endswith(".cpp") or "/kernels/targets/" in file:
                continue
            own = self.place(file)
            text = path.read_text()
            named = DEFINES.match(text)
            if named:
                header = next((f"{folder}/{named[1]}" for folder in ROOTS if f"{folder}/{named[1]}" in self.files), None)
                if header is None:
                    self.problems.append(f"{file}:1: {named[1]} does not exist")
                elif (file, header) not in EXCEPTIONS and self.place(header) not in {own, (FACE if own[0] == PRIVATE else own[0], None)}:
                    self.problems.append(f"{file}:1: defines what another room or floor declares: {header}")
                continue
            stem = Path(file).stem
            declared = [header for _, header in self.includes[file] if Path(header).stem == stem]
            places = {own, (FACE if own[0] == PRIVATE else own[0], None)}
            if not any(self.place(header) in places or (file, header) in EXCEPTIONS for header in declared):
                self.problems.append(f"{file}: includes no header of its own name, and its first line is not '// Defines HEADER.'")

    def definers(self):
        """The rooms that define what the face exports: name -> room; and which of the names are types."""
        faces = [self.code(file) for file in self.files if self.place(file) == (FACE, None)]
        names = {name for face in faces for name in EXPORTED.findall(face)}
        types = {name for face in faces for name in EXPORTED_TYPE.findall(face)}
        rooms = {}  # the highest one, of overloads
        sources = [file for file in self.files if self.place(file)[0] == PRIVATE and file.endswith(".cpp") and self.place(file)[1] in ROOMS[PRIVATE]]
        for file in sorted(sources, key=lambda file: ROOMS[PRIVATE][self.place(file)[1]]):
            text = without_inner_namespaces(self.code(file))
            for name in names | types:
                if name in text and re.search(rf"^{name}::{name}\(" if name in types else definition_of(name), text, re.MULTILINE):
                    rooms[name] = self.place(file)[1]
        for face in faces:  # what is inline is defined as high as what it calls
            for name, body in INLINE.findall(face):
                called = [room for other, room in rooms.items() if re.search(rf"{CALLED}{other}\(", body)]
                if called:
                    rooms[name] = max(called, key=ROOMS[PRIVATE].get)
        return rooms, types

    def code(self, file):
        return code(self.files[file])

    def check_calls(self):
        """A room calls what itself or a lower one defines, also through the face."""
        rooms, types = self.definers()
        for file in (f for f in self.files if f.startswith(f"src/{PRIVATE}/")):
            room, text = self.place(file)[1], self.code(file)
            for name, definer in rooms.items():
                if room == definer or room not in ROOMS[PRIVATE] or ROOMS[PRIVATE][definer] < ROOMS[PRIVATE][room]:
                    continue
                if name not in text or (file, name) in EXCEPTIONS or re.search(definition_of(name), text, re.MULTILINE):
                    continue  # or a function of its own that has the same name
                pattern = rf"(?<![\w.])(?<!->){name}(?: \w+)?[({{]|<{name}>" if name in types else rf"{CALLED}{name}\("
                for match in re.finditer(pattern, text):
                    line = text.count("\n", 0, match.start()) + 1
                    self.problems.append(f"{file}:{line}: room {room} calls {name}, which {definer} defines")

    def check_rounds(self):
        """Reports each cycle once, by an iterative depth-first search."""
        done = set()
        for start in self.files:
            path, stack = [], [(start, iter(self.includes[start]))]
            on_path = {start}
            path.append(start)
            while stack and start not in done:
                file, targets = stack[-1]
                step = next(targets, None)
                if step is None:
                    stack.pop()
                    path.pop()
                    on_path.discard(file)
                    done.add(file)
                elif step[1] in on_path:
                    cycle = path[path.index(step[1]) :] + [step[1]]
                    self.problems.append("includes go round: " + " -> ".join(cycle))
                elif step[1] not in done:
                    stack.append((step[1], iter(self.includes[step[1]])))
                    path.append(step[1])
                    on_path.add(step[1])

    def check_umbrella(self):
        umbrella = f"include/{UMBRELLA}"
        if umbrella not in self.files:
            return
        present = {target for _, target in self.includes[umbrella]}
        for file in self.files:
            name = file.removeprefix("include/")
            if file.startswith("include/") and file != umbrella:
                optional = name in OPTIONAL or name.startswith(OPTIONAL_FOLDER)
                if optional and file in present:
                    self.problems.append(f"{umbrella}: includes {name}, which is optional")
                elif not optional and file not in present:
                    self.problems.append(f"{umbrella}: does not include {name}")

    def check_namespace(self):
        """What is in `purview` is in the inline namespace of its minor version (docs/versions.md)."""
        project = self.root / "CMakeLists.txt"
        version = VERSION.search(project.read_text()) if project.exists() else None
        if not version:
            return
        wanted = f"v{version[1]}_{version[2]}"
        for file, path in self.files.items():
            for match in re.finditer(r"^namespace purview(?!::inline " + wanted + r"\b).*", path.read_text(), re.MULTILINE):
                self.problems.append(f"{file}: `{match[0]}` is not in the inline namespace {wanted}")

    def check_files(self):
        for file, path in self.files.items():
            check_size(file, path, self.problems)

    def check(self):
        self.check_directions()
        self.check_shared()
        self.check_definitions()
        self.check_calls()
        self.check_rounds()
        self.check_umbrella()
        self.check_namespace()
        self.check_files()
        check_opaque(self.files, self.problems)
        check_fmt(self.files, self.problems)
        return self.problems


def statements(text):
    """The statements of a text, from first to last: what stands in front of braces or a semicolon, what is in the braces (None without), and
    where it begins."""
    depth = start = inside = 0
    for i, letter in enumerate(text):
        if letter == "{":
            inside = inside if depth else i + 1
            depth += 1
        elif letter == "}":
            depth -= 1
        if depth == 0 and letter in "};":
            head = text[start : inside - 1 if letter == "}" else i]
            if head.strip():
                yield " ".join(head.split()), text[inside:i] if letter == "}" else None, start + len(head) - len(head.lstrip())
            start = i + 1


class Bindings:
    """The sources that bind the library to Python, each with the header of its own name."""

    NAME = re.compile(r"([\w~]+)\(")
    MEMBER = re.compile(r"(\w+)::(~?\w+)\(")
    TYPE = re.compile(r"(?:class|struct|enum class) (\w+)")
    VARIABLE = re.compile(r"extern .*?(\w+)$")

    def __init__(self, root):
        self.problems = []
        self.files = {f"{BINDINGS}/{path.name}": path for path in sorted((root / BINDINGS).glob("*")) if path.suffix in {".hpp", ".cpp"}}
        self.texts = {file: code(path) for file, path in self.files.items()}
        self.includes = {file: [f"{BINDINGS}/{match[2]}" for match in INCLUDE.finditer(COMMENT.sub("", path.read_text())) if match[1] == '"']
                         for file, path in self.files.items()}

    def items(self, file):
        """What a file declares and defines for others: (name, whether it is defined, line). Members as `Class::name`."""
        def of(text, start):
            for head, body, at in statements(text):
                line = self.texts[file].count("\n", 0, start + at) + 1
                if head.startswith("namespace") and body is not None:
                    if head.endswith("purview_python"):
                        yield from of(body, start + text.index("{", at) + 1)
                elif head.startswith(("using ", "namespace ", "template", "inline ", "constexpr ", "static_assert", "NB_MODULE")):
                    continue  # is what it says wherever it is read
                elif kind := self.TYPE.match(head):
                    yield kind[1], None, line
                    for inner, block, _ in statements(re.sub(r"\b(?:public|private|protected):", "", body or "")):
                        name = self.NAME.search(inner)
                        if block is None and name and not re.search(r"= (?:default|delete|0)$", inner):
                            yield f"{kind[1]}::{name[1]}", False, line
                elif variable := self.VARIABLE.match(head):
                    yield variable[1], False, line
                elif member := self.MEMBER.search(head.split(" : ")[0]):
                    yield f"{member[1]}::{member[2]}", True, line
                elif name := self.NAME.search(head):
                    yield name[1], body is not None, line
                elif "=" in head:
                    yield head.partition("=")[0].split()[-1], True, line
        # A default argument in braces is no body.
        yield from of(re.sub(r"= \{\}(?=[,)])", "= 0 ", self.texts[file]), 0)

    def check_names(self):
        for file in self.files:
            other = file.removesuffix(".hpp") + ".cpp" if file.endswith(".hpp") else file.removesuffix(".cpp") + ".hpp"
            there = list(self.items(other)) if other in self.files else []
            for name, is_defined, line in self.items(file):
                if file.endswith(".hpp") and is_defined is False and not any(n == name and d for n, d, _ in there):
                    self.problems.append(f"{file}:{line}: declares {name}, which {other} does not define")
                elif file.endswith(".hpp") and is_defined:
                    self.problems.append(f"{file}:{line}: defines {name}, which is not inline")
                elif file.endswith(".cpp") and is_defined is not False and not any(n == name for n, _, _ in there):
                    self.problems.append(f"{file}:{line}: defines {name}, which {other} does not declare: another header, or none, does")
            for header in self.includes[file]:
                if header not in self.files:
                    self.problems.append(f"{file}: includes {header}, which does not exist")

    def check_rounds(self):
        """A header and the source of its name are one: what they include, they stand on."""
        below = {}  # stem -> the stems that it includes, each with the file that does
        for file, includes in self.includes.items():
            below.setdefault(Path(file).stem, {}).update({Path(i).stem: file for i in includes if Path(i).stem != Path(file).stem})
        while below:
            free = [stem for stem, others in below.items() if not others.keys() & below.keys()]
            if not free:
                path = [min(below)]
                while path[-1] not in path[:-1]:
                    path.append(min(below[path[-1]].keys() & below.keys()))
                circle = path[path.index(path[-1]) :]
                steps = [f"{below[a][b]} includes {b}.hpp" for a, b in zip(circle, circle[1:])]
                self.problems.append("includes go round: " + ", ".join(steps))
                free = circle[:-1]
            for stem in free:
                del below[stem]

    def check(self):
        self.check_names()
        self.check_rounds()
        for file, path in self.files.items():
            check_size(file, path, self.problems)
        check_opaque(self.files, self.problems)
        check_fmt(self.files, self.problems)
        return self.problems


def self_test():
    def problems(files, shared):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return House(root, shared).check() + Bindings(root).check()

    p = "include/purview"
    run, face = "src/engine/run", f"{p}/evaluation/f.hpp"
    engine = {
        face: "PURVIEW_EXPORT int f(int i);\nclass PURVIEW_EXPORT E {\n    explicit E(int i);\n};\ninline int g() {\n    return f(1);\n}",
        "src/engine/statistics/f.cpp": "#include <purview/evaluation/f.hpp>\nint f(int i) {\n    return i;\n}\nE::E(int i) {}\n",
    }
    below = "// Defines purview/evaluation/f.hpp.\n"
    project = {"CMakeLists.txt": "project(purview\n    VERSION 0.3.1\n)"}
    base, reader = {f"{p}/base/a.hpp": ""}, {f"{p}/reader/r.hpp": ""}
    cases = [
        ({**base, f"{p}/dtype/d.hpp": "#include <purview/base/a.hpp>"}, 0),
        ({**reader, f"{p}/base/a.hpp": "#include <purview/reader/r.hpp>"}, 1),
        ({**reader, f"{p}/dimensions/d.hpp": "# include <purview/reader/r.hpp>"}, 1),
        ({**reader, f"{p}/dimensions/d.hpp": "// #include <purview/reader/r.hpp>"}, 0),
        ({**reader, f"{p}/base/a.hpp": "/*\n#include <purview/reader/r.hpp>\n*/"}, 0),
        ({f"{p}/io/a.hpp": "", f"{p}/interop/b.hpp": '#include "../io/a.hpp"'}, 1),
        ({f"{p}/base/a.hpp": '#include "b.hpp"', f"{p}/base/b.hpp": '#include "a.hpp"'}, 1),
        ({f"{p}/base/a.hpp": "#include <purview/base/a.hpp>"}, 1),
        ({f"{p}/base/a.hpp": "#include <purview/base/export.hpp>"}, 0),
        ({f"{p}/base/a.hpp": "#include <purview/base/gone.hpp>"}, 1),
        ({f"{p}/engine/e.hpp": ""}, 1),
        ({"src/engine/e.hpp": ""}, 1),
        ({f"{run}/e.hpp": 'auto f() { return fmt::format(""); }'}, 1),
        ({f"{run}/e.hpp": '#include <fmt/format.h>\nauto f() { return fmt::format(""); }'}, 0),
        ({f"{run}/e.hpp": "", f"{run}/e.cpp": '#include "e.hpp"'}, 0),
        ({f"{run}/e.hpp": "", "src/expression/x.hpp": '#include "engine/run/e.hpp"'}, 1),
        ({f"{run}/e.hpp": "", "src/tensor/x.hpp": '#include "engine/run/e.hpp"'}, 1),
        ({f"{run}/e.hpp": "", "src/engine/copy/x.hpp": '#include "engine/run/e.hpp"'}, 0),
        ({f"{run}/e.hpp": "", "src/engine/compile/x.hpp": '#include "engine/run/e.hpp"'}, 1),
        ({"src/engine/order/e.hpp": "", "src/engine/pairs/x.hpp": '#include "engine/order/e.hpp"'}, 1),
        ({"src/engine/strange/e.hpp": ""}, 1),
        ({face: "", f"{run}/e.hpp": "#include <purview/evaluation/f.hpp>"}, 0),
        ({face: "", f"{p}/expression/x.hpp": "#include <purview/evaluation/f.hpp>"}, 1),
        ({face: "", f"{run}/f.cpp": "#include <purview/evaluation/f.hpp>"}, 0),
        ({face: "", f"{run}/g.cpp": "#include <purview/evaluation/f.hpp>"}, 1),
        ({face: "", f"{run}/g.cpp": "// Defines purview/evaluation/f.hpp.\n"}, 0),
        ({f"{p}/expression/x.hpp": "", f"{run}/g.cpp": "// Defines purview/expression/x.hpp.\n"}, 1),
        ({f"{run}/e.hpp": "", "src/engine/copy/g.cpp": "// Defines engine/run/e.hpp.\n"}, 1),
        ({"src/engine/copy/g.cpp": "// Defines engine/run/e.hpp.\n"}, 1),
        ({f"{p}/strange/a.hpp": ""}, 1),
        ({**engine, f"{run}/x.cpp": below + "void x() {\n    f(1);\n}"}, 1),
        ({**engine, f"{run}/x.cpp": below + "int x() {\n    return purview::f(f(1));\n}"}, 2),
        ({**engine, f"{run}/x.cpp": below + "void x() {\n    g();\n}"}, 1),
        ({**engine, f"{run}/x.cpp": below + "void x() {\n    E(1);\n    const E e(1);\n    E{1}.f(1);\n}"}, 3),
        ({**engine, f"{run}/x.cpp": below + "void x(const E& e) {\n    a.f(1); a->f(1); other::f(1); off(1); // f(1)\n    '\"'; \"f(1)\";\n}"}, 0),
        ({**engine, f"{run}/x.cpp": below + "static int f(int i) {\n    return 1;\n}\nint x() {\n    return f(1);\n}"}, 0),
        ({**engine, f"{run}/x.hpp": "struct X {\n    int f(int i) const;\n    const X& f(X);\n};"}, 0),
        ({**engine, "src/engine/explain/x.hpp": "inline void x() {\n    f(1);\n}"}, 0),
        ({**engine, "src/engine/statistics/y.hpp": "inline void x() {\n    f(1);\n}"}, 0),
        ({**engine, f"{run}/x.cpp": "// Defines purview/evaluation/f.hpp.\nnamespace {\nint f(int i) {\n    return 1;\n}\n}\n"}, 0),
        ({**base, f"{p}/purview.hpp": "#include <purview/base/a.hpp>"}, 0),
        ({**base, f"{p}/purview.hpp": ""}, 1),
        ({**base, f"{p}/ranges.hpp": "", f"{p}/purview.hpp": "#include <purview/base/a.hpp>"}, 0),
        ({f"{p}/ranges.hpp": "", f"{p}/reader/r.hpp": "#include <purview/ranges.hpp>"}, 1),
        ({f"{p}/purview.hpp": "", "src/io/x.hpp": "#include <purview/purview.hpp>"}, 1),
        ({f"{p}/base/utils.hpp": ""}, 1),
        ({f"{p}/base/a.hpp": "\n" * 400}, 0),
        ({f"{p}/base/a.hpp": "\n" * 401}, 1),
        ({f"{p}/io/a.hpp": "", "sparse/src/s.hpp": "#include <purview/io/a.hpp>"}, 0),
        ({f"{p}/io/a.hpp": "#include <purview/sparse/s.hpp>", "sparse/include/purview/sparse/s.hpp": ""}, 1),
        ({**reader, "sparse/src/s.hpp": "#include <purview/reader/r.hpp>"}, 0),
        ({**project, f"{p}/io/a.hpp": "namespace purview::inline v0_3 {"}, 0),
        ({**project, f"{p}/io/a.hpp": "namespace purview {"}, 1),
        ({**project, f"{p}/io/a.hpp": "namespace purview::inline v0_2::file {"}, 1),
    ]

    user, ours = "struct U : BlockFunction {};", "include/purview/expression/library_function.hpp"
    cases += [
        ({ours: "class PURVIEW_EXPORT LibraryFunction : public BlockFunction {\n};"}, 0),
        ({f"{p}/functional/elementwise/emap.hpp": user}, 0),
        ({f"{p}/functional/elementwise/x.hpp": user}, 1),
        ({f"{p}/functional/elementwise/x.hpp": "// " + user + "\nvoid f(const BlockFunction& g);\nclass BlockFunction;"}, 0),
        ({f"{p}/functional/elementwise/x.hpp": "template <typename T>\nclass F final\n    : public purview::UserFunction {};"}, 1),
        ({f"{p}/functional/elementwise/x.hpp": "class F final : public LibraryFunction {\n    std::shared_ptr<const BlockFunction> g;\n};"}, 0),
        ({f"{p}/functional/elementwise/x.hpp": "auto f() {\n    return map_operands(g, x);\n}\nauto h() {\n    return map_elements(NoName(), g, x);\n}"}, 2),
        ({f"{BINDINGS}/callbacks.cpp": "namespace {\n" + user + "\n}"}, 0),
        ({f"{BINDINGS}/x.cpp": "namespace {\n" + user + "\n}"}, 1),
    ]

    def bound(**texts):  # a_hpp="…" in the namespace, behind the files that it includes
        return {
            f"{BINDINGS}/{name[0]}.{name[2:]}": "".join(f'#include "{x}.hpp"\n' for x in includes) + "namespace purview_python {\n" + text + "\n}\n"
            for name, (includes, text) in texts.items()
        }

    declares, defines = "Array f(int i);", "Array f(int i) { return g(i); }"
    cases += [
        (bound(a_hpp=("", declares), a_cpp=("a", defines)), 0),
        (bound(a_hpp=("", declares), a_cpp=("a", "")), 1),
        (bound(a_hpp=("", declares)), 1),
        (bound(a_hpp=("", ""), a_cpp=("a", defines)), 1),
        (bound(a_cpp=("", defines)), 1),
        (bound(a_hpp=("", declares), a_cpp=("a", ""), b_cpp=("a", defines)), 2),
        (bound(a_hpp=("", "Array f(int i = {},\n int k = 0);"), a_cpp=("a", "namespace {\nint g() { return 1; }\n}\n" + defines)), 0),
        (bound(a_hpp=("", "inline int f() { return 1; }\ntemplate <typename T>\nT g() { return h(); }\nusing F = int (*)(int);")), 0),
        (bound(a_hpp=("", "int f() { return 1; }")), 1),
        (bound(a_hpp=("", "extern int f;"), a_cpp=("a", "int f = 1;")), 0),
        (bound(a_hpp=("", "extern int f;"), a_cpp=("a", "")), 1),
        (bound(a_hpp=("", "class A {\npublic:\n    A();\n    A(const A&) = delete;\n    ~A() { f(); }\n    int g() const;\n};"),
               a_cpp=("a", "A::A() : x(f(1)) {}\nint A::g() const { return 1; }")), 0),
        (bound(a_hpp=("", "class A {\n    A();\n};"), a_cpp=("a", "")), 1),
        (bound(a_cpp=("", "class A {};\nNB_MODULE(core, module) { f(); }")), 1),
        (bound(a_hpp=("", ""), a_cpp=("ab", ""), b_hpp=("", ""), b_cpp=("ab", ""), c_hpp=("ab", "")), 1),
        (bound(a_hpp=("", ""), a_cpp=("ab", ""), b_hpp=("", ""), b_cpp=("b", ""), c_hpp=("ab", "")), 0),
        (bound(a_hpp=("x", "")), 1),
        ({f"{BINDINGS}/a.cpp": "\n" * 401}, 1),
    ]
    private, borrowing = {"src/io/b.hpp": "", "zarr/src/arrays/z.hpp": ""}, {"csv/src/c.hpp": '#include "io/b.hpp"'}
    cases += [
        ({**private, **borrowing}, 1),
        ({**private, **borrowing}, 0, {"src/io/b.hpp"}),
        (private, 1, {"src/io/b.hpp"}),
        (borrowing, 1, {"src/io/b.hpp"}),
        ({**private, "src/io/c.hpp": '#include "io/b.hpp"'}, 0),
        ({**private, "csv/include/purview/csv/c.hpp": '#include "io/b.hpp"'}, 1),
        ({**private, "mpi/src/files/m.cpp": '// Defines arrays/z.hpp.\n#include "arrays/z.hpp"'}, 2),
        ({**private, "zarr/src/arrays/y.hpp": '#include "arrays/z.hpp"'}, 0),
        ({f"{p}/io/b.hpp": "", "csv/src/c.hpp": "#include <purview/io/b.hpp>"}, 0),
        ({**private, f"{BINDINGS}/x.hpp": '#include "io/b.hpp"'}, 1),
    ]
    for files, expected, *shared in cases:
        found = problems(files, dict.fromkeys(*shared) if shared else {})
        assert len(found) == expected, (files, found)
    print(f"check_layers: self-test, {len(cases)} cases passed")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        sys.exit(0)
    root = Path(sys.argv[1] if sys.argv[1:] else Path(__file__).parent.parent).resolve()
    house, bindings = House(root), Bindings(root)
    problems = house.check() + bindings.check()
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"check_layers: {len(house.files) + len(bindings.files)} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)
