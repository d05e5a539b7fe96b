"""One peer at one case, in a process of its own: peers.py PEER '{"case", "paths", "result", "chunks", "limit"}'.

Arrays larger than memory are read in slabs of whole chunks, but by Dask and Blosc2, which cut them themselves. Prints
{"seconds", "processor"}, the least of the rounds, of which there is one if it takes long; or {"failure"}."""

import json
import os
import sys
import time

os.environ |= {"OMP_NUM_THREADS": "2", "NUMEXPR_NUM_THREADS": "2", "BLOSC_NTHREADS": "2"}

import numpy  # noqa: E402

ROUNDS, ONCE = 3, 2.0  # seconds, after which it is not repeated
SLAB = 64


class Slabs:
    """What reads a slab as a NumPy array: `self.open(path)` gives something with a shape, `self.read(x, key)` elements."""

    def __init__(self, limit):
        self.limit = limit

    def slabs(self, x):
        for begin in range(0, x.shape[0], SLAB):
            yield slice(begin, min(begin + SLAB, x.shape[0]))

    def sum_of_squares(self, work):
        x = self.open(work.paths[0])
        return sum(((self.read(x, slab) - 1)**2).sum() for slab in self.slabs(x))

    def mean(self, x, axis):
        parts = [self.read(x, slab).sum(axis) for slab in self.slabs(x)]
        return (sum(parts) if axis == 0 else numpy.concatenate(parts)) / x.shape[axis]

    def mean_0(self, work):
        return self.mean(self.open(work.paths[0]), 0)

    def mean_1(self, work):
        return self.mean(self.open(work.paths[0]), 1)

    def mean_2(self, work):
        return self.mean(self.open(work.paths[0]), 2)

    def sum_of_both(self, work):
        x, y = map(self.open, work.paths)
        return sum((self.read(x, slab) + self.read(y, slab)).sum() for slab in self.slabs(x))

    def standardise(self, work):
        z = self.open(work.paths[0])
        mean = self.mean(z, 0)
        deviation = numpy.sqrt(sum(((self.read(z, slab) - mean)**2).sum(0) for slab in self.slabs(z)) / z.shape[0])
        result = self.create(work, z.shape)
        for slab in self.slabs(z):
            self.write(result, slab, (self.read(z, slab) - mean) / deviation)

    def transpose(self, work):
        x = self.open(work.paths[0])
        result = self.create(work, x.shape[::-1])
        for slab in self.slabs(result):
            self.write(result, slab, self.read(x, (..., slab)).T)


class Zarr(Slabs):
    def __init__(self, limit):
        super().__init__(limit)
        import zarr
        self.zarr = zarr
        zarr.config.set({"threading.max_workers": 2})

    def open(self, path):
        return self.zarr.open_array(path, mode="r")

    def read(self, x, key):
        return x[key]

    def create(self, work, shape):
        return self.zarr.create_array(store=work.result, shape=shape, chunks=work.chunks, dtype="float64",
                                      compressors=self.zarr.codecs.ZstdCodec(level=3), overwrite=True)

    def write(self, result, key, values):
        result[key] = values

    def random_rows(self, work):
        return self.open(work.paths[0]).oindex[numpy.load(work.paths[1])]

    def open_array(self, work):
        return self.open(work.paths[0]).size

    def open_group(self, work):
        return len(list(self.zarr.open_group(work.paths[0], mode="r").arrays()))


class H5py(Slabs):
    def open(self, path):
        import h5py
        return h5py.File(path, "r")["x"]

    def read(self, x, key):
        return x[key]


class Tensorstore(Slabs):
    def __init__(self, limit):
        super().__init__(limit)
        import tensorstore
        self.tensorstore = tensorstore
        self.context = tensorstore.Context({
            "cache_pool": {"total_bytes_limit": limit}, "data_copy_concurrency": {"limit": 2}})

    def spec(self, path, **more):
        return {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path)}, **more}

    def open(self, path):
        return self.tensorstore.open(self.spec(path), open=True, read=True, context=self.context).result()

    def read(self, x, key):
        return x[key].read().result()

    def create(self, work, shape):
        return self.tensorstore.open(
            self.spec(work.result, metadata={
                "shape": list(shape), "data_type": "float64", "fill_value": 0.0,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(work.chunks)}},
                "codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
                           {"name": "zstd", "configuration": {"level": 3}}]}),
            create=True, delete_existing=True, context=self.context).result()

    def write(self, result, key, values):
        result[key].write(values).result()

    def rechunk(self, work):
        x = self.open(work.paths[0])
        self.create(work, x.shape).write(x).result()

    def random_rows(self, work):
        return self.read(self.open(work.paths[0]), numpy.load(work.paths[1]))

    def open_array(self, work):
        return self.open(work.paths[0]).size


class Dask:
    def __init__(self, limit):
        import dask
        import dask.array
        self.array = dask.array
        dask.config.set(scheduler="threads", num_workers=2)

    def open(self, path):
        if path.endswith(".h5"):
            import h5py
            x = h5py.File(path, "r")["x"]
            return self.array.from_array(x, chunks=x.chunks)
        return self.array.from_zarr(path)

    def sum_of_squares(self, work):
        return ((self.open(work.paths[0]) - 1)**2).sum().compute()

    def mean_0(self, work):
        return self.open(work.paths[0]).mean(0).compute()

    def mean_1(self, work):
        return self.open(work.paths[0]).mean(1).compute()

    def mean_2(self, work):
        return self.open(work.paths[0]).mean(2).compute()

    def sum_of_both(self, work):
        x, y = map(self.open, work.paths)
        return (x + y).sum().compute()

    def store(self, work, x):
        result = Zarr(work.limit).create(work, x.shape)
        self.array.store(x.rechunk(work.chunks), result, lock=False)

    def standardise(self, work):
        z = self.open(work.paths[0])
        self.store(work, (z - z.mean(0)) / z.std(0))

    def transpose(self, work):
        self.store(work, self.open(work.paths[0]).T)

    def rechunk(self, work):
        self.store(work, self.open(work.paths[0]))

    def random_rows(self, work):
        return self.open(work.paths[0])[numpy.load(work.paths[1])].compute()

    def open_array(self, work):
        return self.open(work.paths[0]).size


class Blosc2:
    def __init__(self, limit):
        import blosc2
        self.blosc2 = blosc2
        blosc2.set_nthreads(2)

    def open(self, path):
        return self.blosc2.open(path + ".b2nd", mode="r")

    def sum_of_squares(self, work):
        return ((self.open(work.paths[0]) - 1)**2).sum()

    def mean_0(self, work):
        return self.open(work.paths[0]).mean(axis=0)

    def mean_1(self, work):
        return self.open(work.paths[0]).mean(axis=1)

    def mean_2(self, work):
        return self.open(work.paths[0]).mean(axis=2)

    def sum_of_both(self, work):
        x, y = map(self.open, work.paths)
        return (x + y).sum()

    def standardise(self, work):
        z = self.open(work.paths[0])
        ((z - z.mean(axis=0)) / z.std(axis=0)).compute(
            urlpath=work.result + ".b2nd", mode="w", chunks=work.chunks,
            cparams=self.blosc2.CParams(codec=self.blosc2.Codec.ZSTD, clevel=3, nthreads=2))

    def random_rows(self, work):
        return self.open(work.paths[0])[numpy.load(work.paths[1])]


PEERS = {"zarr": Zarr, "dask": Dask, "tensorstore": Tensorstore, "blosc2": Blosc2, "h5py": H5py}


class Work:
    def __init__(self, case, paths, result, chunks, limit):
        self.case, self.paths, self.result, self.chunks, self.limit = case, paths, result, tuple(chunks), limit


def main():
    work = Work(**json.loads(sys.argv[2]))
    least = of_processor = float("inf")
    try:
        for _ in range(ROUNDS):
            peer = PEERS[sys.argv[1]](work.limit)  # a new one, so that no cache has what the last one read
            begin, before = time.monotonic(), time.process_time()
            result = getattr(peer, work.case)(work)
            seconds = time.monotonic() - begin
            least = min(least, seconds)
            of_processor = min(of_processor, time.process_time() - before)
            if seconds > ONCE:
                break
        if result is not None:
            numpy.save(work.result, numpy.asarray(result[()] if hasattr(result, "schunk") else result))
        print(json.dumps({"seconds": least, "processor": of_processor}))
    except Exception as failure:  # whatever a peer throws, it has no time
        print(json.dumps({"failure": f"{type(failure).__name__}: {failure}"[:300]}))


if __name__ == "__main__":
    main()
