"""Programs that are measured one by one, and print what they have measured."""

import json
import resource
import subprocess

MOST_MEMORY = 14 << 30  # of a peer's addresses


def answer(command, patience=None, limits=None):
    """The object of JSON that a program prints last; {"failure"} if it fails."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=patience,
                              check=False, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return {"failure": f"not done in {patience:.0f} s"}
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return {"failure": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:300]}
    return json.loads(lines[-1])


def bound_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
