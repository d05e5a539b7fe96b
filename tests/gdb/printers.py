#!/usr/bin/env python3
"""Runs looked_at.cpp under gdb, and compares what its variables are printed as.

    tests/gdb/printers.py GDB PRINTERS PROGRAM
"""

import subprocess
import sys

EXPECTED = {
    "matrix": "float64 [2 3] [[1.5 2.5 3.5] [4.5 5.5 6.5]]",
    "turned": "float64 [3 2] [[1.5 4.5] [2.5 5.5] [3.5 6.5]]",
    "backwards": "int32 [4] [4 3 2 1]",
    "any": "uint8 [2] [7 255]",
    "bools": "bool [2] [true false]",
    "scalar": "float64 [] 2.25",
    "none": "float64 [0 3] []",
    "words": 'string [2] ["one" "two"]',
    "sum": "float64 [2 3] computed: add",
    "rotated": "float64 [2 3] in memory, through lists, rotations or views of views",
    "dims": "shape=[2 3] offsets=[0 0] max_shape=[2 3] strides=[3 1] base=0",
    "strided": "shape=[4 5] offsets=[0 0] max_shape=[4 5] strides=[-5 1] base=20",
    "i": "i=2",
    "bound": "float64 [i=2 j=3] [[1.5 2.5 3.5] [4.5 5.5 6.5]]",
    "sparse": "size 1000, 2 stored, fill 0.0: {3: 0.5, 70: 1.5}",
    "several": "std::vector of length 2, capacity 2 = {float64 [2 3] [[1.5 2.5 3.5] [4.5 5.5 6.5]], float64 [] 2.25}",
    "large": "float64 [30 40] [" + " ".join(["[" + " ".join(["0.0"] * 40) + "]"] * 5) + " ...]",
}


def printed(gdb, printers, program):
    commands = ["set confirm off", "set width 0", f"source {printers}", "break stop_here", "run", "up"]
    for name in EXPECTED:
        commands += [f"echo @{name}:", f"output {name}", r"echo \n"]
    command = [gdb, "-nx", "-batch"]
    for one in commands:
        command += ["-ex", one]
    run = subprocess.run(command + [program], capture_output=True, text=True, timeout=120)
    return run.stdout, run.stderr


def main():
    out, errors = printed(*sys.argv[1:])
    found = dict(line[1:].split(":", 1) for line in out.splitlines() if line.startswith("@"))
    if not found or "ptrace" in errors:
        print("gdb cannot run programs here:\n" + out + errors)
        return 77
    failed = 0
    for name, expected in EXPECTED.items():
        if found.get(name) != expected:
            failed += 1
            print(f"{name}\n  printed:  {found.get(name)}\n  expected: {expected}")
    if failed:
        print(errors)
    return 1 if failed else 0


sys.exit(main())
