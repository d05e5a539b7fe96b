"""What a case reads, writes and computes, and what its results may differ by."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    name: str
    size: str
    dtype: str = "float64"
    read: int = 0  # bytes
    written: int = 0  # bytes
    flops: int = 0
    tolerance: float = 1e-12  # relative; of a sum, also of what is rounded on the way
    threads: bool = False  # measured with two threads as well
    peers_from: str = ""  # the case whose peers this one is compared with, if it is ours alone
    heading: str = ""
    limit_ns: float = 0  # what it is held to, where that does not come from the machine
    seconds: float = 0  # about, of a run that is long: the first round, which knows no times yet, repeats it less
    quick: bool = False  # of a quick run alone, which takes it rather than others of its name

    @property
    def key(self):
        return f"{self.name}/{self.size}/{self.dtype}"

    @property
    def peers_key(self):
        return f"{self.peers_from or self.name}/{self.size}/{self.dtype}"
