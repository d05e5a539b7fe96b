"""The API reference as Markdown: what libclang reads in the public headers, one page for each folder of headers."""

import functools
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from clang.cindex import AccessSpecifier, CursorKind, Index, TranslationUnit

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ["", "sparse", "linalg", "fft", "image", "csv", "zarr", "hdf5", "archives", "arrow", "parquet", "gpu", "mpi"]  # their include folders, below ROOT
PRIVATE = {"engine", "detail"}  # namespaces that are not for users
VERSION = re.compile(r"v\d+_\d+")  # the inline namespace
PAGES = {  # page -> what it has
    "headers": ("Headers for everything", "What includes other headers, and what needs something more than Purview."),
    "tensor": ("tensor", "Handles, creation, indexing, views, printing."),
    "functional-elementwise": ("functional: elementwise", "Operations on each element, of numbers, strings and times."),
    "functional-assembly": ("functional: assembly", "Tensors made of parts of others: concat, pad, take, scatter, masks."),
    "functional-reductions": ("functional: reductions", "Folds, norms, distances, policies for NaN."),
    "functional-along": ("functional: along", "Along one axis: scans, windows, differences, sorting, search."),
    "functional-statistics": ("functional: statistics", "Moments, percentiles, correlations, histograms, groups."),
    "functional-applied": ("functional: applied", "Traced computations, explain, random numbers, gradients, colours."),
    "named": ("named", "Dims that bind axes, batch, multiply and index."),
    "table": ("table", "Columns with gaps."),
    "reader": ("reader", "What is read and written by index; memory."),
    "dimensions": ("dimensions", "How n-dimensional coordinates map to a reader."),
    "dtype": ("dtype", "Element types at run time, promotion, casts."),
    "base": ("base", "Index types, small vectors, errors, checked arithmetic."),
    "io": ("io", "Files of NumPy, and safetensors."),
    "interop": ("interop", "Other libraries' arrays, without a copy."),
    "sparse": ("purview::sparse", "Sparse matrices, their products and files."),
    "linalg": ("purview::linalg", "Linear algebra: solutions, decompositions, least squares."),
    "fft": ("purview::fft", "Fourier transforms."),
    "image": ("purview::image", "PNG files."),
    "csv": ("purview::csv", "Tables in text."),
    "zarr": ("purview::zarr", "Chunked arrays in folders and zip files."),
    "hdf5": ("purview::hdf5", "Arrays in HDF5 and NetCDF-4 files."),
    "archives": ("purview::archives", "Many files as one tensor."),
    "arrow": ("purview::arrow", "Tables in Arrow's files."),
    "parquet": ("purview::parquet", "Tables in Parquet files."),
    "gpu": ("purview::gpu", "Devices of OpenCL and CUDA, and their memory."),
    "mpi": ("purview::mpi", "Tensors whose parts lie on the ranks of an MPI program."),
    "mpi-linalg": ("purview::mpi: linear algebra", "Decompositions and iterations over the ranks of an MPI program."),
    "expression": ("expression", "Operations as data."),
    "evaluation": ("evaluation", "What the engine offers: evaluating, assigning, folding, sorting, threads."),
}
INNER = {"expression", "evaluation", "base", "dtype", "dimensions"}  # found after the others by the search
K = CursorKind
CLASSES = {K.CLASS_DECL, K.STRUCT_DECL, K.UNION_DECL, K.CLASS_TEMPLATE, K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
FUNCTIONS = {K.FUNCTION_DECL, K.FUNCTION_TEMPLATE, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION}
VALUES = {K.VAR_DECL, K.FIELD_DECL, K.TYPE_ALIAS_DECL, K.TYPE_ALIAS_TEMPLATE_DECL, K.TYPEDEF_DECL, K.CONCEPT_DECL,
          K.ENUM_DECL, K.FRIEND_DECL, K.USING_DECLARATION}


@dataclass
class Part:
    """One declaration: its text, its comment, and for a class what it has."""
    signature: str
    doc: str
    members: list = field(default_factory=list)
    apart: bool = False  # an empty line stands in front of it


@dataclass
class Entry:
    """All declarations of one name in one header."""
    name: str
    kind: str
    parts: list = field(default_factory=list)
    type_name: str = ""  # of a function object


def headers():
    """path as it is included -> file"""
    found = {}
    for library in LIBRARIES:
        folder = ROOT / library / "include"
        found |= {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.hpp"))}
    return found


def page_of(include):
    folders = include.split("/")[1:-1]
    if not folders:
        library = Path(include).stem
        return library if library in LIBRARIES[1:] else "headers"
    return "-".join(folders)


@functools.cache
def source(path):
    return Path(path).read_bytes()


def translation_unit(build):
    """All public headers at once, as C++20, on the standard library of g++."""
    listing = subprocess.run(["g++", "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=True).stderr
    system = re.search(r"search starts here:\n(?: .*\n| .*$)*", listing[listing.index("#include <...>"):])[0].split("\n")[1:]
    generated = build / "generated"  # CMake's headers of export macros
    for library in ("base", *LIBRARIES[1:]):
        path = generated / "purview" / library / "export.hpp"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#pragma once\n" + "".join(
            f"#define PURVIEW_{'' if library == 'base' else library.upper() + '_'}{what}\n" for what in ("EXPORT", "NO_EXPORT")))
    (generated / "mpi.h").write_text("typedef struct Communicator* MPI_Comm;\n")  # all that headers of purview::mpi name of it
    everything = build / "everything.cpp"
    everything.write_text("".join(f"#include <{include}>\n" for include in headers()))
    arguments = ["-x", "c++", "-std=c++20", "-nostdinc++", "-nostdinc", f"-I{generated}"]
    arguments += [f"-I{ROOT / library / 'include'}" for library in LIBRARIES]
    for folder in filter(None, map(str.strip, system)):
        arguments += ["-isystem", folder]
    arguments += ["-isystem", "/usr/include/eigen3", "-DEIGEN_DONT_VECTORIZE"]  # whose vectors are functions of g++
    unit = Index.create().parse(str(everything), arguments, options=TranslationUnit.PARSE_SKIP_FUNCTION_BODIES)
    errors = [str(diagnostic) for diagnostic in unit.diagnostics if diagnostic.severity >= 3]
    if errors:
        raise SystemExit("reference: libclang cannot read the headers:\n" + "\n".join(errors[:20]))
    return unit


def uncommented(text):
    return "\n".join(re.sub(r"^\s*///<? ?", "", line) for line in text.splitlines()).strip()


def doc_of(cursor):
    """The `///` comment in front of a declaration, or behind it on its line."""
    if cursor.raw_comment:
        return uncommented(cursor.raw_comment) if cursor.raw_comment.lstrip().startswith("///") else ""
    lines = source(cursor.extent.start.file.name).decode().splitlines()
    first = last = cursor.extent.start.line - 1  # made by a macro, whose arguments clang attaches no comments to
    while first > 0 and lines[first - 1].lstrip().startswith("///"):
        first -= 1
    return uncommented("\n".join(lines[first:last]))


def without_initialisers(text):
    """A constructor's text up to the colon of its initialisers."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == ":" and depth == 0 and ":" not in (text[place - 1], text[place + 1:place + 2]) \
                and ")" in text[:place]:
            return text[:place]
    return text


def signature_of(cursor):
    """The declaration as it is written, without what defines it."""
    extent = cursor.extent
    written = source(extent.start.file.name)[extent.start.offset:]
    text = written[:extent.end.offset - extent.start.offset].decode()
    if re.match(rb"PURVIEW_(?!\w*EXPORT\b)[A-Z_]+\(", written):  # a macro writes it
        if cursor.kind in FUNCTIONS:
            result = cursor.result_type.spelling
            return ";" if "Refused<" in result else f"{result} {cursor.displayname};"
        return f"{'struct' if cursor.kind in CLASSES else cursor.type.spelling} {cursor.displayname};"
    inner = cursor
    if cursor.kind == K.FRIEND_DECL:
        inner = next(cursor.get_children(), cursor)
    if inner.kind in FUNCTIONS:
        body = [child for child in inner.get_children() if child.kind == K.COMPOUND_STMT]
        if body:
            text = written[:body[-1].extent.start.offset - extent.start.offset].decode()
        if inner.kind == K.CONSTRUCTOR or (inner.kind == K.FUNCTION_TEMPLATE and inner.spelling.split("<")[0] == inner.semantic_parent.spelling):
            text = without_initialisers(text)
    elif cursor.kind in CLASSES:
        text = re.split(r"\{", text, maxsplit=1)[0] if cursor.is_definition() else text
    text = re.sub(r"\bPURVIEW_(\w+_)?EXPORT ", "", text)
    text = re.sub(r"[ \t]*//[^\n]*", "", text).strip()
    indent = extent.start.column - 1
    text = re.sub(rf"\n {{1,{indent}}}", "\n", text) if indent > 0 else text
    return text.rstrip(";").rstrip() + ";"


def kind_of(cursor, text):
    if cursor.kind in CLASSES:
        return "class" if re.search(r"\bclass \w+[^>]*$", text) else "struct"
    if cursor.kind in FUNCTIONS:
        return "function"
    return {K.CONCEPT_DECL: "concept", K.ENUM_DECL: "enum"}.get(
        cursor.kind, "type" if "TYPE" in cursor.kind.name or cursor.kind == K.USING_DECLARATION else "constant")


def is_declared(cursor):
    """Whether it declares a name. libclang has no kind of its own for templates of variables."""
    return cursor.kind in CLASSES | FUNCTIONS | VALUES or (cursor.kind == K.UNEXPOSED_DECL and bool(cursor.spelling))


def is_skipped(text):
    """Explicit instantiations, refusals of wrong calls, and what is only announced."""
    return text == ";" or text.startswith(("extern template", "PURVIEW_", "friend class", "friend struct")) \
        or "PURVIEW_REFUSED(" in text


def members_of(cursor):
    """What users of a class, and classes that derive from it, may name."""
    found = []
    for child in cursor.get_children():
        if not is_declared(child):
            continue
        if child.access_specifier == AccessSpecifier.PRIVATE and child.kind != K.FRIEND_DECL:
            continue
        text = signature_of(child)
        if is_skipped(text) or (found and text == found[-1].signature):
            continue
        before = source(child.extent.start.file.name)[:child.extent.start.offset].rstrip(b" ")
        found.append(Part(text, doc_of(child), members_of(child) if child.kind in CLASSES else [], before.endswith(b"\n\n")))
    return found


def visit(scope, prefix, files, entries):
    for cursor in scope.get_children():
        place = cursor.extent.start.file
        if cursor.kind == K.NAMESPACE:
            inside = prefix or cursor.spelling == "purview"
            if inside and cursor.spelling and cursor.spelling not in PRIVATE:
                visit(cursor, prefix if VERSION.fullmatch(cursor.spelling) else prefix + (cursor.spelling,), files, entries)
            continue
        if not prefix or place is None or place.name not in files or not is_declared(cursor):
            continue
        if cursor.semantic_parent.kind != K.NAMESPACE or (cursor.kind in CLASSES and not cursor.is_definition()):
            continue  # a member that is defined outside; a class that is defined elsewhere
        text = signature_of(cursor)
        if is_skipped(text):
            continue
        name = "::".join((*prefix[1:], cursor.spelling))
        owner = entries[files[place.name]]
        entry = owner.setdefault(name, Entry(name, kind_of(cursor, text)))
        if any(part.signature == text for part in entry.parts):
            continue
        if cursor.kind == K.VAR_DECL:
            entry.type_name = re.sub(r"<.*|const |purview::|v\d+_\d+::", "", cursor.type.spelling).strip()
        entry.parts.append(Part(text, doc_of(cursor), members_of(cursor) if cursor.kind in CLASSES else []))


def macros(text):
    """Macros that are documented and still defined at the end of a header."""
    for match in re.finditer(r"((?:^ *///[^\n]*\n)+)(?:^# *if[^\n]*\n)?^# *define (\w+)(\([^)]*\))?", text, re.MULTILINE):
        if not re.search(rf"^# *undef {match[2]}\b", text, re.MULTILINE):
            yield Entry(match[2], "macro", [Part(f"#define {match[2]}{match[3] or ''}", uncommented(match[1]))])


def read(build):
    """include -> name -> Entry"""
    files = {str(path): include for include, path in headers().items()}
    entries = {include: {} for include in headers()}
    visit(translation_unit(build).cursor, (), files, entries)
    for include, path in headers().items():
        entries[include] |= {entry.name: entry for entry in macros(path.read_text())}
    return entries
