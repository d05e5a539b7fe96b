"""Writes what reference.py read as Markdown."""

import re
from pathlib import Path

import reference


def anchor(name):
    """Operators too have ids of letters: `operator+` is `operator-2b`."""
    return re.sub(r"[^\w-]", lambda match: "-" if match[0] in ":" else f"-{ord(match[0]):x}", name.replace("::", "-"))


def escaped(doc):
    """A comment as Markdown: outside of code, what means something in HTML or Markdown alone means itself."""
    parts = re.split(r"(`[^`]*`|^ {4,}.*$)", doc, flags=re.MULTILINE)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(r"^ {2,3}(?=\S)", "    ", parts[place], flags=re.MULTILINE)
        parts[place] = re.sub(r"(?<=\S)(\s*)([*_\[\]\\])", r"\1\\\2", parts[place]).replace("&", "&amp;").replace("<", "&lt;")
        parts[place] = re.sub(r"(\S.*\n)(?=- )", r"\1\n", parts[place], count=1)
    return "".join(parts)


def code(text, title=""):
    return f"```cpp{f' title={chr(34)}{title}{chr(34)}' if title else ''}\n{text}\n```\n\n"


def grouped(members):
    """A member, and those without a comment that follow it with no empty line between: one block of code."""
    groups = []
    for member in members:
        if member.members or member.doc or member.apart or not groups or groups[-1][0].members:
            groups.append([member])
        else:
            groups[-1].append(member)
    return groups


def members(parts):
    text = ""
    for group in grouped(parts):
        text += code("\n".join(part.signature for part in group))
        if group[0].doc:
            text += escaped(group[0].doc) + "\n\n"
        if group[0].members:
            text += members(group[0].members)
    return text


def calls(entry, types):
    """How a function object is called: the members of its class, under its own name."""
    kind = types.get(entry.type_name)
    if kind is None or entry.kind != "constant":
        return []
    return [re.sub(r"\boperator\(\)(?=\()", entry.name.split("::")[-1], member.signature).replace(" const;", ";")
            for part in kind.parts for member in part.members
            if "operator()(" in member.signature and "= delete" not in member.signature]


def entry_text(entry, include, types, identifier):
    called = calls(entry, types)
    kind = "function object" if called else entry.kind
    text = f"### {escaped('x' + entry.name)[1:]} {{: #{identifier} data-kind=\"{kind}\" }}\n\n"
    text += code("\n".join(part.signature for part in entry.parts), f"#include <{include}>")
    docs = [part.doc for part in entry.parts if part.doc]
    if not docs and called:
        docs = [part.doc for part in types[entry.type_name].parts if part.doc]
    text += "".join(escaped(doc) + "\n\n" for doc in dict.fromkeys(docs))
    if called:
        text += "Calls:\n\n" + code("\n".join(called))
    for part in entry.parts:
        if part.members and entry.kind != "enum":
            text += '<div class="members" markdown>\n\n' + members(part.members) + "</div>\n\n"
    return text


def purpose(path):
    """The comments on all of a header, at its beginning or that of its namespace, with an empty line behind them."""
    comments = re.findall(r"(?:^#pragma once|^namespace purview[\w:]* \{)\n\n((?:///?[^\n]*\n)+)\n", path.read_text(), re.MULTILINE)
    return "\n".join(re.sub(r"^///? ?", "", comment, flags=re.MULTILINE) for comment in comments)


def write(entries):
    """(page -> Markdown, name -> page#anchor)"""
    types = {}
    for found in entries.values():
        for entry in found.values():
            if entry.kind in ("struct", "class"):
                types.setdefault(entry.name, entry)
    files = reference.headers()
    pages, anchors, used = {}, {}, {}
    for include in sorted(entries):
        page = reference.page_of(include)
        if page not in reference.PAGES:
            raise SystemExit(f"reference: PAGES in tools/site/reference.py has no page {page} for {include}")
        title, subtitle = reference.PAGES[page]
        found = "---\nsearch:\n  boost: 0.5\n---\n" if page in reference.INNER else ""
        text = pages.get(page, f"{found}# {title}\n\n{subtitle}\n\n")
        text += f"## {include} {{: #{anchor(include.replace('/', '-').replace('.hpp', '-hpp'))} }}\n\n"
        text += escaped(purpose(files[include])) + "\n\n"
        for entry in entries[include].values():
            names = used.setdefault(page, {})
            names[entry.name] = names.get(entry.name, 0) + 1
            identifier = anchor(entry.name) + (f"-{names[entry.name]}" if names[entry.name] > 1 else "")
            text += entry_text(entry, include, types, identifier)
            place = f"{page}.md#{identifier}"
            known = anchors.get(entry.name)
            if known is None or entry.kind == "constant" and known[0] != "constant" or known[2] < len(entry.parts[0].doc):
                anchors[entry.name] = (entry.kind, place, len(entry.parts[0].doc))
        pages[page] = text
    return pages, {name: place for name, (_, place, _) in anchors.items()}


def index(anchors):
    """The first page: all pages, then all names."""
    text = "---\nsearch:\n  exclude: true\n---\n# API reference\n\nEvery public name, by the folder of its header. Names are in the namespace `purview`.\n\n"
    text += "".join(f"- [{title}]({page}.md): {subtitle}\n" for page, (title, subtitle) in reference.PAGES.items())
    initials = {}
    for name in sorted(anchors, key=lambda name: (name.lower(), name)):
        initials.setdefault(name[0].upper(), []).append(f"[`{name}`]({anchors[name]})")
    return text + "\n" + "".join(f"## {letter}\n\n{' '.join(links)}\n\n" for letter, links in initials.items())
