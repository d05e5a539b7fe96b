#!/usr/bin/env python3
"""Checks the site that mkdocs built: every public name that doxygen finds in the headers is in the reference, and every link leads somewhere.

The reference is written from what libclang finds; doxygen reads the headers by itself.

    tools/site/check_site.py SITE BUILD    # BUILD: a folder for doxygen's index
"""

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import reference

DOXYFILE = """
INPUT = {inputs}
INCLUDE_PATH = {inputs}
RECURSIVE = YES
FILE_PATTERNS = *.hpp
EXTRACT_ALL = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
HAVE_DOT = NO
MACRO_EXPANSION = YES
PREDEFINED = "PURVIEW_EXPORT=" "PURVIEW_SPARSE_EXPORT=" "PURVIEW_FFT_EXPORT=" "PURVIEW_IMAGE_EXPORT=" "PURVIEW_CSV_EXPORT=" "PURVIEW_ZARR_EXPORT=" "PURVIEW_HDF5_EXPORT=" "PURVIEW_GPU_EXPORT=" "PURVIEW_MPI_EXPORT=" "PURVIEW_REFUSED(SENTENCE, ...)="
OUTPUT_DIRECTORY = {output}
QUIET = YES
# Doxygen does not know `namespace a::inline b`.
INPUT_FILTER = "sed -E 's/::inline v[0-9]+_[0-9]+//'"
WARN_LOGFILE = {output}/doxygen.log
"""


class Page(HTMLParser):
    """The ids and links of a page, and the words in the code below each heading of an entry."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.entries = set(), set(), {}
        self.open, self.entry = [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.add(value)
        if tag in ("h3", "code"):
            self.open.append((tag, []))

    def handle_data(self, data):
        for _, text in self.open:
            text.append(data)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            return
        text = "".join(self.open.pop()[1])
        if tag == "h3":
            self.entry = self.entries.setdefault(text.rstrip("¶").strip(), set())
        else:
            self.entry.update(re.findall(r"\w+", text))


def broken_links(site, pages):
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            if parts.path.startswith("/"):
                yield f"{path}: {link} does not work from a folder"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield f"{path}: {link} leads nowhere"
            elif parts.fragment and target in pages \
                    and unquote(parts.fragment) not in pages[target].ids:
                yield f"{path}: {link} leads to no part of the page"


def plain(name):
    """Without the arguments of a specialisation."""
    return name if "operator" in name else re.sub(r"\s*<.*", "", name)


def declared(build):
    """Qualified names of what doxygen finds, and those of them that are classes."""
    shutil.rmtree(build / "xml", ignore_errors=True)  # doxygen leaves the pages of classes that are gone
    inputs = " ".join(str(reference.ROOT / library / "include") for library in reference.LIBRARIES)
    subprocess.run(["doxygen", "-"], input=DOXYFILE.format(inputs=inputs, output=build), text=True, check=True)
    classes, hidden, found = set(), set(), set()
    for path in sorted((build / "xml").glob("*.xml")):
        for compound in ElementTree.parse(path).getroot().iter("compounddef"):
            name, kind = plain(compound.findtext("compoundname")), compound.get("kind")
            if kind == "file":
                found |= {f"purview::{macro.findtext('name')}" for macro in compound.iter("memberdef")
                          if macro.get("kind") == "define" and is_for_users(macro, Path(compound.find("location").get("file")))}
            if kind not in ("namespace", "class", "struct", "union", "concept") or not name.startswith("purview"):
                continue
            if kind != "namespace":
                (hidden if compound.get("prot") == "private" else found).add(name)
                classes.add(name)
            found |= {f"{name}::{plain(member.findtext('name'))}" for member in compound.iter("memberdef")
                      if member.get("prot") != "private" and member.get("kind") != "friend"}
    return {name for name in found if not any(name.startswith(one + "::") for one in hidden)}, classes


def is_for_users(macro, header):
    """A macro that has a comment and that its header does not take back."""
    documented = "".join(macro.find("briefdescription").itertext()) + "".join(macro.find("detaileddescription").itertext())
    return documented.strip() and not re.search(rf"^# *undef {macro.findtext('name')}\b", header.read_text(), re.MULTILINE)


def missing_names(pages, build):
    entries = {}
    for page in pages:
        for heading, words in page.entries.items():
            entries.setdefault(heading, set()).update(words)
    names, classes = declared(build)
    count = 0
    for name in sorted(names):
        path, operator, symbol = name.partition("::operator")
        parts = path.split("::")[1:] + ([f"operator{symbol}"] if operator else [])
        if not parts or reference.PRIVATE & set(parts):
            continue
        count += 1
        owner = parts[:-1]  # members, and classes inside of classes, stand in the entry of the outermost class
        while owner and "::".join(("purview", *owner[:-1])) in classes:
            owner.pop()
        if "::".join(("purview", *owner)) in classes:
            # One word of an operator's name is spelled in one way only.
            word = "operator" if parts[-1].startswith("operator") else parts[-1].lstrip("~")
            if word not in entries.get("::".join(owner), ()):
                yield f"{name} is not in the entry of its class"
        elif "::".join(parts) not in entries:
            yield f"{name} has no entry in the reference"
    if count < len(entries):
        yield f"doxygen finds {count} names only"
    print(f"site: doxygen finds {count} public names; the reference has {len(entries)} entries")


def main():
    site, build = (Path(argument).resolve() for argument in sys.argv[1:3])
    pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    problems = sorted(broken_links(site, pages))
    problems += missing_names([page for path, page in pages.items() if path.parent.name == "reference"], build)
    for problem in problems:
        print(problem)
    print(f"site: {len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
