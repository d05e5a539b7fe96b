"""The units of the kernels are compiled by the same command in every preset, so that ccache has them when a second preset is built, and
without a warning, which is an error in no preset, as that would be another flag.

    kernel_flags.py SOURCE BUILD COMPILER PRESET,…

SOURCE is the project, BUILD a folder where it was configured, and PRESET others that use COMPILER."""

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# What a unit of the kernels does not depend on, and takes its time to be looked for.
LEFT_OUT = ["TESTS", "EXAMPLES", "BENCHMARKS", "FUZZERS"]
COMPONENTS = ["SPARSE", "FFT", "IMAGE", "CSV", "ZARR", "HDF5", "GPU", "MPI", "INSTALL"]


def commands(build):
    """Arguments by unit."""
    units = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        if file.parts[-3:-1] == ("kernels", "targets"):
            units[file.stem] = shlex.split(entry["command"])
    return units


def without_launcher(command, compiler):
    return command[command.index(compiler):] if compiler in command else command


def difference(ours, theirs, compiler):
    """What only one of two commands has; empty if they are the same, in the same order."""
    ours, theirs = without_launcher(ours, compiler), without_launcher(theirs, compiler)
    if ours == theirs:
        return ""
    only = sorted(set(ours) ^ set(theirs))
    return " ".join(only) if only else "another order of the same arguments"


def differing(source, build, compiler, presets):
    ours = commands(build)
    assert ours, f"{build} has no unit of the kernels"
    failures = []
    for preset in presets:
        with tempfile.TemporaryDirectory(dir=build) as folder:
            done = subprocess.run(
                ["cmake", "--preset", preset, "-B", folder, f"-DCMAKE_CXX_COMPILER={compiler}",
                 *(f"-DPURVIEW_BUILD_{each}=OFF" for each in LEFT_OUT), *(f"-DPURVIEW_{each}=OFF" for each in COMPONENTS)],
                cwd=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                failures.append(f"{preset} cannot be configured:\n{done.stdout}")
                continue
            theirs = commands(Path(folder))
        both = sorted(ours.keys() & theirs.keys())
        if not both:
            failures.append(f"{preset} has none of the units {sorted(ours)}")
        for unit in both:
            only = difference(ours[unit], theirs[unit], compiler)
            if only:
                failures.append(f"{unit} is compiled otherwise in {preset}: {only}")
    return failures


def warned(build):
    failures = []
    for unit, command in sorted(commands(build).items()):
        at = command.index("-o")
        checked = [*command[:at], *command[at + 2:], "-fsyntax-only", "-Werror"]
        done = subprocess.run(checked, cwd=build, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            failures.append(f"{unit} has warnings:\n{done.stderr}")
    return failures


def main():
    source, build, compiler, presets = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4].split(",")
    failures = differing(source, build, compiler, presets) + warned(build)
    print("\n".join(failures) or "the kernels are compiled alike, and without warnings")
    sys.exit(1 if failures else 0)


main()
