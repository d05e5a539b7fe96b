"""What mkdocs makes of the repository: pages of README, changelog and sources, the API reference, links of the catalogue."""

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))
import reference
import reference_pages
from check_catalogue import head_of
from wrap_markdown import ITEM, blocks

ROOT = reference.ROOT
PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
FOLDERS = {"docs/design": "design/house.md", "examples": "examples.md"}
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?(?=\))")
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".sh": "bash", ".cmake": "cmake"}
anchors = {}


def in_site(path):
    """Where the site has what lies at `path` of the repository."""
    if path in PAGES or path in FOLDERS:
        return PAGES.get(path) or FOLDERS[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if not (ROOT / path).is_file():
        raise SystemExit(f"site: a link leads to {path}, which is not a file of the repository")
    return f"source/{path}.md"


def outside_code(text, change):
    """Applies `change` to each line that is in no fenced block, and in no indented one that stands apart."""
    fenced, indented, before = False, False, ""
    lines = []
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        indented = line.startswith("    ") and (indented or (not before.strip() and not ITEM.match(line)))
        lines.append(line if fenced or indented else change(line))
        before = line
    return "\n".join(lines)


def linked(text, path):
    """The links of the file `path`, as the site has them."""
    here = in_site(path)

    def link(match):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1]))
        return posixpath.relpath(in_site(target), posixpath.dirname(here) or ".") + (match[2] or "")

    def in_line(line):
        parts = re.split(r"(`[^`]*`)", line)
        return re.sub("\0(\\d+)\0", lambda match: parts[int(match[1])], LINK.sub(link, "".join(
            f"\0{place}\0" if place % 2 else part for place, part in enumerate(parts))))

    return outside_code(text, in_line)


def nested(text):
    """Lists inside of lists as Python-Markdown reads them: by four spaces."""
    return outside_code(text, lambda line: re.sub(r"^ {2,3}(?=\S)", "    ", line))


def source_page(path):
    language = LANGUAGES.get(Path(path).suffix, "text")
    return f"---\nsearch:\n  exclude: true\n---\n# {path}\n\n````{language}\n{(ROOT / path).read_text()}````\n"


def examples_page():
    paths = sorted(path for path in (ROOT / "examples").iterdir() if path.suffix in LANGUAGES)
    lines = []
    for path in paths:
        first = re.match(r"(?:#pragma once\n+)?((?:///? ?[^\n]*\n)+)", path.read_text())
        about = " ".join(re.sub(r"^///? ?", "", first[1], flags=re.MULTILINE).split()) if first else ""
        lines.append(f"- [{path.name}](source/examples/{path.name}.md)" + (f": {reference_pages.escaped(about)}" if about else ""))
    return "# Examples\n\nPrograms that check themselves; the tests run them.\n\n" + "\n".join(lines) + "\n", paths


def on_config(config):
    version = re.search(r"^project\(.*?VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.DOTALL | re.MULTILINE)
    config.site_name = f"Purview {version[1]}"
    return config


def on_files(files, config):
    def add(path, content):
        files.append(File.generated(config, path, content=content))

    for name in ("site.css", "iframe-worker.js"):
        add(name, (Path(__file__).parent / name).read_text())
    for path, page in PAGES.items():
        add(page, (ROOT / path).read_text())
    text, examples = examples_page()
    add("examples.md", text)
    sources = {path.relative_to(ROOT).as_posix() for path in examples}
    documents = [ROOT / path for path in PAGES] + list((ROOT / "docs").rglob("*.md"))
    for document in documents:
        path = document.relative_to(ROOT).as_posix()
        linked(outside_code(document.read_text(), lambda line: sources.update(
            target for match in LINK.finditer(re.sub(r"`[^`]*`", "", line))
            if (ROOT / (target := posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1])))).is_file()
            and not target.startswith("docs/") and target not in PAGES) or line), path)
    for path in sources:
        add(f"source/{path}.md", source_page(path))
    build = Path(config.site_dir).parent / "site-build"
    build.mkdir(parents=True, exist_ok=True)
    pages, found = reference_pages.write(reference.read(build))
    anchors.update(found)
    for page, text in pages.items():
        add(f"reference/{page}.md", text)
    add("reference/index.md", reference_pages.index(anchors))
    return files


def catalogue_links(markdown):
    """Operations at the heads of list items lead to the reference."""

    def link(match):
        name = re.match(r"[A-Za-z_]\w*", match[1])
        return f"[{match[0]}](../reference/{anchors[name[0]]})" if name and name[0] in anchors else match[0]

    lines = []
    for is_text, block in blocks(markdown.split("\n")):
        text = "\n".join(block)
        if is_text and ITEM.match(text):
            head = head_of(text)
            text = re.sub(r"`([^`]+)`", link, head) + text[len(head):]
        lines.append(text)
    return "\n".join(lines)


def on_page_markdown(markdown, page, config, files):
    path = {page: path for path, page in PAGES.items()}.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    if (ROOT / path).is_file():
        markdown = nested(linked(markdown, path))
    if path.startswith("docs/catalogue/"):
        markdown = catalogue_links(markdown)
    if page.file.src_uri.startswith(("source/", "reference/")):
        return markdown
    # In a table, `\|` is a bar for GitHub, and would show its backslash here.
    return outside_code(markdown, lambda line: re.sub(
        r"`[^`]+`", lambda match: match[0].replace("\\|", "|"), line) if line.startswith("|") else line)
