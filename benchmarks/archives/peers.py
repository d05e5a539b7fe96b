"""One peer at one case, in a process of its own: peers.py PEER '{"case", "path", "size", "limit", "rounds"}'.

Prints {"seconds", "processor", "above"}: the least time of so many rounds, one if that takes more than 2 s. Results have to be
what the formulas say that bench_archives made the files by."""

import json
import os
import resource
import sys
import time

os.environ |= {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "POLARS_MAX_THREADS": "2"}

import numpy  # noqa: E402

CYCLE, TIMES, ROWS, COLUMNS = 2**20, 10, 32, 32  # numbers.hpp
FLOATS, INTEGERS = "float_4", "int_5"


def scattered(place, bits, stream):
    x = (place + 7919 * stream) & (2**bits - 1)
    for odd in (0x9e3779b1, 0x85ebca6b, 0xc2b2ae35):
        x = (x * odd) & (2**bits - 1)
        x ^= x >> (bits // 2)
    return x


def field(times):
    t, i, j = numpy.ogrid[:times, :ROWS, :COLUMNS]
    return (16 * i + 4 * j + scattered((t + 37 * i + 101 * j) & 1023, 10, 1)) / 64


def check_near(found, expected, tolerance):
    if not numpy.allclose(found, expected, rtol=tolerance, atol=0):
        raise ValueError(f"wrong: {found}, not {expected}")


class Peer:
    def __init__(self, work):
        self.path, self.size, self.limit = work["path"], work["size"], work["limit"]

    def checked_sum(self, found, scale=1 / 1024, tolerance=1e-12):
        """`found` the sum of 2^20 rows, so many times, of numbers below 2^20."""
        return lambda: check_near(found, self.size * (CYCLE // 2 * (CYCLE - 1)) * scale, tolerance)


class Xarray(Peer):
    """The fewest comparisons of files that it offers, which all say the same here; arrays are Dask's, a chunk for each file."""
    engine, parallel = "netcdf4", False

    def __init__(self, work):
        super().__init__(work)
        import dask
        import xarray
        dask.config.set(scheduler="threads", num_workers=2)
        self.xarray = xarray
        self.paths = [f"{self.path}/t2m_{number:05}.nc" for number in range(self.size)]
        self.archive = self.opened() if work["case"] == "mean_over_time" else None

    def opened(self):
        return self.xarray.open_mfdataset(self.paths, engine=self.engine, combine="nested", concat_dim="time",
                                          data_vars="minimal", coords="minimal", compat="override", join="override",
                                          parallel=self.parallel)["t2m"]

    def open_many(self):
        found = self.opened()
        return lambda: check_near(found.shape, (TIMES * self.size, ROWS, COLUMNS), 0)

    def mean_over_time(self):
        found = self.archive.mean("time").to_numpy()
        return lambda: check_near(found, field(TIMES * self.size).mean(axis=0), 1e-5)


class H5netcdf(Xarray):
    engine = "h5netcdf"


class Parallel(H5netcdf):
    parallel = True


class Pyarrow(Peer):
    def __init__(self, work):
        super().__init__(work)
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
        self.pyarrow = pyarrow
        pyarrow.set_cpu_count(2)
        pyarrow.set_io_thread_count(2)

    def mapped(self):
        return self.pyarrow.ipc.open_file(self.pyarrow.memory_map(self.path)).read_all()

    def arrow_open(self):
        found = self.mapped()
        return lambda: check_near(found.num_rows, self.size * CYCLE, 0)

    def arrow_sum(self):
        return self.checked_sum(self.pyarrow.compute.sum(self.mapped()[FLOATS]).as_py())

    def parquet_open(self):
        found = self.pyarrow.parquet.ParquetFile(self.path)
        return lambda: check_near(found.metadata.num_rows, self.size * CYCLE, 0)

    def of_parquet(self, column):
        return self.pyarrow.compute.sum(self.pyarrow.parquet.read_table(self.path, columns=[column])[column]).as_py()

    def parquet_sum(self):
        return self.checked_sum(self.of_parquet(FLOATS))

    def parquet_sum_of_integers(self):
        return self.checked_sum(self.of_parquet(INTEGERS), 1)


class Polars(Peer):
    def __init__(self, work):
        super().__init__(work)
        import polars
        self.polars = polars

    def arrow_open(self):
        found = self.polars.read_ipc(self.path)
        return lambda: check_near(found.height, self.size * CYCLE, 0)

    def of(self, table, column):
        return table.select(self.polars.col(column).sum()).collect(engine="streaming").item()

    def arrow_sum(self):
        return self.checked_sum(self.of(self.polars.scan_ipc(self.path), FLOATS))

    def parquet_sum(self):
        return self.checked_sum(self.of(self.polars.scan_parquet(self.path), FLOATS))

    def parquet_sum_of_integers(self):
        return self.checked_sum(self.of(self.polars.scan_parquet(self.path), INTEGERS), 1)


class Duckdb(Peer):
    def __init__(self, work):
        super().__init__(work)
        import duckdb
        self.connection = duckdb.connect()
        self.connection.execute(f"set memory_limit = '{self.limit}B'; set threads = 2")

    def of_parquet(self, column):
        return float(self.connection.execute(f"select sum({column}) from read_parquet('{self.path}')").fetchone()[0])

    def parquet_sum(self):
        return self.checked_sum(self.of_parquet(FLOATS))

    def parquet_sum_of_integers(self):
        return self.checked_sum(self.of_parquet(INTEGERS), 1)


class Safetensors(Peer):
    def __init__(self, work):
        super().__init__(work)
        import safetensors
        self.safetensors = safetensors

    def safetensors_sum(self):
        with self.safetensors.safe_open(self.path, framework="np") as model:
            return self.checked_sum(model.get_tensor("layer.7.weight").sum(), 1 / CYCLE, 1e-5)


PEERS = {"netcdf4": Xarray, "h5netcdf": H5netcdf, "parallel": Parallel, "pyarrow": Pyarrow, "polars": Polars,
         "duckdb": Duckdb, "safetensors": Safetensors}


def resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def measure(peer, case, rounds):
    at_start, measured = resident(), {"seconds": float("inf"), "processor": float("inf")}
    for _ in range(rounds):
        begin, before = time.perf_counter(), time.process_time()
        check = getattr(peer, case)()
        measured["seconds"] = min(measured["seconds"], time.perf_counter() - begin)
        measured["processor"] = min(measured["processor"], time.process_time() - before)
        if measured["seconds"] > 2:
            break
    measured["above"] = resident() - at_start
    check()
    return measured


def main():
    work = json.loads(sys.argv[2])
    try:
        print(json.dumps(measure(PEERS[sys.argv[1]](work), work["case"], work["rounds"])))
    except Exception as failure:  # whatever a peer throws, it has no time
        print(json.dumps({"failure": f"{type(failure).__name__}: {failure}"[:300]}))


if __name__ == "__main__":
    main()
