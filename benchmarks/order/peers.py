"""One peer at one case, in a process of its own: peers.py PEER '{"case", "paths", "limit", "temporary", "probe"}'.

DuckDB and Polars read Parquet files, and write what is no single number to one; Dask and NumPy read Zarr. Prints
{"seconds", "processor", "above"}, and writes what its result is probed with, which no time is taken of."""

import json
import os
import resource
import sys
import time

os.environ |= {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "POLARS_MAX_THREADS": "2"}

import numpy  # noqa: E402

QUANTILES = [.05, .25, .75, .95, .99]


def some(values):
    return numpy.asarray([values[i * (len(values) - 1) // 999] for i in range(1000)], dtype="float64")


def of_column(path):
    """1000 elements of the only column of a Parquet file."""
    import pyarrow.parquet
    file = pyarrow.parquet.ParquetFile(path)
    count, wanted, begin, found = file.metadata.num_rows, 0, 0, []
    for group in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        column = None
        while wanted < 1000 and wanted * (count - 1) // 999 < begin + rows:
            if column is None:
                column = file.read_row_group(group).column(0).to_numpy()
            found.append(column[wanted * (count - 1) // 999 - begin])
            wanted += 1
        begin += rows
    return numpy.asarray(found, dtype="float64")


class Duckdb:
    def __init__(self, work):
        import duckdb
        self.work = work
        self.file = str(work.temporary / "duckdb.parquet")
        self.connection = duckdb.connect()
        self.connection.execute(f"set memory_limit = '{work.limit}B'; set threads = 2; "
                                f"set temp_directory = '{work.temporary}'; set preserve_insertion_order = false")

    def table(self, i):
        return f"read_parquet('{self.work.paths[i]}.parquet', file_row_number = true)"

    def row(self, query):
        found = self.connection.execute(query).fetchone()
        return lambda: numpy.asarray(found[0] if isinstance(found[0], list) else found, dtype="float64")

    def written(self, query):
        self.connection.execute(f"copy ({query}) to '{self.file}' (format parquet, compression uncompressed)")
        return lambda: of_column(self.file)

    def sort(self):
        return self.written(f"select v from {self.table(0)} order by v")

    def argsort(self):
        return self.written(f"select file_row_number from {self.table(0)} order by v, file_row_number")

    def median(self):
        return self.row(f"select quantile_cont(v, .5) from {self.table(0)}")

    def quantiles(self):
        return self.row(f"select quantile_cont(v, {QUANTILES}) from {self.table(0)}")

    def groups(self):
        table = (f"read_parquet('{self.work.paths[0]}.parquet') as k positional join "
                 f"read_parquet('{self.work.paths[1]}.parquet') as v")
        self.connection.execute(f"copy (select k.v, sum(v.v) as s, avg(v.v) as a, max(v.v) as m from {table} "
                                f"group by k.v) to '{self.file}' (format parquet, compression uncompressed)")
        return self.row_later(f"select count(*), sum(s), sum(a), sum(m) from '{self.file}'")

    def row_later(self, query):
        return lambda: self.row(query)()

    def join(self):
        return self.joined(f"{self.table(0)} as l join {self.table(1)} as r on l.v = r.v")

    def join_by_two(self):
        left = (f"(select a.v as a, b.v as b, a.file_row_number from {self.table(0)} as a positional join "
                f"{self.table(1)} as b) as l")
        right = (f"(select a.v as a, b.v as b, a.file_row_number from {self.table(2)} as a positional join "
                 f"{self.table(3)} as b) as r")
        return self.joined(f"{left} join {right} on l.a = r.a and l.b = r.b")

    def joined(self, of):
        self.connection.execute(f"copy (select l.file_row_number as l, r.file_row_number as r from {of}) "
                                f"to '{self.file}' (format parquet, compression uncompressed)")
        return self.row_later(f"select count(*), sum(l), sum(r) from '{self.file}'")

    def cumsum(self):
        return self.written(f"select sum(v) over (order by file_row_number rows unbounded preceding) from "
                            f"{self.table(0)}")

    def rolling_mean(self):
        return self.written(f"select avg(v) over (order by file_row_number rows between 50 preceding and 50 following)"
                            f" from {self.table(0)}")


class Polars:
    def __init__(self, work):
        import polars
        self.polars = polars
        self.work = work
        self.file = str(work.temporary / "polars.parquet")

    def table(self, i, name="v", row=None):
        table = self.polars.scan_parquet(f"{self.work.paths[i]}.parquet", row_index_name=row)
        return table.rename({"v": name})

    def written(self, table):
        table.sink_parquet(self.file, compression="uncompressed")
        return lambda: of_column(self.file)

    def row(self, table):
        found = table.collect(engine="streaming").row(0)
        return lambda: numpy.asarray(found, dtype="float64")

    def sort(self):
        return self.written(self.table(0).sort("v"))

    def argsort(self):
        return self.written(self.table(0, row="row").sort("v", maintain_order=True).select("row"))

    def median(self):
        return self.row(self.table(0).select(self.polars.col("v").median()))

    def quantiles(self):
        value = self.polars.col("v")
        return self.row(self.table(0).select(value.quantile(q, "linear").alias(str(q)) for q in QUANTILES))

    def groups(self):
        col = self.polars.col
        table = self.polars.concat([self.table(0, "k"), self.table(1)], how="horizontal")
        table = table.group_by("k").agg(col("v").sum().alias("s"), col("v").mean().alias("a"), col("v").max().alias("m"))
        table.sink_parquet(self.file, compression="uncompressed")
        return lambda: self.row(self.polars.scan_parquet(self.file).select(
            self.polars.len(), col("s").sum(), col("a").sum(), col("m").sum()))()

    def join(self):
        return self.joined(self.table(0, "a", "l"), self.table(1, "a", "r"), ["a"])

    def join_by_two(self):
        left = self.polars.concat([self.table(0, "a", "l"), self.table(1, "b")], how="horizontal")
        right = self.polars.concat([self.table(2, "a", "r"), self.table(3, "b")], how="horizontal")
        return self.joined(left, right, ["a", "b"])

    def joined(self, left, right, by):
        col = self.polars.col
        left.join(right, on=by).select("l", "r").sink_parquet(self.file, compression="uncompressed")
        return lambda: self.row(self.polars.scan_parquet(self.file).select(
            self.polars.len(), col("l").cast(self.polars.Int64).sum(), col("r").cast(self.polars.Int64).sum()))()

    def cumsum(self):
        return self.written(self.table(0).select(self.polars.col("v").cum_sum()))

    def rolling_mean(self):
        return self.written(self.table(0).select(self.polars.col("v").rolling_mean(101, center=True)))


class Dask:
    def __init__(self, work):
        import dask
        import dask.array
        self.array = dask.array
        self.work = work
        dask.config.set(scheduler="threads", num_workers=2)

    def x(self, i=0):
        return self.array.from_zarr(self.work.paths[i])

    def stored(self, x):
        import zarr
        path = str(self.work.temporary / "dask.zarr")
        x.to_zarr(path, overwrite=True)
        return lambda: some(zarr.open_array(path, mode="r")[:].reshape(-1))

    def cumsum(self):
        return self.stored(self.x().cumsum(axis=0))

    def rolling_mean(self):
        import bottleneck
        x = self.x()
        return self.stored(x.map_overlap(lambda part: numpy.roll(bottleneck.move_mean(part, 101), -50), depth=50,
                                         boundary="reflect", dtype=x.dtype))

    def median_of_stack(self):
        found = self.array.median(self.x(), axis=0).compute()
        return lambda: some(found.reshape(-1))

    def matmul(self):
        found = (self.x(0) @ self.x(1)).compute()
        return lambda: some(found.reshape(-1))


class Xarray(Dask):
    """What xarray does by itself over Dask's arrays."""

    def __init__(self, work):
        super().__init__(work)
        import xarray
        self.xarray = xarray

    def median_of_stack(self):
        found = self.xarray.DataArray(self.x(), dims=("time", "y", "x")).chunk(time=-1).median("time").compute()
        return lambda: some(found.values.reshape(-1))


class Numpy:
    """In memory, which nothing limits: what is right."""

    def __init__(self, work):
        self.work = work

    def x(self, i=0):
        import zarr
        return zarr.open_array(self.work.paths[i], mode="r")[...]

    def sort(self):
        found = numpy.sort(self.x())
        return lambda: some(found)

    def argsort(self):
        found = numpy.argsort(self.x(), kind="stable")
        return lambda: some(found)

    def median(self):
        found = numpy.median(self.x())
        return lambda: numpy.asarray([found])

    def quantiles(self):
        found = numpy.quantile(self.x(), QUANTILES)
        return lambda: found

    def median_of_stack(self):
        found = numpy.median(self.x(), axis=0)
        return lambda: some(found.reshape(-1))

    def cumsum(self):
        found = numpy.cumsum(self.x())
        return lambda: some(found)

    def rolling_mean(self):
        import bottleneck
        found = bottleneck.move_mean(numpy.pad(self.x(), 50, mode="edge"), 101)[100:]
        return lambda: some(found)

    def matmul(self):
        found = self.x(0) @ self.x(1)
        return lambda: some(found.reshape(-1))


PEERS = {"duckdb": Duckdb, "polars": Polars, "dask": Dask, "xarray": Xarray, "numpy": Numpy}


class Work:
    def __init__(self, case, paths, limit, temporary, probe):
        from pathlib import Path
        self.case, self.paths, self.limit, self.temporary, self.probe = case, paths, limit, Path(temporary), probe


def resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def main():
    work = Work(**json.loads(sys.argv[2]))
    try:
        peer = PEERS[sys.argv[1]](work)
        at_start, begin, before = resident(), time.monotonic(), time.process_time()
        probe = getattr(peer, work.case)()
        os.sync()
        measured = {"seconds": time.monotonic() - begin, "processor": time.process_time() - before,
                    "above": resident() - at_start}
        numpy.save(work.probe, probe())
        print(json.dumps(measured))
    except Exception as failure:  # whatever a peer throws, it has no time
        print(json.dumps({"failure": f"{type(failure).__name__}: {failure}"[:300]}))


if __name__ == "__main__":
    main()
