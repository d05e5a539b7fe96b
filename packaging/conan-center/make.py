#!/usr/bin/env python3
"""Makes what a pull request to Conan Center holds: recipes/purview, from conanfile.py and test_package.

    packaging/conan-center/make.py --url URL --sha256 SUM --homepage URL [--out build/conan-center]

URL and SUM are those of the release's tarball, whose single folder holds the checkout. scripts/conan.sh does this for a tarball of the
checkout, exports the recipe and fetches its sources.
"""
import argparse
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# What differs in Conan Center's recipe: what a checkout's recipe has, once, and what stands there instead.
CHECKOUT = re.compile(r"    # \[checkout\].*?    # \[/checkout\]\n", re.DOTALL)
SOURCE = '''    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)
'''
REPLACED = [(re.compile(r"^import re\n"), ""), (re.compile("copy, load, rmdir"), "copy, get, rmdir"), (CHECKOUT, SOURCE)]


def conan_center_recipe(text, homepage):
    header = '    url = "https://github.com/conan-io/conan-center-index"\n' f'    homepage = "{homepage}"\n'
    for pattern, new in [*REPLACED, (re.compile("(?=    license = )"), header)]:
        text, found = pattern.subn(lambda _: new, text)
        if found != 1:
            raise SystemExit(f"make.py: conanfile.py has {found} places, not one, that match {pattern.pattern!r}")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--sha256", required=True)
    parser.add_argument("--homepage", required=True)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "conan-center")
    given = parser.parse_args()
    if not re.fullmatch("[0-9a-f]{64}", given.sha256):
        parser.error(f"--sha256 is no SHA-256 sum: {given.sha256!r}")
    for url in (given.url, given.homepage):
        if not re.match(r"(https?|file)://", url):
            parser.error(f"no URL: {url!r}")

    version = re.search(r"project\(purview\s+VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    package = given.out / "recipes" / "purview"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(ROOT / "test_package", package / "all" / "test_package",
                    ignore=shutil.ignore_patterns("build", "CMakeUserPresets.json", "__pycache__"))
    recipe = conan_center_recipe((ROOT / "conanfile.py").read_text(), given.homepage)
    (package / "all" / "conanfile.py").write_text(recipe)
    (package / "all" / "conandata.yml").write_text(
        f'sources:\n  "{version}":\n    url: "{given.url}"\n    sha256: "{given.sha256}"\n')
    (package / "config.yml").write_text(f'versions:\n  "{version}":\n    folder: all\n')
    print(f"{package}: purview/{version}")


if __name__ == "__main__":
    main()
