#!/usr/bin/env python3
"""Makes what pull requests to Conan Center and to vcpkg hold, for a release: conan-center/recipes/purview and vcpkg/ports/purview in --out.

    packaging/make.py --tarball FILE --url URL --homepage URL [--out build/packaging]

The tarball, whose single folder holds the checkout, will be at URL. scripts/conan.sh does this for a tarball of the checkout, exports the recipe
and fetches its sources; scripts/vcpkg.sh builds the port.
"""
import argparse
import hashlib
import json
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# What differs in Conan Center's recipe: what a checkout's recipe has, once, and what stands there instead.
CHECKOUT = re.compile(r"    # \[checkout\].*?    # \[/checkout\]\n", re.DOTALL)
SOURCE = '''    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)
'''
# Conan Center wants versions where our recipe has ranges of them; these it had in August 2026.
PINNED = {
    "boost": "1.90.0", "fmt": "12.1.0", "libdivide": "5.1", "highway": "1.3.0", "sleef": "3.9.0", "onetbb": "2023.1.0", "roaring": "4.2.1",
    "libzip": "1.11.4", "libspng": "0.7.4", "fast_float": "8.2.10", "openblas": "0.3.30", "catch2": "3.15.3",
    "range-v3": "0.12.0", "eigen": "3.4.1", "cli11": "2.6.2", "xbyak": "7.21", "c-blosc": "1.21.5", "libdeflate": "1.25", "zstd": "1.5.7",
    "lz4": "1.9.4", "flatbuffers": "24.3.25", "jsoncpp": "1.9.6", "hdf5": "1.14.6", "arrow": "22.0.0", "openmpi": "4.1.6",
}
REQUIREMENT = re.compile(r'requires\("([\w-]+)/\[([^\]]*)\]"')
REPLACED = [(re.compile(r"^import re\n"), ""), (re.compile("copy, load, rmdir"), "copy, get, rmdir"), (CHECKOUT, SOURCE)]


def pinned(requirement):
    name, versions = requirement.groups()
    if name == "cmake":  # the one that Center has as a range itself
        return requirement[0]
    version = PINNED[name]
    for bound in versions.split():
        operator, limit = re.match(r"(>=|<)([\d.]+)$", bound).groups()
        number, limit = ([int(part) for part in text.split(".")] for text in (version, limit))
        if (number >= limit) != (operator == ">="):
            raise SystemExit(f"make.py: {name}/{version} is not in [{versions}]")
    return f'requires("{name}/{version}"'


def conan_center_recipe(text, homepage):
    header = '    url = "https://github.com/conan-io/conan-center-index"\n' f'    homepage = "{homepage}"\n'
    for pattern, new in [*REPLACED, (re.compile("(?=    license = )"), header)]:
        text, found = pattern.subn(lambda _: new, text)
        if found != 1:
            raise SystemExit(f"make.py: conanfile.py has {found} places, not one, that match {pattern.pattern!r}")
    return REQUIREMENT.sub(pinned, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tarball", type=Path, required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--homepage", required=True)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "packaging")
    given = parser.parse_args()
    for url in (given.url, given.homepage):
        if not re.match(r"(https?|file)://", url):
            parser.error(f"no URL: {url!r}")

    version = re.search(r"project\(purview\s+VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    tarball = given.tarball.read_bytes()
    package = given.out / "conan-center" / "recipes" / "purview"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(ROOT / "test_package", package / "all" / "test_package",
                    ignore=shutil.ignore_patterns("build", "CMakeUserPresets.json", "__pycache__"))
    recipe = conan_center_recipe((ROOT / "conanfile.py").read_text(), given.homepage)
    (package / "all" / "conanfile.py").write_text(recipe)
    (package / "all" / "conandata.yml").write_text(
        f'sources:\n  "{version}":\n    url: "{given.url}"\n    sha256: "{hashlib.sha256(tarball).hexdigest()}"\n')
    (package / "config.yml").write_text(f'versions:\n  "{version}":\n    folder: all\n')

    port = given.out / "vcpkg" / "ports" / "purview"
    shutil.rmtree(port, ignore_errors=True)
    port.mkdir(parents=True)
    values = {"VERSION": version, "URL": given.url, "HOMEPAGE": given.homepage, "SHA512": hashlib.sha512(tarball).hexdigest()}
    for name in ("portfile.cmake", "vcpkg.json"):
        text = (ROOT / "packaging" / "vcpkg" / name).read_text()
        (port / name).write_text(re.sub("@([A-Z0-9]+)@", lambda match: values[match[1]], text))
    json.loads((port / "vcpkg.json").read_text())
    print(f"{package} and {port}: purview {version}")


if __name__ == "__main__":
    main()
