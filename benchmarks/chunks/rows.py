"""The files of the benchmark `chunks`, and its rows: what is computed of which, and what it has to keep to."""

from dataclasses import dataclass, field

MIB = 1 << 20
CODECS = ("blosc_zstd_bytes", "blosc_zstd_bits", "blosc_lz4_bytes", "blosc_lz4_bits", "gzip")


@dataclass(frozen=True)
class File:
    """An array in Zarr's format that bench_chunks makes, or what files.py makes itself."""
    dtype: str = ""
    shape: tuple = ()
    chunks: tuple = ()
    shards: tuple = ()
    codec: str = "zstd"


@dataclass(frozen=True)
class Row:
    """One line of the table. `reads`: how often each chunk of a file may be read, `writes`: of the result's."""
    name: str
    title: str
    case: str  # of bench_chunks and of peers.py
    reads: dict
    limit: int  # memory_limit, in bytes
    target: str
    most: float | None = None  # times decoding (and encoding) alone
    chunks: tuple = ()  # of a result that is stored
    writes: int = 0
    between: bool = False  # a store between may be written and read once
    seconds: float | None = None
    ahead_of: tuple = ()
    faster: tuple = ()  # (peer, times)
    peers: tuple = ("zarr", "dask", "tensorstore", "blosc2")
    more: tuple = field(default=())  # further files


def files_of(small):
    cube = (256, 256, 128) if small else (512, 512, 512)
    big = (512, 256, 256) if small else (2048, 512, 512)
    many = 10**6 if small else 10**7
    chunk = (64, 64, 64)
    planes = (1, *cube[1:])
    return {
        "x": File("float64", cube, chunk),
        "x_none": File("float64", cube, chunk, codec="none"),
        **{"x_" + codec: File("float64", cube, chunk, codec=codec) for codec in CODECS},
        "x_16": File("float64", cube, (16, 16, 16)),
        "x_sharded": File("float64", cube, (16, 16, 16), chunk),
        "y": File("float64", cube, planes),
        "big": File("float64", big, chunk),
        "big_planes": File("float64", big, (1, *big[1:])),
        "rows": File("float32", (many, 8), (10_000, 8)),
        "list.npy": File(),
        "x.h5": File(),
        "million": File(),
        "group": File(),
    }


def rows_of(small):
    size = "64 MiB" if small else "1 GiB"
    files = files_of(small)
    limit = 32 * MIB if small else 256 * MIB
    of_big = 32 * MIB if small else 512 * MIB
    long = (files["big"].shape[0], 16, 16)
    once = "each chunk once; ≤ 1.1"
    rows = [Row("sum", f"Σ(x−1)², {size}, zstd, 64³", "sum_of_squares", {"x": 1}, limit, once, 1.1)]
    rows += [Row(f"mean_{axis}", f"mean over axis {axis}", f"mean_{axis}", {"x": 1}, limit, once, 1.1)
             for axis in range(3)]
    rows += [Row(f"none/{name}", f"{title}, not compressed", case, {"x_none": 1}, limit, "≤ 1.3", 1.3)
             for name, title, case in (("sum", "Σ(x−1)²", "sum_of_squares"),
                                       *((f"mean_{axis}", f"mean over axis {axis}", f"mean_{axis}")
                                         for axis in range(3)))]
    rows += [Row(f"{codec}/sum", f"Σ(x−1)², {codec.replace('_', ' ')}", "sum_of_squares",
                 {"x_" + codec: 1}, limit, "≤ 1.1", 1.1) for codec in CODECS]
    rows += [
        Row("chunks_of_32_KiB/sum", "Σ(x−1)², chunks 16³", "sum_of_squares", {"x_16": 1}, limit, "≤ 1.5", 1.5),
        Row("sharded/sum", "Σ(x−1)², 64 chunks 16³ in a shard", "sum_of_squares", {"x_sharded": 1}, limit,
            "≤ 1.5", 1.5),
        Row("x_plus_y", "Σ(x+y), y in planes", "sum_of_both", {"x": 1, "y": 1}, limit, "each chunk once"),
        Row("standardise", "(z − mean(z, 0)) / standard_deviation(z, 0), stored", "standardise", {"x": 3}, limit,
            "three reads, one write; ≤ 1.15", 1.15, chunks=files["x"].chunks, writes=1),
        Row("transpose", f"transpose of {'256 MiB' if small else '4 GiB'}, 64³", "transpose", {"big": 1}, of_big,
            "one read; ahead of Dask", chunks=files["big"].chunks, writes=1, ahead_of=("dask",),
            peers=("zarr", "dask", "tensorstore")),
        Row("rechunk", "planes → " + " × ".join(map(str, long)), "rechunk", {"big_planes": 1}, of_big,
            "two reads, two writes; ahead of Dask", chunks=long, writes=1, between=True, ahead_of=("dask",),
            peers=("dask", "tensorstore")),
        Row("random_rows", f"{'10⁴ of 10⁶' if small else '10⁵ of 10⁷'} × 8 float32", "random_rows", {"rows": 1},
            limit, "each chunk once; ahead of all", ahead_of=("zarr", "dask", "tensorstore", "blosc2"),
            more=("list.npy",)),
        Row("hdf5/sum", "Σ(x−1)², HDF5, gzip and shuffle", "sum_of_squares", {"x.h5": 1}, limit,
            "≥ 1.7 × as fast as h5py", faster=("h5py", 1.7), peers=("h5py", "dask")),
        Row("open_array", "opening 10⁶ chunks", "open_array", {}, limit, "≤ 1 ms", seconds=1e-3, more=("million",),
            peers=("zarr", "dask", "tensorstore")),
        Row("open_group", "opening and listing a group of 1,000 arrays", "open_group", {}, limit, "≤ 20 ms",
            seconds=20e-3, more=("group",), peers=("zarr",)),
    ]
    return rows
