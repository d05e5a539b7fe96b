"""A case is a dict: the name, the target, and for each contender a function, or a text that is evaluated with the names of the case, which
costs no call. Results are compared before they are timed; contenders take turns A B C …, A B C …, and the least time of each counts."""

import time
import timeit
from concurrent.futures import ThreadPoolExecutor

import numpy as np

OURS = "purview"
ROUNDS, SECONDS = 9, 0.02
PAUSE = 0.005  # before each turn, until the threads of the one before sleep
SLOW = 3  # seconds after which a contender is not repeated
PEERS = "numpy numexpr torch jax bottleneck pandas scipy".split()


def peer(name):
    """The module of a peer, or None where it is not installed. Torch and numexpr have as many threads as `set_threads` says."""
    try:
        module = __import__(name)
        if name == "jax":
            module.config.update("jax_enable_x64", True)
        return module
    except ImportError:
        return None


def case(name, target, *, names=None, size=0, dtype="float64", tolerance=1e-9, against=PEERS, most=1.0, moved=0, check=np.asarray, **codes):
    """`against`: whose times the target is about, which ours have to be at most `most` times of (or ns, where nobody is named).
    `moved`: the bytes that have to be read and written at least. Of each code the contender's name; None is left out."""
    return {
        "case": name,
        "target": target,
        "size": size,
        "dtype": dtype,
        "tolerance": tolerance,
        "against": list(against),
        "most": most,
        "moved": moved,
        "check": check,
        "names": names or {},
        "codes": {who: code for who, code in codes.items() if code is not None},
    }


def arrays(result, check):
    if isinstance(result, tuple | list):
        return [each for part in result for each in arrays(part, check)]
    if type(result).__module__ == "torch":  # older than NumPy 2, it has this way alone
        result = np.from_dlpack(result)
    return [np.asarray(check(result))]


def agree(a, b, tolerance):
    return len(a) == len(b) and all(
        x.shape == y.shape and np.allclose(np.asarray(x, y.dtype), y, rtol=tolerance, atol=tolerance, equal_nan=True) for x, y in zip(a, b)
    )


def measure(given, say, rounds=ROUNDS):
    """A row: the case, with `ns` of each contender, and who has another result than the first peer."""
    timers, times, wrong, reference = {}, {}, [], None
    for who in sorted(given["codes"], key=lambda who: (who == OURS, [*PEERS, OURS, who].index(who))):
        code = given["codes"][who]
        timers[who] = timeit.Timer(code, globals=given["names"])
        try:
            result = arrays(eval(code, given["names"]) if isinstance(code, str) else code(), given["check"])
        except Exception as error:  # of a peer's version that cannot do it, too
            wrong.append(f"{who}: {type(error).__name__}: {error}")
            del timers[who]
            continue
        if reference is not None and not agree(result, reference, given["tolerance"]):
            wrong.append(f"{who} has another result")
            del timers[who]
        reference = result if reference is None else reference
        del result
    counts, slow = {}, set()
    for turn in range(rounds):
        for who, timer in timers.items():
            if who in slow:
                continue
            if who not in counts:
                once = timer.timeit(1)
                counts[who] = max(1, min(100_000, int(SECONDS / max(once, 1e-8))))
                if once < SECONDS:  # the first call is dear
                    counts[who] = max(1, int(SECONDS / max(timer.timeit(counts[who]) / counts[who], 1e-9)))
            time.sleep(PAUSE)
            seconds = timer.timeit(counts[who])
            times[who] = min(seconds / counts[who] * 1e9, times.get(who, float("inf")))
            if seconds > SLOW:
                slow.add(who)
    row = {key: given[key] for key in "case target size dtype against most moved".split()} | {"ns": times, "wrong": wrong}
    say(row)
    return row


def best(row, among=None):
    """(who, ns) of the fastest peer, or None."""
    of = {who: ns for who, ns in row["ns"].items() if who != OURS and (among is None or who in among)}
    return min(of.items(), key=lambda item: item[1], default=None)


def met(row):
    """Whether the target is; None where there is nothing to compare."""
    ours = row["ns"].get(OURS)
    if ours is None or "met" in row:
        return row.get("met")
    if not row["against"]:
        return ours <= row["most"]
    fastest = best(row, row["against"])
    return None if fastest is None else ours <= row["most"] * fastest[1]


def bandwidth(threads):
    """GB/s of a copy between 80 MB and 80 MB: by NumPy, by threads that take a part each, or by ours, whichever is faster."""
    import purview as pv

    a = np.random.default_rng(0).random(10_000_000)
    parts = list(zip(np.array_split(a, threads), np.array_split(np.zeros_like(a), threads)))
    ours = [(pv.asarray(source), pv.asarray(to)) for source, to in parts]

    def copy(part):
        np.copyto(part[1], part[0])

    def assign(part):
        part[1][...] = part[0]

    least = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(9):
            for how, given in ((copy, parts), (assign, ours)):
                start = time.perf_counter()
                list(pool.map(how, given))
                least = min(least, time.perf_counter() - start)
    return 2 * a.nbytes / least / 1e9
