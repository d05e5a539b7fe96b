"""What the machine allows: bandwidth by level of the memory, and floating-point operations by BLAS."""

from pathlib import Path

from driver.contenders import ALL, Contender, Failure

# Bytes of the working sets, and passes over them in a run: limits/limits.cpp has the same numbers.
LEVELS = {"L1": 24 << 10, "L2": 512 << 10, "L3": 8 << 20, "DRAM": 256 << 20}
ROUNDS = {level: max(1, (64 << 20) // size) for level, size in LEVELS.items()}
OPERATIONS = ("read", "copy", "copy_streaming", "fill", "triad")


def cache_sizes():
    """Bytes of L1, L2 and L3 of the first processor, as far as the system tells."""
    sizes = {}
    for index in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        level = (index / "level").read_text().strip()
        if (index / "type").read_text().strip() != "Instruction":
            text = (index / "size").read_text().strip()
            unit = {"K": 1 << 10, "M": 1 << 20}[text[-1]]
            sizes["L" + level] = int(text[:-1]) * unit
    return sizes or {"L1": 32 << 10, "L2": 1 << 20, "L3": 32 << 20}


class Limits:
    def __init__(self, program, contenders, seconds, by_processor_time=False):
        self.caches = cache_sizes()
        self.bandwidth = {}  # (operation, level, threads): bytes per ns, read and written
        self.flops = {}  # threads: per ns
        probe = Contender("limits", [str(program)], ALL, by_processor_time)
        for threads in (1, 2):
            for level in LEVELS:
                for operation in OPERATIONS:
                    key = f"{operation}/{level}/float64"
                    ns, _ = probe.measure(key, seconds, threads=threads)
                    self.bandwidth[operation, level, threads] = self._moved(operation, level) / ns
            times = []
            for name in ("openblas", "openblas_best"):
                if name in contenders:
                    try:
                        ns, _ = contenders[name].measure("matmul/2048/float64", max(seconds, 0.5),
                                                         100e6, threads)
                        times.append(ns)
                    except Failure:
                        pass
            if times:
                self.flops[threads] = 2 * 2048**3 / min(times)

    @staticmethod
    def _moved(operation, level):
        """Bytes read and written by a run of limits/limits.cpp."""
        arrays = {"read": 1, "fill": 1, "copy": 2, "copy_streaming": 2, "triad": 3}[operation]
        count = LEVELS[level] // 8 // arrays // 256 * 256
        return count * 8 * arrays * ROUNDS[level]

    def level(self, size, threads):
        """Where a working set fits; each thread brings an L1 and an L2 of its own."""
        for level, caches in (("L1", threads), ("L2", threads), ("L3", 1)):
            if size <= caches * self.caches.get(level, 0):
                return level
        return "DRAM"

    def best(self, operations, level, threads):
        return max(self.bandwidth[operation, level, threads] for operation in operations)

    def of(self, case, threads):
        """The least ns that memory and arithmetic leave a case, or what it is held to; None where nothing says anything."""
        if case.limit_ns:
            return case.limit_ns
        if case.read + case.written == 0:
            return None
        level = self.level(case.read + case.written, threads)
        paired = min(case.read, case.written)
        ns = 2 * paired / self.best(("copy", "copy_streaming", "triad"), level, threads)
        ns += (case.read - paired) / self.bandwidth["read", level, threads]
        ns += (case.written - paired) / self.bandwidth["fill", level, threads]
        if case.flops and threads in self.flops:
            ns = max(ns, case.flops / self.flops[threads])
        return ns

    def table(self):
        """Rows for the report: operation, then GB/s per level and number of threads."""
        for operation in OPERATIONS:
            yield operation, [[self.bandwidth[operation, level, threads] for level in LEVELS]
                              for threads in (1, 2)]
