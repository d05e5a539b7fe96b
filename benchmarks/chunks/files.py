"""Makes the files of the benchmark `chunks` that are not there yet."""

import os
import shutil
import subprocess
from pathlib import Path

SLAB = 64


def extents(shape):
    return "x".join(map(str, shape)) or "-"


def slabs(count, step=SLAB):
    return [slice(begin, min(begin + step, count)) for begin in range(0, count, step)]


def ready(folder, program, name, files, small):
    """The path of a file, which is made first under another name, so that what is there is whole."""
    path = folder / name
    if path.exists():
        return path
    print(f"making {name} …", flush=True)
    new = folder / f"new_{name}"
    if new.is_dir():
        shutil.rmtree(new)
    of = files[name]
    if of.dtype:
        subprocess.run([program, "make", new, of.dtype, extents(of.shape), extents(of.chunks), extents(of.shards),
                        of.codec], check=True, stdout=subprocess.DEVNULL)
    elif name == "x.h5":
        hdf5(ready(folder, program, "x", files, small), new)
    elif name == "list.npy":
        row_list(new, files["rows"].shape[0], 10**4 if small else 10**5)
    elif name == "million":
        array_of_a_million_chunks(new)
    else:
        group_of_a_thousand(new)
    os.replace(new, path)
    return path


def hdf5(source, new):
    import h5py
    import zarr
    x = zarr.open_array(source, mode="r")
    with h5py.File(new, "w") as file:
        stored = file.create_dataset("x", x.shape, x.dtype, chunks=x.chunks, compression="gzip", shuffle=True)
        for slab in slabs(x.shape[0]):
            stored[slab] = x[slab]


def row_list(new, count, chosen):
    import numpy
    with open(new, "wb") as file:
        numpy.save(file, numpy.random.default_rng(1).integers(0, count, chosen))


def array_of_a_million_chunks(new):
    import zarr
    zarr.create_array(store=str(new), shape=(6400, 6400, 6400), chunks=(64, 64, 64), dtype="float64")


def group_of_a_thousand(new):
    import zarr
    group = zarr.create_group(store=str(new))
    for number in range(1000):
        group.create_array(f"array_{number}", shape=(512, 512), chunks=(64, 64), dtype="float64",
                           attributes={"units": "K", "long_name": f"quantity {number}"})
    zarr.consolidate_metadata(str(new))


def blosc2_copy(source, path):
    """The array in Blosc2's own format, in the same chunks, by the same codec as far as that has it."""
    if path.exists():
        return path
    import blosc2
    import zarr
    x = zarr.open_array(source, mode="r")
    name = source.name
    codec = blosc2.Codec.LZ4 if "lz4" in name else blosc2.Codec.ZSTD
    shuffle = blosc2.Filter.BITSHUFFLE if "bits" in name else \
        blosc2.Filter.SHUFFLE if "bytes" in name else blosc2.Filter.NOFILTER
    level = 0 if name == "x_none" else 5 if codec is blosc2.Codec.LZ4 else 3
    new = path.with_name("new_" + path.name)
    stored = blosc2.empty(x.shape, dtype=x.dtype, chunks=x.chunks, urlpath=str(new), mode="w",
                          cparams=blosc2.CParams(codec=codec, clevel=level, filters=[shuffle], nthreads=2))
    step = max(SLAB, x.chunks[0])
    for slab in slabs(x.shape[0], step):
        stored[slab] = x[slab]
    os.replace(new, path)
    return path


def main():
    import sys
    blosc2_copy(Path(sys.argv[1]), Path(sys.argv[2]))


if __name__ == "__main__":
    main()
